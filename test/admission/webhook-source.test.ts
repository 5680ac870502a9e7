/** The webhooks in force: in their order, whatever is added, changed and removed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RequestShape } from '../../src/admission/matching/matching.ts';
import { createWebhookSource } from '../../src/admission/webhooks/webhook-source.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import type { Environment } from '../../src/cel/cel.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import type { Turns } from '../../src/stdx/turns.ts';

const configuration = (name: string, ...resources: readonly string[]) => ({
  name,
  read: (): ApiObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: resources.map((resource, at) => ({
      name: `${at}.example`,
      rules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: [resource] },
      ],
    })),
  }),
});

const systemTurns = createTurns({ clock: systemClock, timers: systemTimers });

const source = (turns: Pick<Turns, 'run'> = systemTurns) =>
  createWebhookSource({
    turns,
    environment: undefined as unknown as Environment,
    lost: () => undefined,
    resource: 'validatingwebhookconfigurations',
    onProblem: (name, error) => assert.fail(`${name}: ${String(error)}`),
  });

/** Counts how often it is looked at. */
function creation(resource: string) {
  let looks = 0;
  const shape: RequestShape = {
    group: '',
    version: 'v1',
    resource,
    subresource: '',
    namespaced: true,
    get operation() {
      looks += 1;
      return 'CREATE' as const;
    },
    equivalents: () => [],
  };
  return { shape, looks: () => looks };
}

describe('the webhooks in force', () => {
  it('are in the order of their configurations, each with its place among all of them', async () => {
    const hooks = source();
    const { shape } = creation('pods');
    const found = (): readonly string[] =>
      hooks
        .candidates(shape, 1)
        .map(({ configuration: of, index, name }) => `${of}/${name} ${index}`);
    hooks.reset([configuration('c', 'pods'), configuration('a', 'maps', 'pods', 'pods')]);
    await hooks.settled();
    assert.deepEqual(found(), ['a/1.example 1', 'a/2.example 2', 'c/0.example 3']);
    hooks.set(configuration('b', 'maps', 'maps'));
    await hooks.settled();
    assert.deepEqual(found(), ['a/1.example 1', 'a/2.example 2', 'c/0.example 5']);
    hooks.set(configuration('a', 'pods'));
    await hooks.settled();
    assert.deepEqual(found(), ['a/0.example 0', 'c/0.example 3']);
    hooks.remove('a');
    await hooks.settled();
    assert.deepEqual(found(), ['c/0.example 2']);
    hooks.remove('c');
    hooks.remove('b');
    await hooks.settled();
    assert.deepEqual([found(), hooks.isEmpty], [[], true]);
  });

  it('after a change of one configuration no other is looked at again', async () => {
    const hooks = source();
    const count = 300;
    hooks.reset(Array.from({ length: count }, (_, at) => configuration(`c${at}`, `things${at}`)));
    await hooks.settled();
    const { looks, shape } = creation('things7');
    assert.equal(hooks.candidates(shape, 1).length, 1);
    const first = looks();
    assert.ok(first >= count, `${first} looks at ${count} configurations`);
    hooks.set(configuration('c9', 'things7'));
    await hooks.settled();
    assert.equal(hooks.candidates(shape, 1).length, 2);
    assert.ok(looks() - first < 10, `${looks() - first} looks`);
  });

  it('where they are many, those that match a new shape are looked for in steps', async () => {
    const seen: number[] = [];
    const { looks, shape } = creation('things7');
    // Turns that are over with each step.
    const hooks = source({
      run(step) {
        const run = (): void => {
          const isUnfinished = step(() => true);
          seen.push(looks());
          if (isUnfinished) queueMicrotask(run);
        };
        run();
      },
    });
    hooks.reset(Array.from({ length: 300 }, (_, at) => configuration(`c${at}`, `things${at}`)));
    await hooks.settled();
    assert.equal(hooks.isNew(shape, 1), true);
    seen.length = 0;
    await hooks.known(shape, 1);
    const looked = seen.map((sum, at) => sum - (seen[at - 1] ?? 0));
    assert.ok(Math.max(...looked) < 150, `${looked.join()} looks in the steps`);
    const learned = looks();
    assert.ok(learned >= 300, `${learned} looks`);
    assert.equal(hooks.candidates(shape, 1).length, 1);
    assert.ok(looks() - learned < 10, 'they are known');
    assert.deepEqual([hooks.isNew(shape, 1), hooks.known(shape, 1)], [false, undefined]);
    assert.equal(hooks.isNew(shape, 2), true, 'other kinds are served');
  });
});

/** Which policies and bindings can match a write: found as they change, however many there are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { resourcesMatcher } from '../../../src/admission/matching/matcher.ts';
import type { RequestShape } from '../../../src/admission/matching/matching.ts';
import { createPolicySource } from '../../../src/admission/policies/policy-source.ts';
import type { ApiObject, JsonObject } from '../../../src/apimachinery/unstructured.ts';
import type { Turns } from '../../../src/stdx/turns.ts';

const rulesFor = (resource: string): JsonObject => ({
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: [resource] },
  ],
});

/** Counts how often it is looked at. */
function countedShape(resource: string) {
  let looks = 0;
  const shape: RequestShape = {
    group: '',
    version: 'v1',
    subresource: '',
    namespaced: true,
    operation: 'CREATE',
    get resource() {
      looks += 1;
      return resource;
    },
    equivalents: () => [],
  };
  return { shape, takeLooks: () => [looks, (looks = 0)][0] ?? 0 };
}

const stored = (name: string, spec: JsonObject, generation = 1) => ({
  name,
  read: () => ({ metadata: { name, uid: name, generation }, spec }) as unknown as ApiObject,
});

const binding = (name: string, policyName: string, resource?: string) => {
  const matchResources = resource === undefined ? {} : { matchResources: rulesFor(resource) };
  return stored(name, { policyName, ...matchResources });
};

function sourceOf() {
  let stepsCount = 0;
  const turns: Pick<Turns, 'run'> = {
    run(step) {
      while (step(() => true) === true) stepsCount += 1;
    },
  };
  const source = createPolicySource({
    turns: turns as Turns,
    *compile({ metadata, spec }) {
      const matcher = resourcesMatcher((spec as JsonObject)['matchConstraints'] as JsonObject);
      return { name: metadata.name ?? '', matcher, paramKind: undefined };
    },
    lost: () => undefined,
    onProblem: (_name, error) => assert.fail(String(error)),
  });
  const named = (shape: RequestShape) =>
    source.candidates(shape, 1).map(({ bindings, policy }) => ({
      policy: policy.name,
      bindings: bindings.map(({ name }) => name),
    }));
  return { source, named, takeSteps: () => [stepsCount, (stepsCount = 0)][0] ?? 0 };
}

const policy = (name: string, resource: string, generation = 1) =>
  stored(name, { matchConstraints: rulesFor(resource) }, generation);

for (const [what, resource] of [
  ['match', 'pods'],
  ['match no write', 'nodes'],
] as const) {
  test(`one of 5,000 bindings that ${what} changes: a write looks at this one alone`, async () => {
    const { named, source, takeSteps } = sourceOf();
    source.policies.set(policy('p', '*'));
    for (let i = 0; i < 5_000; i += 1) source.bindings.set(binding(`b${i}`, 'p', resource));
    source.policies.set(policy('q', 'nodes'));
    for (let i = 0; i < 5_000; i += 1) source.bindings.set(binding(`c${i}`, 'q'));
    await source.settled();
    const { shape, takeLooks } = countedShape('pods');
    takeSteps();
    await source.known(shape, 1);
    assert.ok(takeLooks() >= 5_000);
    assert.ok(takeSteps() >= 50, 'all of them in steps');
    const before = named(shape);
    assert.equal(before[0]?.bindings.length, what === 'match' ? 5_000 : undefined);
    takeLooks();
    for (const [name, of] of [
      ['b7', 'p'],
      ['c7', 'q'],
    ] as const) {
      source.bindings.set(binding(name, of, resource));
      await source.settled();
      assert.equal(source.isNew(shape, 1), false, name);
      assert.deepEqual(named(shape), before);
      assert.ok(takeLooks() < 20, name);
    }
    source.policies.set(policy('p', '*', 2));
    source.bindings.remove('b7');
    await source.settled();
    assert.equal(source.isNew(shape, 1), false);
    const left = named(shape)[0]?.bindings;
    assert.deepEqual(
      left,
      before[0]?.bindings.filter((name) => name !== 'b7'),
    );
    assert.ok(takeLooks() < 30);
  });
}

test('hundreds of policies that change are looked at in steps, and no others', async () => {
  const { named, source } = sourceOf();
  for (let i = 0; i < 2_000; i += 1) {
    source.policies.set(policy(`p${i}`, 'pods'));
    source.bindings.set(binding(`b${i}`, `p${i}`));
  }
  await source.settled();
  const { shape, takeLooks } = countedShape('pods');
  await source.known(shape, 1);
  assert.equal(named(shape).length, 2_000);
  for (let i = 0; i < 300; i += 1) source.policies.set(policy(`p${i}`, 'nodes', 2));
  await source.settled();
  takeLooks();
  assert.ok(source.isNew(shape, 1));
  await source.known(shape, 1);
  assert.equal(named(shape).length, 1_700);
  assert.ok(takeLooks() < 1_500);
});

test('after any changes, what can match is what one that is made anew finds', async () => {
  const name = fc.integer({ min: 0, max: 3 }).map(String);
  const resource = fc.constantFrom('pods', 'nodes', '*', undefined);
  const change = fc.record({
    kind: fc.constantFrom('policy', 'no policy', 'binding', 'binding', 'no binding', 'look'),
    policy: name,
    name: fc.integer({ min: 0, max: 8 }).map(String),
    resource,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 60 }), async (changes) => {
      const { named, source } = sourceOf();
      const policies = new Map<string, ReturnType<typeof policy>>();
      const bindings = new Map<string, ReturnType<typeof binding>>();
      const { shape } = countedShape('pods');
      const check = async (): Promise<void> => {
        const anew = sourceOf();
        for (const each of policies.values()) anew.source.policies.set(each);
        for (const each of bindings.values()) anew.source.bindings.set(each);
        await anew.source.settled();
        await source.settled();
        assert.deepEqual(named(shape), anew.named(shape));
      };
      for (const [at, { kind, name: of, policy: p, resource: r }] of changes.entries()) {
        if (kind === 'policy') {
          policies.set(p, policy(p, r ?? 'pods', at));
          source.policies.set(policy(p, r ?? 'pods', at));
        } else if (kind === 'no policy') {
          policies.delete(p);
          source.policies.remove(p);
        } else if (kind === 'binding') {
          bindings.set(of, binding(of, p, r));
          source.bindings.set(binding(of, p, r));
        } else if (kind === 'no binding') {
          bindings.delete(of);
          source.bindings.remove(of);
        } else await check();
      }
      await check();
    }),
    { numRuns: 200 },
  );
});

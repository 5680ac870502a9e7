/** Plugins as a guard of writes: how often a write is tried for the sake of their questions, and
 * how long it waits for configurations that are not in force yet. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import type { AccessChecker } from '../../src/authorization/authorizer.ts';
import { createAdmissionTimes } from '../../src/admission/admission-times.ts';
import { admissionGuards, question } from '../../src/admission/chain.ts';
import { alwaysDeny } from '../../src/admission/always.ts';
import { unanswered } from '../../src/admission/admission.ts';
import type { AdmissionPlugin } from '../../src/admission/admission.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import { operations } from '../../src/registry/write-guard.ts';
import {
  mutatingAdmissionPolicy,
  validatingAdmissionPolicy,
} from '../../src/admission/policies/policy-plugins.ts';
import type { PolicyPluginDeps } from '../../src/admission/policies/policy-plugins.ts';
import { createPolicySource } from '../../src/admission/policies/policy-source.ts';
import {
  mutatingWebhooks,
  validatingWebhooks,
} from '../../src/admission/webhooks/webhook-plugins.ts';
import type { PluginDeps as WebhookPluginDeps } from '../../src/admission/webhooks/webhook-plugins.ts';
import { createWebhookSource } from '../../src/admission/webhooks/webhook-source.ts';
import { StatusError } from '../../src/apimachinery/status-error.ts';
import type { Environment } from '../../src/cel/cel.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import { userNamed } from '../support/data/access-attributes.ts';
import { departingRequester } from '../support/doubles/departing-requester.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import type { ManualTime } from '../support/doubles/manual-time.ts';

const user = userNamed('ann');
const identity = identityOf('kubernetes');
const write = {
  kind: { storage: { group: '', resource: 'things' }, subresources: [] } as unknown as KindInfo,
  namespace: 'ns',
  name: 'x',
};

/** Asks each of these rights, one after the other, and refuses without one of them. */
function asking(names: Iterable<string>): AdmissionPlugin {
  return {
    name: 'Asking',
    concerns: () => true,
    validate(_review, { ask }) {
      for (const name of names) {
        const asked = { verb: 'approve', apiGroup: '', resource: 'signers', name };
        const allowed = ask(question(user, asked));
        if (allowed === undefined) return unanswered;
        if (!allowed) return `no right to ${name}`;
      }
      return undefined;
    },
  };
}

async function tried(plugin: AdmissionPlugin, allowed: (name: string) => boolean) {
  let tries = 0;
  const counted: AdmissionPlugin = {
    ...plugin,
    validate(review, pass) {
      tries += 1;
      return plugin.validate?.(review, pass);
    },
  };
  const access: Pick<AccessChecker, 'check'> = {
    check: ({ name }) =>
      Promise.resolve({ kind: allowed(name) ? 'allow' : 'no-opinion', reason: '' }),
  };
  const times = createAdmissionTimes(systemClock);
  const deps = { identity, access, times, clock: systemClock, timers: systemTimers };
  const guard = admissionGuards([counted], deps)(user, write, operations.delete);
  assert.ok(guard !== undefined);
  const terms = { dryRun: false, options: {}, deadlineMs: systemClock.monotonicMs() + 60_000 };
  const refusal = await guard.admit(terms).validate(undefined, undefined);
  const timed = [...times.read()].map(([labels, { count }]) => ({ ...labels, count }));
  return { tries, refusal, timed };
}

describe('a guard of plugins', () => {
  it('reviews again for each answer that had to be waited for, and keeps the answers', async () => {
    const { refusal, tries } = await tried(asking(['a', 'b', 'a', 'b']), () => true);
    assert.equal(refusal, undefined);
    assert.equal(tries, 3);
  });

  it('refuses by the plugin’s word when the answer is no', async () => {
    const { refusal } = await tried(asking(['a', 'b']), (name) => name === 'a');
    assert.equal(refusal?.code, 403);
    assert.match(refusal.message, /no right to b/);
  });

  it('is timed once for each plugin and once for the phase, whatever it waited for', async () => {
    const plugin = asking(['a', 'b']);
    const counted = { type: 'validate', operation: 'DELETE', count: 1 };
    for (const [allowed, rejected] of [
      [true, 'false'],
      [false, 'true'],
    ] as const) {
      const { timed } = await tried(plugin, () => allowed);
      assert.deepEqual(timed, [
        { name: plugin.name, rejected, ...counted },
        { name: '', rejected, ...counted },
      ]);
    }
  });

  it('gives up on a plugin that has five questions answered and asks a sixth', async () => {
    const five = ['a', 'b', 'c', 'd', 'e'];
    assert.equal((await tried(asking(five), () => true)).refusal, undefined);
    const { refusal, tries } = await tried(asking([...five, 'f']), () => true);
    assert.equal(refusal, unanswered);
    assert.equal(tries, 6);
  });
});

describe('a write whose client goes', () => {
  const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x', namespace: 'ns' } };
  const world = () => {
    const time = manualTime();
    let asked = 0;
    const hangs = (): Promise<undefined> => {
      asked += 1;
      return new Promise(() => undefined);
    };
    const plugin: AdmissionPlugin = { name: 'hangs', concerns: () => true, validate: hangs };
    const times = createAdmissionTimes(time.clock);
    const access = { check: (): never => assert.fail('nobody is asked') };
    const deps = { identity, access, times, clock: time.clock, timers: time.timers };
    const guard = admissionGuards([plugin], deps)(user, write, operations.create);
    assert.ok(guard !== undefined);
    const terms = { dryRun: false, options: {}, deadlineMs: time.clock.monotonicMs() + 60_000 };
    const requester = departingRequester();
    const validate = () => guard.admit(terms, requester).validate(object, undefined);
    return { asked: () => asked, requester, time, validate };
  };

  it('is refused at once, and asks nobody any more', async () => {
    const { asked, requester, validate } = world();
    const waiting = validate();
    requester.go();
    assert.equal((await waiting)?.code, 504);
    assert.equal((await validate())?.code, 504);
    assert.equal(asked(), 1);
  });

  it('and one that is refused for its time leaves nothing behind', async () => {
    const { requester, time, validate } = world();
    const waiting = validate();
    time.advance(60_000);
    assert.equal((await waiting)?.code, 504);
    requester.go();
  });
});

describe('a write before the configurations of admission are in force', () => {
  const turns = createTurns({ clock: systemClock, timers: systemTimers });
  const onProblem = (): never => assert.fail('nothing is read');
  const unread = (): never => assert.fail('nothing is stored');
  const lost = () => undefined;
  /** What a plugin asks before it knows whether it is ready. */
  const depsWith = (time: ManualTime) =>
    ({
      identity,
      timers: time.timers,
      clock: time.clock,
      scheme: { generation: 1 },
    }) as unknown as WebhookPluginDeps & PolicyPluginDeps;
  const policies = () => {
    const source = createPolicySource<never>({ turns, compile: unread, onProblem, lost });
    const ready = async (): Promise<void> => {
      source.policies.reset([]);
      source.bindings.reset([]);
      await source.settled();
    };
    return { source, ready };
  };
  const webhooks = () => {
    const environment = undefined as unknown as Environment;
    const source = createWebhookSource({ turns, environment, onProblem, lost, resource: '' });
    const ready = async (): Promise<void> => {
      source.reset([]);
      await source.settled();
    };
    return { source, ready };
  };
  const rows: Readonly<
    Record<string, (time: ManualTime) => [AdmissionPlugin, () => Promise<void>]>
  > = {
    MutatingAdmissionPolicy(time) {
      const { ready, source } = policies();
      return [mutatingAdmissionPolicy(source, depsWith(time)), ready];
    },
    MutatingAdmissionWebhook(time) {
      const { ready, source } = webhooks();
      return [mutatingWebhooks(source, depsWith(time)), ready];
    },
    ValidatingAdmissionPolicy(time) {
      const { ready, source } = policies();
      return [validatingAdmissionPolicy(source, depsWith(time)), ready];
    },
    ValidatingAdmissionWebhook(time) {
      const { ready, source } = webhooks();
      return [validatingWebhooks(source, depsWith(time)), ready];
    },
  };
  const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x', namespace: 'ns' } };
  for (const [name, make] of Object.entries(rows)) {
    it(`waits, and is refused after a while: ${name}`, async () => {
      const time = manualTime();
      const [plugin, ready] = make(time);
      const times = createAdmissionTimes(time.clock);
      const access = { check: unread };
      const deps = { identity, access, times, clock: time.clock, timers: time.timers };
      const guardOf = admissionGuards([plugin], deps);
      const said = async (): Promise<string | undefined> => {
        const guard = guardOf(user, write, operations.create);
        if (guard === undefined) return undefined;
        const deadlineMs = time.clock.monotonicMs() + 60_000;
        const admission = guard.admit({ dryRun: false, options: {}, deadlineMs });
        const mutated = await admission.mutate(object, undefined);
        const refusal =
          mutated instanceof StatusError ? mutated : admission.validate(object, undefined);
        const status = (await refusal)?.toStatus();
        return status && `${String(status['code'])} ${String(status['message'])}`;
      };
      let waited = false;
      const waiting = guardOf(user, write, operations.create)
        ?.current()
        ?.then(() => (waited = true));
      time.advance(9_999);
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(waited, false);
      time.advance(1);
      await waiting;
      assert.equal(await said(), '403 things "x" is forbidden: not yet ready to handle request');
      const later = guardOf(user, write, operations.create)?.current();
      await ready();
      await later;
      assert.equal(await said(), undefined);
    });
  }
});

it('AlwaysDeny denies whatever is written', async () => {
  const times = createAdmissionTimes(systemClock);
  const access = { check: (): never => assert.fail('nobody is asked') };
  const deps = { identity, access, times, clock: systemClock, timers: systemTimers };
  const guardOf = admissionGuards([alwaysDeny], deps);
  const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x', namespace: 'ns' } };
  const terms = { dryRun: true, options: {}, deadlineMs: systemClock.monotonicMs() + 60_000 };
  const words = 'things "x" is forbidden: admission control is denying all modifications';
  for (const [by, next, current] of [
    [operations.create, object, undefined],
    [operations.update, object, object],
    [operations.connect, object, undefined],
    [operations.delete, undefined, object],
  ] as const) {
    const admission = guardOf(user, write, by)?.admit(terms);
    const mutated = next && (await admission?.mutate(next, current));
    if (next !== undefined) assert.equal((mutated as StatusError).message, words);
    assert.equal((await admission?.validate(next, current))?.message, words);
  }
});

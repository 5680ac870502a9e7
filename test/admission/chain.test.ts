/** Plugins as a guard of writes: how often a write is tried for the sake of their questions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import type { AccessChecker } from '../../src/authorization/authorizer.ts';
import { createAdmissionTimes } from '../../src/admission/admission-times.ts';
import { admissionGuards, question } from '../../src/admission/chain.ts';
import { unanswered } from '../../src/admission/admission.ts';
import type { AdmissionPlugin } from '../../src/admission/admission.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import { operations } from '../../src/registry/write-guard.ts';
import { userNamed } from '../support/data/access-attributes.ts';

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
  const refusal = await guard.hear(terms).validate(undefined, undefined);
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

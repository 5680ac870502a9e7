/** A question to an authorization webhook ends with the last request that waits for its answer. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createWebhookAuthorizer } from '../../src/authorization/webhook/webhook-authorizer.ts';
import type { WebhookCall } from '../../src/authorization/webhook/webhook-authorizer.ts';
import { systemTimers } from '../../src/stdx/clock.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import type { WebhookClient } from '../../src/webhooks/webhook-client.ts';
import { WebhookError } from '../../src/webhooks/webhook-poster.ts';
import { resourceAttributes, userNamed } from '../support/data/access-attributes.ts';
import { departingRequester } from '../support/doubles/departing-requester.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const kind = 'SubjectAccessReview';
const allowed = { apiVersion: 'authorization.k8s.io/v1', kind, status: { allowed: true } };

/** A webhook that hangs until it is let answer. */
function world() {
  const { clock } = manualTime();
  const calls: WebhookCall[] = [];
  const waiting: (() => void)[] = [];
  const client: WebhookClient = {
    call: (_review, requester) =>
      new Promise((resolve, reject) => {
        waiting.push(() => resolve(allowed));
        requester?.onAbort(() => reject(new WebhookError('nobody waits', false, 'left')));
      }),
    close: () => undefined,
  };
  const ttl = { authorizedTtlMs: 300_000, unauthorizedTtlMs: 30_000 };
  const options = { name: 'hook', reviewGroup: 'authorization.k8s.io', version: 'v1', ...ttl };
  const { authorize } = createWebhookAuthorizer(
    { ...options, version: 'v1', failurePolicy: 'NoOpinion' },
    {
      client,
      clock,
      turns: createTurns({ clock, timers: systemTimers }),
      onCall: (call) => calls.push(call),
      onConditions: () => undefined,
    },
  );
  return { authorize, calls, waiting };
}

const asked = { ...resourceAttributes('get pods', 'web', 'ns'), user: userNamed('u') };
const counted = ({ failedOpen, result }: WebhookCall) => ({ failedOpen, result });

describe('a question that several requests share', () => {
  it('is answered to the second where the first has gone', async () => {
    const { authorize, calls, waiting } = world();
    const [goes, stays] = [departingRequester(), departingRequester()];
    const decisions = [authorize(asked, goes), authorize(asked, stays)];
    goes.go();
    assert.equal((await decisions[0])?.kind, 'no-opinion');
    assert.equal(waiting.length, 1);
    waiting[0]?.();
    assert.equal((await decisions[1])?.kind, 'allow');
    assert.deepEqual(calls.map(counted), [{ failedOpen: false, result: 'success' }]);
    assert.equal((await authorize(asked)).kind, 'allow');
    assert.equal(waiting.length, 1, 'it is kept');
  });

  it('is cut when the last goes: no failure, not kept, and asked again', async () => {
    const { authorize, calls, waiting } = world();
    const two = [departingRequester(), departingRequester()];
    const decisions = two.map((each) => authorize(asked, each));
    for (const each of two) each.go();
    for (const decision of decisions) assert.equal((await decision).kind, 'no-opinion');
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(calls.map(counted), [{ failedOpen: false, result: 'canceled' }]);
    const again = authorize(asked);
    assert.equal(waiting.length, 2);
    waiting[1]?.();
    assert.equal((await again).kind, 'allow');
  });
});

/** What a webhook is sent: large objects are written in turns of their own, and once. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Review, AdmissionRecorder } from '../../src/admission/admission.ts';
import type { Invocation } from '../../src/admission/webhooks/invocation.ts';
import { callWebhook } from '../../src/admission/webhooks/webhook-call.ts';
import type { WebhookPorts } from '../../src/admission/webhooks/webhooks.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import type { HttpBody } from '../../src/webhooks/body-turns.ts';

function configMap(name: string, characters: number): ApiObject {
  const data = { text: 'x'.repeat(characters) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

function calling() {
  const sent: JsonObject[] = [];
  const bodies: (readonly Uint8Array[])[] = [];
  let pauses = 0;
  const ports = {
    clock: { monotonicMs: () => 0 },
    identity: identityOf('kubernetes'),
    prng: seededPrng(1),
    turns: { pause: () => ((pauses += 1), Promise.resolve()) },
    post(_config: unknown, body: HttpBody) {
      const parts = typeof body === 'string' ? [Buffer.from(body)] : body;
      bodies.push(parts);
      const { request } = JSON.parse(Buffer.concat(parts).toString()) as { request: JsonObject };
      sent.push(request);
      const response = { uid: request['uid'], allowed: true };
      const answer = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
      return Promise.resolve(Buffer.from(JSON.stringify(answer)));
    },
  } as unknown as WebhookPorts;
  const webhook = { name: 'w', version: 'v1', timeoutMs: 1000, isQuiet: true, clientConfig: {} };
  return {
    sent,
    bodies,
    takePauses: () => [pauses, (pauses = 0)][0],
    async call(shown: Invocation['shown']): Promise<void> {
      const invocation = { webhook, shown, request: {} } as unknown as Invocation;
      const review = { deadlineMs: 1000, dryRun: false } as unknown as Review;
      const { kind } = await callWebhook(
        review,
        invocation,
        'validating',
        {} as AdmissionRecorder,
        ports,
      );
      assert.equal(kind, 'allowed');
    },
  };
}

describe('what a webhook is sent', () => {
  it('takes a turn for each object that is large, once for all who are sent it', async () => {
    const { bodies, call, sent, takePauses } = calling();
    const [object, oldObject] = [configMap('a', 200_000), configMap('b', 200_000)];
    const shown = { object, oldObject };
    await Promise.all([call(shown), call(shown)]);
    assert.equal(takePauses(), 2);
    const [first, second] = bodies.map((parts) => parts.find(({ length }) => length > 200_000));
    assert.ok(first !== undefined && first === second, 'its bytes are held once');
    for (const request of sent) {
      assert.deepEqual([request['object'], request['oldObject']], [object, oldObject]);
    }
    await call({ object: configMap('c', 200_000), oldObject });
    assert.equal(takePauses(), 1, 'the one before it is known');
  });

  it('takes none for others, and null for what there is not', async () => {
    const { call, sent, takePauses } = calling();
    await call({ object: undefined, oldObject: configMap('a', 10) });
    assert.equal(takePauses(), 0);
    assert.equal(sent[0]?.['object'], null);
  });
});

/** The Scale of a large object: a get reads the object in turns with the work of others, the answer
 * to a write not at all. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { bytesAtOnceMax } from '../../src/apimachinery/object-cost.ts';
import {
  decodeObject,
  encodeObject,
  stampResourceVersion,
} from '../../src/apimachinery/object-encoding.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { handleGet } from '../../src/endpoints/handlers/get.ts';
import type { EndpointDeps, ResourceRequest } from '../../src/endpoints/request.ts';
import type { RegistryDeps } from '../../src/registry/registry.ts';
import { executeScale } from '../../src/registry/scale.ts';
import { createLimiter } from '../../src/stdx/limiter.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import type { Step } from '../../src/stdx/turns.ts';
import { fakeExchange } from '../support/doubles/fake-exchange.ts';

const identity = identityOf('kubernetes');

function deployments() {
  const built = buildScheme({ identity, release: 33 });
  assert(built.kind === 'ok');
  const kind = built.scheme.findKind('apps', 'v1', 'Deployment');
  assert(kind !== undefined);
  return kind;
}

const kind = deployments();
const target = { kind, namespace: 'default', name: 'd' };

/** A stored Deployment that is so much longer than a small one. */
function deployment(textLength: number) {
  const metadata = { name: 'd', namespace: 'default', uid: 'u', annotations: { a: '' } };
  metadata.annotations.a = 'x'.repeat(textLength);
  return encodeObject({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { replicas: 3 },
  });
}

const small = deployment(0);
const large = deployment(bytesAtOnceMax);

describe('the Scale of an object', () => {
  for (const [title, object, takesTurns] of [
    ['small and is answered at once', small, false],
    ['large and is answered in turns', large, true],
  ] as const) {
    it(`that is ${title}: a get`, async () => {
      const waiting: Step[] = [];
      const bytes = stampResourceVersion(object.bytes, object.metadataAt, 7n);
      const snapshot = { unreadable: new Map(), get: () => ({ bytes, revision: 7n }) };
      const deps = {
        identity,
        features: { cbor: false },
        largeObjects: createLimiter(1),
        registry: {
          turns: { run: (step: Step) => void waiting.push(step) },
          streams: { waitUntilCurrent: () => Promise.resolve(), snapshot: () => snapshot },
        },
      };
      const resource = { namespace: 'default', name: 'd', subresource: 'scale' };
      const exchange = fakeExchange('GET', {}, '');
      const request = { exchange, kind, resource, query: new Map(), warnings: [] };
      const answering = handleGet(
        deps as unknown as EndpointDeps,
        request as unknown as ResourceRequest,
      );
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(waiting.length, takesTurns ? 1 : 0);
      let turns = 0;
      while (waiting[0]?.(() => true) === true) turns += 1;
      assert.equal(turns > 0, takesTurns);
      const answer = await answering;
      assert('body' in answer);
      const scale = JSON.parse(Buffer.from(answer.body).toString()) as { spec: unknown };
      assert.deepEqual(scale.spec, { replicas: 3 });
    });
  }

  it('that was written shows what was decided: nobody reads its bytes again', async () => {
    const object = decodeObject(large.bytes);
    const unread = new Uint8Array(bytesAtOnceMax * 2);
    const outcome = { kind: 'replaced', object, bytes: unread, revision: 7n, warnings: ['w'] };
    const written = await writtenScale(outcome);
    assert.deepEqual(written.object['spec'], { replicas: 3 });
    assert.equal(written.object.metadata.resourceVersion, '7');
    assert.deepEqual(written.warnings, ['w']);
    // Nothing is there yet that a dry run could name.
    const metadata = { ...object.metadata, resourceVersion: '5' };
    const tried = { ...outcome, object: { ...object, metadata }, revision: undefined };
    assert.equal((await writtenScale(tried)).object.metadata.resourceVersion, undefined);
  });
});

async function writtenScale(outcome: object) {
  const deps = {
    turns: { pause: () => Promise.reject(new Error('nothing large is to be done')) },
    clock: { nowMs: () => 0 },
    prng: seededPrng(1),
    actors: { execute: () => Promise.resolve(outcome) },
  };
  const body = { verb: 'update-scale', object: {} };
  const written = await executeScale(
    deps as unknown as RegistryDeps,
    target,
    body as unknown as Parameters<typeof executeScale>[2],
    { dryRun: false },
  );
  assert(written.kind === 'ok');
  return written.value;
}

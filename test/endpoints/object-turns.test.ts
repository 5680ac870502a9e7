/** An object that is read and written anew for its answer waits for its turn where it is large. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bytesAtOnceMax } from '../../src/apimachinery/object-cost.ts';
import { objectAnswer } from '../../src/endpoints/answer.ts';
import { sendObject } from '../../src/endpoints/object-response.ts';
import type { Representation } from '../../src/endpoints/representation.ts';
import type { EndpointDeps, AnsweredRequest } from '../../src/endpoints/request.ts';
import type { Revision } from '../../src/storage/storage.ts';

/** How often it waits before the object is shown. */
async function pausesBefore(length: number, more: Partial<Representation>): Promise<number> {
  let pauses = 0;
  const pause = (): Promise<void> => Promise.resolve(void (pauses += 1));
  const deps = { registry: { turns: { pause } } } as unknown as EndpointDeps;
  const request = { exchange: { closed: false } } as unknown as AnsweredRequest;
  const shown = new Error('shown');
  const representation = {
    negotiated: { format: 'json', projection: { kind: 'none' } },
    pretty: false,
    show: () => {
      throw shown;
    },
    ...more,
  } as unknown as Representation;
  const object = { bytes: new Uint8Array(length), revision: 1n as Revision };
  await assert.rejects(
    async () => sendObject(deps, request, objectAnswer(200, representation, object)),
    shown,
  );
  return pauses;
}

describe('an object that is answered', () => {
  const [small, large] = [bytesAtOnceMax, bytesAtOnceMax + 1];

  it('in another version than the stored one waits where it is large', async () => {
    assert.equal(await pausesBefore(large, { isConverted: true }), 1);
    assert.equal(await pausesBefore(small, { isConverted: true }), 0);
    assert.equal(await pausesBefore(large, { isConverted: false }), 0);
  });

  it('with line breaks, too', async () => {
    assert.equal(await pausesBefore(large, { isConverted: false, pretty: true }), 1);
    assert.equal(await pausesBefore(small, { isConverted: false, pretty: true }), 0);
  });
});

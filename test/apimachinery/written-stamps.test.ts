/** The answer to a write and the caches show the same bytes, and share large ones. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeObject, stampResourceVersion } from '../../src/apimachinery/object-encoding.ts';
import { stampWritten } from '../../src/apimachinery/written-stamps.ts';

function encoded(name: string, text = '') {
  const metadata = { name };
  return encodeObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } });
}

function stampedTwice(bytes: Uint8Array, metadataAt: number, revision: bigint) {
  const pair = [1, 2].map(() => stampWritten(bytes, metadataAt, revision)) as [Buffer, Buffer];
  for (const each of pair) {
    assert.deepEqual(each, stampResourceVersion(bytes, metadataAt, revision));
  }
  return pair;
}

describe('the bytes of a write under its revision', () => {
  for (const length of [0, 10_000]) {
    it(`of a smaller object lie where who asks says: ${length} characters more`, () => {
      const { bytes, metadataAt } = encoded('a', 'x'.repeat(length));
      const [first, second] = stampedTwice(bytes, metadataAt, 1n);
      assert.notEqual(first, second);
      const memory = Buffer.alloc(20_000);
      const allocate = (size: number): Buffer => memory.subarray(0, size);
      const own = stampWritten(bytes, metadataAt, 2n, allocate);
      assert.equal(own.buffer, memory.buffer);
      assert.deepEqual(own, stampResourceVersion(bytes, metadataAt, 2n));
      assert.notEqual(stampWritten(bytes, metadataAt, 2n).buffer, memory.buffer);
    });
  }

  it('of a large object are made once for both, and never shown under another revision', () => {
    const { bytes, metadataAt } = encoded('a', 'x'.repeat(100_000));
    const [first, second] = stampedTwice(bytes, metadataAt, 1n);
    assert.equal(first, second);
    const allocate = (): Buffer => assert.fail('a large one has memory of its own');
    const third = stampWritten(bytes, metadataAt, 2n);
    assert.equal(stampWritten(bytes, metadataAt, 2n, allocate), third);
    const one = stampWritten(bytes, metadataAt, 3n);
    const other = stampWritten(bytes, metadataAt, 4n);
    assert.deepEqual(one, stampResourceVersion(bytes, metadataAt, 3n));
    assert.deepEqual(other, stampResourceVersion(bytes, metadataAt, 4n));
  });
});

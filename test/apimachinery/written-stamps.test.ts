/** The answer to a write and the caches show the same bytes, and share them. */
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
  it('are made once for the two who want them, and anew for who comes later', () => {
    const { bytes, metadataAt } = encoded('a');
    const [first, second] = stampedTwice(bytes, metadataAt, 7n);
    assert.equal(first, second);
    const [third] = stampedTwice(bytes, metadataAt, 7n);
    assert.notEqual(third, first);
  });

  it('are those of their object and revision, whoever asks in between', () => {
    const [a, b] = [encoded('a'), encoded('b')];
    const asked = Array.from({ length: 5_000 }, (_, i) => ({
      of: i % 3 === 0 ? a : b,
      revision: BigInt((i * 7_919) % 2_100),
    }));
    for (const { of, revision } of [...asked, ...asked]) {
      const stamped = stampWritten(of.bytes, of.metadataAt, revision);
      assert.deepEqual(stamped, stampResourceVersion(of.bytes, of.metadataAt, revision));
    }
  });

  it('of a larger object wait for nobody, and whoever says where they lie has his own', () => {
    const larger = encoded('a', 'x'.repeat(10_000));
    const [first, second] = stampedTwice(larger.bytes, larger.metadataAt, 1n);
    assert.notEqual(first, second);
    const { bytes, metadataAt } = encoded('a');
    const memory = Buffer.alloc(1_000);
    const allocate = (size: number): Buffer => memory.subarray(0, size);
    const own = stampWritten(bytes, metadataAt, 2n, allocate);
    assert.equal(own.buffer, memory.buffer);
    assert.notEqual(stampWritten(bytes, metadataAt, 2n).buffer, memory.buffer);
  });

  it('of a large object are made once, too, and never shown under another revision', () => {
    const { bytes, metadataAt } = encoded('a', 'x'.repeat(100_000));
    const [first, second] = stampedTwice(bytes, metadataAt, 1n);
    assert.equal(first, second);
    const [third, fourth] = stampedTwice(bytes, metadataAt, 2n);
    assert.equal(third, fourth);
    const one = stampWritten(bytes, metadataAt, 3n);
    const other = stampWritten(bytes, metadataAt, 4n);
    assert.deepEqual(one, stampResourceVersion(bytes, metadataAt, 3n));
    assert.deepEqual(other, stampResourceVersion(bytes, metadataAt, 4n));
  });
});

/** What was packed comes back as it was (src/apimachinery/codecs/gzip.ts, joined-gzip.ts). */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { gunzipWhole, gzipBytes } from '../../src/apimachinery/codecs/gzip.ts';
import { joinedGzip, packPart } from '../../src/apimachinery/codecs/joined-gzip.ts';
import { finished } from '../../src/stdx/stepwise.ts';

/** Some of it can be made smaller, some cannot. */
function bytesOf(length: number): Buffer {
  return Buffer.concat([randomBytes(length >> 1), Buffer.alloc(length - (length >> 1))]);
}

describe('unpacking', () => {
  for (const length of [0, 1, 64 * 1024, 64 * 1024 + 1, 3_000_000]) {
    it(`gives back ${length} bytes`, async () => {
      const bytes = bytesOf(length);
      assert.ok(bytes.equals(await gunzipWhole(await gzipBytes(bytes), length)));
    });
  }

  it('rejects what is no such thing', async () => {
    await assert.rejects(gunzipWhole(randomBytes(64), 1_000_000));
  });
});

describe('a gzip of parts', () => {
  for (const lengths of [
    [],
    [0],
    [1],
    [1, 0, 1],
    [20, 100_000, 0, 3, 65_536, 1],
    [3_000_000, 1, 300_001],
    Array.from({ length: 1000 }, (_, at) => at),
  ]) {
    const all = lengths.reduce((sum, length) => sum + length, 0);
    it(`of ${lengths.length} with ${all} bytes is one of all of them`, async () => {
      const plain = lengths.map(bytesOf);
      const parts = await Promise.all(plain.map(packPart));
      const packed = finished(joinedGzip(parts));
      // It checks the checksum and the length.
      assert.ok(gunzipSync(packed).equals(Buffer.concat(plain)));
    });
  }

  it('of parts that hold their own bytes and no more', async () => {
    const { packed } = await packPart(Buffer.from('short'));
    assert.equal(packed.buffer.byteLength, packed.byteLength);
  });
});

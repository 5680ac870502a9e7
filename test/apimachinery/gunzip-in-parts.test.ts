/** What was packed comes back as it was (src/apimachinery/codecs/gzip.ts). */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { gunzipInParts, gzipBytes } from '../../src/apimachinery/codecs/gzip.ts';

describe('unpacking in parts', () => {
  for (const length of [0, 1, 256 * 1024, 256 * 1024 + 1, 3_000_000]) {
    it(`gives back ${length} bytes`, async () => {
      // Some of it can be made smaller, some cannot.
      const bytes = Buffer.concat([randomBytes(length >> 1), Buffer.alloc(length - (length >> 1))]);
      const plain = await gunzipInParts(await gzipBytes(bytes), length);
      assert.ok(bytes.equals(plain));
    });
  }

  it('rejects what is no such thing', async () => {
    await assert.rejects(gunzipInParts(randomBytes(64), 1_000_000));
  });
});

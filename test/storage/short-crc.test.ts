/** Checksums of a few bytes are those that zlib gives. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { crcOfHead, crcOfText } from '../../src/storage/short-crc.ts';

describe('short checksums', () => {
  it('are what zlib gives for the bytes before the end, and for a text after another', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.nat(), (bytes, at) => {
        const end = at % (bytes.length + 1);
        assert.equal(crcOfHead(bytes, end), crc32(bytes.subarray(0, end)));
      }),
    );
    const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(text, text, (first, second) => {
        assert.equal(crcOfText(second, crcOfText(first)), crc32(Buffer.from(first + second)));
      }),
    );
  });
});

/** Texts that are kept are the texts of the bytes, whatever was kept before. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { shortText, shortTextMax } from '../../src/apimachinery/codecs/short-text.ts';

it('a short text is that of its bytes, first and again, among any others', () => {
  const texts = fc.array(fc.string({ unit: 'binary-ascii', maxLength: shortTextMax }), {
    minLength: 200,
    maxLength: 1000,
  });
  fc.assert(
    fc.property(texts, fc.nat({ max: 9 }), (all, start) => {
      for (const text of [...all, ...all]) {
        const bytes = Buffer.concat([Buffer.alloc(start, 1), Buffer.from(text), Buffer.from('#')]);
        assert.equal(shortText(bytes, start, text.length), text);
      }
    }),
    { numRuns: 50 },
  );
});

it('texts that share a slot do not share their text', () => {
  const all = Array.from({ length: 20_000 }, (_, at) => `text-${at}`);
  for (const text of all) assert.equal(shortText(Buffer.from(text), 0, text.length), text);
});

it('what is long or not ASCII is left to the caller', () => {
  const long = Buffer.alloc(shortTextMax + 1, 0x61);
  assert.equal(shortText(long, 0, long.length), undefined);
  assert.equal(shortText(long, 0, shortTextMax), 'a'.repeat(shortTextMax));
  assert.equal(shortText(Buffer.from('\u00e9'), 0, 2), undefined);
  for (const byte of [0x80, 0xff]) assert.equal(shortText(Buffer.of(byte), 0, 1), undefined);
  assert.equal(shortText(Buffer.of(0x7f), 0, 1), '\x7f');
  assert.equal(shortText(long, 0, 0), '');
});

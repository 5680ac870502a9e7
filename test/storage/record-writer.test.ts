/** The short way to write a record: it gives what msgpack's own encoder gives, or nothing. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { writeRecord } from '../../src/storage/record-writer.ts';

const before = Buffer.of(0x97, 2);

function general(items: readonly unknown[]): Buffer {
  return Buffer.concat([before, ...items.map((item) => encode(item))]);
}

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ minLength: 200, maxLength: 300 }),
);
const map = fc.oneof(
  fc.dictionary(text, text, { noNullPrototype: true, maxKeys: 5 }),
  fc.dictionary(text, text, { maxKeys: 40 }),
);
const object = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  fc.uint8Array({ minLength: 65_000, maxLength: 70_000, size: 'max' }),
);

describe('record writer', () => {
  it('gives what the general encoder gives, or leaves the record to it', () => {
    let written = 0;
    const shapes = fc.option(text, { nil: undefined });
    const any = fc.tuple(text, map, map, fc.nat(70_000), object, shapes);
    // Nearly every record of the first kind is left to the general encoder, none of the second.
    const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 40 });
    const fewTexts = fc.dictionary(ascii, ascii, { noNullPrototype: true, maxKeys: 5 });
    const metadataAt = fc.nat(60_000);
    const usual = fc.tuple(ascii, fewTexts, fewTexts, metadataAt, object, fc.constant(undefined));
    const whole = fc.oneof(any, usual);
    fc.assert(
      fc.property(whole, ([uid, labels, fields, metadataAt, bytes, shape]) => {
        const record = { uid, labels, fields, metadataAt, object: bytes, shape };
        const found = writeRecord(before, record, 0)?.bytes;
        if (found === undefined) return;
        written += 1;
        const items = [uid, labels, fields, metadataAt, bytes];
        assert.deepEqual(found, general(shape === undefined ? items : [...items, shape]));
      }),
    );
    assert.ok(written > 0, 'some were written');
  });

  it('writes what a usual record holds', () => {
    const uid = 'u'.repeat(36);
    const [labels, fields, bytes] = [{ app: 'web' }, { 'spec.nodeName': '' }, Buffer.alloc(900)];
    const record = { uid, labels, fields, metadataAt: 70, object: bytes };
    const found = writeRecord(before, record, 0)?.bytes;
    assert.deepEqual(found, general([uid, labels, fields, 70, bytes]));
  });

  it('writes each size of texts, numbers and bytes as the general encoder does', () => {
    for (const length of [0, 31, 32, 127, 128, 255, 256, 65_535, 65_536]) {
      const record = { uid: 'u', labels: {}, fields: {}, metadataAt: length };
      const bytes = Buffer.alloc(length, 7);
      const found = writeRecord(before, { ...record, object: bytes }, 0)?.bytes;
      const isLarge = length > 0xffff;
      assert.equal(found === undefined, isLarge, `${length}`);
      if (!isLarge) assert.deepEqual(found, general(['u', {}, {}, length, bytes]));
      const large = writeRecord(before, { ...record, metadataAt: 0, object: bytes }, 0)?.bytes;
      assert.deepEqual(large, general(['u', {}, {}, 0, bytes]));
      const named = writeRecord(before, { ...record, uid: 'n'.repeat(length), object: bytes }, 0);
      assert.equal(named === undefined, length > 0xff);
    }
  });

  it('leaves what does not fit before the object to the general encoder', () => {
    const labels = Object.fromEntries(
      Array.from({ length: 15 }, (_, i) => [`${i}`.repeat(100), 'x'.repeat(255)]),
    );
    const record = { uid: 'u', labels, fields: labels, metadataAt: 1, object: Buffer.alloc(9) };
    assert.equal(writeRecord(before, record, 0), undefined);
    const many = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`k${i}`, '']));
    assert.equal(writeRecord(before, { ...record, labels: many, fields: {} }, 0), undefined);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { decodeRecord, encodeRecord } from '../../src/storage/record-codec.ts';
import { StorageError } from '../../src/storage/storage.ts';

const text = fc.string({ unit: 'grapheme' }).filter((s) => s !== '__proto__');

describe('record codec', () => {
  it('gives back every record it was given', () => {
    const record = fc
      .record({
        uid: fc.uuid(),
        labels: fc.dictionary(text, text, { noNullPrototype: true }),
        fields: fc.dictionary(text, text, { noNullPrototype: true }),
        object: fc.uint8Array({ maxLength: 3000 }),
      })
      .chain((r) => fc.nat(r.object.length).map((metadataAt) => ({ ...r, metadataAt })));
    fc.assert(
      fc.property(record, (r) => {
        const decoded = decodeRecord(encodeRecord(r));
        assert.deepEqual({ ...decoded, object: Uint8Array.from(decoded.object) }, r);
      }),
    );
  });

  it('decodes the object as a view, and encodes into bytes that stay', () => {
    const record = { uid: 'u', labels: {}, fields: {}, metadataAt: 1, object: Buffer.from('{}') };
    const bytes = encodeRecord(record);
    const before = Buffer.from(bytes);
    encodeRecord({ ...record, object: Buffer.from('xx') });
    const decoded = decodeRecord(bytes);
    assert.equal(decoded.object.buffer, bytes.buffer);
    assert.equal(Buffer.from(decoded.object).toString(), '{}');
    assert.deepEqual(bytes, before, 'a later record does not change an earlier one');
  });

  it('calls `corrupt` what it cannot read', () => {
    const good = [1, 'uid', {}, {}, 0, new Uint8Array(2)];
    const cases: Record<string, Uint8Array> = {
      empty: new Uint8Array(0),
      'not msgpack': Uint8Array.of(0xc1),
      'not an array': encode('text'),
      'no array items': encode([]),
      'a format of the future': encode([2, ...good.slice(1)]),
      'too few items': encode(good.slice(0, 5)),
      'too many items': encode([...good, 1]),
      'a uid that is not text': encode([1, 7, ...good.slice(2)]),
      'a label that is not text': encode([1, 'uid', { a: 1 }, ...good.slice(3)]),
      'fields that are a list': encode([1, 'uid', {}, [], ...good.slice(4)]),
      'an offset behind the object': encode([1, 'uid', {}, {}, 3, new Uint8Array(2)]),
      'an offset that is no integer': encode([1, 'uid', {}, {}, 0.5, new Uint8Array(2)]),
      'an object that is text': encode([1, 'uid', {}, {}, 0, '{}']),
      'trailing bytes': Buffer.concat([encode(good), Uint8Array.of(0)]),
      'a cut end': encode(good).subarray(0, -1),
    };
    for (const [name, bytes] of Object.entries(cases)) {
      assert.throws(
        () => decodeRecord(bytes),
        (error) => error instanceof StorageError && error.code === 'corrupt',
        name,
      );
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { decodeRecord, encodeRecord, recordToPut } from '../../src/storage/record-codec.ts';
import { StorageError } from '../../src/storage/storage.ts';
import type { StoreKey } from '../../src/storage/storage.ts';

const text = fc.string({ unit: 'grapheme' }).filter((s) => s !== '__proto__');

const dueMs = fc.option(fc.nat(), { nil: undefined });
const timer = fc.tuple(text, dueMs).map(([state, due]) => ({ state, dueMs: due }));
const record = fc
  .record(
    {
      uid: fc.uuid(),
      labels: fc.dictionary(text, text, { noNullPrototype: true }),
      fields: fc.dictionary(text, text, { noNullPrototype: true }),
      object: fc.uint8Array({ maxLength: 3000 }),
      timer,
    },
    { requiredKeys: ['uid', 'labels', 'fields', 'object'] },
  )
  .chain((r) => fc.nat(r.object.length).map((metadataAt) => ({ ...r, metadataAt })));
const place = { key: '/configmaps/default/a' as StoreKey, state: 'live' };

function assertCorrupt(decode: () => unknown, message?: string): void {
  assert.throws(
    decode,
    (error) => error instanceof StorageError && error.code === 'corrupt',
    message,
  );
}

describe('record codec', () => {
  it('gives back every record it was given', () => {
    fc.assert(
      fc.property(record, (r) => {
        const decoded = decodeRecord({ ...place, value: encodeRecord(r, place) });
        assert.deepEqual({ ...decoded, object: Uint8Array.from(decoded.object) }, r);
      }),
    );
  });

  it('says of a record on its way to the store what it holds, in the very same memory', () => {
    let decodedCount = 0;
    // Most records of the first kind are left to the general encoder, none of the second.
    const any = fc.string({ unit: 'grapheme-ascii', maxLength: 40 });
    const ascii = any.filter((s) => s !== '__proto__');
    const texts = fc.dictionary(ascii, ascii, { noNullPrototype: true, maxKeys: 5 });
    const object = fc.uint8Array({ minLength: 10, maxLength: 3000 });
    const parts = { uid: fc.uuid(), labels: texts, fields: texts, metadataAt: fc.nat(10), object };
    const usual = fc.record(parts);
    const shapes = fc.option(ascii, { nil: undefined });
    fc.assert(
      fc.property(fc.oneof(record, usual), shapes, (r, shape) => {
        const given = 'timer' in r ? r : { ...r, shape };
        const { decoded, value, withRoom } = recordToPut(given, place);
        assert.deepEqual(Uint8Array.from(value), Uint8Array.from(encodeRecord(given, place)));
        if (withRoom !== undefined) assert.deepEqual(withRoom.subarray(-value.length), value);
        if (decoded === undefined) return;
        decodedCount += 1;
        const read = decodeRecord({ ...place, value });
        const plain = { timer: undefined, shape: undefined, ...read };
        assert.deepEqual(decoded, { ...plain, object: Buffer.from(read.object) });
        assert.equal(decoded.object.buffer, value.buffer);
        assert.equal(decoded.object.byteOffset, read.object.byteOffset);
        assert.equal(decodeRecord({ ...place, value, decoded }), decoded);
      }),
    );
    assert.ok(decodedCount > 0, 'some are');
  });

  it('is made around an object whose memory has room for it, and equals one that is copied', () => {
    let placedCount = 0;
    const object = fc.uint8Array({ minLength: 10, maxLength: 300 });
    const names = fc.dictionary(
      fc.stringMatching(/^[a-z]{1,9}$/),
      fc.stringMatching(/^[a-z]{0,9}$/),
    );
    const shape = fc.option(fc.stringMatching(/^[a-z]{0,40}$/), { nil: undefined });
    const parts = { uid: fc.uuid(), labels: names, fields: names, metadataAt: fc.nat(10), shape };
    const rooms = fc.record({ before: fc.nat(400), behind: fc.nat(60), at: fc.nat(8) });
    fc.assert(
      fc.property(fc.record({ ...parts, object }), rooms, (given, { at, before, behind }) => {
        const memory = Buffer.alloc(at + before + given.object.length + behind, 1).subarray(at);
        const own = memory.subarray(before, before + given.object.length);
        own.set(given.object);
        const copied = recordToPut(given, place);
        const { decoded, value, withRoom } = recordToPut({ ...given, object: own, memory }, place);
        assert.deepEqual(value, copied.value);
        assert.deepEqual(withRoom?.subarray(-value.length), copied.withRoom && value);
        assert.equal(withRoom?.length, copied.withRoom?.length);
        assert.deepEqual(Buffer.from(given.object), own, 'the object stays as it is');
        if (value.buffer !== memory.buffer) return;
        placedCount += 1;
        assert.equal(decoded?.object.byteOffset, own.byteOffset);
      }),
    );
    assert.ok(placedCount > 0, 'some are');
  });

  it('notices every altered byte, a cut, an addition, another key and another state', () => {
    const alteration = fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) });
    fc.assert(
      fc.property(record, alteration, (r, { at, by }) => {
        const value = encodeRecord(r, place);
        const altered = Buffer.from(value);
        const index = at % value.length;
        altered[index] = (altered[index] as number) ^ by;
        assertCorrupt(() => decodeRecord({ ...place, value: altered }), `byte ${index}`);
        assertCorrupt(() => decodeRecord({ ...place, value: value.subarray(0, index) }));
        const longer = Buffer.concat([value, Uint8Array.of(by)]);
        assertCorrupt(() => decodeRecord({ ...place, value: longer }));
        const elsewhere = '/configmaps/default/b' as StoreKey;
        assertCorrupt(() => decodeRecord({ key: elsewhere, state: 'live', value }));
        assertCorrupt(() => decodeRecord({ ...place, state: 'finalizing', value }));
      }),
      { numRuns: 500 },
    );
    // The bytes before those that are summed have every other value refused, too.
    const value = encodeRecord(
      { uid: 'u', labels: {}, fields: {}, metadataAt: 1, object: Buffer.from('{}') },
      place,
    );
    for (let at = 0; at < value.length; at += 1) {
      for (let by = 1; by < 256; by += 1) {
        const altered = Buffer.from(value);
        altered[at] = (altered[at] as number) ^ by;
        assertCorrupt(() => decodeRecord({ ...place, value: altered }), `byte ${at} by ${by}`);
      }
    }
  });

  it('reads records without a checksum, which older builds wrote', () => {
    const object = Uint8Array.from(Buffer.from('{}'));
    const plain = decodeRecord({ ...place, value: encode([1, 'u', { a: 'b' }, {}, 1, object]) });
    assert.deepEqual(plain, { uid: 'u', labels: { a: 'b' }, fields: {}, metadataAt: 1, object });
    const timed = [1, 'u', {}, {}, 1, object, ['waiting', 7]];
    assert.deepEqual(decodeRecord({ ...place, value: encode(timed) }).timer, {
      state: 'waiting',
      dueMs: 7,
    });
  });

  it('says of a record that the store found damaged what the store says', () => {
    const value = encode([1, 'u', {}, {}, 0, new Uint8Array(2)]);
    assert.throws(() => decodeRecord({ ...place, value, damage: 'the head is wrong' }), {
      code: 'corrupt',
      message: 'the head is wrong',
    });
  });

  it('decodes the object as a view, and encodes into bytes that stay', () => {
    const record = { uid: 'u', labels: {}, fields: {}, metadataAt: 1, object: Buffer.from('{}') };
    const bytes = encodeRecord(record, place);
    const before = Buffer.from(bytes);
    encodeRecord({ ...record, object: Buffer.from('xx') }, place);
    const decoded = decodeRecord({ ...place, value: bytes });
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
      'a format of the future': encode([3, ...good.slice(1)]),
      'no checksum where there is one': encode([2, ...good.slice(1)]),
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
      assertCorrupt(() => decodeRecord({ ...place, value: bytes }), name);
    }
  });
});

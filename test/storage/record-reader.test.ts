/** The short way to read a record: it gives what msgpack's own decoder gives, or nothing. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decode, encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { readRecord } from '../../src/storage/record-reader.ts';

/** Items as they stand behind the head of a record. */
function bodyOf(items: readonly unknown[]): Buffer {
  return Buffer.concat(items.map((item) => encode(item)));
}

// One long text in a hundred: a record that has a single one too long is not read.
const text = fc.oneof(
  { weight: 100, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ minLength: 200, maxLength: 300 }) },
);
const key = text.filter((s) => s !== '__proto__');
const map = fc.dictionary(key, text, { noNullPrototype: true, maxKeys: 20 });
const object = fc.uint8Array({ minLength: 1, maxLength: 70_000, size: 'max' });

describe('record reader', () => {
  it('gives what the general decoder gives, or leaves the record to it', () => {
    let read = 0;
    const at = fc.oneof(fc.nat(300), fc.nat(70_000));
    const whole = fc.tuple(text, map, map, at, object);
    fc.assert(
      fc.property(whole, ([uid, labels, fields, metadataAt, bytes]) => {
        const items = [uid, labels, fields, metadataAt, bytes];
        const found = readRecord(Buffer.concat([Buffer.alloc(3), bodyOf(items)]), 3);
        if (found === undefined) return;
        read += 1;
        const general = items.map((item) => decode(encode(item)));
        const plain = [found.uid, found.labels, found.fields, found.metadataAt];
        assert.deepEqual([...plain, Uint8Array.from(found.object)], general);
        assert.ok(found.metadataAt <= found.object.length);
      }),
    );
    assert.ok(read > 0 && read < 100, `${read} of 100 were read`);
  });

  it('reads what a usual record holds', () => {
    const items = ['u'.repeat(36), { app: 'web' }, { 'spec.nodeName': '' }, 70, Buffer.alloc(900)];
    const found = readRecord(bodyOf(items), 0);
    assert.deepEqual(found?.labels, { app: 'web' });
    assert.deepEqual(found.fields, { 'spec.nodeName': '' });
    assert.equal(found.object.length, 900);
  });

  it('reads the shape of a record of a kind that users define', () => {
    const items = ['u'.repeat(36), {}, {}, 70, Buffer.alloc(900)];
    const found = readRecord(bodyOf([...items, 'v1 4']), 0, 'shape');
    assert.equal(found?.shape, 'v1 4');
    assert.equal(found.timer, undefined);
    assert.equal(found.object.length, 900);
    for (const other of [[], [['state', 7]], ['v1 4', 'more'], [7]]) {
      assert.equal(readRecord(bodyOf([...items, ...other]), 0, 'shape'), undefined);
    }
  });

  it('leaves what is cut, longer, of another type or a prototype to the general decoder', () => {
    const good = bodyOf(['uid', { a: 'b' }, {}, 1, Buffer.from('{}')]);
    for (let end = 0; end < good.length; end += 1) {
      assert.equal(readRecord(good.subarray(0, end), 0), undefined, `cut at ${end}`);
    }
    const others: readonly (readonly unknown[])[] = [
      ['uid', {}, {}, 1, Buffer.from('{}'), 'shape'],
      [7, {}, {}, 1, Buffer.from('{}')],
      ['uid', { a: 1 }, {}, 1, Buffer.from('{}')],
      ['uid', {}, [], 1, Buffer.from('{}')],
      ['uid', {}, {}, 3, Buffer.from('{}')],
      ['uid', {}, {}, -1, Buffer.from('{}')],
      ['uid', {}, {}, 1, '{}'],
    ];
    for (const items of others) assert.equal(readRecord(bodyOf(items), 0), undefined);
    const prototype = Buffer.concat([
      encode('uid'),
      Buffer.of(0x81),
      encode('__proto__'),
      encode('x'),
      bodyOf([{}, 1, Buffer.from('{}')]),
    ]);
    assert.equal(readRecord(prototype, 0), undefined);
  });
});

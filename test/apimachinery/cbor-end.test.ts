/** Where an item of CBOR ends, beside another encoder's items. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode } from 'cborg';
import fc from 'fast-check';
import { endOfCbor } from '../../src/apimachinery/codecs/cbor-end.ts';

test('joined items are told apart', () => {
  const values = fc.jsonValue({ maxDepth: 5 });
  fc.assert(
    fc.property(fc.array(values, { minLength: 1, maxLength: 5 }), (each) => {
      const items = each.map((value) => encode(value));
      const joined = Buffer.concat(items);
      let at = 0;
      for (const item of items) {
        const end = endOfCbor(joined, at);
        assert.equal(end - at, item.length);
        at = end;
      }
      assert.equal(at, joined.length);
    }),
  );
});

test('tags, long lengths, numbers of every size and items without a length', () => {
  const rows = [
    'd9d9f7a0', // a tag before a map
    '5a00000003616263', // bytes, their length in four
    '5b0000000000000003616263',
    '1bffffffffffffffff',
    'fb3ff199999999999a',
    'f97e00',
    '9f0102ff', // an array until its end
    'bf616101ff',
    '5f42010243030405ff',
    '9f9fffbf6161d8209f01ffffff',
    '8080f6'.slice(0, 2),
  ];
  for (const hex of rows) {
    const item = Buffer.from(hex, 'hex');
    assert.equal(endOfCbor(Buffer.concat([item, Buffer.from('00', 'hex')]), 0), item.length, hex);
  }
});

test('what ends inside of an item is no item', () => {
  for (const hex of ['', '19', '4261', 'a1', '9f01', 'd9d9f7', '1c']) {
    assert.throws(() => endOfCbor(Buffer.from(hex, 'hex'), 0), RangeError, hex);
  }
});

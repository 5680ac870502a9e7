/** DER of strangers is counted before it is read: the count is right, and costs one pass. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { boundsOf } from '../../src/pki/der-bounds.ts';

/** One element: a tag, a length in the shortest form, the content. */
function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80 ? [tag, length] : [tag, 0x84, ...[24, 16, 8, 0].map((n) => (length >>> n) & 255)];
  return Buffer.concat([Buffer.from(head), content]);
}

const nothing = element(0x05);
const times = (count: number, one: Buffer): Buffer => Buffer.concat(Array(count).fill(one));
const sequence = (...parts: readonly Buffer[]): Buffer => element(0x30, ...parts);
const octets = (...parts: readonly Buffer[]): Buffer => element(0x04, ...parts);

function nested(depth: number, wrap: (inner: Buffer) => Buffer): Buffer {
  let inner = nothing;
  for (let at = 1; at < depth; at += 1) inner = wrap(inner);
  return inner;
}

const rows: readonly [string, Buffer, string][] = [
  ['one element', nothing, 'within'],
  ['as many as the bound says', sequence(times(1023, nothing)), 'within'],
  ['one more', sequence(times(1024, nothing)), 'it has more than 1024 elements'],
  ['elements in an octet string count', sequence(octets(times(1023, nothing))), 'more elements'],
  ['as many as fit in an octet string', sequence(octets(times(1022, nothing))), 'within'],
  ['sequences in an octet string', octets(sequence(times(1100, nothing))), 'more elements'],
  ['deep nesting', nested(3000, (inner) => sequence(inner)), 'more elements'],
  ['deep nesting of octet strings', nested(3000, (inner) => octets(inner)), 'more elements'],
  ['octet strings that hold no DER', sequence(times(64, octets(Buffer.from([0x30, 9])))), 'within'],
  ['extensions', sequence(times(65, octets(nothing))), 'it has more than 64 extensions'],
  ['nothing at all', Buffer.alloc(0), 'malformed'],
  ['a length beyond the end', Buffer.from([0x30, 5, 5, 0]), 'malformed'],
  ['no length', Buffer.from([0x30]), 'malformed'],
  ['a length of no known size', Buffer.from([0x30, 0x80, 5, 0, 0, 0]), 'malformed'],
  ['a length of nine bytes', Buffer.from([0x30, 0x89, 0, 0, 0, 0, 0, 0, 0, 0, 0]), 'malformed'],
  ['a tag of several bytes', Buffer.from([0x1f, 0x81, 0x01, 0]), 'malformed'],
];

describe('the bounds of DER', () => {
  for (const [title, der, expected] of rows) {
    it(`${title}: ${expected}`, () => {
      const bounds = boundsOf(der);
      const found = bounds.kind === 'beyond' ? bounds.problem : bounds.kind;
      const wanted = expected === 'more elements' ? 'it has more than 1024 elements' : expected;
      assert.equal(found, wanted);
    });
  }
});

/** Bodies in pieces of every size: what comes out, and what it costs to keep it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { BodyPieces } from '../../src/transport/body-pieces.ts';

it('whatever the pieces are, all of their bytes come out in order', () => {
  const sizes = fc.oneof(fc.nat(3), fc.nat(2_000), fc.integer({ min: 4_000, max: 140_000 }));
  fc.assert(
    fc.property(fc.array(sizes, { maxLength: 60 }), fc.boolean(), (lengths, isOwned) => {
      const pieces = new BodyPieces(isOwned);
      const parts = lengths.map((length, at) => Buffer.alloc(length, at + 1));
      for (const part of parts) {
        const given = Buffer.from(part);
        pieces.add(given);
        // The reader of sockets takes its own back.
        if (!isOwned) given.fill(0);
      }
      assert.ok(Buffer.concat(parts).equals(pieces.take()));
      assert.equal(pieces.take().byteLength, 0);
    }),
    { numRuns: 300 },
  );
});

it('a body that comes a byte at a time takes twice its bytes, not a hundred times', () => {
  const pieces = new BodyPieces(false);
  const piece = Buffer.alloc(1, 'x');
  const count = 2_000_000;
  const used = (): number => {
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    return arrayBuffers + heapUsed;
  };
  const before = used();
  for (let i = 0; i < count; i += 1) pieces.add(piece);
  const grown = used() - before;
  assert.ok(grown < 20 * count, `${grown} bytes`);
  assert.equal(pieces.take().byteLength, count);
});

it('a byte between larger pieces does not cost a block of its own', () => {
  const pieces = new BodyPieces(false);
  const large = Buffer.alloc(5_000, 'y');
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 1_000; i += 1) {
    pieces.add(Buffer.alloc(1, 'x'));
    pieces.add(large);
  }
  const grown = process.memoryUsage().arrayBuffers - before;
  assert.ok(grown < 3 * 5_001 * 1_000, `${grown} bytes`);
  assert.equal(pieces.take().byteLength, 5_001 * 1_000);
});

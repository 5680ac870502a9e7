/** Bodies in pieces of every size: what comes out, and what it costs to keep it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { BodyPieces } from '../../src/transport/body-pieces.ts';

it('whatever the pieces are, all of their bytes come out in order', () => {
  const sizes = fc.oneof(fc.nat(3), fc.nat(2_000), fc.integer({ min: 4_000, max: 140_000 }));
  const lists = fc.array(sizes, { maxLength: 60 });
  // Said before this piece, and right but for so many; or never.
  const by = fc.oneof(fc.constant(0), fc.integer({ min: -200_000, max: 200_000 }));
  const expectations = fc.record({ after: fc.integer({ min: -1, max: 4 }), by });
  fc.assert(
    fc.property(lists, fc.boolean(), expectations, (lengths, isOwned, { after, by }) => {
      const pieces = new BodyPieces(isOwned);
      const parts = lengths.map((length, at) => Buffer.alloc(length, at + 1));
      const total = lengths.reduce((sum, length) => sum + length, 0);
      for (const [at, part] of parts.entries()) {
        if (at === after) pieces.expect(total + by);
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

it('a large body whose length was said lies together as it comes, and is not copied at its end', () => {
  for (const isOwned of [true, false]) {
    const pieces = new BodyPieces(isOwned);
    const piece = Buffer.alloc(64 * 1024, 'z');
    pieces.add(piece);
    pieces.expect(40 * piece.length);
    for (let at = 1; at < 40; at += 1) pieces.add(piece);
    const before = process.memoryUsage().arrayBuffers;
    const body = pieces.take();
    const grown = process.memoryUsage().arrayBuffers - before;
    assert.equal(body.byteLength, 40 * piece.length);
    assert.ok(grown < piece.length, `${grown} bytes`);
  }
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

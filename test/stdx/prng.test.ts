import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomBelow, seededPrng, systemPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';

const drawn = (prng: Prng, count: number) => Array.from({ length: count }, () => prng.uint32());
const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('randomness', () => {
  it('of one seed is one sequence, of another seed another', () => {
    assert.deepEqual(drawn(seededPrng(7), 100), drawn(seededPrng(7), 100));
    assert.notDeepEqual(drawn(seededPrng(7), 100), drawn(seededPrng(8), 100));
  });

  it('of the system does not come twice, beyond the end of its pool either', () => {
    const prng = systemPrng();
    const uuids = Array.from({ length: 1000 }, () => prng.uuid());
    assert.equal(new Set(uuids).size, uuids.length);
  });

  for (const [name, make] of [
    ['the system', systemPrng],
    ['a seed', () => seededPrng(1)],
  ] as const) {
    it(`of ${name} gives UUIDs of version 4`, () => {
      const prng = make();
      for (let i = 0; i < 100; i += 1) assert.match(prng.uuid(), version4);
    });
  }

  it('below a bound is uniform: what would favour the small numbers is drawn again', () => {
    const given = [0xffff_ffff, 0xffff_fffe, 5];
    const prng: Prng = { uint32: () => given.shift() as number, uuid: () => '' };
    assert.equal(randomBelow(prng, 3), 0xffff_fffe % 3);
    assert.deepEqual(given, [5]);
    assert.equal(randomBelow(seededPrng(1), 1), 0);
  });
});

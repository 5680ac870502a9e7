/** A line in which places are kept. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import { WaitingLine } from '../../src/transport/node/waiting-line.ts';

describe('a line', () => {
  it('gives the one who began to wait first, whoever left it and came back', () => {
    const prng = seededPrng(21);
    const line = new WaitingLine<{ place: number }>();
    const standing = new Set<{ place: number }>();
    const away: { place: number }[] = [];
    for (let step = 0; step < 20_000; step += 1) {
      const what = randomBelow(prng, 4);
      if (what < 1) {
        const item = { place: 0 };
        line.join(item);
        standing.add(item);
      } else if (what < 2) {
        const [item] = away.splice(randomBelow(prng, Math.max(1, away.length)), 1);
        if (item === undefined) continue;
        line.rejoin(item);
        standing.add(item);
      } else if (line.length > 0) {
        const first = line.shift();
        assert.equal(first.place, Math.min(...[...standing].map(({ place }) => place)));
        standing.delete(first);
        if (randomBelow(prng, 3) > 0) away.push(first);
      }
      assert.equal(line.length, standing.size);
    }
    assert.ok(away.length > 0);
  });
});

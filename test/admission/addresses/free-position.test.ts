import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freePosition } from '../../../src/admission/addresses/ranges.ts';
import { seededPrng } from '../../../src/stdx/prng.ts';

/** Most positions that are asked about between two pauses, and what is found. */
function look(size: number, staticSize: number, isFree: (at: number) => boolean) {
  let asked = 0;
  let most = 0;
  const ask = (at: number): boolean => {
    asked += 1;
    most = Math.max(most, asked);
    return isFree(at);
  };
  const looking = freePosition(size, staticSize, ask, seededPrng(1));
  for (let pauses = 0; ; pauses += 1) {
    const part = looking.next();
    if (part.done === true) return { found: part.value, most, pauses };
    asked = 0;
  }
}

describe('a free position', () => {
  it('is found without a pause where much is free', () => {
    const { found, pauses } = look(2_768, 86, (at) => at % 2 === 0);
    assert.equal((found ?? 1) % 2, 0);
    assert.equal(pauses, 0);
  });

  it('is walked for behind a pause, so that many who find nothing share no turn', () => {
    for (const [size, staticSize] of [
      [254, 16],
      [2_768, 86],
    ] as const) {
      const { found, most, pauses } = look(size, staticSize, () => false);
      assert.equal(found, undefined);
      assert.ok(pauses >= 2, 'before the walk of each band');
      assert.ok(most <= 1_024 + 16, `${most} between two pauses`);
      const last = look(size, staticSize, (at) => at === 3);
      assert.equal(last.found, 3, 'the last one that is free is found');
    }
    assert.ok(look(254, 16, () => false).most <= 254, 'tries and the walk are apart');
  });
});

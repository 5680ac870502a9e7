import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adjustedLimits, boundsOf, widestRequest } from '../../src/flowcontrol/concurrency.ts';
import type { Claim } from '../../src/flowcontrol/concurrency.ts';
import { SeatDemand } from '../../src/flowcontrol/seat-demand.ts';

/** Name, shares, what it lends, the hand of a flow; its nominal limit, its lower limit, and the
 * seats of its widest request. Of 600 seats. */
const defaults: readonly (readonly [string, number, number, number, number, number, number])[] = [
  ['exempt', 0, 0, 1, 0, 0, 1],
  ['catch-all', 5, 0, 1, 13, 13, 2],
  ['leader-election', 10, 0, 4, 25, 25, 4],
  ['system', 30, 33, 6, 74, 50, 12],
  ['node-high', 40, 25, 6, 98, 73, 15],
  ['workload-high', 40, 50, 6, 98, 49, 15],
  ['workload-low', 100, 90, 6, 245, 24, 37],
  ['global-default', 20, 50, 6, 49, 24, 8],
];

for (const [name, shares, lendablePercent, hand, nominal, lower, widest] of defaults) {
  test(`the level ${name} has the seats of its shares, and lends its part of them`, () => {
    const bounds = boundsOf(
      { shares, lendablePercent, borrowingLimitPercent: undefined },
      600,
      245,
    );
    assert.deepEqual([bounds.nominal, bounds.lower], [nominal, lower]);
    assert.equal(bounds.upper, nominal + 600);
    assert.equal(widestRequest(bounds, hand), widest);
  });
}

test('a level borrows up to a part of its own seats, where it says so', () => {
  const level = { shares: 10, lendablePercent: 0, borrowingLimitPercent: 50 };
  assert.deepEqual(boundsOf(level, 100, 20), { nominal: 50, lower: 50, upper: 75 });
});

function claim(nominal: number, lower: number, upper: number, highest: number): Claim {
  return { exempt: false, nominal, lower, upper, highest, smoothed: highest };
}

const rows: readonly {
  readonly title: string;
  readonly claims: readonly Claim[];
  readonly limits: readonly number[];
}[] = [
  {
    title: 'who needs seats gets those that others lend',
    claims: [claim(50, 10, 150, 80), claim(50, 10, 150, 0)],
    limits: [89, 11],
  },
  {
    title: 'who lends nothing keeps what it has',
    claims: [claim(50, 10, 150, 100), claim(50, 50, 150, 0)],
    limits: [50, 50],
  },
  {
    title: 'nobody borrows more than it may',
    claims: [claim(50, 10, 60, 500), claim(50, 10, 150, 0)],
    limits: [60, 40],
  },
  {
    title: 'where both need more than there is, each has its own',
    claims: [claim(50, 10, 150, 200), claim(50, 10, 150, 200)],
    limits: [50, 50],
  },
  {
    title: 'what is exempt takes from what others lend',
    claims: [
      { ...claim(0, 0, 100, 60), exempt: true },
      claim(50, 10, 150, 50),
      claim(50, 10, 150, 50),
    ],
    limits: [60, 20, 20],
  },
  {
    title: 'and no more than that',
    claims: [
      { ...claim(0, 0, 100, 500), exempt: true },
      claim(50, 10, 150, 50),
      claim(50, 30, 150, 50),
    ],
    limits: [500, 10, 30],
  },
];

for (const { claims, limits, title } of rows) {
  test(`seats are adjusted: ${title}`, () => {
    assert.deepEqual(adjustedLimits(claims), limits);
  });
}

test('limits stay within their bounds and sum up to what there is, whatever the demand', () => {
  let state = 7;
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  for (let round = 0; round < 300; round += 1) {
    const claims = Array.from({ length: 1 + next(12) }, () => {
      const nominal = next(200);
      const lower = next(nominal + 1);
      return { ...claim(nominal, lower, nominal + 600, next(400)), smoothed: next(400) };
    });
    const limits = adjustedLimits(claims);
    const total = claims.reduce((sum, { nominal }) => sum + nominal, 0);
    const sum = limits.reduce((of, limit) => of + limit, 0);
    assert.ok(Math.abs(sum - total) <= claims.length, `${sum} of ${total}`);
    limits.forEach((limit, at) => {
      const { lower, upper } = claims[at] as Claim;
      assert.ok(limit >= lower && limit <= upper);
    });
  }
});

test('demand is weighed by time, rises at once and falls slowly', () => {
  const demand = new SeatDemand(0);
  demand.set(10, 0);
  demand.set(0, 5_000);
  demand.endPeriod(10_000);
  assert.deepEqual([demand.highest, demand.mean, demand.deviation], [10, 5, 5]);
  assert.equal(demand.smoothed, 10);
  demand.endPeriod(20_000);
  assert.deepEqual([demand.highest, demand.mean], [0, 0]);
  assert.ok(demand.smoothed > 9 && demand.smoothed < 10);
  for (let i = 3; i < 33; i += 1) demand.endPeriod(i * 10_000);
  assert.ok(demand.smoothed < 5, 'half of it is gone after five minutes');
});

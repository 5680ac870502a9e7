/**
 * How the seats of a server are divided among its priority levels (exact details of extensions,
 * section 7).
 *
 *     shares    each level's nominal limit: its part of all seats, rounded up
 *     bounds    lower: without what it lends; upper: with what it may borrow, which is all there is
 *               unless it says less
 *     limits    every period: to each what it needed lately, scaled for the sum of the nominal
 *               limits, within its bounds
 *
 * Pure. Invariants: a limit is within its bounds; what exempt levels use is taken from the others,
 * but never what they cannot lend.
 */

export interface LevelShares {
  readonly shares: number;
  readonly lendablePercent: number;
  /** Undefined: as much as there is. */
  readonly borrowingLimitPercent: number | undefined;
}

export interface LevelBounds {
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
}

/** `seats`: of the server. `sharesTotal`: of all levels. */
export function boundsOf(level: LevelShares, seats: number, sharesTotal: number): LevelBounds {
  const { borrowingLimitPercent, lendablePercent, shares } = level;
  const nominal = sharesTotal === 0 ? 0 : Math.ceil((seats * shares) / sharesTotal);
  const lendable = Math.round((nominal * lendablePercent) / 100);
  const borrowed =
    borrowingLimitPercent === undefined
      ? seats
      : Math.round((nominal * borrowingLimitPercent) / 100);
  return { nominal, lower: nominal - lendable, upper: nominal + borrowed };
}

/** What most seats one request of a level with queues may take. */
export function widestRequest({ nominal }: Pick<LevelBounds, 'nominal'>, handSize: number): number {
  const part = Math.min(Math.ceil(nominal * 0.15), Math.floor(nominal / handSize));
  return Math.max(1, part);
}

/** A level and its demand. */
export interface Claim extends LevelBounds {
  readonly exempt: boolean;
  readonly highest: number;
  readonly smoothed: number;
}

/** The limit of each claim, in their order. */
export function adjustedLimits(claims: readonly Claim[]): readonly number[] {
  const total = claims.reduce((sum, { nominal }) => sum + nominal, 0);
  const limited = claims.filter(({ exempt }) => !exempt);
  const left = claims.reduce((sum, claim) => sum - (claim.exempt ? leastOf(claim) : 0), total);
  const lowerTotal = limited.reduce((sum, { lower }) => sum + lower, 0);
  const leastTotal = limited.reduce((sum, claim) => sum + leastOf(claim), 0);
  const limitOf = limitsFor(limited, { total, left, lowerTotal, leastTotal });
  return claims.map((claim) => (claim.exempt ? leastOf(claim) : limitOf(claim)));
}

interface Totals {
  readonly total: number;
  /** Without what exempt levels use. */
  readonly left: number;
  readonly lowerTotal: number;
  readonly leastTotal: number;
}

function limitsFor(
  limited: readonly Claim[],
  { left, leastTotal, lowerTotal, total }: Totals,
): (claim: Claim) => number {
  if (left <= lowerTotal) return ({ lower }) => lower;
  if (left <= leastTotal) {
    const part = (left - lowerTotal) / (leastTotal - lowerTotal);
    return (claim) => claim.lower + Math.round((leastOf(claim) - claim.lower) * part);
  }
  const wishes = limited.map(wishOf);
  const scale = fairScale(wishes, total);
  return (claim) => Math.round(scaled(wishOf(claim), scale));
}

/** What a level gets in any case: what it needed at most, within what it has by right. */
function leastOf({ exempt, highest, lower, nominal }: Claim): number {
  return Math.max(lower, exempt ? highest : Math.min(nominal, highest));
}

interface Wish {
  readonly lower: number;
  readonly upper: number;
  readonly target: number;
}

/** So that every target can be scaled up. */
const targetMin = 0.001;

function wishOf(claim: Claim): Wish {
  const least = leastOf(claim);
  return { lower: least, upper: claim.upper, target: Math.max(targetMin, least, claim.smoothed) };
}

function scaled({ lower, target, upper }: Wish, scale: number): number {
  return Math.min(upper, Math.max(lower, target * scale));
}

/** By what targets are multiplied so that, within their bounds, they sum up to `total`; the nearest
 * there is, where none does. The sum rises with it, between two bounds in a straight line. */
function fairScale(wishes: readonly Wish[], total: number): number {
  const bends = wishes
    .flatMap(({ lower, target, upper }) => [lower / target, upper / target])
    .sort((a, b) => a - b);
  const sumAt = (scale: number): number =>
    wishes.reduce((sum, wish) => sum + scaled(wish, scale), 0);
  let before = { scale: 0, sum: sumAt(0) };
  // Where the sum first reaches the total: found by halves, for each look is at all wishes.
  let low = 0;
  let high = bends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const scale = bends[middle] as number;
    const sum = sumAt(scale);
    if (sum >= total) high = middle;
    else {
      before = { scale, sum };
      low = middle + 1;
    }
  }
  const next = bends[low];
  if (next === undefined || before.sum >= total) return before.scale;
  const rise = sumAt(next) - before.sum;
  return before.scale + ((total - before.sum) / rise) * (next - before.scale);
}

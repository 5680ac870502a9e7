/**
 * How the processor time of work grows with its input: n and 4n items, as a ratio. No time is
 * asserted. A single reading says little on a busy machine, so a bad one is taken again, and the
 * least of the readings counts.
 */
import assert from 'node:assert/strict';

/** Four times the input may take six times the time: caches and collection are not linear. */
const growthMax = 6;
const attemptsMax = 15;
/** Of both steps together. */
const roundsMax = 3;
/** Below these the clock, the compiler and the collector are what is measured. */
const leastMicros = 4_000;
const leastMicrosOfMore = 50_000;

export interface Sized {
  readonly name: string;
  /** Makes the input, which is not measured, and returns the work. */
  readonly prepare: (items: number) => () => void;
}

function microsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** A cache that holds n items and not 4n explains one step that is too large, never two; and two
 * that look too large are too large together, from n to 16n, unless noise has made one of them. */
function growthProblem({ name, prepare }: Sized, items: number): string | undefined {
  const first = stepFrom(prepare, items, leastMicros);
  if (first === undefined) return undefined;
  const second = stepFrom(prepare, 4 * items, leastMicrosOfMore);
  if (second === undefined || second.most <= growthMax ** 2 * first.least) return undefined;
  return `${name}: ${textOf(first)}; ${textOf(second)}`;
}

/** What grows too fast does so each time; a neighbour on the machine comes and goes. */
export function assertLinear(sized: Sized, items: number): void {
  let problem: string | undefined;
  for (let round = 0; round < roundsMax; round += 1) {
    problem = growthProblem(sized, items);
    if (problem === undefined) return;
  }
  assert.fail(problem);
}

/** Processor time in µs, the least of all readings: of `items`, and of four times as many. */
interface Growth {
  readonly items: number;
  readonly least: number;
  readonly most: number;
}

function textOf({ items, least, most }: Growth): string {
  return `${items} items take ${least} µs, ${4 * items} take ${most} µs`;
}

/** Undefined when four times as many take at most `growthMax` times as long. */
function stepFrom(
  prepare: Sized['prepare'],
  items: number,
  floorMicros: number,
): Growth | undefined {
  let least = Infinity;
  let most = Infinity;
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    most = Math.min(most, microsOf(prepare(4 * items)));
    if (most <= floorMicros) return undefined;
    least = Math.min(least, microsOf(prepare(items)));
    if (most <= growthMax * Math.max(least, leastMicros / 4)) return undefined;
  }
  return { items, least, most };
}

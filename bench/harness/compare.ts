/** Rows out of rounds: each round has a figure of the floor and one of the server. */
import type { Row, Target } from './scenario.ts';
import { seriesOf } from './series.ts';

export interface Pair {
  readonly floor: number;
  readonly server: number;
}

export function comparison(
  measure: string,
  unit: string,
  pairs: readonly Pair[],
  target?: Target,
): Row {
  return {
    measure,
    unit,
    server: seriesOf(pairs.map((pair) => pair.server)),
    floor: seriesOf(pairs.map((pair) => pair.floor)),
    ratio: seriesOf(pairs.map((pair) => pair.server / pair.floor)),
    target,
  };
}

/** A figure that is judged by itself; the floor, where there is one, stands beside it. */
export function figure(
  measure: string,
  unit: string,
  server: readonly number[],
  floor: readonly number[] | undefined,
  target?: Target,
): Row {
  return {
    measure,
    unit,
    server: seriesOf(server),
    floor: floor === undefined ? undefined : seriesOf(floor),
    target,
  };
}

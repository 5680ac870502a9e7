/**
 * Question: what does fan-out cost in processor time when 1, 2 or 4 workers share the watchers?
 *
 * What it does not answer: how much faster N workers are on N cores. All processes of the server
 * share the server's one core, so that a CPU-second means the same in each row.
 *
 * The floor of each row is one process without workers, in the same round. The events are those of
 * fanout.ts. Each worker makes every frame once for its own watchers, and every change is carried
 * to each of them: that is what the ratio shows. Before, each process has made as many writes as
 * the one without workers: what an engine costs that still compiles is asked by cold-start.ts.
 */
import { comparison } from './harness/compare.ts';
import type { Bench, Outcome, Row, Scenario } from './harness/scenario.ts';
import type { Measured } from './load/fan-out.ts';
import { compareVariants } from './load/fan-out-variants.ts';
import type { MeasuredVariant } from './load/fan-out-variants.ts';

const COUNTS = [1, 2, 4] as const;
/** So many that writers through different workers seldom meet on one: the question is fan-out. */
const OBJECTS = 1000;

function run(bench: Bench): Promise<Outcome> {
  return compareVariants<number>(bench, {
    variants: COUNTS.map((workers) => ({
      name: workers,
      flags: [`--workers=${workers}`],
      processes: workers,
    })),
    objects: OBJECTS,
    facts: { workers: COUNTS },
    notes: ['all processes share the server core; the floor is one process'],
    rowsOf,
  });
}

function rowsOf(measured: readonly MeasuredVariant<number>[]): Row[] {
  const [alone, ...others] = measured as [MeasuredVariant<number>, ...MeasuredVariant<number>[]];
  return others.flatMap(({ name: workers, single, saturated }): Row[] => {
    const row = (
      measure: string,
      unit: string,
      of: readonly Measured[],
      floor: readonly Measured[],
      figure: (measured: Measured) => number,
    ): Row => {
      const pairs = of.map((each, i) => ({
        server: figure(each),
        floor: figure(floor[i] as Measured),
      }));
      return comparison(`${workers} workers, ${measure}`, unit, pairs);
    };
    return [
      row('one at a time', 'per s', single, alone.single, (m) => m.perSecond),
      row('one at a time', 'per CPU-s', single, alone.single, (m) => m.perCpuSecond),
      row('saturated', 'per s', saturated, alone.saturated, (m) => m.perSecond),
      {
        ...row('saturated', 'per CPU-s', saturated, alone.saturated, (m) => m.perCpuSecond),
        target: { of: 'ratio', atLeast: 0.6 },
      },
    ];
  });
}

export const fanoutWorkers: Scenario = {
  name: 'fanout-workers',
  question: 'What does fan-out cost when several workers share 1,000 watchers?',
  run,
};

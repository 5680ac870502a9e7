/**
 * Question: what does fan-out cost in processor time when 1, 2 or 4 workers share the watchers?
 *
 * What it does not answer: how much faster N workers are on N cores. All processes of the server
 * share the server's one core, so that a CPU-second means the same in each row.
 *
 * The floor of each row is one process without workers, in the same round. The events are those of
 * fanout.ts. Each worker makes every frame once for its own watchers, and every change is carried
 * to each of them: that is what the ratio shows.
 */
import { measureSaturated, measureSingle, serverSide, sizesOf } from './fanout.ts';
import type { Measured, Side } from './fanout.ts';
import { comparison } from './harness/compare.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { startSluice } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Row, Scenario } from './harness/scenario.ts';

const COUNTS = [1, 2, 4] as const;
/** So many that writers through different workers seldom meet on one: the question is fan-out. */
const OBJECTS = 1000;

interface Variant {
  readonly workers: number;
  readonly process: MeasuredProcess;
  readonly side: Side;
  readonly single: Measured[];
  readonly saturated: Measured[];
}

async function run(bench: Bench): Promise<Outcome> {
  const sizes = sizesOf(bench.smoke);
  const variants: Variant[] = [];
  try {
    for (const workers of COUNTS) {
      const process = await startSluice(bench.cores.server, [`--workers=${workers}`]);
      const side = await serverSide(process, sizes, OBJECTS);
      variants.push({ workers, process, side, single: [], saturated: [] });
    }
    for (let round = 0; round < bench.rounds; round += 1) {
      for (const { side, single, saturated } of variants) {
        single.push(await measureSingle(bench, side, sizes));
        saturated.push(await measureSaturated(bench, side, sizes));
      }
    }
    for (const { side } of variants) side.watchers.close();
    return outcomeOf(variants, { ...sizes, objects: OBJECTS, workers: COUNTS });
  } finally {
    await Promise.all(variants.map(({ process }) => process.stop()));
  }
}

function outcomeOf(variants: readonly Variant[], facts: Record<string, unknown>): Outcome {
  const [alone, ...others] = variants as [Variant, ...Variant[]];
  const rows = others.flatMap(({ workers, single, saturated }): Row[] => {
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
        target: { of: 'ratio', atLeast: 0.5 },
      },
    ];
  });
  const usages = variants.flatMap((each) => [...each.single, ...each.saturated]);
  return {
    rows,
    ...busiest(usages.map(({ usage }) => usage)),
    facts,
    notes: ['all processes share the server core; the floor is one process'],
  };
}

export const fanoutWorkers: Scenario = {
  name: 'fanout-workers',
  question: 'What does fan-out cost when several workers share 1,000 watchers?',
  run,
};

/**
 * Question: what does TLS cost the fan-out?
 *
 * Three servers, each with an audience of its own: watched over TLS (Node's adapter, HTTP/1.1),
 * over plain HTTP by the same adapter, and over plain HTTP by uWebSockets.js. The events are those
 * of fanout.ts, written over plain HTTP by all. A row's floor is a plain server, same round.
 *
 * What it does not answer: handshakes; what HTTP/2 costs.
 */
import { measureSaturated, measureSingle, serverSide, sizesOf } from './fanout.ts';
import type { Measured, Side } from './fanout.ts';
import { comparison } from './harness/compare.ts';
import { startSluice } from './harness/process.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Row, Scenario } from './harness/scenario.ts';

type Name = 'tls' | 'node' | 'uws';

const flagsOf: Readonly<Record<Name, readonly string[]>> = {
  tls: ['--transport=node', '--secure-port=0'],
  node: ['--transport=node'],
  uws: ['--transport=uws'],
};
const names: readonly Name[] = ['tls', 'node', 'uws'];
const OBJECTS = 32;

interface Variant {
  readonly name: Name;
  readonly process: MeasuredProcess;
  readonly side: Side;
  readonly single: Measured[];
  readonly saturated: Measured[];
}

async function run(bench: Bench): Promise<Outcome> {
  const sizes = sizesOf(bench.smoke);
  const variants: Variant[] = [];
  try {
    for (const name of names) {
      const process = await startSluice(bench.cores.server, flagsOf[name]);
      const side = await serverSide(process, sizes, OBJECTS, name === 'tls');
      variants.push({ name, process, side, single: [], saturated: [] });
    }
    for (let round = 0; round < bench.rounds; round += 1) {
      for (const { name, process, side, single, saturated } of variants) {
        const profiled = <T>(what: string, body: () => Promise<T>): Promise<T> =>
          bench.profiled(process, `fanout-tls-${name}-${what}-${round}`, body);
        single.push(await profiled('single', () => measureSingle(bench, side, sizes)));
        saturated.push(await profiled('saturated', () => measureSaturated(bench, side, sizes)));
      }
    }
    for (const { side } of variants) side.watchers.close();
    return outcomeOf(variants, { ...sizes, objects: OBJECTS });
  } finally {
    await Promise.all(variants.map(({ process }) => process.stop()));
  }
}

function outcomeOf(variants: readonly Variant[], facts: Record<string, unknown>): Outcome {
  const [tls, ...plain] = variants as [Variant, ...Variant[]];
  const rows = plain.flatMap((floor): Row[] => {
    const row = (what: 'single' | 'saturated', measure: string): Row => {
      const pairs = tls[what].map((each, i) => ({
        server: each.perCpuSecond,
        floor: (floor[what][i] as Measured).perCpuSecond,
      }));
      return comparison(`TLS to plain ${floor.name}, ${measure}`, 'per CPU-s', pairs);
    };
    return [row('single', 'one at a time'), row('saturated', 'saturated')];
  });
  const usages = variants.flatMap((each) => [...each.single, ...each.saturated]);
  return { rows, ...busiest(usages.map(({ usage }) => usage)), facts, notes: [] };
}

export const fanoutTls: Scenario = {
  name: 'fanout-tls',
  question: 'What does TLS cost the fan-out?',
  run,
};

/**
 * Question: how fast are the first 10,000 writes of a fresh process, beside those of the same one
 * when it is warm?
 *
 * What it does not answer: how long a start takes, or what a large store adds to it. The store is
 * new, and the process has answered nothing but whether it is ready.
 *
 * Floor: the same process, 10,000 writes later. Each round has a process of its own. Shown beside:
 * the rate of each part of the beginning, which says how soon the engine has compiled what a write
 * goes through.
 */
import { comparison } from './harness/compare.ts';
import type { Pair } from './harness/compare.ts';
import { startSluice } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import { seriesOf } from './harness/series.ts';
import type { Usage } from './harness/usage.ts';
import { measureRequests } from './harness/writes.ts';
import { createRequest, objectName } from './load/objects.ts';

const CONNECTIONS = 100;
const OBJECT_BYTES = 1024;
/** Of the first 10,000 writes. */
const partsOf = (smoke: boolean): readonly number[] =>
  smoke ? [20, 80] : [500, 500, 1000, 2000, 3000, 3000];

interface Round {
  readonly perSecond: Pair;
  readonly perCpuSecond: Pair;
  /** Per CPU-second, of each part of the beginning, as a share of the warm rate. */
  readonly shares: readonly number[];
  /** Pauses of the collector in the first writes, milliseconds together. */
  readonly pausesMs: number;
  readonly usages: readonly Usage[];
}

async function measureRound(bench: Bench, round: number): Promise<Round> {
  const parts = partsOf(bench.smoke);
  const count = parts.reduce((sum, part) => sum + part, 0);
  const connections = bench.smoke ? 10 : CONNECTIONS;
  const server = await startSluice(bench.cores.server);
  const creates = (prefix: string, n: number) =>
    measureRequests(bench, server, connections, n, 201, (i) =>
      createRequest(objectName(prefix, i), i, OBJECT_BYTES),
    );
  try {
    await server.startPauses();
    const cold = await bench.profiled(server, `cold-start-${round}`, async () => {
      const measured = [];
      for (const [i, part] of parts.entries()) measured.push(await creates(`part-${i}`, part));
      return measured;
    });
    const pauses = await server.stopPauses();
    await creates('between', count);
    const warm = await creates('warm', count);
    const seconds = cold.reduce((sum, { usage }) => sum + usage.seconds, 0);
    const cpuSeconds = cold.reduce((sum, { usage }) => sum + usage.serverCpuSeconds, 0);
    return {
      perSecond: { server: count / seconds, floor: warm.perSecond },
      perCpuSecond: { server: count / cpuSeconds, floor: warm.perCpuSecond },
      shares: cold.map(({ perCpuSecond }) => perCpuSecond / warm.perCpuSecond),
      pausesMs: pauses.reduce((sum, ms) => sum + ms, 0),
      usages: [...cold.map(({ usage }) => usage), warm.usage],
    };
  } finally {
    await server.stop();
  }
}

async function run(bench: Bench): Promise<Outcome> {
  const rounds: Round[] = [];
  for (let round = 0; round < bench.rounds; round += 1) {
    rounds.push(await measureRound(bench, round));
  }
  const parts = partsOf(bench.smoke);
  const shares = parts.map((part, i) => {
    const { median } = seriesOf(rounds.map((each) => each.shares[i] ?? NaN));
    return `${part}: ${median.toFixed(2)}`;
  });
  const { median: pausesMs } = seriesOf(rounds.map((each) => each.pausesMs));
  return {
    rows: [
      comparison(
        'the first 10,000 creates',
        'per CPU-s',
        rounds.map(({ perCpuSecond }) => perCpuSecond),
        { of: 'ratio', atLeast: 0.7 },
      ),
      comparison(
        'the first 10,000 creates',
        'per s',
        rounds.map(({ perSecond }) => perSecond),
      ),
    ],
    ...busiest(rounds.flatMap(({ usages }) => usages)),
    facts: { parts, shares, pausesMs },
    notes: [
      `share of the warm rate, per CPU-s, part by part: ${shares.join(', ')}`,
      `pauses of the collector in them: ${pausesMs.toFixed(0)} ms`,
    ],
  };
}

export const coldStart: Scenario = {
  name: 'cold-start',
  question: 'How fast are the first 10,000 writes of a process, beside those when it is warm?',
  run,
};

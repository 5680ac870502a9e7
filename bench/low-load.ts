/**
 * Question: when hardly anything is asked of the server, how long does a write take to the sockets
 * of those who watch it, measured in durable commits of the store?
 *
 * 100 writes a second, 100 watchers, written and watched over one port: in the clear, over the port
 * for tokens (TLS by uWebSockets.js) and over the secure port (TLS by node). A server each, one at
 * a time: young (a thousand writes old), when the engine still compiles what a write goes through,
 * and warm, ten thousand later.
 *
 * Clock: the server's own, from the last byte of the request until the last watcher has been
 * written to (sluice_watch_delivery_seconds), and beside it what the load sees, from the request in
 * its socket to each event read, which has the reading of a hundred sockets in it.
 * Floor: the median of a commit of LMDB alone, with as many records a second, in the same rounds.
 * What is due during a slow flush waits for it, here as there: the slowest are told beside, and so
 * is what bare uWebSockets.js takes to write to as many sockets at the same pace.
 */
import { seriesOf } from './harness/series.ts';
import { figure } from './harness/compare.ts';
import { startLmdbFloor, startSluice, startUwsFloor } from './harness/process.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Row, Scenario } from './harness/scenario.ts';
import { Histogram } from './harness/series.ts';
import { measureUsage } from './harness/usage.ts';
import type { Usage } from './harness/usage.ts';
import type { PacedRequest, PacedResult } from './floors/lmdb-floor.ts';
import type { BroadcastsRequest, BroadcastsResult } from './floors/uws-floor.ts';
import { collectionPath, objectName, replaceRequest } from './load/objects.ts';
import { monotonicMs, startPacedWriter } from './load/paced-writer.ts';
import { currentVersion, fill } from './load/prepare.ts';
import { stageCounts, stagesBetween } from './load/stage-times.ts';
import type { Stages } from './load/stage-times.ts';
import { openWatchers } from './load/watchers.ts';
import type { Watchers } from './load/deliveries.ts';

const EVENT_BYTES = 1024;
const OBJECTS = 16;
const INTERVAL_MS = 10;
const PREFIX = 'low-load';
/** What is wanted of the whole way, in commits. */
const P50_COMMITS_MAX = 1.5;
const P99_COMMITS_MAX = 4;

/** In parts, so that none of the writer's connections is cut because it was not needed. */
const WARMING_PARTS = 4;
const WARMING_INTERVAL_MS = 3;

const ages = ['young', 'warm'] as const;
type Age = (typeof ages)[number];

type Over = 'plain' | 'tokens' | 'secure';
const overs: readonly Over[] = ['plain', 'tokens', 'secure'];
const stages = ['received', 'decided', 'durable', 'seen', 'encoded', 'written'];

interface Sizes {
  readonly watchers: number;
  readonly writes: number;
  readonly warmUpWrites: number;
  /** Until a server is warm. */
  readonly warmingWrites: number;
}

interface Side {
  readonly over: Over;
  readonly process: MeasuredProcess;
  readonly port: number;
  readonly watchers: Watchers;
  sequence: number;
  readonly measured: Readonly<Record<Age, Measured[]>>;
}

interface Measured {
  readonly stages: Stages;
  /** As the load sees it. */
  readonly seen: Histogram;
  /** Of the garbage collector, in milliseconds. */
  readonly pauses: readonly number[];
  readonly usage: Usage;
}

/** In milliseconds. */
interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

interface Floors {
  readonly lmdb: MeasuredProcess;
  readonly uws: MeasuredProcess;
  readonly audience: Watchers;
  readonly commits: Record<Age, Quantiles[]>;
  readonly broadcasts: Quantiles[];
}

async function sideOf(bench: Bench, over: Over, { watchers: count }: Sizes): Promise<Side> {
  const flags = over === 'plain' ? [] : ['--secure-port=0', '--token-port=0'];
  const process = await startSluice(bench.cores.server, flags);
  const { port: plain, securePort, tokenPort } = process;
  const port = { plain, tokens: tokenPort, secure: securePort }[over];
  if (port === undefined) throw new Error(`nothing is served over ${over}`);
  await fill(plain, PREFIX, OBJECTS, EVENT_BYTES);
  const path = `${collectionPath}?watch=1&resourceVersion=${await currentVersion(plain)}`;
  const watchers = await openWatchers({ port, path, count, secure: over !== 'plain' });
  // Above what the objects were made with: writing what is there already makes no event.
  return { over, process, port, watchers, sequence: OBJECTS, measured: { young: [], warm: [] } };
}

async function measure(
  bench: Bench,
  side: Side,
  writes: number,
  intervalMs = INTERVAL_MS,
): Promise<Measured> {
  const { over, port, process, watchers } = side;
  const first = side.sequence;
  side.sequence += writes;
  const requests = Array.from({ length: writes }, (_, i) =>
    replaceRequest(objectName(PREFIX, (first + i) % OBJECTS), first + i, EVENT_BYTES),
  );
  const target = watchers.deliveries + writes * watchers.counts().length;
  const before = await stageCounts(process.port);
  await process.startPauses();
  const stop = measureUsage(process.pid, bench.cores.server);
  const seen = new Histogram();
  const secure = over !== 'plain';
  const writer = startPacedWriter({ port, secure, intervalMs, requests });
  watchers.onSequence = (sequence) => {
    const handed = writer.handedMs[sequence - first];
    if (handed !== undefined && handed !== 0) seen.add(monotonicMs() - handed);
  };
  await Promise.all([writer.done, watchers.reached(target)]);
  watchers.onSequence = undefined;
  const usage = stop();
  const pauses = await process.stopPauses();
  const after = await stageCounts(process.port);
  return { stages: stagesBetween(before, after), seen, pauses, usage };
}

async function startFloors(bench: Bench, { watchers: count }: Sizes): Promise<Floors> {
  const [lmdb, uws] = await Promise.all([
    startLmdbFloor(bench.cores.server),
    startUwsFloor(bench.cores.server),
  ]);
  const audience = await openWatchers({ port: uws.port, path: '/stream', count });
  return { lmdb, uws, audience, commits: { young: [], warm: [] }, broadcasts: [] };
}

async function measureFloors(floors: Floors, age: Age, count: number): Promise<void> {
  const pace = { count, intervalMs: INTERVAL_MS };
  const paced: PacedRequest = { kind: 'paced', ...pace, prefix: PREFIX, valueBytes: EVENT_BYTES };
  const commits = (await floors.lmdb.ask(paced)) as PacedResult;
  floors.commits[age].push(quantilesOf(commits.ms));
  const request: BroadcastsRequest = { ...pace, eventBytes: EVENT_BYTES };
  const broadcasts = (await floors.uws.ask(request)) as BroadcastsResult;
  floors.broadcasts.push(quantilesOf(broadcasts.ms));
}

function quantilesOf(ms: readonly number[]): Quantiles {
  const all = new Histogram();
  for (const each of ms) all.add(each);
  return { p50: all.quantile(0.5), p99: all.quantile(0.99) };
}

async function measureRounds(
  bench: Bench,
  sides: readonly Side[],
  floors: Floors,
  age: Age,
  { writes }: Sizes,
): Promise<void> {
  for (let round = 0; round < bench.rounds; round += 1) {
    await measureFloors(floors, age, writes);
    for (const side of sides) {
      const title = `low-load-${side.over}-${age}-${round}`;
      side.measured[age].push(
        await bench.profiled(side.process, title, () => measure(bench, side, writes)),
      );
    }
  }
}

async function warm(bench: Bench, side: Side, { warmingWrites }: Sizes): Promise<void> {
  for (let part = 0; part < WARMING_PARTS; part += 1) {
    await measure(bench, side, warmingWrites / WARMING_PARTS, WARMING_INTERVAL_MS);
  }
}

async function run(bench: Bench): Promise<Outcome> {
  const sizes = bench.smoke
    ? { watchers: 10, writes: 10, warmUpWrites: 5, warmingWrites: 8 }
    : { watchers: 100, writes: 500, warmUpWrites: 1000, warmingWrites: 10_000 };
  const sides: Side[] = [];
  const floors = await startFloors(bench, sizes);
  try {
    for (const over of overs) {
      const side = await sideOf(bench, over, sizes);
      sides.push(side);
      await measure(bench, side, sizes.warmUpWrites);
    }
    await measureRounds(bench, sides, floors, 'young', sizes);
    for (const side of sides) await warm(bench, side, sizes);
    await measureRounds(bench, sides, floors, 'warm', sizes);
    for (const { watchers } of [...sides, { watchers: floors.audience }]) watchers.close();
  } finally {
    const processes = [floors.lmdb, floors.uws, ...sides.map(({ process }) => process)];
    await Promise.all(processes.map((each) => each.stop()));
  }
  const all = sides.flatMap(({ measured }) => ages.flatMap((age) => measured[age]));
  return {
    rows: [
      ...ages.flatMap((age) => sides.flatMap((side) => rowsOf(side, age, floors.commits[age]))),
      ...floorRows(floors),
    ],
    ...busiest(all.map(({ usage }) => usage)),
    facts: {
      ...sizes,
      writesPerSecond: 1000 / INTERVAL_MS,
      eventBytes: EVENT_BYTES,
      stages: Object.fromEntries(sides.map((side) => [side.over, stageFacts(side.measured.young)])),
      stagesWarm: Object.fromEntries(
        sides.map((side) => [side.over, stageFacts(side.measured.warm)]),
      ),
    },
    notes: ages.flatMap((age) => sides.flatMap((side) => notesOf(side, age))),
  };
}

/** What no server can do without. */
function floorRows({ broadcasts, commits }: Floors): Row[] {
  const all = ages.flatMap((age) => commits[age]);
  const p50s = all.map(({ p50 }) => p50);
  const row = (measure: string, server: readonly number[]): Row => ({
    ...figure(measure, 'ms', server, p50s),
    ratio: seriesOf(server.map((each, i) => each / (p50s[i] as number))),
  });
  return [
    row(
      'LMDB alone: p99',
      all.map(({ p99 }) => p99),
    ),
    row(
      'bare uWebSockets.js: p50 of a broadcast',
      broadcasts.map(({ p50 }) => p50),
    ),
    row(
      'both, one after the other: p50',
      broadcasts.map(({ p50 }, i) => p50 + (p50s[i] as number)),
    ),
  ];
}

function rowsOf(side: Side, age: Age, commits: readonly Quantiles[]): Row[] {
  const measured = side.measured[age];
  const over = age === 'young' ? side.over : `${side.over}, ${age}`;
  const row = (what: 'p50' | 'p99', atMost: number): Row => {
    const floor = commits.map((commit) => commit.p50);
    const server = measured.map((each) => each.stages.get('all')?.[`${what}Ms`] ?? NaN);
    return {
      ...figure(`${over}: ${what}, to the last socket`, 'ms', server, floor),
      ratio: seriesOf(server.map((each, i) => each / (floor[i] as number))),
      target: { of: 'ratio', atMost },
    };
  };
  const seen = (what: 'p50' | 'p99', share: number): Row => {
    const values = measured.map((each) => each.seen.quantile(share));
    return figure(`${over}: ${what}, as the load sees it`, 'ms', values, undefined);
  };
  return [
    row('p50', P50_COMMITS_MAX),
    row('p99', P99_COMMITS_MAX),
    seen('p50', 0.5),
    seen('p99', 0.99),
  ];
}

/** Milliseconds, the medians of the rounds. */
function stageFacts(measured: readonly Measured[]) {
  const of = (stage: string, what: 'meanMs' | 'p50Ms' | 'p99Ms'): number =>
    seriesOf(measured.map((each) => each.stages.get(stage)?.[what] ?? NaN)).median;
  return Object.fromEntries(
    [...stages, 'all'].map((stage) => [
      stage,
      { mean: of(stage, 'meanMs'), p50: of(stage, 'p50Ms'), p99: of(stage, 'p99Ms') },
    ]),
  );
}

function notesOf(side: Side, age: Age): string[] {
  const measured = side.measured[age];
  const facts = stageFacts(measured);
  const stage = (name: string): string => {
    const { mean = NaN, p99 = NaN } = facts[name] ?? {};
    return `${name} ${mean.toFixed(2)} (${p99.toFixed(1)})`;
  };
  const pauses = measured.flatMap((each) => each.pauses);
  const longest = Math.max(0, ...pauses);
  const together = pauses.reduce((sum, ms) => sum + ms, 0);
  const title = `${side.over}, ${age}`;
  return [
    `${title}: mean (p99) in ms: ${[...stages, 'all'].map(stage).join(', ')}`,
    `${title}: ${pauses.length} pauses of the collector, ${together.toFixed(0)} ms together, ` +
      `the longest ${longest.toFixed(1)} ms`,
  ];
}

export const lowLoad: Scenario = {
  name: 'low-load',
  question: 'At 100 writes/s, how many commits of the store does a write take to 100 sockets?',
  run,
};

/**
 * Question: what does the server do beside kube-apiserver over etcd, with the same load, over TLS?
 *
 * Runs where TEST_ASSET_KUBE_APISERVER and TEST_ASSET_ETCD name the two programs, and says so
 * otherwise. All processes of a side share the server's core, and count together. Both sides have
 * one caller with a static token in system:masters, RBAC, no audit, and what their flags are by
 * default; this server is asked at its port for tokens. Objects of 1 KB, 20,000 of them, made in
 * each round's creates.
 *
 * What it does not answer: what either does on more cores, or with etcd on a machine of its own.
 *
 * Floor: the reference. The ratio is the server's figure to its: above 1 more where more is better.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { comparison } from './harness/compare.ts';
import { startSluice } from './harness/process.ts';
import type { MeasuredProcess } from './harness/process.ts';
import {
  newToken,
  referencePrograms,
  startReference,
  writeTokenFile,
} from './harness/reference-process.ts';
import type { TokenServer } from './harness/reference-process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Row, Scenario } from './harness/scenario.ts';
import type { Usage } from './harness/usage.ts';
import type { RequestRate } from './harness/writes.ts';
import { captureHttp2, measureGets } from './load/http2-requests.ts';
import { collectionPath, objectName } from './load/objects.ts';
import {
  makeChanging,
  measureCreates,
  measureDelay,
  measureFanOut,
  measureHotObject,
  measureLists,
  openAudience,
  replacements,
  residentBytes,
} from './load/token-load.ts';

interface Sizes {
  readonly objects: number;
  readonly watchers: number;
  readonly fewWatchers: number;
  /** Times that events are handed to all watchers, one, four and sixteen at a time. */
  readonly turns: number;
  readonly writes: number;
  readonly lists: number;
  readonly streams: number;
  readonly hotMs: number;
  readonly gets: number;
}

const sizesOf = (smoke: boolean): Sizes =>
  smoke
    ? {
        objects: 50,
        watchers: 10,
        fewWatchers: 5,
        turns: 4,
        writes: 10,
        lists: 2,
        streams: 2,
        hotMs: 200,
        gets: 400,
      }
    : {
        objects: 20_000,
        watchers: 1000,
        fewWatchers: 100,
        turns: 100,
        writes: 500,
        lists: 4,
        streams: 16,
        hotMs: 5000,
        gets: 20_000,
      };

/** What one round of one side has measured, by the row it belongs to. */
type Figures = Readonly<Record<Measure, number>>;

const measures = {
  creates: 'creates, 100 connections; per CPU-s',
  memory: 'resident memory with all objects; MiB',
  hot: 'merge patches of one object, 16 connections; per s',
  gets: 'GETs of one object over HTTP/2, 10 connections by 40; per CPU-s',
  list: 'four lists of all at once, until the last; s',
  listCpu: 'a list of all; CPU-s',
  streams: '16 streaming lists of all at once, until the last; s',
  single: 'deliveries to 1,000 watchers, one event at a time; per CPU-s',
  four: 'the same, four at a time; per CPU-s',
  flood: 'the same, sixteen at a time; per CPU-s',
  p50: '100 writes/s to 100 watchers, from the request, p50; ms',
  p99: 'the same, p99; ms',
  low: 'the same, deliveries; per CPU-s',
  watch: 'resident memory of an idle watch, 1,000 on an empty server; KiB',
} as const;
type Measure = keyof typeof measures;

interface Measured {
  readonly figures: Figures;
  readonly usages: readonly Usage[];
}

const MIB = 2 ** 20;

/**
 * What one more watch holds, in bytes: before anything else is done, because an engine that
 * collects garbage gives memory back later on, and a difference would count that.
 */
async function bytesOfWatch(server: TokenServer, { watchers, fewWatchers }: Sizes) {
  const warmUp = await openAudience(server, fewWatchers);
  warmUp.close();
  const before = residentBytes(server);
  const audience = await openAudience(server, watchers);
  const bytes = (residentBytes(server) - before) / watchers;
  audience.close();
  return bytes;
}

async function measure(bench: Bench, server: TokenServer, sizes: Sizes): Promise<Measured> {
  const watch = await bytesOfWatch(server, sizes);
  const creates = await measureCreates(bench, server, 'object', sizes.objects);
  const memory = residentBytes(server);
  const hot = await measureHotObject(bench, server, objectName('object', 0), sizes.hotMs);
  const gets = await measureOneObject(bench, server, sizes.gets);
  const plain = { count: sizes.lists, asStream: false };
  const lists = await measureLists(bench, server, sizes.objects, plain);
  const asStream = { count: sizes.streams, asStream: true };
  const streams = await measureLists(bench, server, sizes.objects, asStream);

  await makeChanging(bench, server, 'changing');
  const next = replacements('changing', server.token);
  const few = await openAudience(server, sizes.fewWatchers);
  const pace = { writes: sizes.writes, intervalMs: 10 };
  const low = await measureDelay(bench, server, few, next, pace);
  few.close();

  const watchers = await openAudience(server, sizes.watchers);
  const turns = { turns: sizes.turns, atOnce: 1 };
  const single = await measureFanOut(bench, server, watchers, next, turns);
  const four = await measureFanOut(bench, server, watchers, next, { ...turns, atOnce: 4 });
  const flood = await measureFanOut(bench, server, watchers, next, { ...turns, atOnce: 16 });
  watchers.close();
  return {
    figures: {
      creates: creates.perCpuSecond,
      memory: memory / MIB,
      hot: hot.perSecond,
      gets: gets.perCpuSecond,
      list: lists.secondsEach * sizes.lists,
      listCpu: lists.cpuSecondsEach,
      streams: streams.secondsEach * sizes.streams,
      single: single.perCpuSecond,
      four: four.perCpuSecond,
      flood: flood.perCpuSecond,
      p50: low.p50Ms,
      p99: low.p99Ms,
      low: low.rate.perCpuSecond,
      watch: watch / 1024,
    },
    usages: [creates, hot, gets, lists, streams, low.rate, single, four, flood].map(
      ({ usage }) => usage,
    ),
  };
}

/** Once more than is measured: until what a request goes through has been compiled. */
async function measureOneObject(
  bench: Bench,
  { http2Port, pid, token }: TokenServer,
  count: number,
): Promise<RequestRate> {
  const target = `${collectionPath}/${objectName('object', 0)}`;
  const { body } = await captureHttp2({ port: http2Port, path: target, token });
  const plan = {
    ...{ pid, port: http2Port, path: target, token, core: bench.cores.server },
    ...{ connections: 10, atOnce: 40, count, bodyBytes: Buffer.byteLength(body) },
  };
  await measureGets(plan);
  return measureGets(plan);
}

async function startTokenServer(
  bench: Bench,
  directory: string,
): Promise<{ readonly process: MeasuredProcess; readonly server: TokenServer }> {
  const token = newToken();
  const process = await startSluice(bench.cores.server, [
    '--identity=kubernetes',
    '--secure-port=0',
    '--token-port=0',
    '--authorization-mode=RBAC',
    '--anonymous-auth=false',
    `--token-auth-file=${await writeTokenFile(directory, token)}`,
  ]);
  const { pid, securePort, tokenPort } = process;
  if (tokenPort === undefined) throw new Error('no port for tokens is served');
  if (securePort === undefined) throw new Error('no secure port is served');
  return { process, server: { pid, port: tokenPort, http2Port: securePort, token } };
}

async function run(bench: Bench): Promise<Outcome> {
  const programs = referencePrograms();
  if (programs === undefined) {
    const note = 'not run: TEST_ASSET_KUBE_APISERVER and TEST_ASSET_ETCD name no programs';
    return { rows: [], loadCpuShare: 0, otherShare: undefined, facts: {}, notes: [note] };
  }
  const sizes = sizesOf(bench.smoke);
  const rounds: { readonly ours: Measured; readonly theirs: Measured }[] = [];
  let version = '';
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  try {
    // New processes each time: both have an empty store then, and a fresh memory.
    for (let round = 0; round < bench.rounds; round += 1) {
      const reference = await startReference(bench.cores.server, programs);
      const theirs = await measure(bench, reference, sizes).finally(() => reference.stop());
      version = reference.version;
      const { process, server } = await startTokenServer(bench, directory);
      const ours = await bench
        .profiled(process, `reference-${round}`, () => measure(bench, server, sizes))
        .finally(() => process.stop());
      rounds.push({ ours, theirs });
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  const rowOf = (name: Measure): Row => {
    const [measure = '', unit = ''] = measures[name].split('; ');
    const pairs = rounds.map(({ ours, theirs }) => ({
      server: ours.figures[name],
      floor: theirs.figures[name],
    }));
    return comparison(measure, unit, pairs);
  };
  return {
    rows: (Object.keys(measures) as Measure[]).map(rowOf),
    ...busiest(rounds.flatMap(({ ours, theirs }) => [...ours.usages, ...theirs.usages])),
    facts: { ...sizes, reference: version },
    notes: [`the floor is kube-apiserver ${version}`],
  };
}

export const reference: Scenario = {
  name: 'reference',
  question: 'What does the server do beside kube-apiserver over etcd, with the same load?',
  run,
};

/**
 * Question: what does it cost when the store is FoundationDB instead of LMDB?
 *
 * Asks create.ts's and latency.ts's questions of a server with `--store=fdb`, beside one on LMDB.
 * It runs when FDB_CLUSTER_FILE is set and says so otherwise; it writes under prefixes of its own,
 * and clears them.
 *
 * What it does not answer: what a cluster of several machines does. On one machine fdbserver shares
 * the cores with everything that is measured; its share is within `others` of the report.
 *
 * Floor: the same transactions in a bare loop on FoundationDB's client, as many records to each as
 * the server put into its own, one at a time. Other rows have as many loops as the server has
 * commits under way, and a bare uWebSockets.js answer in series with the one.
 */
import { COMMIT_LANES } from '../src/storage/fdb/layout.ts';
import { comparison, figure } from './harness/compare.ts';
import type { Pair } from './harness/compare.ts';
import { startFdbFloor, startSluice, startUwsFloor } from './harness/process.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Row, Scenario } from './harness/scenario.ts';
import type { Usage } from './harness/usage.ts';
import { createRecordBytes, LoadProof, measureRequests } from './harness/writes.ts';
import type { RequestRate } from './harness/writes.ts';
import type { FdbRequest, FdbResult } from './floors/fdb-floor.ts';
import { measureLatency, watchedSide } from './latency.ts';
import type { Measured } from './latency.ts';
import { createRequest, objectName } from './load/objects.ts';
import { objectText } from './load/prepare.ts';

const CONNECTIONS = 100;
const OBJECT_BYTES = 1024;

interface Processes {
  readonly fdb: MeasuredProcess;
  readonly lmdb: MeasuredProcess;
  readonly floor: MeasuredProcess;
  readonly bare: MeasuredProcess;
}

interface Measurements {
  readonly rows: readonly Row[];
  readonly usages: readonly Usage[];
  readonly facts: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
}

async function measureCreates(bench: Bench, processes: Processes): Promise<Measurements> {
  const count = bench.smoke ? 200 : 10_000;
  const connections = bench.smoke ? 10 : CONNECTIONS;
  const proof = new LoadProof(bench, processes.bare, connections);
  const creates = (server: MeasuredProcess, prefix: string, n: number): Promise<RequestRate> =>
    measureRequests(bench, server, connections, n, 201, (i) =>
      createRequest(objectName(prefix, i), i, OBJECT_BYTES),
    );
  for (const server of [processes.fdb, processes.lmdb]) await creates(server, 'warm', count / 2);
  const text = await objectText(processes.fdb.port, objectName('warm', 0));
  const valueBytes = createRecordBytes(text);
  type Floor = 'bare' | 'lanes' | 'series' | 'lmdb';
  const pairs: Record<Floor, Pair[]> = { bare: [], lanes: [], series: [], lmdb: [] };
  const loop = async (request: Omit<FdbRequest & { kind: 'commit' }, 'kind'>): Promise<number> => {
    const asked: FdbRequest = { kind: 'commit', ...request };
    return count / ((await processes.floor.ask(asked)) as FdbResult).seconds;
  };
  const groupSizes: number[] = [];
  const rates: RequestRate[] = [];
  for (let round = 0; round < bench.rounds; round += 1) {
    const prefix = `create-${round}`;
    const answers = await proof.round(count, (i) => createRequest(prefix, i, OBJECT_BYTES));
    const before = await commitsOf(processes.fdb.port);
    const ours = await bench.profiled(processes.fdb, `fdb-${prefix}`, () =>
      creates(processes.fdb, prefix, count),
    );
    const after = await commitsOf(processes.fdb.port);
    const groupSize = Math.max(1, Math.round(count / (after - before)));
    const request = { count, groupSize, prefix, valueBytes };
    const floor = await loop({ ...request, lanes: 1 });
    const lanes = await loop({ ...request, prefix: `lanes-${round}`, lanes: COMMIT_LANES });
    const lmdb = await creates(processes.lmdb, prefix, count);
    pairs.bare.push({ floor, server: ours.perSecond });
    pairs.lanes.push({ floor: lanes, server: ours.perSecond });
    const series = 1 / (1 / floor + 1 / answers);
    pairs.series.push({ floor: series, server: ours.perSecond });
    pairs.lmdb.push({ floor: lmdb.perSecond, server: ours.perSecond });
    groupSizes.push(groupSize);
    rates.push(ours);
  }
  return {
    rows: [
      comparison('creates, floor bare loop', 'per s', pairs.bare, { of: 'ratio', atLeast: 0.5 }),
      comparison(`creates, floor ${COMMIT_LANES} loops at once`, 'per s', pairs.lanes),
      comparison('creates, floor loop + HTTP', 'per s', pairs.series),
      comparison('creates, floor lmdb server', 'per s', pairs.lmdb),
      figure(
        'creates',
        'per CPU-s',
        rates.map((rate) => rate.perCpuSecond),
        undefined,
      ),
    ],
    usages: rates.map(({ usage }) => usage),
    facts: { count, connections, valueBytes, groupSizes, load: proof.result() },
    notes: [proof.note()],
  };
}

/** Commits that this server has made since it started. */
async function commitsOf(port: number): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^sluice_commits_total(?:\{[^}]*\})? (\S+)$/m.exec(page)?.[1]);
}

async function measureLatencies(bench: Bench, processes: Processes): Promise<Measurements> {
  const sizes = bench.smoke ? { watchers: 10, writes: 10 } : { watchers: 1000, writes: 500 };
  const fdb = await watchedSide(processes.fdb, sizes);
  const lmdb = await watchedSide(processes.lmdb, sizes);
  const measured: { fdb: Measured; lmdb: Measured }[] = [];
  for (let round = 0; round < bench.rounds; round += 1) {
    const first = fdb.firstSequence + round * sizes.writes;
    measured.push({
      lmdb: await measureLatency(bench, lmdb, sizes, first),
      fdb: await bench.profiled(processes.fdb, `fdb-latency-${round}`, () =>
        measureLatency(bench, fdb, sizes, first),
      ),
    });
  }
  fdb.watchers.close();
  lmdb.watchers.close();
  const row = (title: string, pick: (m: Measured) => number): Row =>
    figure(
      `${title}, floor lmdb server`,
      'ms',
      measured.map((each) => pick(each.fdb)),
      measured.map((each) => pick(each.lmdb)),
    );
  return {
    rows: [
      row('p50 from the answer', (m) => m.fromAnswer.quantile(0.5)),
      row('p99 from the answer', (m) => m.fromAnswer.quantile(0.99)),
      row('p50 from the request', (m) => m.fromRequest.quantile(0.5)),
      row('p99 from the request', (m) => m.fromRequest.quantile(0.99)),
    ],
    usages: measured.map((each) => each.fdb.usage),
    facts: { ...sizes, early: measured.map((each) => each.fdb.early) },
    notes: [],
  };
}

async function run(bench: Bench): Promise<Outcome> {
  const clusterFile = process.env['FDB_CLUSTER_FILE'];
  if (clusterFile === undefined) {
    const note = 'not run: FDB_CLUSTER_FILE names no cluster';
    return { rows: [], loadCpuShare: 0, otherShare: undefined, facts: {}, notes: [note] };
  }
  const { server: core } = bench.cores;
  const prefix = `sluice-bench-${process.pid}`;
  const floorPrefix = `${prefix}-floor`;
  const started: MeasuredProcess[] = [];
  const start = async (process: Promise<MeasuredProcess>): Promise<MeasuredProcess> => {
    started.push(await process);
    return process;
  };
  const store = [`--fdb-cluster-file=${clusterFile}`, `--fdb-prefix=${prefix}`];
  try {
    const processes = {
      floor: await start(startFdbFloor(core, [clusterFile, floorPrefix])),
      fdb: await start(startSluice(core, ['--store=fdb', ...store])),
      lmdb: await start(startSluice(core)),
      bare: await start(startUwsFloor(core)),
    };
    const creates = await measureCreates(bench, processes);
    const latencies = await measureLatencies(bench, processes);
    return {
      rows: [...creates.rows, ...latencies.rows],
      ...busiest([...creates.usages, ...latencies.usages]),
      facts: { ...creates.facts, ...latencies.facts },
      notes: [...creates.notes, 'fdbserver shares the cores, unpinned'],
    };
  } finally {
    const [floor, ...others] = started;
    await Promise.all(others.map((process) => process.stop()));
    for (const each of [prefix, floorPrefix]) {
      await floor?.ask({ kind: 'clear', store: each } satisfies FdbRequest);
    }
    await floor?.stop();
  }
}

export const fdb: Scenario = {
  name: 'fdb',
  question: 'What do creates and their way to watchers cost on FoundationDB instead of LMDB?',
  run,
};

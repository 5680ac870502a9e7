/**
 * Question: how many objects of 1 KB a second are created, durably, over 100 connections?
 *
 * What it does not answer: how late each answer is under less load, what larger objects cost, and
 * what a disk with slower flushes changes.
 *
 * Floor: LMDB alone, the same keys and record sizes, 100 records to a transaction and a flush.
 * A server on one core must also read and answer requests, so a second floor is shown: a bare
 * uWebSockets.js answer and the bare commit, one after the other.
 * Proof of the load: the same connections and requests against a bare uWebSockets.js answer.
 */
import { comparison, figure } from './harness/compare.ts';
import { createRecordBytes, LoadProof, measureRequests } from './harness/writes.ts';
import { startLmdbFloor, startSluice, startUwsFloor } from './harness/process.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import type { LmdbRequest, LmdbResult } from './floors/lmdb-floor.ts';
import { createRequest, objectName } from './load/objects.ts';
import { objectText } from './load/prepare.ts';

const CONNECTIONS = 100;
const OBJECT_BYTES = 1024;

async function floorRate(
  floor: MeasuredProcess,
  prefix: string,
  count: number,
  valueBytes: number,
): Promise<number> {
  const request: LmdbRequest = {
    kind: 'commit',
    count,
    groupSize: CONNECTIONS,
    prefix,
    valueBytes,
  };
  const { seconds } = (await floor.ask(request)) as LmdbResult;
  return count / seconds;
}

async function run(bench: Bench): Promise<Outcome> {
  const count = bench.smoke ? 200 : 10_000;
  const { server: core } = bench.cores;
  const server = await startSluice(core);
  const floor = await startLmdbFloor(core);
  const bare = await startUwsFloor(core);
  try {
    const connections = bench.smoke ? 10 : CONNECTIONS;
    const proof = new LoadProof(bench, bare, connections);
    const warm = (i: number): Buffer => createRequest(objectName('warm', i), i, OBJECT_BYTES);
    await measureRequests(bench, server, connections, 2 * count, 201, warm);
    const valueBytes = createRecordBytes(await objectText(server.port, objectName('warm', 0)));
    const pairs: { floor: number; server: number }[] = [];
    const seriesPairs: { floor: number; server: number }[] = [];
    const perCpu: number[] = [];
    const usages = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      const prefix = `create-${round}`;
      const requestOf = (i: number): Buffer =>
        createRequest(objectName(prefix, i), i, OBJECT_BYTES);
      const answersPerSecond = await proof.round(count, requestOf);
      const floorPerSecond = await floorRate(floor, prefix, count, valueBytes);
      const ours = await bench.profiled(server, prefix, () =>
        measureRequests(bench, server, connections, count, 201, requestOf),
      );
      pairs.push({ floor: floorPerSecond, server: ours.perSecond });
      const inSeries = 1 / (1 / floorPerSecond + 1 / answersPerSecond);
      seriesPairs.push({ floor: inSeries, server: ours.perSecond });
      perCpu.push(ours.perCpuSecond);
      usages.push(ours.usage);
    }
    return {
      rows: [
        comparison('creates', 'per s', pairs, { of: 'ratio', atLeast: 0.4 }),
        comparison('creates, floor with HTTP', 'per s', seriesPairs),
        figure('creates', 'per CPU-s', perCpu, undefined),
      ],
      ...busiest(usages),
      facts: { count, connections, valueBytes, load: proof.result() },
      notes: [proof.note()],
    };
  } finally {
    await Promise.all([server.stop(), floor.stop(), bare.stop()]);
  }
}

export const create: Scenario = {
  name: 'create',
  question: 'How many objects of 1 KB a second are created, durably, over 100 connections?',
  run,
};

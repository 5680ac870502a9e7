/**
 * Question: how much resident memory does an idle watch cost the server?
 *
 * What it does not answer: what the kernel keeps for the socket, and what a watch costs while it
 * is behind.
 *
 * How: resident bytes after a garbage collection, before and after 5,000 watches are added to
 * 1,000 that are there already: what the first ones make the process set up is not theirs to pay.
 * Without the young generation, which the engine sizes by how fast requests come (two halves of up
 * to 32 MiB) and not by what is held.
 * Floor: as many open chunked answers of uWebSockets.js.
 */
import { figure } from './harness/compare.ts';
import { startSluice, startUwsFloor } from './harness/process.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import { measureUsage, residentBytesOf } from './harness/usage.ts';
import { collectionPath } from './load/objects.ts';
import { currentVersion, fill } from './load/prepare.ts';
import { openWatchers } from './load/watchers.ts';

interface Sizes {
  readonly first: number;
  readonly added: number;
}

async function settledBytes(process: MeasuredProcess): Promise<number> {
  await process.collectGarbage();
  await process.collectGarbage();
  const young = await process.youngBytes();
  return residentBytesOf(process.pid) - young;
}

async function bytesPerWatcher(
  process: MeasuredProcess,
  path: string,
  { first, added }: Sizes,
): Promise<number> {
  const { port } = process;
  const groups = [await openWatchers({ port, path, count: first })];
  const before = await settledBytes(process);
  groups.push(await openWatchers({ port, path, count: added }));
  const after = await settledBytes(process);
  for (const group of groups) group.close();
  return (after - before) / added;
}

async function run(bench: Bench): Promise<Outcome> {
  const sizes = bench.smoke ? { first: 10, added: 50 } : { first: 1000, added: 5000 };
  const rounds = bench.smoke ? 1 : Math.min(3, bench.rounds);
  const ours: number[] = [];
  const bare: number[] = [];
  const usages = [];
  for (let round = 0; round < rounds; round += 1) {
    // New processes each time: memory that was freed is not given back.
    const floor = await startUwsFloor(bench.cores.server);
    bare.push(await bytesPerWatcher(floor, '/stream', sizes).finally(() => floor.stop()));
    const server = await startSluice(bench.cores.server);
    try {
      await fill(server.port, 'idle', 10, 1024);
      const stop = measureUsage(server.pid, bench.cores.server);
      const version = await currentVersion(server.port);
      const path = `${collectionPath}?watch=1&allowWatchBookmarks=true&resourceVersion=${version}`;
      ours.push(await bytesPerWatcher(server, path, sizes));
      usages.push(stop());
    } finally {
      await server.stop();
    }
  }
  return {
    rows: [figure('resident memory', 'B per watcher', ours, bare, { of: 'server', atMost: 6144 })],
    ...busiest(usages),
    facts: { ...sizes },
    notes: [],
  };
}

export const idleWatchers: Scenario = {
  name: 'idle-watchers',
  question: 'How much resident memory does an idle watch cost the server?',
  run,
};

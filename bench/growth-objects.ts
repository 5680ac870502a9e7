/**
 * Question: what does a server with 1,000,000 objects of 1 KB cost beside one with 1,000: until it
 * is ready, in memory, for each delivery, and when all of it is streamed to 16 readers at once?
 *
 * The stores are written before (stored-objects.ts). Ready: from the start of the process.
 * Anonymous memory is measured then, and every so often while the streaming lists are read.
 * Floor: the server with 1,000 objects, in the same rounds.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { comparison, figure } from './harness/compare.ts';
import { startSluice } from './harness/process.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Row, Scenario } from './harness/scenario.ts';
import { anonymousBytesOf, processorSecondsOf } from './harness/usage.ts';
import type { Usage } from './harness/usage.ts';
import { downloadMany } from './load/downloads.ts';
import { eventCost, replacements } from './load/event-cost.ts';
import type { Writing } from './load/event-cost.ts';
import { collectionPath } from './load/objects.ts';
import { currentVersion } from './load/prepare.ts';
import { fillStore } from './load/stored-objects.ts';
import { openWatchers } from './load/watchers.ts';
import type { Watchers } from './load/deliveries.ts';

const PREFIX = 'growth';
const OBJECT_BYTES = 1024;
const REPLACED = 32;
const READERS = 16;
const SAMPLE_MS = 50;
const MiB = 1024 * 1024;

const limits = { readySeconds: 15, kibPerObject: 1.5, ratio: 1.15, streamsMiB: 64 } as const;
const streamingPath =
  `${collectionPath}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan` +
  '&allowWatchBookmarks=true';

interface Started {
  readonly objects: number;
  readonly process: MeasuredProcess;
  readonly readySeconds: number;
  readonly readyCpuSeconds: number;
  readonly anonymousBytes: number;
}

async function startOver(bench: Bench, directory: string, objects: number): Promise<Started> {
  const data = path.join(directory, String(objects));
  await fillStore(data, PREFIX, objects, OBJECT_BYTES);
  const begin = performance.now();
  const process = await startSluice(bench.cores.server, [`--data-dir=${data}`]);
  const { pid } = process;
  return {
    objects,
    process,
    readySeconds: (performance.now() - begin) / 1000,
    readyCpuSeconds: processorSecondsOf(pid),
    anonymousBytes: anonymousBytesOf(pid),
  };
}

interface Audience {
  readonly writing: Writing;
  readonly watchers: Watchers;
}

async function audienceOf(bench: Bench, started: Started, count: number): Promise<Audience> {
  const { port } = started.process;
  const version = await currentVersion(port);
  const watched = `${collectionPath}?watch=1&resourceVersion=${version}`;
  const watchers = await openWatchers({ port, path: watched, count });
  const next = replacements(PREFIX, Math.min(REPLACED, started.objects));
  return { writing: { process: started.process, core: bench.cores.server, next }, watchers };
}

/** How far anonymous memory rises above what it was, in MiB. */
async function streamed({ objects, process }: Started): Promise<number> {
  const before = anonymousBytesOf(process.pid);
  let highest = before;
  const timer = setInterval(() => {
    highest = Math.max(highest, anonymousBytesOf(process.pid));
  }, SAMPLE_MS);
  const ending = 'initial-events-end';
  const plan = { port: process.port, path: streamingPath, marks: objects, ending };
  await downloadMany(plan, READERS, READERS).finally(() => clearInterval(timer));
  return (highest - before) / MiB;
}

async function run(bench: Bench): Promise<Outcome> {
  const [few, many] = bench.smoke ? [100, 2_000] : [1_000, 1_000_000];
  const sizes = bench.smoke ? { watchers: 5, events: 5 } : { watchers: 100, events: 300 };
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-growth-'));
  const all: Started[] = [];
  try {
    for (const objects of [few, many]) all.push(await startOver(bench, directory, objects));
    const audiences: Audience[] = [];
    for (const each of all) audiences.push(await audienceOf(bench, each, sizes.watchers));
    for (const { watchers, writing } of audiences) {
      await eventCost(writing, bench.smoke ? 10 : 3_000, watchers);
    }
    const usages: Usage[] = [];
    const pairs: { server: number; floor: number }[] = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      const costs: number[] = [];
      for (const { watchers, writing } of audiences) {
        const { microseconds, usage } = await eventCost(writing, sizes.events, watchers);
        usages.push(usage);
        costs.push(microseconds / sizes.watchers);
      }
      pairs.push({ floor: costs[0] ?? NaN, server: costs[1] ?? NaN });
    }
    for (const { watchers } of audiences) watchers.close();
    const grown: number[] = [];
    for (const each of all) grown.push(await streamed(each));
    return {
      rows: rowsOf(all, pairs, grown),
      ...busiest(usages),
      facts: { few, many, ...sizes, readers: READERS },
      notes: ['the floor is the server with few objects'],
    };
  } finally {
    await Promise.all(all.map(({ process }) => process.stop()));
    await rm(directory, { recursive: true, force: true });
  }
}

function rowsOf(
  all: readonly Started[],
  pairs: readonly { server: number; floor: number }[],
  grown: readonly number[],
): Row[] {
  const [few, many] = all as [Started, Started];
  const row = (measure: string, unit: string, of: (each: Started) => number, atMost?: number) =>
    figure(
      measure,
      unit,
      [of(many)],
      [of(few)],
      atMost === undefined ? undefined : { of: 'server', atMost },
    );
  const perObject = ({ anonymousBytes, objects }: Started): number =>
    anonymousBytes / 1024 / objects;
  return [
    row('ready after', 's', (each) => each.readySeconds, limits.readySeconds),
    row('ready after', 'CPU-s', (each) => each.readyCpuSeconds),
    row('anonymous memory', 'KiB per object', perObject, limits.kibPerObject),
    comparison('a delivery', 'us of CPU', pairs, { of: 'ratio', atMost: limits.ratio }),
    figure('16 streaming lists at once', 'MiB more', grown.slice(1), grown.slice(0, 1), {
      of: 'server',
      atMost: limits.streamsMiB,
    }),
  ];
}

export const growthObjects: Scenario = {
  name: 'growth-objects',
  question: 'What do a million objects cost beside a thousand?',
  run,
};

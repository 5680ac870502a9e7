/**
 * Question: is a type that a user has defined as fast as ConfigMaps, in the same process?
 *
 * What it does not answer: what its schema costs where it is large, or versions that a webhook
 * converts.
 *
 * The "floor" is the same work on ConfigMaps, by turns with that on the custom type. Creates are
 * also measured on a type with twenty rules, all of which each object has to obey.
 */
import { comparison } from './harness/compare.ts';
import type { Pair } from './harness/compare.ts';
import { startSluice } from './harness/process.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import { measureUsage } from './harness/usage.ts';
import type { Usage } from './harness/usage.ts';
import { measureRequests } from './harness/writes.ts';
import {
  configMaps,
  defineCustomTypes,
  patchRequest,
  postRequest,
  ruled,
  widgets,
} from './load/custom-objects.ts';
import type { Collection } from './load/custom-objects.ts';
import { downloadMany } from './load/downloads.ts';
import { connectMany, drive, fetchBytes } from './load/http-client.ts';
import { objectName } from './load/objects.ts';
import { openWatchers } from './load/watchers.ts';

const CONNECTIONS = 64;
const streamQuery =
  '?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

interface Sizes {
  readonly objects: number;
  readonly creates: number;
  readonly downloads: number;
  readonly watchers: number;
  readonly events: number;
}

const sizesOf = (smoke: boolean): Sizes =>
  smoke
    ? { objects: 50, creates: 50, downloads: 2, watchers: 5, events: 20 }
    : { objects: 10_000, creates: 5000, downloads: 10, watchers: 500, events: 400 };

/** Per second of the server's processor: what else runs on the machine counts less there. */
interface Rate {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly usage: Usage;
}

type Work = (collection: Collection, title: string) => Promise<Rate>;

async function measured(
  bench: Bench,
  server: MeasuredProcess,
  work: () => Promise<number>,
): Promise<Rate> {
  const stop = measureUsage(server.pid, bench.cores.server);
  const done = await work();
  const usage = stop();
  const { seconds, serverCpuSeconds } = usage;
  return { perSecond: done / seconds, perCpuSecond: done / serverCpuSeconds, usage };
}

function createWork(bench: Bench, server: MeasuredProcess, count: number): Work {
  return (collection, title) =>
    measureRequests(bench, server, Math.min(CONNECTIONS, count), count, 201, (i) =>
      postRequest(collection, objectName(title, i), i),
    );
}

function downloadWork(
  bench: Bench,
  server: MeasuredProcess,
  { downloads, objects }: Sizes,
  stream: boolean,
): Work {
  return ({ filled }) => {
    const path = stream ? `${filled}${streamQuery}` : filled;
    const ending = stream ? 'initial-events-end' : ']}';
    const plan = { port: server.port, path, marks: objects, ending };
    return measured(bench, server, async () => (await downloadMany(plan, downloads, 2)) / 1e6);
  };
}

/** Changes of a few objects, each to all watchers of the collection. */
function fanOutWork(bench: Bench, server: MeasuredProcess, sizes: Sizes): Work {
  return async (collection, title) => {
    const { events, watchers: count } = sizes;
    const { port } = server;
    const name = objectName(title, 0);
    const connections = await connectMany(port, 4);
    await drive(connections, 1, () => postRequest(collection, name, 0));
    const { body } = await fetchBytes(port, 'GET', `${collection.path}?limit=1`);
    const list = JSON.parse(body.toString()) as { metadata: { resourceVersion: string } };
    const path = `${collection.path}?watch=1&resourceVersion=${list.metadata.resourceVersion}`;
    const watchers = await openWatchers({ port, path, count });
    let sequence = 0;
    const next = (): Buffer => {
      sequence += 1;
      return patchRequest(collection, name, sequence);
    };
    const rate = await measured(bench, server, async () => {
      const { statuses } = await drive(connections, events, next);
      if (statuses['200'] !== events) throw new Error(`refused: ${JSON.stringify(statuses)}`);
      await watchers.reached(events * count);
      return events * count;
    });
    watchers.close();
    for (const connection of connections) connection.close();
    return rate;
  };
}

async function run(bench: Bench): Promise<Outcome> {
  const sizes = sizesOf(bench.smoke);
  const server = await startSluice(bench.cores.server, ['--identity=kubernetes']);
  try {
    await defineCustomTypes(server.port);
    const create = createWork(bench, server, sizes.creates);
    for (const collection of [configMaps, widgets]) {
      const into = { ...collection, path: collection.filled };
      await measureRequests(bench, server, CONNECTIONS, sizes.objects, 201, (i) =>
        postRequest(into, objectName('filled', i), i),
      );
    }
    for (const collection of [configMaps, widgets, ruled]) await create(collection, 'warm');
    const fanOut = fanOutWork(bench, server, sizes);
    const questions: readonly (readonly [string, string, Collection, Work])[] = [
      ['create', 'per s', widgets, create],
      ['create, 20 rules', 'per s', ruled, create],
      ['list', 'MB per s', widgets, downloadWork(bench, server, sizes, false)],
      ['streaming list', 'MB per s', widgets, downloadWork(bench, server, sizes, true)],
      ['fan-out', 'events per s', widgets, fanOut],
    ];
    const rows = [];
    const usages: Usage[] = [];
    for (const [name, unit, custom, work] of questions) {
      const rates: Pair[] = [];
      const perCpu: Pair[] = [];
      for (let round = 0; round < bench.rounds; round += 1) {
        const word = name.replaceAll(/[^a-z0-9]+/g, '-');
        const floor = await work(configMaps, `${word}-${round}`);
        const ours = await bench.profiled(server, `${word}-${round}`, () =>
          work(custom, `${word}-${round}`),
        );
        rates.push({ floor: floor.perSecond, server: ours.perSecond });
        perCpu.push({ floor: floor.perCpuSecond, server: ours.perCpuSecond });
        usages.push(floor.usage, ours.usage);
      }
      const target = custom === widgets ? ({ of: 'ratio', atLeast: 0.95 } as const) : undefined;
      rows.push(comparison(name, unit, rates));
      rows.push(comparison(name, unit.replace('per s', 'per CPU-s'), perCpu, target));
    }
    return { rows, ...busiest(usages), facts: { ...sizes }, notes: [] };
  } finally {
    await server.stop();
  }
}

export const customTypes: Scenario = {
  name: 'custom-types',
  question: 'Is a type that a user has defined as fast as ConfigMaps?',
  run,
};

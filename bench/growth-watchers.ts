/**
 * Question: does a delivery cost the same whether 10, 100, 1,000 or 10,000 watch?
 *
 * What a delivery costs is what an event costs with its watchers, less what a write costs that
 * nobody watches, by the number of watchers: processor time of the server. A delivery to one of ten
 * is a small part of its event, so that row lies far apart.
 * Floor: uWebSockets.js sending the same bytes to as many. What a write of it costs grows with the
 * sockets, too, so what is judged is how much more ours grows.
 */
import { comparison } from './harness/compare.ts';
import type { Pair } from './harness/compare.ts';
import { startSluice, startUwsFloor } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import type { Usage } from './harness/usage.ts';
import { eventCost, replacements } from './load/event-cost.ts';
import type { Writing } from './load/event-cost.ts';
import { eventText } from './load/fan-out.ts';
import { collectionPath, objectName, requestBytes } from './load/objects.ts';
import { currentVersion, fill } from './load/prepare.ts';
import { openWatchers } from './load/watchers.ts';

const PREFIX = 'growth';
const OBJECTS = 32;
const OBJECT_BYTES = 1024;
const GROWTH_MAX = 1.15;

interface Size {
  readonly watchers: number;
  readonly events: number;
}

const sizes: readonly Size[] = [
  { watchers: 10, events: 1_000 },
  { watchers: 100, events: 300 },
  { watchers: 1_000, events: 100 },
  { watchers: 10_000, events: 30 },
];
const smokeSizes: readonly Size[] = [
  { watchers: 10, events: 3 },
  { watchers: 20, events: 3 },
];

interface Side {
  readonly writing: Writing;
  path(): Promise<string>;
}

/** Processor time of a delivery to each number of watchers. */
async function deliveries(
  { path, writing }: Side,
  { chosen, alone }: { readonly chosen: readonly Size[]; readonly alone: number },
  usages: Usage[],
): Promise<readonly number[]> {
  const unwatched = await eventCost(writing, alone);
  const costs: number[] = [];
  for (const { watchers: count, events } of chosen) {
    const { port } = writing.process;
    const watchers = await openWatchers({ port, path: await path(), count });
    await eventCost(writing, Math.ceil(events / 5), watchers);
    const { microseconds, usage } = await eventCost(writing, events, watchers);
    watchers.close();
    usages.push(usage);
    costs.push((microseconds - unwatched.microseconds) / count);
  }
  return costs;
}

async function run(bench: Bench): Promise<Outcome> {
  const plan = { chosen: bench.smoke ? smokeSizes : sizes, alone: bench.smoke ? 10 : 1_000 };
  const { server: core } = bench.cores;
  const usages: Usage[] = [];
  const rounds: Pair[][] = [];
  const process = await startSluice(core);
  const floor = await startUwsFloor(core);
  try {
    const { port } = process;
    await fill(port, PREFIX, OBJECTS, OBJECT_BYTES);
    const event = await eventText(port, objectName(PREFIX, 0));
    const ours: Side = {
      writing: { process, core, next: replacements(PREFIX, OBJECTS) },
      path: async () => `${collectionPath}?watch=1&resourceVersion=${await currentVersion(port)}`,
    };
    const bare: Side = {
      writing: { process: floor, core, next: () => requestBytes('PUT', '/event', event) },
      path: () => Promise.resolve('/stream'),
    };
    await eventCost(ours.writing, bench.smoke ? 10 : 3_000);
    for (let round = 0; round < bench.rounds; round += 1) {
      const floors = await deliveries(bare, plan, usages);
      const servers = await deliveries(ours, plan, usages);
      rounds.push(servers.map((server, i) => ({ server, floor: floors[i] ?? NaN })));
    }
  } finally {
    await Promise.all([process.stop(), floor.stop()]);
  }
  return outcomeOf(plan.chosen, rounds, usages);
}

function outcomeOf(
  chosen: readonly Size[],
  rounds: readonly (readonly Pair[])[],
  usages: readonly Usage[],
): Outcome {
  const at = (index: number): readonly Pair[] =>
    rounds.map((pairs) => pairs.at(index) ?? { server: NaN, floor: NaN });
  const grown = at(-1).map((most, round) => {
    const before = at(-2)[round];
    const of = (side: keyof Pair): number => most[side] / (before?.[side] ?? NaN);
    return { server: of('server'), floor: of('floor') };
  });
  const [before, most] = chosen.slice(-2);
  return {
    rows: [
      ...chosen.map(({ watchers }, i) =>
        comparison(`a delivery to one of ${watchers}`, 'us of CPU', at(i)),
      ),
      comparison(`one of ${most?.watchers} beside one of ${before?.watchers}`, 'times', grown, {
        of: 'ratio',
        atMost: GROWTH_MAX,
      }),
    ],
    ...busiest(usages),
    facts: { sizes: chosen, objects: OBJECTS },
    notes: ['the floor is a bare uWS broadcast to as many'],
  };
}

export const growthWatchers: Scenario = {
  name: 'growth-watchers',
  question: 'Does a delivery cost the same however many watch?',
  run,
};

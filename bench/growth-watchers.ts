/**
 * Question: does a delivery cost the same whether 10, 100, 1,000 or 10,000 watch?
 *
 * What a delivery costs is what an event costs with its watchers, less what a write costs that
 * nobody watches, by the number of watchers. Processor time of the server; a delivery to one of ten
 * is a small part of its event, so the first row lies far apart.
 * Floor: a delivery to 1,000 in the same round.
 */
import { comparison } from './harness/compare.ts';
import { startSluice } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import type { Usage } from './harness/usage.ts';
import { eventCost, replacements } from './load/event-cost.ts';
import { collectionPath } from './load/objects.ts';
import { currentVersion, fill } from './load/prepare.ts';
import { openWatchers } from './load/watchers.ts';

const PREFIX = 'growth';
const OBJECTS = 32;
const OBJECT_BYTES = 1024;
const BESIDE = 1_000;
const RATIO_MAX = 1.15;

interface Size {
  readonly watchers: number;
  readonly events: number;
}

const sizes: readonly Size[] = [
  { watchers: BESIDE, events: 100 },
  { watchers: 10, events: 1_000 },
  { watchers: 100, events: 300 },
  { watchers: 10_000, events: 30 },
];
const smokeSizes: readonly Size[] = [
  { watchers: BESIDE, events: 3 },
  { watchers: 10, events: 3 },
];

async function run(bench: Bench): Promise<Outcome> {
  const chosen = bench.smoke ? smokeSizes : sizes;
  const { server: core } = bench.cores;
  const process = await startSluice(core);
  const usages: Usage[] = [];
  const costs = chosen.map((): number[] => []);
  try {
    const { port } = process;
    await fill(port, PREFIX, OBJECTS, OBJECT_BYTES);
    const writing = { process, core, next: replacements(PREFIX, OBJECTS) };
    await eventCost(writing, bench.smoke ? 10 : 3_000);
    for (let round = 0; round < bench.rounds; round += 1) {
      const alone = await eventCost(writing, bench.smoke ? 10 : 1_000);
      for (const [i, { watchers: count, events }] of chosen.entries()) {
        const path = `${collectionPath}?watch=1&resourceVersion=${await currentVersion(port)}`;
        const watchers = await openWatchers({ port, path, count });
        await eventCost(writing, Math.ceil(events / 5), watchers);
        const cost = await eventCost(writing, events, watchers);
        watchers.close();
        usages.push(cost.usage);
        costs[i]?.push((cost.microseconds - alone.microseconds) / count);
      }
    }
  } finally {
    await process.stop();
  }
  const [beside = [], ...others] = costs;
  const target = { of: 'ratio', atMost: RATIO_MAX } as const;
  return {
    rows: others.map((own, i) => {
      const { watchers = 0 } = chosen[i + 1] ?? {};
      const pairs = own.map((each, at) => ({ server: each, floor: beside[at] ?? NaN }));
      const measure = `a delivery to one of ${watchers}`;
      return comparison(measure, 'us of CPU', pairs, target);
    }),
    ...busiest(usages),
    facts: { sizes: chosen, objects: OBJECTS, beside: BESIDE },
    notes: ['the floor is a delivery to one of 1,000'],
  };
}

export const growthWatchers: Scenario = {
  name: 'growth-watchers',
  question: 'Does a delivery cost the same however many watch?',
  run,
};

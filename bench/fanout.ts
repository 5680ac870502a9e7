/**
 * Question: how fast do 1 KB events reach 1,000 watchers, one event at a time and saturated?
 *
 * What it does not answer: how late an event is (latency.ts); what watchers with different
 * selectors cost; what slow watchers cost. All watch one collection, and all read.
 *
 * Floor: uWebSockets.js sending the same bytes, one write per socket and event.
 *  - one at a time: the next event begins when every watcher has the last. The server also decides,
 *    commits and flushes each one; the floor is handed it over HTTP.
 *  - saturated: the server is sent replacements on 32 connections as fast as it answers; it may put
 *    several events into one write, which the floor does not.
 */
import { comparison } from './harness/compare.ts';
import type { Pair } from './harness/compare.ts';
import { startSluice, startUwsFloor } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import {
  eventText,
  fanOutWriters,
  floorSide,
  measureSaturated,
  measureSingle,
  serverSide,
  sizesOf,
  warmUp,
} from './load/fan-out.ts';
import type { Measured } from './load/fan-out.ts';

async function run(bench: Bench): Promise<Outcome> {
  const sizes = sizesOf(bench.smoke);
  const server = await startSluice(bench.cores.server);
  const floor = await startUwsFloor(bench.cores.server);
  try {
    const ours = await serverSide(server, sizes);
    const event = await eventText(server.port);
    const bare = await floorSide(floor, event, sizes);
    for (const side of [bare, ours]) await warmUp(bench, side, sizes);
    const single: { floor: Measured; server: Measured }[] = [];
    const saturated: { floor: Measured; server: Measured }[] = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      single.push({
        floor: await measureSingle(bench, bare, sizes),
        server: await bench.profiled(server, `fanout-single-${round}`, () =>
          measureSingle(bench, ours, sizes),
        ),
      });
      saturated.push({
        floor: await measureSaturated(bench, bare, sizes),
        server: await bench.profiled(server, `fanout-saturated-${round}`, () =>
          measureSaturated(bench, ours, sizes),
        ),
      });
    }
    ours.watchers.close();
    bare.watchers.close();
    return outcomeOf(single, saturated, {
      ...sizes,
      eventBytes: event.length,
      writers: fanOutWriters,
    });
  } finally {
    await Promise.all([server.stop(), floor.stop()]);
  }
}

type Pairs = readonly { readonly floor: Measured; readonly server: Measured }[];

function outcomeOf(single: Pairs, saturated: Pairs, facts: Record<string, unknown>): Outcome {
  const rate = (pairs: Pairs): Pair[] =>
    pairs.map((p) => ({ floor: p.floor.perSecond, server: p.server.perSecond }));
  const perCpu = (pairs: Pairs): Pair[] =>
    pairs.map((p) => ({ floor: p.floor.perCpuSecond, server: p.server.perCpuSecond }));
  const usages = [...single, ...saturated].flatMap((p) => [p.floor.usage, p.server.usage]);
  const loadShares = Object.fromEntries(
    Object.entries({ single, saturated }).map(([name, pairs]) => [
      name,
      pairs.map((p) => [p.floor.usage.loadCpuShare, p.server.usage.loadCpuShare]),
    ]),
  );
  return {
    rows: [
      comparison('one at a time', 'per s', rate(single), { of: 'ratio', atLeast: 0.85 }),
      comparison('one at a time', 'per CPU-s', perCpu(single)),
      comparison('saturated', 'per s', rate(saturated), { of: 'ratio', atLeast: 0.5 }),
      comparison('saturated', 'per CPU-s', perCpu(saturated)),
    ],
    ...busiest(usages),
    facts: { ...facts, loadShares },
    notes: [],
  };
}

export const fanout: Scenario = {
  name: 'fanout',
  question: 'How fast do 1 KB events reach 1,000 watchers?',
  run,
};

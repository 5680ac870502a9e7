/**
 * Question: how many unconditional replacements a second does one object take from 50 connections,
 * and does any of them see a conflict?
 *
 * What it does not answer: what conditional writers (with a resourceVersion) get done, which is
 * theirs to retry.
 *
 * Floor: creates of objects of the same size, over 100 connections, on the same server in the same
 * run. On a store that decides one write after the other on the disk, a hot object would be
 * slower by the number of writers.
 */
import { comparison } from './harness/compare.ts';
import { startSluice, startUwsFloor } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import { LoadProof, measureRequests } from './harness/writes.ts';
import { createRequest, objectName, replaceRequest } from './load/objects.ts';
import { fill } from './load/prepare.ts';

const CREATE_CONNECTIONS = 100;
const HOT_CONNECTIONS = 50;
const OBJECT_BYTES = 1024;

async function run(bench: Bench): Promise<Outcome> {
  const count = bench.smoke ? 200 : 10_000;
  const server = await startSluice(bench.cores.server);
  const bare = await startUwsFloor(bench.cores.server);
  try {
    await fill(server.port, 'hot', 1, OBJECT_BYTES);
    const many = bench.smoke ? 10 : CREATE_CONNECTIONS;
    const few = bench.smoke ? 5 : HOT_CONNECTIONS;
    const proof = new LoadProof(bench, bare, few);
    const hot = objectName('hot', 0);
    const pairs: { floor: number; server: number }[] = [];
    const usages = [];
    // A compiler that is still at work would be measured, not what it makes.
    await fill(server.port, 'warm', count, OBJECT_BYTES);
    await measureRequests(bench, server, few, 2 * count, 200, (i) =>
      replaceRequest(hot, i, OBJECT_BYTES),
    );
    for (let round = 0; round < bench.rounds; round += 1) {
      const first = 1 + round * count;
      const replace = (i: number): Buffer => replaceRequest(hot, first + i, OBJECT_BYTES);
      await proof.round(count, replace);
      const creates = await measureRequests(bench, server, many, count, 201, (i) =>
        createRequest(objectName(`hot-floor-${round}`, i), i, OBJECT_BYTES),
      );
      // Any other answer than 200, a conflict above all, fails the run.
      const replaced = await bench.profiled(server, `hot-object-${round}`, () =>
        measureRequests(bench, server, few, count, 200, replace),
      );
      pairs.push({ floor: creates.perSecond, server: replaced.perSecond });
      usages.push(creates.usage, replaced.usage);
    }
    return {
      rows: [comparison('replacements', 'per s', pairs, { of: 'ratio', atLeast: 0.5 })],
      ...busiest(usages),
      facts: { count, connections: few, conflicts: 0, load: proof.result() },
      notes: ['every answer was 200', proof.note()],
    };
  } finally {
    await Promise.all([server.stop(), bare.stop()]);
  }
}

export const hotObject: Scenario = {
  name: 'hot-object',
  question: 'How many replacements a second does one object take from 50 connections?',
  run,
};

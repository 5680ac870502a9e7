/**
 * Question: how many merge patches and server-side applies of a 5 KB deployment a second does the
 * server take from 50 connections, all of one object and spread over 10,000; and how much of an
 * apply is the apply itself?
 *
 * What it does not answer: what strategic merge patches or JSON patches cost.
 *
 * Floor: replacements (PUT) of the same objects, on the same server in the same run: what a write
 * of this size costs without a patch.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { comparison, figure } from './harness/compare.ts';
import type { Pair } from './harness/compare.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { startSluice, startUwsFloor } from './harness/process.ts';
import { shareWithin } from './harness/profile-share.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Row, Scenario } from './harness/scenario.ts';
import type { Usage } from './harness/usage.ts';
import { LoadProof, measureRequests } from './harness/writes.ts';
import { deploymentRequest } from './load/deployments.ts';
import type { DeploymentWrites, WriteForm } from './load/deployments.ts';

const CONNECTIONS = 50;

interface Measured {
  readonly merge: Pair[];
  readonly apply: Pair[];
  readonly perCpu: { readonly merge: number[]; readonly apply: number[] };
}

async function run(bench: Bench): Promise<Outcome> {
  const count = bench.smoke ? 50 : 5_000;
  const spread = bench.smoke ? 20 : 10_000;
  const connections = bench.smoke ? 5 : CONNECTIONS;
  const server = await startSluice(bench.cores.server);
  const bare = await startUwsFloor(bench.cores.server);
  const usages: Usage[] = [];
  let sequence = 0;
  const measure = async (form: WriteForm, writes: DeploymentWrites, expected = 200, n = count) => {
    sequence += 1;
    const first = sequence * n;
    const rate = await measureRequests(bench, server, connections, n, expected, (i) =>
      deploymentRequest(form, writes, i, first + i),
    );
    usages.push(rate.usage);
    return rate;
  };
  try {
    const proof = new LoadProof(bench, bare, connections);
    const rows: Row[] = [];
    for (const writes of [
      { objects: 1, prefix: 'hot' },
      { objects: spread, prefix: 'many' },
    ]) {
      await measure('create', writes, 201, writes.objects);
      await measure('apply', writes);
      const measured: Measured = { merge: [], apply: [], perCpu: { merge: [], apply: [] } };
      for (let round = 0; round < bench.rounds; round += 1) {
        await proof.round(count, (i) => deploymentRequest('apply', writes, i, i));
        const floor = (await measure('replace', writes)).perSecond;
        for (const form of ['merge', 'apply'] as const) {
          const rate = await bench.profiled(server, `patches-${form}-${round}`, () =>
            measure(form, writes),
          );
          measured[form].push({ floor, server: rate.perSecond });
          measured.perCpu[form].push(rate.perCpuSecond);
        }
      }
      rows.push(...rowsOf(measured, writes.objects));
    }
    const share = await applyShare(server, () => measure('apply', { objects: 1, prefix: 'hot' }));
    rows.push(figure('of an apply, the apply itself', '%', [share * 100], undefined));
    return {
      rows,
      ...busiest(usages),
      facts: { count, connections, spread, load: proof.result() },
      notes: ['every answer was 200', proof.note()],
    };
  } finally {
    await Promise.all([server.stop(), bare.stop()]);
  }
}

function rowsOf({ merge, apply, perCpu }: Measured, objects: number): readonly Row[] {
  const where = objects === 1 ? 'one object' : `${objects} objects`;
  return [
    comparison(`merge patches, ${where}`, 'per s', merge),
    comparison(`applies, ${where}`, 'per s', apply, { of: 'ratio', atLeast: 0.5 }),
    figure(`merge patches, ${where}`, 'per CPU-s', perCpu.merge, undefined),
    figure(`applies, ${where}`, 'per CPU-s', perCpu.apply, undefined),
  ];
}

/** Of the time the main thread is busy, what lies within the merge and the ownership. */
async function applyShare(server: MeasuredProcess, body: () => Promise<unknown>): Promise<number> {
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-profile-'));
  const file = path.join(directory, 'apply.cpuprofile');
  try {
    await server.startProfile();
    await body();
    await server.stopProfile(file);
    return shareWithin(file, '/apimachinery/fieldmanager/');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export const patches: Scenario = {
  name: 'patches',
  question:
    'How many merge patches and applies of a 5 KB deployment does the server take a second?',
  run,
};

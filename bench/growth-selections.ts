/**
 * Question: does a write cost the same whether 100 or 10,000 watches each select their own part of
 * the collection, as nodes do that watch the pods that are theirs?
 *
 * Each write changes a pod of one node, and reaches the one watcher of it. Processor time of the
 * server for the whole write. Floor: the same with 100 watches in the same round.
 */
import { comparison } from './harness/compare.ts';
import { startSluice } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import type { Usage } from './harness/usage.ts';
import { eventCost } from './load/event-cost.ts';
import { fetchBytes } from './load/http-client.ts';
import { SEQUENCE_DIGITS, requestBytes } from './load/objects.ts';
import { currentVersion } from './load/prepare.ts';
import { openWatchers } from './load/watchers.ts';

const POD_PATH = '/api/v1/namespaces/default/pods';
const FEW = 100;
const RATIO_MAX = 1.15;
/** One on each of the first nodes. */
const PODS = 32;

async function createPods(port: number): Promise<string> {
  let version = '';
  for (let i = 0; i < PODS; i += 1) {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `pod-${i}`, annotations: { filling: 'x'.repeat(300) } },
      spec: { nodeName: `node-${i}`, containers: [{ name: 'c', image: 'registry.example.io/c' }] },
    };
    const { status, body } = await fetchBytes(port, 'POST', POD_PATH, JSON.stringify(pod));
    if (status !== 201) throw new Error(`a pod was answered ${status}: ${body.toString()}`);
    const made = JSON.parse(body.toString()) as { metadata: { resourceVersion: string } };
    version = made.metadata.resourceVersion;
  }
  return version;
}

function patches(): () => Buffer {
  let sequence = 0;
  return () => {
    sequence += 1;
    const mark = `~${String(sequence).padStart(SEQUENCE_DIGITS, '0')}`;
    const patch = JSON.stringify({ metadata: { annotations: { mark } } });
    const path = `${POD_PATH}/pod-${sequence % PODS}`;
    return requestBytes('PATCH', path, patch, 'application/merge-patch+json');
  };
}

async function run(bench: Bench): Promise<Outcome> {
  const many = bench.smoke ? 200 : 10_000;
  const events = bench.smoke ? 10 : 1_000;
  const { server: core } = bench.cores;
  const usages: Usage[] = [];
  const pairs: { server: number; floor: number }[] = [];
  const process = await startSluice(core, ['--disable-admission-plugins=ServiceAccount']);
  try {
    const { port } = process;
    let version = await createPods(port);
    const writing = { process, core, next: patches() };
    const costWith = async (count: number): Promise<number> => {
      const path = (index: number): string =>
        `/api/v1/pods?watch=1&resourceVersion=${version}` +
        `&fieldSelector=spec.nodeName%3Dnode-${index}`;
      const watchers = await openWatchers({ port, path, count });
      await eventCost(writing, Math.ceil(events / 5), watchers, 1);
      const { microseconds, usage } = await eventCost(writing, events, watchers, 1);
      watchers.close();
      usages.push(usage);
      version = await currentVersion(port, POD_PATH);
      return microseconds;
    };
    await eventCost(writing, bench.smoke ? 10 : 3_000);
    version = await currentVersion(port, POD_PATH);
    for (let round = 0; round < bench.rounds; round += 1) {
      pairs.push({ floor: await costWith(FEW), server: await costWith(many) });
    }
  } finally {
    await process.stop();
  }
  return {
    rows: [
      comparison(`a write beside ${many} selections`, 'us of CPU', pairs, {
        of: 'ratio',
        atMost: RATIO_MAX,
      }),
    ],
    ...busiest(usages),
    facts: { many, few: FEW, pods: PODS, events },
    notes: ['the floor is a write beside 100 selections'],
  };
}

export const growthSelections: Scenario = {
  name: 'growth-selections',
  question: 'Does a write cost the same however many watches select a part of their own?',
  run,
};

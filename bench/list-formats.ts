/**
 * Question: what does a list of 20,000 objects of 1 KB cost in each encoding, next to JSON's, when
 * it has been asked for before? And what does the first one cost?
 *
 * What it does not answer: how fast it leaves (the scenario `list` does), or what gzip costs.
 *
 * Floor: the same list in JSON, from the same server. Rows are processor time of the server.
 */
import { downloadWhole } from './load/downloads.ts';
import { fill } from './load/prepare.ts';
import { collectionPath } from './load/objects.ts';
import { comparison } from './harness/compare.ts';
import type { Pair } from './harness/compare.ts';
import { startSluice } from './harness/process.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import { measureUsage } from './harness/usage.ts';
import type { Usage } from './harness/usage.ts';

const OBJECT_BYTES = 1024;
const json = 'application/json';
const meta = ';g=meta.k8s.io;v=v1';

const asTable = `;as=Table${meta}`;

/** In a list that was asked for before. */
const atMost = 2;
const formats: readonly (readonly [name: string, accept: string, query: string])[] = [
  ['Protobuf', 'application/vnd.kubernetes.protobuf', ''],
  ['CBOR', 'application/cbor', ''],
  ['YAML', 'application/yaml', ''],
  ['indented', `${json};pretty=1`, ''],
  ['partial metadata', `${json};as=PartialObjectMetadataList${meta}`, ''],
  ['Table', json + asTable, ''],
  ['Table, no objects', json + asTable, '?includeObject=None'],
  ['Table, whole objects', json + asTable, '?includeObject=Object'],
  ['Table in CBOR', `application/cbor${asTable}`, ''],
  ['Table in YAML', `application/yaml${asTable}`, ''],
];

async function run(bench: Bench): Promise<Outcome> {
  const sizes = bench.smoke ? { objects: 300, downloads: 2 } : { objects: 20_000, downloads: 10 };
  const gates = ['--identity=kubernetes', '--feature-gates=CBORServingAndStorage=true'];
  const server = await startSluice(bench.cores.server, gates);
  try {
    await fill(server.port, 'formats', sizes.objects, OBJECT_BYTES);
    const usages: Usage[] = [];
    const measure = async (accept: string, query: string, count: number): Promise<number> => {
      const usage = await measured(bench, server, accept, query, count);
      usages.push(usage);
      // A tick, where the kernel counts in ticks and there was none.
      return (Math.max(usage.serverCpuSeconds, 0.001) * 1000) / count;
    };
    await measure(json, '', sizes.downloads);
    const rows = [];
    const first: Record<string, number> = {};
    for (const [name, accept, query] of formats) {
      first[name] = await measure(accept, query, 1);
      const pairs: Pair[] = [];
      for (let round = 0; round < bench.rounds; round += 1) {
        const floor = await measure(json, '', sizes.downloads);
        pairs.push({ floor, server: await measure(accept, query, sizes.downloads) });
      }
      const target = { of: 'ratio', atMost } as const;
      rows.push(comparison(`${name}, asked for again`, 'CPU-ms', pairs, target));
    }
    return { rows, ...busiest(usages), facts: { ...sizes, firstCpuMs: first }, notes: [] };
  } finally {
    await server.stop();
  }
}

async function measured(
  bench: Bench,
  server: MeasuredProcess,
  accept: string,
  query: string,
  count: number,
): Promise<Usage> {
  const stop = measureUsage(server.pid, bench.cores.server);
  for (let i = 0; i < count; i += 1)
    await downloadWhole(server.port, collectionPath + query, accept);
  return stop();
}

export const listFormats: Scenario = {
  name: 'list-formats',
  question: 'What does a list of 20,000 objects cost in each encoding, next to JSON?',
  run,
};

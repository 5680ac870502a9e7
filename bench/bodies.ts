/**
 * Question: how many bodies of a pod of 2 KB a second does one core take in (JSON decoded, held to
 * the schema, defaulted, validated), and how many go through Protobuf each way?
 *
 * What it does not answer: what a create costs as a whole (the scenario `create` does), or YAML,
 * which people write by hand.
 *
 * Floor: the engine's JSON.parse of the same text, without making the text of the bytes.
 */
import { figure } from './harness/compare.ts';
import type { CodecRequest, CodecResult, CodecWork } from './harness/codec-process.ts';
import { startCodecs } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import { measureUsage } from './harness/usage.ts';

const works: readonly CodecWork[] = ['parse', 'accept', 'protobuf-encode', 'protobuf-decode'];

async function run(bench: Bench): Promise<Outcome> {
  const count = bench.smoke ? 200 : 40_000;
  const codecs = await startCodecs(bench.cores.server);
  try {
    const perSecond = new Map<CodecWork, number[]>(works.map((work) => [work, []]));
    const bytes: Partial<Record<CodecWork, number>> = {};
    const usages = [];
    const ask = (work: CodecWork): Promise<CodecResult> => {
      const request: CodecRequest = { kind: 'codec', work, count };
      return codecs.ask(request) as Promise<CodecResult>;
    };
    for (const work of works) await ask(work);
    for (let round = 0; round < bench.rounds; round += 1) {
      const stop = measureUsage(codecs.pid, bench.cores.server);
      for (const work of works) {
        const result = await bench.profiled(codecs, `bodies-${work}-${round}`, () => ask(work));
        perSecond.get(work)?.push(count / result.cpuSeconds);
        bytes[work] = result.bytes;
      }
      usages.push(stop());
    }
    const rates = (work: CodecWork): readonly number[] => perSecond.get(work) ?? [];
    const of = (atLeast: number) => ({ of: 'server', atLeast }) as const;
    return {
      rows: [
        figure('JSON to a valid object', 'per CPU-s', rates('accept'), rates('parse'), of(20_000)),
        figure('to Protobuf', 'per CPU-s', rates('protobuf-encode'), undefined, of(50_000)),
        figure('from Protobuf', 'per CPU-s', rates('protobuf-decode'), undefined, of(50_000)),
      ],
      ...busiest(usages),
      facts: { count, bytes },
      notes: [],
    };
  } finally {
    await codecs.stop();
  }
}

export const bodies: Scenario = {
  name: 'bodies',
  question: 'How many bodies of a pod of 2 KB a second does one core take in, and write?',
  run,
};

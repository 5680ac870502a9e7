/**
 * Question: does the time that a wrong token takes to be refused tell how wrong it is?
 *
 * For each method: a token that is wrong in the first character of its secret part beside one that
 * is wrong in the last, and beside one of nobody. The floor is the same wrong token twice: two
 * medians of equal work, whose difference is what the machine adds by itself.
 *
 * What it does not answer: how long a right token takes (its answer tells it anyway), nor what is
 * left of a difference behind a network.
 */
import { figure } from './harness/compare.ts';
import { startTokens } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Row, Scenario, Target } from './harness/scenario.ts';
import type {
  TokenMethod,
  TokenTimingRequest,
  TokenTimingResult,
} from './harness/token-process.ts';
import { measureUsage } from './harness/usage.ts';

const methods: readonly (readonly [TokenMethod, string])[] = [
  ['token-file', 'token file'],
  ['bootstrap', 'bootstrap token'],
  ['service-account', 'service account'],
];
/** Less than a network between the two can tell, or loopback. */
const apartMax: Target = { of: 'server', atMost: 1000 };
const pairs = ['same', 'first-and-last', 'near-and-unknown'] as const;
type Pair = (typeof pairs)[number];

async function run(bench: Bench): Promise<Outcome> {
  const count = bench.smoke ? 50 : 5000;
  const server = await startTokens(bench.cores.server);
  try {
    const apart = new Map<string, number[]>();
    const took = new Map<TokenMethod, number[]>(methods.map(([method]) => [method, []]));
    const usages = [];
    const ask = async (method: TokenMethod, pair: Pair): Promise<readonly [number, number]> => {
      const request: TokenTimingRequest = { kind: 'token-timing', method, pair, count };
      return ((await server.ask(request)) as TokenTimingResult).nanos;
    };
    for (const [method] of methods) await ask(method, 'same');
    for (let round = 0; round < bench.rounds; round += 1) {
      const stop = measureUsage(server.pid, bench.cores.server);
      for (const [method] of methods) {
        for (const pair of pairs) {
          const [one, other] = await ask(method, pair);
          const key = `${method} ${pair}`;
          apart.set(key, [...(apart.get(key) ?? []), Math.abs(one - other)]);
          if (pair === 'same') took.get(method)?.push(one);
        }
      }
      usages.push(stop());
    }
    const of = (method: TokenMethod, pair: Pair): readonly number[] =>
      apart.get(`${method} ${pair}`) ?? [];
    const rows = methods.flatMap(([method, title]): Row[] => [
      figure(`${title}: to refuse`, 'ns', took.get(method) ?? [], undefined),
      figure(
        `${title}: first or last character`,
        'ns apart',
        of(method, 'first-and-last'),
        of(method, 'same'),
        apartMax,
      ),
      figure(
        `${title}: nearly right or nobody's`,
        'ns apart',
        of(method, 'near-and-unknown'),
        of(method, 'same'),
        apartMax,
      ),
    ]);
    return { rows, ...busiest(usages), facts: { count }, notes: [] };
  } finally {
    await server.stop();
  }
}

export const tokenTiming: Scenario = {
  name: 'token-timing',
  question: 'Does the time to refuse a wrong token tell how wrong it is?',
  run,
};

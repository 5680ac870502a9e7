/**
 * Question: what does authorizing one request cost on a store with 10,000 bindings?
 *
 * What it does not answer: what a webhook costs (its answer's way), or the rest of a request.
 *
 * Two stores: one where each of 10,000 users has a binding of their own, as clusters have; and one
 * made to be bad, where one group has all 10,000, to 1,000 roles, and each question walks them.
 */
import assert from 'node:assert/strict';
import { figure } from './harness/compare.ts';
import type {
  AuthorizationRequest,
  AuthorizationResult,
  AuthorizationWork,
} from './harness/authorization-process.ts';
import { startAuthorization } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario, Target } from './harness/scenario.ts';
import { measureUsage } from './harness/usage.ts';

const works: readonly AuthorizationWork[] = ['spread', 'refused', 'crowded', 'crowded-refused'];

/** As a share of the questions. */
const allowedShare: Readonly<Record<AuthorizationWork, number>> = {
  spread: 1,
  refused: 0,
  crowded: 1,
  'crowded-refused': 0,
};

async function run(bench: Bench): Promise<Outcome> {
  const count = bench.smoke ? 1000 : 100_000;
  const server = await startAuthorization(bench.cores.server);
  try {
    const micros = new Map<AuthorizationWork, number[]>(works.map((work) => [work, []]));
    const usages = [];
    const ask = async (work: AuthorizationWork): Promise<AuthorizationResult> => {
      const request: AuthorizationRequest = { kind: 'authorization', work, count };
      const result = (await server.ask(request)) as AuthorizationResult;
      assert.equal(result.allowed, count * allowedShare[work], work);
      return result;
    };
    for (const work of works) await ask(work);
    for (let round = 0; round < bench.rounds; round += 1) {
      const stop = measureUsage(server.pid, bench.cores.server);
      for (const work of works) {
        const title = `authorization-${work}-${round}`;
        const { cpuSeconds } = await bench.profiled(server, title, () => ask(work));
        micros.get(work)?.push((cpuSeconds * 1e6) / count);
      }
      usages.push(stop());
    }
    const row = (title: string, work: AuthorizationWork, target?: Target) =>
      figure(title, 'CPU-us', micros.get(work) ?? [], undefined, target);
    const usual: Target = { of: 'server', atMost: 50 };
    return {
      rows: [
        row('allowed, a binding each', 'spread', usual),
        row('refused, a binding each', 'refused', usual),
        row('allowed, 1,000 roles of a group', 'crowded'),
        row('refused, 1,000 roles of a group', 'crowded-refused'),
      ],
      ...busiest(usages),
      facts: { count },
      notes: [],
    };
  } finally {
    await server.stop();
  }
}

export const authorization: Scenario = {
  name: 'authorization',
  question: 'What does authorizing one request cost on a store with 10,000 bindings?',
  run,
};

/**
 * Question: with 1,000 definitions of custom types in the store, how soon is one more served after
 * it was accepted, and how long is the longest turn of the event loop while one is added, changed
 * or deleted?
 *
 * What it does not answer: what objects of such a type cost (custom-types.ts).
 *
 * Floor: none. The targets are 100 ms from the answer to the definition to the first list of its
 * objects, and 20 ms a turn. SLUICE_BENCH_DEFINITION=FILE takes a definition of yours (JSON) in the
 * place of a made one of 50 KB.
 */
import { readFileSync } from 'node:fs';
import { figure } from './harness/compare.ts';
import { startSluice } from './harness/process.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Row, Scenario } from './harness/scenario.ts';
import { Histogram } from './harness/series.ts';
import { measureUsage } from './harness/usage.ts';
import type { Usage } from './harness/usage.ts';
import { definitionsPath, largeDefinition, listOf, placed } from './load/definitions.ts';
import type { Definition } from './load/definitions.ts';
import { fetchBytes } from './load/http-client.ts';

const servedWithinMs = 100;
const longestTurnMs = 20;
const givenFile = process.env['SLUICE_BENCH_DEFINITION'];

interface Sizes {
  readonly definitions: number;
  /** Made, changed and deleted while it is measured, one after the other. */
  readonly measured: number;
}

const sizesOf = (smoke: boolean): Sizes =>
  smoke ? { definitions: 5, measured: 2 } : { definitions: 1000, measured: 100 };

interface Round {
  readonly served: Histogram;
  /** Milliseconds of processor time. */
  readonly longest: { readonly add: number; readonly change: number; readonly remove: number };
  readonly usage: Usage;
}

async function expectStatus(
  port: number,
  method: string,
  path: string,
  status: number,
  body?: string,
): Promise<Buffer> {
  const reply = await fetchBytes(port, method, path, body);
  if (reply.status === status) return reply.body;
  throw new Error(`${method} ${path}: ${reply.status} ${reply.body.toString().slice(0, 500)}`);
}

/** Resolves when it answers so. */
async function until(port: number, path: string, status: number): Promise<void> {
  while ((await fetchBytes(port, 'GET', path)).status !== status);
}

async function longestTurn(server: MeasuredProcess, work: () => Promise<void>): Promise<number> {
  await server.startTurns();
  await work();
  return (await server.stopTurns()).ms;
}

async function change(port: number, definition: Definition, description: string): Promise<void> {
  const path = `${definitionsPath}/${definition.metadata.name}`;
  for (;;) {
    const { body } = await fetchBytes(port, 'GET', path);
    const found = JSON.parse(body.toString()) as Definition;
    for (const { schema } of found.spec.versions) schema.openAPIV3Schema.description = description;
    const { status } = await fetchBytes(port, 'PUT', path, JSON.stringify(found));
    if (status === 200) return;
    if (status !== 409) throw new Error(`PUT ${path}: ${status}`);
  }
}

async function measureRound(
  bench: Bench,
  server: MeasuredProcess,
  definitions: readonly Definition[],
): Promise<Round> {
  const { port } = server;
  const served = new Histogram();
  const stop = measureUsage(server.pid, bench.cores.server);
  const bodies = definitions.map((each) => JSON.stringify(each));
  const add = await longestTurn(server, async () => {
    for (const [at, each] of definitions.entries()) {
      await expectStatus(port, 'POST', definitionsPath, 201, bodies[at]);
      const accepted = performance.now();
      await until(port, listOf(each), 200);
      served.add(performance.now() - accepted);
    }
  });
  const changed = await longestTurn(server, async () => {
    for (const [at, each] of definitions.entries()) {
      await change(port, each, `changed ${at}`);
      await expectStatus(port, 'GET', listOf(each), 200);
    }
  });
  const remove = await longestTurn(server, async () => {
    for (const each of definitions) {
      const path = `${definitionsPath}/${each.metadata.name}`;
      await expectStatus(port, 'DELETE', path, 200);
      await until(port, path, 404);
    }
  });
  return { served, longest: { add, change: changed, remove }, usage: stop() };
}

async function run(bench: Bench): Promise<Outcome> {
  const sizes = sizesOf(bench.smoke);
  const model =
    givenFile === undefined
      ? largeDefinition()
      : (JSON.parse(readFileSync(givenFile, 'utf8')) as Definition);
  const server = await startSluice(bench.cores.server, ['--identity=kubernetes']);
  const rounds: Round[] = [];
  try {
    const kept = Array.from({ length: sizes.definitions }, (_, at) =>
      placed(model, `kept${at}`, at % 100),
    );
    for (const each of kept) {
      await expectStatus(server.port, 'POST', definitionsPath, 201, JSON.stringify(each));
    }
    for (const each of kept) await until(server.port, listOf(each), 200);
    for (let round = 0; round < bench.rounds; round += 1) {
      const definitions = Array.from({ length: sizes.measured }, (_, at) =>
        placed(model, `more${round}x${at}`, at % 100),
      );
      const measure = (): Promise<Round> => measureRound(bench, server, definitions);
      rounds.push(await bench.profiled(server, `definitions-${round}`, measure));
    }
  } finally {
    await server.stop();
  }
  return {
    rows: rowsOf(rounds),
    ...busiest(rounds.map(({ usage }) => usage)),
    facts: { ...sizes, definitionBytes: JSON.stringify(model).length },
    notes: [],
  };
}

function rowsOf(rounds: readonly Round[]): readonly Row[] {
  const row = (measure: string, unit: string, pick: (round: Round) => number, atMost?: number) =>
    figure(
      measure,
      unit,
      rounds.map(pick),
      undefined,
      atMost === undefined ? undefined : { of: 'server', atMost },
    );
  const turn = 'ms, longest turn';
  return [
    row('accepted to served, p50', 'ms', ({ served }) => served.quantile(0.5)),
    row('accepted to served, p99', 'ms', ({ served }) => served.quantile(0.99), servedWithinMs),
    row('one is added', turn, ({ longest }) => longest.add, longestTurnMs),
    row('one is changed', turn, ({ longest }) => longest.change, longestTurnMs),
    row('one is deleted', turn, ({ longest }) => longest.remove, longestTurnMs),
  ];
}

export const definitions: Scenario = {
  name: 'definitions',
  question: 'How soon is one more definition of a custom type served, beside 1,000 others?',
  run,
};

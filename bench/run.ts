/**
 * The bench: `npm run bench -- [SCENARIO...] [--smoke] [--rounds=N] [--json=FILE] [--profile=DIR]
 * [--report=FILE] [--from=FILE] [--match=TEXT]`.
 *
 * Runs the scenarios one after the other (all without a name), and prints a table and, for each,
 * one JSON line. This process makes the load, so it is the one that is pinned to the load's core.
 *
 *   --smoke     tiny sizes: shows that everything works, measures nothing
 *   --json      also appends the JSON lines to FILE
 *   --report    draws what was measured into FILE: .svg, or .html with the tables
 *   --from      runs nothing: the report is of the JSON lines in this file, of the scenarios named
 *   --match     of the scenario "storms": only those whose title holds this text, and what their
 *               server has to go through before
 *   --profile   profiles the server in the measured parts (which slows them) and prints self time
 *               by function (of a storm: in its longest turn); the .cpuprofile files are in DIR
 *
 * Exit code: 0 when all ran, whatever they measured; 1 when one failed; 2 for bad arguments.
 */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { authorization } from './authorization.ts';
import { bodies } from './bodies.ts';
import { coldStart } from './cold-start.ts';
import { create } from './create.ts';
import { customTypes } from './custom-types.ts';
import { definitions } from './definitions.ts';
import { fdb } from './fdb.ts';
import { fanout } from './fanout.ts';
import { fanoutTls } from './fanout-tls.ts';
import { fanoutWorkers } from './fanout-workers.ts';
import { takeCores } from './harness/cores.ts';
import type { Turn } from './harness/inside.ts';
import { profileSummary } from './harness/profile-summary.ts';
import { resultLine, tableHead, tableRows } from './harness/report.ts';
import type { ResultLine } from './harness/report.ts';
import type { Bench, Scenario } from './harness/scenario.ts';
import { growthObjects } from './growth-objects.ts';
import { growthSelections } from './growth-selections.ts';
import { growthWatchers } from './growth-watchers.ts';
import { hotObject } from './hot-object.ts';
import { hotObjectWebhook } from './hot-object-webhook.ts';
import { http2 } from './http2.ts';
import { idleWatchers } from './idle-watchers.ts';
import { latency } from './latency.ts';
import { list } from './list.ts';
import { listFormats } from './list-formats.ts';
import { longestTurns } from './longest-turns.ts';
import { lowLoad } from './low-load.ts';
import { patches } from './patches.ts';
import { policies } from './policies.ts';
import { reference } from './reference.ts';
import { storms } from './storms.ts';
import { streamingList } from './streaming-list.ts';
import { tokenTiming } from './token-timing.ts';

const scenarios: readonly Scenario[] = [
  fanout,
  fanoutTls,
  http2,
  fanoutWorkers,
  latency,
  lowLoad,
  list,
  listFormats,
  streamingList,
  create,
  coldStart,
  customTypes,
  definitions,
  hotObject,
  hotObjectWebhook,
  patches,
  policies,
  idleWatchers,
  growthWatchers,
  growthSelections,
  growthObjects,
  bodies,
  longestTurns,
  storms,
  fdb,
  reference,
  authorization,
  tokenTiming,
];

const DEFAULT_ROUNDS = 5;
const PROFILE_LINES = 40;

interface Arguments {
  readonly chosen: readonly Scenario[];
  readonly smoke: boolean;
  readonly rounds: number;
  readonly json: string | undefined;
  readonly report: string | undefined;
  readonly from: string | undefined;
  readonly profile: string | undefined;
  readonly match: string | undefined;
}

function parse(): Arguments {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      smoke: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      json: { type: 'string' },
      report: { type: 'string' },
      from: { type: 'string' },
      profile: { type: 'string' },
      match: { type: 'string' },
    },
  });
  const chosen = positionals.map((name) => {
    const found = scenarios.find((scenario) => scenario.name === name);
    const known = scenarios.map((scenario) => scenario.name).join(', ');
    if (found === undefined) throw new Error(`no scenario "${name}"; there are ${known}`);
    return found;
  });
  const rounds = Number(values.rounds ?? (values.smoke ? 1 : DEFAULT_ROUNDS));
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds wants a number from 1 on');
  if (values.report !== undefined && !/\.(html|svg)$/.test(values.report)) {
    throw new Error('--report wants a file that ends with .html or .svg');
  }
  return {
    chosen: chosen.length === 0 ? scenarios : chosen,
    smoke: values.smoke,
    rounds,
    json: values.json,
    report: values.report,
    from: values.from,
    profile: values.profile,
    match: values.match,
  };
}

function benchOf({ match, profile, rounds, smoke }: Arguments): Bench {
  return {
    cores: takeCores(),
    smoke,
    rounds,
    match,
    async profiled(process, title, body, turnOf) {
      if (profile === undefined) return body();
      const file = path.resolve(profile, `${title}.cpuprofile`);
      mkdirSync(path.dirname(file), { recursive: true });
      await process.startProfile();
      let turn: Turn | undefined;
      try {
        const result = await body();
        turn = turnOf?.(result);
        return result;
      } finally {
        await process.stopProfile(file);
        console.log(profileSummary(file, PROFILE_LINES, turn));
      }
    },
  };
}

async function main(): Promise<void> {
  const given = parse();
  const { from, report } = given;
  if (from !== undefined) {
    if (report === undefined) throw new Error('--from goes with --report');
    return writeReportOf(report, savedLines(from, given.chosen));
  }
  const bench = benchOf(given);
  console.log(`${bench.cores.note}; ${bench.rounds} rounds; median (lowest..highest)`);
  if (bench.smoke) console.log('SMOKE: tiny sizes, the figures mean nothing');
  console.log(tableHead());
  const lines: ResultLine[] = [];
  for (const scenario of given.chosen) {
    try {
      const outcome = await scenario.run(bench);
      const line = resultLine(scenario, bench, outcome);
      const json = JSON.stringify(line);
      lines.push(line);
      console.log(tableRows(scenario, outcome));
      console.log(json);
      if (given.json !== undefined) appendFileSync(given.json, `${json}\n`);
    } catch (error) {
      process.exitCode = 1;
      console.error(`${scenario.name} failed:`, error);
    }
  }
  if (report !== undefined) await writeReportOf(report, lines);
}

/** Loaded when there is something to draw: a load generator has no use for it. */
async function writeReportOf(file: string, lines: readonly ResultLine[]): Promise<void> {
  const { writeReport } = await import('./harness/report-file.ts');
  await writeReport(file, lines);
}

/** Of a scenario that ran several times, the last. */
function savedLines(file: string, chosen: readonly Scenario[]): readonly ResultLine[] {
  const lines = new Map<string, ResultLine>();
  for (const text of readFileSync(file, 'utf8').trim().split('\n')) {
    const line = JSON.parse(text) as ResultLine;
    if (chosen.some(({ name }) => name === line.scenario)) lines.set(line.scenario, line);
  }
  return [...lines.values()];
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
});

/** Every bench scenario runs to its end at tiny sizes and says what it should; no figure is judged. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-bench-smoke');

/** Between them they use all of the harness. */
const always = [
  'fanout',
  'fanout-tls',
  'http2',
  'streaming-list',
  'create',
  'policies',
  'longest-turns',
  'storms',
  'authorization',
] as const;
const atLength = [
  'fanout-workers',
  'latency',
  'low-load',
  'cold-start',
  'list',
  'list-formats',
  'hot-object',
  'hot-object-webhook',
  'patches',
  'custom-types',
  'definitions',
  'idle-watchers',
  'growth-watchers',
  'growth-selections',
  'growth-objects',
  'bodies',
  'token-timing',
] as const;

const isWhole = process.env['SLUICE_BENCH_SMOKE'] === 'all';
const scenarios = isWhole ? [...always, ...atLength] : always;

interface SeriesLine {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly rounds: number;
}

interface Line {
  readonly scenario: string;
  readonly question: string;
  readonly smoke: boolean;
  readonly rows: readonly {
    readonly measure: string;
    readonly server: SeriesLine;
    readonly floor?: SeriesLine;
    readonly met?: boolean;
  }[];
  readonly loadCpuShare: number;
  readonly cores: { readonly note: string };
}

const lines = new Map<string, Line>();
let directory = '';

before(async () => {
  directory = directories.make();
  const json = path.join(directory, 'lines.json');
  const entry = path.join(import.meta.dirname, '..', '..', 'bench', 'run.js');
  await promisify(execFile)(process.execPath, [entry, ...scenarios, '--smoke', `--json=${json}`], {
    timeout: 400_000,
  });
  for (const text of (await readFile(json, 'utf8')).trim().split('\n')) {
    const line = JSON.parse(text) as Line;
    lines.set(line.scenario, line);
  }
});

after(() => directories.removeAll());

for (const name of isWhole ? [] : atLength) {
  const skip = 'takes a minute more: SLUICE_BENCH_SMOKE=all runs every scenario';
  test(`${name} runs`, { skip }, () => undefined);
}

for (const name of scenarios) {
  test(`${name} runs, compares itself with its floor and writes one JSON line`, () => {
    const line = lines.get(name);
    assert.ok(line);
    assert.equal(line.smoke, true);
    assert.match(line.question, /\?$/);
    assert.match(line.cores.note, /core|NOT PINNED/);
    assert.ok(line.loadCpuShare >= 0);
    // What a decision costs has a bound, not a peer; so has a turn.
    const isBounded = ['authorization', 'longest-turns', 'storms'].includes(name);
    assert.ok(isBounded || line.rows.some((row) => row.floor !== undefined));
    // What TLS costs is told, not judged.
    assert.ok(name === 'fanout-tls' || line.rows.some((row) => typeof row.met === 'boolean'));
    for (const { measure, server } of line.rows) {
      assert.ok(server.rounds >= 1, measure);
      assert.ok(server.min <= server.median && server.median <= server.max, measure);
    }
  });
}

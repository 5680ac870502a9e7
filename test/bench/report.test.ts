/** The picture of a run, drawn from a small one that was kept. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ResultLine } from '../../bench/harness/report.ts';
import { writeReport } from '../../bench/harness/report-file.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-report');

const series = (median: number, spread: number) => ({
  median,
  min: median * (1 - spread),
  max: median * (1 + spread),
  rounds: 5,
});

const common = {
  date: '2026-01-02',
  smoke: false,
  loadCpuShare: 0.5,
  facts: {},
  cores: { server: 0, load: 1, note: 'server on core 0, load on core 1' },
  machine: { cpu: 'A <Processor>', cores: 2, kernel: '6.1' },
  node: 'v20.0.0',
};

const lines: readonly ResultLine[] = [
  {
    ...common,
    scenario: 'fanout',
    question: 'How fast?',
    otherShare: 0.07,
    notes: ['what a reader must know'],
    rows: [
      {
        measure: 'one at a time',
        unit: 'per s',
        server: series(81_000, 0.1),
        floor: series(108_000, 0.1),
        ratio: series(0.75, 0.08),
        target: { of: 'ratio', atLeast: 0.6 },
        met: true,
      },
      {
        measure: 'far beyond',
        unit: 'per CPU-s',
        server: series(9_000_000, 0.1),
        floor: series(9_000, 0.1),
        ratio: series(1000, 0.08),
      },
    ],
  },
  {
    ...common,
    scenario: 'latency',
    question: 'How late?',
    otherShare: undefined,
    notes: [],
    rows: [
      {
        measure: 'p99 from the answer',
        unit: 'ms',
        server: series(26, 0.2),
        floor: series(13, 0.2),
        target: { of: 'server', atMost: 20 },
        met: false,
      },
      { measure: 'without a floor', unit: 'ms', server: series(321, 0), floor: undefined },
    ],
  },
];

describe('the report of a run', () => {
  let directory = '';
  let svg = '';
  let html = '';
  before(async () => {
    directory = directories.make();
    const written = async (name: string): Promise<string> => {
      const file = path.join(directory, name);
      await writeReport(file, lines);
      return readFile(file, 'utf8');
    };
    svg = await written('run.svg');
    html = await written('run.html');
  });
  after(() => directories.removeAll());

  it('is a picture with each scenario, its measures, what its floor was and the ratio to it', () => {
    assert.match(svg, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    const texts = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
    for (const text of ['fanout', 'latency', 'one at a time [per s]', 'p99 from the answer [ms]']) {
      assert.ok(texts.includes(text), text);
    }
    assert.ok(texts.includes('81000 / 108000 per s = 0.75'));
    assert.ok(texts.includes('26.0 / 13.0 ms = 2.00'), 'of what has no ratio of its own');
    assert.ok(texts.includes('9000000 / 9000 per CPU-s = 1000.00'));
    assert.ok(!svg.includes('without a floor'));
    assert.ok(!svg.includes('NaN') && !svg.includes('undefined'));
  });

  it('says on what machine it was, and how noisy', () => {
    assert.match(svg, /2026-01-02: 2 cores of A &lt;Processor&gt;, Linux 6\.1, Node v20\.0\.0/);
    assert.match(svg, /at most: fanout 7 %</);
  });

  it('shows the spread, and what was wanted', () => {
    const coloured = (colour: string) => svg.match(new RegExp(`stroke="${colour}"`, 'g')) ?? [];
    assert.ok(coloured('#2a7f3f').length > 0, 'met');
    assert.ok(coloured('#c8521b').length > 0, 'missed');
    assert.ok(coloured('#3f6fb0').length > 0, 'not judged');
  });

  it('of the last quiet run is the picture in docs/', async () => {
    const kept = (await readFile('docs/quiet-run.jsonl', 'utf8')).trim().split('\n');
    const file = path.join(directory, 'quiet.svg');
    await writeReport(
      file,
      kept.map((line) => JSON.parse(line) as ResultLine),
    );
    assert.equal(await readFile('docs/quiet-run.svg', 'utf8'), await readFile(file, 'utf8'));
  });

  it('is a page with the picture and every row', () => {
    assert.ok(html.includes('<svg '));
    for (const text of [
      '<h2>fanout</h2>',
      'How late?',
      'without a floor [ms]',
      '321 (321 to 321)',
    ]) {
      assert.ok(html.includes(text), text);
    }
    assert.ok(html.includes('0.750 (0.690 to 0.810)') && html.includes('at least 0.6'));
    assert.ok(html.includes('what a reader must know'));
    assert.match(html, /class="missed">missed/);
  });
});

/**
 * The picture of a run: each row that has a floor, as a share of it.
 *
 *      scenario │ measure   ├──────●────┤   |        server, floor, ratio
 *               │                  │        └ 1: the floor
 *               │         lowest, median, highest of the rounds
 *
 * What it is not: the record. That is the JSON lines of the run, from which it can be drawn again.
 */
import { writeFileSync } from 'node:fs';
import type { TopLevelSpec } from 'vega-lite';
import { pictureOf } from './picture.ts';
import { numberText } from './report.ts';
import type { ResultLine, ResultRow } from './report.ts';

/** A row of the picture; its floor is 1. */
interface Mark {
  readonly scenario: string;
  /** Where it stands in the picture: names of measures come twice. */
  readonly row: string;
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
  readonly target: number | undefined;
  readonly verdict: 'met' | 'missed' | 'not judged';
  readonly figures: string;
}

const width = 360;
const rowHeight = 17;
const lineCharsMax = 120;
/** Beyond, the axis would show nothing else: a share is drawn at the end of it. */
const farthest = 64;

/** `.html` is the picture in a page with the tables of all rows, anything else the picture. */
export async function writeReport(file: string, lines: readonly ResultLine[]): Promise<void> {
  const picture = await pictureOf(specOf(lines));
  writeFileSync(file, file.endsWith('.html') ? page(lines, picture) : `${picture}\n`);
}

function marksOf({ rows, scenario }: ResultLine): readonly Mark[] {
  return rows.flatMap((row) => {
    const { floor, measure, server, target, unit } = row;
    // Of what is below the floor's resolution there is no share.
    if (floor === undefined || floor.median === 0) return [];
    const share = (value: number): number => value / floor.median;
    const ratio = row.ratio ?? {
      median: share(server.median),
      min: share(server.min),
      max: share(server.max),
    };
    const bound = target?.atLeast ?? target?.atMost;
    const wanted = bound === undefined || target?.of === 'ratio' ? bound : share(bound);
    const [ours, floors] = [numberText(server.median), numberText(floor.median)];
    const figures = `${ours} / ${floors} ${unit} = ${ratio.median.toFixed(2)}`;
    return [
      {
        scenario,
        row: `${measure} [${unit}]`,
        ratio: drawn(ratio.median),
        lowest: drawn(ratio.min),
        highest: drawn(ratio.max),
        target: wanted && drawn(wanted),
        verdict: row.met === undefined ? 'not judged' : row.met ? 'met' : 'missed',
        figures,
      },
    ];
  });
}

function drawn(ratio: number): number {
  return Math.min(farthest, Math.max(1 / farthest, ratio));
}

function specOf(lines: readonly ResultLine[]): TopLevelSpec {
  const marks = lines.flatMap(marksOf);
  const y = { field: 'row', type: 'nominal', sort: null, axis: { title: null } } as const;
  const x = (field: string) =>
    ({ field, type: 'quantitative', scale: { type: 'log', nice: true }, title: null }) as const;
  return {
    background: 'white',
    title: {
      text: 'Sluice as a share of its floor',
      subtitle: subtitlesOf(lines),
      anchor: 'start',
    },
    data: { values: marks as unknown as Record<string, unknown>[] },
    facet: {
      row: {
        field: 'scenario',
        type: 'nominal',
        sort: lines.map(({ scenario }) => scenario),
        header: { title: null, labelAngle: 0, labelAlign: 'left', labelFontWeight: 'bold' },
      },
    },
    spacing: 6,
    resolve: { scale: { y: 'independent' } },
    spec: {
      width,
      height: { step: rowHeight },
      layer: [
        {
          mark: { type: 'rule', color: '#888', strokeDash: [3, 2] },
          encoding: { x: { datum: 1 } },
        },
        {
          mark: { type: 'rule', strokeWidth: 3, opacity: 0.5 },
          encoding: { y, x: x('lowest'), x2: { field: 'highest' }, color: colour },
        },
        {
          mark: { type: 'tick', color: '#222', thickness: 2, size: 11 },
          encoding: { y, x: x('target') },
        },
        {
          mark: { type: 'point', filled: true, size: 45, opacity: 1 },
          encoding: { y, x: x('ratio'), color: colour },
        },
        {
          mark: { type: 'text', align: 'left', baseline: 'middle', fontSize: 10 },
          encoding: { y, x: { value: width + 8 }, text: { field: 'figures' } },
        },
      ],
    },
    config: {
      view: { stroke: '#ddd' },
      font: 'sans-serif',
      aria: false,
      axis: { labelLimit: 500 },
      axisY: { ticks: false, domain: false },
    },
  };
}

const colour = {
  field: 'verdict',
  type: 'nominal',
  scale: { domain: ['met', 'missed', 'not judged'], range: ['#2a7f3f', '#c8521b', '#3f6fb0'] },
  legend: { title: 'wanted (black tick)', orient: 'top' },
} as const;

function subtitlesOf(lines: readonly ResultLine[]): string[] {
  const [first] = lines;
  if (first === undefined) return [];
  const { date, machine, node, smoke } = first;
  const { cores, cpu, kernel } = machine;
  const linux = kernel === undefined ? '' : `Linux ${kernel}, `;
  const measured = lines.filter(({ otherShare }) => otherShare !== undefined);
  const counts = lines.flatMap(({ rows }) => rows.map(({ server }) => server.rounds));
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const rounds = least === most ? String(most) : `${least} to ${most}`;
  return [
    `${date}: ${cores} cores of ${cpu}, ${linux}Node ${node}; ${rounds} rounds`,
    'dashed: the floor of the same run; point and bar: median and spread of the rounds',
    ...inLines("others used of the server's core, at most: ", measured.map(noiseOf)),
    ...(smoke ? ['SMOKE: tiny sizes, the figures mean nothing'] : []),
  ];
}

/** Several to a line. */
function inLines(head: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const texts: string[] = [];
  let line = head;
  for (const [i, item] of items.entries()) {
    const next = i === items.length - 1 ? item : `${item}, `;
    if (line.length + next.length > lineCharsMax) {
      texts.push(line);
      line = '';
    }
    line += next;
  }
  return [...texts, line];
}

function noiseOf({ otherShare, scenario }: ResultLine): string {
  const share = otherShare === undefined ? 'not known' : `${Math.round(otherShare * 100)} %`;
  return `${scenario} ${share}`;
}

function page(lines: readonly ResultLine[], picture: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sluice: a run of the bench</title><style>
body { font-family: sans-serif; margin: 2em; max-width: 70em } svg { max-width: 100%; height: auto }
td, th { padding: 0.1em 0.8em; text-align: left } .missed { color: #c8521b } .met { color: #2a7f3f }
</style></head><body>
<h1>A run of the bench</h1>
${picture}
${lines.map(sectionOf).join('\n')}
</body></html>
`;
}

function sectionOf(line: ResultLine): string {
  const notes = line.notes.map((note) => `<p>${escaped(note)}</p>`).join('');
  return `<h2>${escaped(line.scenario)}</h2><p>${escaped(line.question)}</p>
<table><tr><th>measure<th>server<th>floor<th>ratio<th>wanted<th></tr>
${line.rows.map(rowText).join('\n')}</table>${notes}
<p>Others used of the server's core: ${escaped(noiseOf(line))}.</p>`;
}

function rowText({ floor, measure, met, ratio, server, target, unit }: ResultRow): string {
  const spread = (series: typeof server | undefined): string =>
    series === undefined
      ? ''
      : `${numberText(series.median)} (${numberText(series.min)} to ${numberText(series.max)})`;
  const bound =
    target === undefined
      ? ''
      : target.atLeast === undefined
        ? `at most ${target.atMost}`
        : `at least ${target.atLeast}`;
  const verdict = met === undefined ? '' : met ? 'met' : 'missed';
  const cells = [`${measure} [${unit}]`, spread(server), spread(floor), spread(ratio), bound];
  const texts = cells.map((cell) => `<td>${escaped(cell)}`).join('');
  return `<tr>${texts}<td class="${verdict}">${verdict}</tr>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

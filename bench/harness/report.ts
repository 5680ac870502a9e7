/** The table a person reads and the JSON line a program reads (report-file.ts draws it), from one
 * outcome. */
import { cpus, release } from 'node:os';
import { systemClock } from '../../src/stdx/clock.ts';
import type { Cores } from './cores.ts';
import { meets } from './scenario.ts';
import type { Bench, Outcome, Row, Scenario } from './scenario.ts';
import type { Series } from './series.ts';

export type ResultRow = Row & { readonly met?: boolean | undefined };

/** What is kept of a scenario that has run: a line of JSON. */
export interface ResultLine extends Omit<Outcome, 'rows'> {
  readonly scenario: string;
  readonly question: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly smoke: boolean;
  readonly rows: readonly ResultRow[];
  readonly cores: Cores;
  readonly machine: {
    readonly cpu: string | undefined;
    readonly cores: number;
    /** Absent: it was not written down. */
    readonly kernel?: string | undefined;
  };
  readonly node: string;
}

export function resultLine(scenario: Scenario, bench: Bench, outcome: Outcome): ResultLine {
  return {
    scenario: scenario.name,
    question: scenario.question,
    date: new Date(systemClock.nowMs()).toISOString().slice(0, 10),
    smoke: bench.smoke,
    rows: outcome.rows.map((row) => ({ ...row, met: meets(row) })),
    loadCpuShare: outcome.loadCpuShare,
    otherShare: outcome.otherShare,
    facts: outcome.facts,
    notes: outcome.notes,
    cores: bench.cores,
    machine: { cpu: cpus()[0]?.model, cores: cpus().length, kernel: release() },
    node: process.version,
  };
}

const columns = [14, 34, 25, 25, 18, 8, 6] as const;

export function tableHead(): string {
  const names = ['scenario', 'measure', 'server', 'floor', 'ratio', 'target', ''];
  return `${line(names)}\n${columns.map((width) => '-'.repeat(width)).join(' ')}`;
}

export function tableRows(scenario: Scenario, outcome: Outcome): string {
  const rows = outcome.rows.map((row, i) => tableRow(i === 0 ? scenario.name : '', row));
  const other = outcome.otherShare;
  const shares =
    `load used ${percent(outcome.loadCpuShare)} of its core` +
    (other === undefined ? '' : `, others up to ${percent(other)} of the server's`);
  return [...rows, ...[shares, ...outcome.notes].map((note) => `${' '.repeat(15)}${note}`)].join(
    '\n',
  );
}

function tableRow(name: string, row: Row): string {
  const met = meets(row);
  return line([
    name,
    `${row.measure} [${row.unit}]`,
    seriesText(row.server),
    row.floor === undefined ? '' : seriesText(row.floor),
    row.ratio === undefined ? '' : ratioText(row.ratio),
    targetText(row),
    met === undefined ? '' : met ? 'met' : 'MISSED',
  ]);
}

function line(cells: readonly string[]): string {
  return cells.map((cell, i) => cell.padEnd(columns[i] ?? 0)).join(' ');
}

function targetText({ target }: Row): string {
  if (target === undefined) return '';
  if (target.atLeast !== undefined) return `>= ${target.atLeast}`;
  return `<= ${target.atMost}`;
}

function seriesText({ median, min, max }: Series): string {
  return `${numberText(median)} (${numberText(min)}..${numberText(max)})`;
}

function ratioText({ median, min, max }: Series): string {
  return `${median.toFixed(2)} (${min.toFixed(2)}..${max.toFixed(2)})`;
}

export function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return value >= 1000 ? Math.round(value).toString() : value.toPrecision(3);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

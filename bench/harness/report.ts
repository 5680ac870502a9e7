/** The table a person reads and the JSON line a program reads, from one outcome. */
import { cpus, release } from 'node:os';
import { meets } from './scenario.ts';
import type { Bench, Outcome, Row, Scenario } from './scenario.ts';
import type { Series } from './series.ts';

export function jsonLine(scenario: Scenario, bench: Bench, outcome: Outcome): string {
  return JSON.stringify({
    scenario: scenario.name,
    question: scenario.question,
    smoke: bench.smoke,
    rows: outcome.rows.map((row) => ({ ...row, met: meets(row) })),
    loadCpuShare: outcome.loadCpuShare,
    otherShare: outcome.otherShare,
    facts: outcome.facts,
    notes: outcome.notes,
    cores: bench.cores,
    machine: { cpu: cpus()[0]?.model, cores: cpus().length, kernel: release() },
    node: process.version,
  });
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

function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return value >= 1000 ? Math.round(value).toString() : value.toPrecision(3);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

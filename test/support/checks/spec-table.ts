/** Tables of a SPEC.md as data: a test that reads them holds the very text. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** The rows of the table that has these columns, without marks of code. */
export function specTable(
  specFile: string,
  columns: readonly string[],
): readonly (readonly string[])[] {
  const lines = readFileSync(specFile, 'utf8').split('\n').map(cellsOf);
  const head = lines.findIndex((cells) => cells.join('|') === columns.join('|'));
  assert.ok(head >= 0, `${specFile} has a table of ${columns.join(', ')}`);
  const rows = lines.slice(head + 2);
  return rows.slice(
    0,
    rows.findIndex((cells) => cells.length === 0),
  );
}

/** A cell of a transition table: `refused: not found → live` is the verdict `refusedNotFound`, and
 * `live` comes next; without an arrow the state stays. */
export function verdictAndNext(cell: string, state: string): readonly [string, string] {
  const [said = '', next = state] = cell.split(' → ');
  const verdict = said
    .replaceAll(':', '')
    .replaceAll(/ (.)/g, (_, first: string) => first.toUpperCase());
  return [verdict, next];
}

function cellsOf(line: string): readonly string[] {
  if (!line.startsWith('|')) return [];
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''));
}

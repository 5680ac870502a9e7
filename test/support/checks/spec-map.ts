/**
 * Holds a SPEC.md to its tests: every numbered promise has a test, every numbered test a promise.
 *
 * A spec row is `| I1 | what holds | ``title`` |`, where the title (several: separated by `<br>`)
 * is that of a test whose title carries the id. The reverse list has rows `| ``title`` | I1, C2 |`.
 * Ids are I (invariant), C (constraint) and S (assumption) with a number. Titles are literals.
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const idPattern = /\b[ICS]\d+\b/g;
const titlePattern = /\b(?:test|it)\(\s*(['"])((?:\\.|(?!\1).)*)\1/g;
const promiseRow = /^\| *([ICS]\d+) *\|.*\| *(`.*`) *\|$/;
const reverseRow = /^\| *`([^`]+)` *\| *([ICS\d, ]+?) *\|$/;

/** What is wrong between the spec and the test files of a folder; empty when nothing is. */
export function specMapProblems(specFile: string, testFolder: string): readonly string[] {
  const spec = readFileSync(specFile, 'utf8').split('\n');
  const tests = testTitles(testFolder);
  return [...promiseProblems(spec, tests), ...reverseProblems(spec, tests)];
}

function promiseProblems(spec: readonly string[], tests: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  const promised = new Set<string>();
  for (const line of spec) {
    const row = promiseRow.exec(line);
    if (row === null) continue;
    const id = row[1] as string;
    if (promised.has(id)) problems.push(`${id} stands twice in the spec`);
    promised.add(id);
    for (const title of backticked(row[2] as string)) {
      if (!tests.has(title)) problems.push(`${id}: no test is called "${title}"`);
      if (!idsOf(title).includes(id)) problems.push(`${id}: its test does not name it: "${title}"`);
    }
  }
  if (promised.size === 0) problems.push('the spec promises nothing');
  for (const title of tests) {
    for (const id of idsOf(title)) {
      if (!promised.has(id)) problems.push(`"${title}" tests ${id}, which the spec does not have`);
    }
  }
  return problems;
}

function reverseProblems(spec: readonly string[], tests: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  const listed = new Map<string, string>();
  for (const line of spec) {
    const row = reverseRow.exec(line);
    if (row !== null) listed.set(row[1] as string, idsOf(row[2] as string).join());
  }
  for (const title of tests) {
    const ids = idsOf(title).join();
    if (ids !== '' && listed.get(title) !== ids) {
      problems.push(`the reverse list should have: | \`${title}\` | ${idsOf(title).join(', ')} |`);
    }
  }
  for (const title of listed.keys()) {
    if (!tests.has(title)) problems.push(`the reverse list has a test that is not: "${title}"`);
  }
  return problems;
}

function testTitles(folder: string): ReadonlySet<string> {
  const titles = new Set<string>();
  for (const file of readdirSync(folder)) {
    if (!file.endsWith('.test.ts')) continue;
    const source = readFileSync(path.join(folder, file), 'utf8');
    for (const match of source.matchAll(titlePattern)) titles.add(match[2] as string);
  }
  return titles;
}

function idsOf(text: string): string[] {
  return text.match(idPattern) ?? [];
}

function backticked(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
}

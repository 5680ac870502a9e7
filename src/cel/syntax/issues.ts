/**
 * Mistakes in an expression, collected, and shown as users of the reference see them:
 *
 *   ERROR: <input>:1:5: undefined field 'x'
 *    | self.x
 *    | ....^
 *
 * Bounds: the first `issuesMax` are kept; lines of more than `snippetMax` characters are not shown;
 * what is shown ends behind `shownMax` characters, because each mistake shows its whole line.
 */
import type { Issue } from '../cel.ts';
import { lineOf, nowhere } from './source.ts';
import type { Location, Source } from './source.ts';

const issuesMax = 100;
const snippetMax = 16384;
/** Answers show no more of one cause. */
const shownMax = 32 * 1024;

export interface Issues {
  readonly count: number;
  /** The text that they are about. */
  readonly source: Source;
  add(at: Location, message: string): void;
  /** Sorted by their place. */
  list(): readonly Issue[];
  text(): string;
}

/** `read` is called when there is something to say. */
export function issuesOf(read: () => Source, sourceName: string): Issues {
  const kept: Issue[] = [];
  let count = 0;
  let found: Source | undefined;
  const source = (): Source => (found ??= read());
  const sorted = (): readonly Issue[] =>
    kept.toSorted((a, b) => a.line - b.line || a.column - b.column);
  return {
    get count() {
      return count;
    },
    get source() {
      return source();
    },
    add({ line, column }, message) {
      count += 1;
      if (kept.length < issuesMax) kept.push({ line, column, message });
    },
    list: sorted,
    text() {
      const shown: string[] = [];
      let size = 0;
      for (const issue of sorted()) {
        if (size > shownMax) break;
        const text = show(source(), sourceName, issue);
        shown.push(text);
        size += text.length;
      }
      const left = count - shown.length;
      if (left > 0) shown.push(`${left} more errors were truncated`);
      return shown.join('\n');
    },
  };
}

/** Wide characters get wide marks, so that the caret stands below the right one. */
const isWide = (character: string | undefined): boolean =>
  character !== undefined && (character.codePointAt(0) as number) > 0x7f;

function show(source: Source, sourceName: string, issue: Issue): string {
  const { line, column, message } = issue;
  const head = `ERROR: ${sourceName}:${line}:${column + 1}: ${message}`;
  const snippet = line === nowhere.line ? undefined : lineOf(source, line);
  if (snippet === undefined || snippet.length > snippetMax) return head;
  const shown = snippet.replaceAll('\t', ' ');
  const characters = Array.from(shown);
  let marks = '';
  for (let i = 0; i < column && i < characters.length; i += 1) {
    marks += isWide(characters[i]) ? '\uff0e' : '.';
  }
  marks += isWide(characters[column]) ? '\uff3e' : '^';
  return `${head}\n | ${shown}\n | ${marks}`;
}

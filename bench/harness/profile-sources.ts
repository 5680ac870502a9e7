/**
 * Where the functions of a CPU profile stand in the sources: the program that is measured is
 * bundled, so a frame's own place says nothing.
 */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

const maps = new Map<string, SourceMap | undefined>();

/** The file, from the root of the tree, and the line, from 1. What has no map stays as it is. */
export function sourceOf({ url, lineNumber, columnNumber }: CallFrame): string {
  const entry = mapOf(url)?.findEntry(lineNumber, columnNumber);
  if (entry === undefined || !('originalSource' in entry)) {
    return `${url.replace(/^.*node_modules/, 'node_modules')}:${lineNumber + 1}`;
  }
  const source = entry.originalSource.replace(/^(?:\.\.\/)+/, '');
  return `${source}:${entry.originalLine + 1}`;
}

function mapOf(url: string): SourceMap | undefined {
  if (!url.startsWith('file:')) return undefined;
  if (!maps.has(url)) {
    const file = `${fileURLToPath(url)}.map`;
    const known = existsSync(file) && !file.includes(`${path.sep}node_modules${path.sep}`);
    type Payload = ConstructorParameters<typeof SourceMap>[0];
    const map = known
      ? new SourceMap(JSON.parse(readFileSync(file, 'utf8')) as Payload)
      : undefined;
    maps.set(url, map);
  }
  return maps.get(url);
}

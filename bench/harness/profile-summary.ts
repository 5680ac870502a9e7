/**
 * A CPU profile in a few lines: self time by function, with the line of the source it stands in.
 *
 * What it is not: a picture of native threads; the profiler sees the main thread only.
 */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export function profileSummary(file: string, linesMax: number): string {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const selfUs = new Map<string, number>();
  let total = 0;
  profile.samples.forEach((id, i) => {
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === '(idle)') return;
    const us = profile.timeDeltas[i] ?? 0;
    const key = placeOf(frame);
    total += us;
    selfUs.set(key, (selfUs.get(key) ?? 0) + us);
  });
  const ranked = [...selfUs].sort((a, b) => b[1] - a[1]).slice(0, linesMax);
  const lines = ranked.map(
    ([key, us]) => `${((us / total) * 100).toFixed(1).padStart(6)} %  ${key}`,
  );
  return [`busy ${(total / 1e6).toFixed(2)} s: ${file}`, ...lines].join('\n');
}

const maps = new Map<string, SourceMap | undefined>();

function placeOf({ functionName, url, lineNumber, columnNumber }: CallFrame): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return name;
  const map = mapOf(url);
  const entry = map?.findEntry(lineNumber, columnNumber);
  if (entry === undefined || !('originalSource' in entry)) {
    return `${name}  ${url.replace(/^.*node_modules/, 'node_modules')}:${lineNumber + 1}`;
  }
  const source = entry.originalSource.replace(/^(?:\.\.\/)+/, '');
  return `${name}  ${source}:${entry.originalLine + 1}`;
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

/**
 * A CPU profile in a few lines: self time by function, with the line of the source it stands in.
 *
 * What it is not: a picture of native threads; the profiler sees the main thread only.
 */
import { readFileSync } from 'node:fs';
import type { Turn } from './inside.ts';
import { sourceOf } from './profile-sources.ts';
import type { CallFrame } from './profile-sources.ts';

interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
  readonly startTime: number;
}

/** `turn`: only what ran in it. */
export function profileSummary(file: string, linesMax: number, turn?: Turn): string {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const selfUs = new Map<string, number>();
  let total = 0;
  let at = profile.startTime;
  profile.samples.forEach((id, i) => {
    const us = profile.timeDeltas[i] ?? 0;
    at += us;
    if (turn !== undefined && (at < turn.fromUs || at > turn.toUs)) return;
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === '(idle)') return;
    const key = placeOf(frame);
    total += us;
    selfUs.set(key, (selfUs.get(key) ?? 0) + us);
  });
  const ranked = [...selfUs].sort((a, b) => b[1] - a[1]).slice(0, linesMax);
  const lines = ranked.map(
    ([key, us]) => `${((us / total) * 100).toFixed(1).padStart(6)} %  ${key}`,
  );
  const busy =
    turn === undefined ? `busy ${(total / 1e6).toFixed(2)} s` : `a turn of ${lengthOf(turn)}`;
  return [`${busy}: ${file}`, ...lines].join('\n');
}

const lengthOf = ({ fromUs, ms, toUs }: Turn): string =>
  `${ms.toFixed(1)} ms, ${((toUs - fromUs) / 1e3).toFixed(1)} by the clock`;

function placeOf(frame: CallFrame): string {
  const name = frame.functionName === '' ? '(anonymous)' : frame.functionName;
  return frame.url === '' ? name : `${name}  ${sourceOf(frame)}`;
}

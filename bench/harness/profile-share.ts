/**
 * How much of a CPU profile lies within one part of the program: time in its functions, and in
 * whatever they call.
 */
import { readFileSync } from 'node:fs';
import { sourceOf } from './profile-sources.ts';
import type { CallFrame } from './profile-sources.ts';

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Of the busy time, 0 to 1. `part` is a piece of the path of its modules. */
export function shareWithin(file: string, part: string): number {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const within = new Set<number>();
  const visit = (id: number, inside: boolean): void => {
    const node = nodes.get(id);
    if (node === undefined) return;
    const here = inside || sourceOf(node.callFrame).includes(part);
    if (here) within.add(id);
    for (const child of node.children ?? []) visit(child, here);
  };
  const root = profile.nodes[0];
  if (root !== undefined) visit(root.id, false);
  let busy = 0;
  let inside = 0;
  profile.samples.forEach((id, i) => {
    if (nodes.get(id)?.callFrame.functionName === '(idle)') return;
    const us = profile.timeDeltas[i] ?? 0;
    busy += us;
    if (within.has(id)) inside += us;
  });
  return busy === 0 ? 0 : inside / busy;
}

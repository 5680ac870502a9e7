/**
 * Circles of objects that are deleted in the foreground and block each other: each would wait for
 * ever. They are looked for from an owner upwards, along links that block.
 *
 *   target ─▶ its owner, waiting ─▶ its owner, waiting ─▶ ... ─▶ target: a circle
 *                                                          ─▶ one that does not wait: a chain
 *
 * What was found to be a chain stays known. Only what comes can close a circle: a new link, or a
 * deletion of an object at which a walk has ended. So a chain that grows is walked once in all, not
 * once from each of its links, nor after each change of the graph.
 *
 * Bounds: `circleLimits`.
 */
import type { Entry } from '../../streams/streams.ts';
import type { ObjectReference, OwnerGraph } from './garbage-collector-graph.ts';

const circleLimits = {
  /** Links of one walk. Policy: a larger circle is not seen. */
  linksMax: 10_000,
  /** Ends of walks that are remembered. Policy: with more, chains are walked anew when the graph
   * has changed. */
  endsMax: 64,
  /** Circles that are being released. Policy: with more, the oldest is forgotten, and another one
   * of it may be released, too. */
  releasedMax: 16,
} as const;

/** What was found out about circles. */
export interface CircleMemory {
  version: number;
  linksVersion: number;
  /** None of these is in a circle. */
  readonly without: Set<ObjectReference>;
  /** Uids of owners that did not wait, at which walks have ended. */
  readonly ends: Set<string>;
  /** Circles of which one object is released: the others need not be looked at while the graph is
   * as it was. */
  released: { readonly circle: ReadonlySet<ObjectReference>; readonly first: ObjectReference }[];
}

export interface CircleContext {
  readonly graph: Pick<OwnerGraph, 'linksVersion' | 'node' | 'version' | 'waitingAt'>;
  readonly entryAt: (reference: ObjectReference) => Entry | 'unreadable' | undefined;
  readonly circles: CircleMemory;
}

export function createCircleMemory(): CircleMemory {
  return {
    version: -1,
    linksVersion: -1,
    without: new Set(),
    ends: new Set(),
    released: [],
  };
}

/** Forgets what may have become wrong. */
export function refresh(circles: CircleMemory, graph: CircleContext['graph']): void {
  if (circles.version === graph.version) return;
  circles.version = graph.version;
  circles.released = [];
  if (circles.linksVersion === graph.linksVersion && !isGoingOn(circles, graph)) return;
  circles.linksVersion = graph.linksVersion;
  circles.without.clear();
  circles.ends.clear();
}

/** Another one of its circle is released. */
export function isOfReleased(reference: ObjectReference, { released }: CircleMemory): boolean {
  return released.some(({ circle, first }) => first !== reference && circle.has(reference));
}

export function noteReleased(
  first: ObjectReference,
  circle: ReadonlySet<ObjectReference>,
  { released }: CircleMemory,
): void {
  if (circle.size === 1) return;
  released.push({ circle, first });
  if (released.length > circleLimits.releasedMax) released.shift();
}

/** Where a walk has ended, it would go on now, or that is not known. */
function isGoingOn({ ends }: CircleMemory, graph: CircleContext['graph']): boolean {
  if (ends.size > circleLimits.endsMax) return true;
  for (const uid of ends) if (graph.waitingAt(uid) !== undefined) return true;
  return false;
}

/** The target, and what waits for it through objects that are deleted in the foreground. What is
 * known to be in no circle is left out. */
export function circleOf(
  target: ObjectReference,
  { circles, entryAt, graph }: CircleContext,
): ReadonlySet<ObjectReference> {
  const seen = new Set([target]);
  const ends: string[] = [];
  let links = 0;
  let isChain = true;
  for (const reference of seen) {
    for (const { uid, blocks: isBlocking } of graph.node(reference)?.owners ?? []) {
      links += 1;
      if (links > circleLimits.linksMax) return seen;
      if (!isBlocking) continue;
      const waiting = graph.waitingAt(uid);
      if (waiting === undefined) {
        ends.push(uid);
        continue;
      }
      if (circles.without.has(waiting)) continue;
      // What cannot be read (any more) is not taken for part of a circle.
      const entry = seen.has(waiting) ? undefined : entryAt(waiting);
      if (entry === undefined || entry === 'unreadable') isChain = false;
      else seen.add(waiting);
    }
  }
  if (!isChain) return seen;
  for (const each of seen) circles.without.add(each);
  for (const uid of ends) {
    if (circles.ends.size > circleLimits.endsMax) break;
    circles.ends.add(uid);
  }
  return seen;
}

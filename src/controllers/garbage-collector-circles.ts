/**
 * Circles of objects that are deleted in the foreground and block each other: each would wait for
 * ever. They are looked for from an owner upwards, along links that block.
 *
 *   target ─▶ its owner, waiting ─▶ its owner, waiting ─▶ ... ─▶ target: a circle
 *                                                          ─▶ one that does not wait: a chain
 *
 * A walk is work in steps, and the graph goes on meanwhile. What comes behind it is looked at by
 * itself, and closes what it closes from there. When one that was met has gone, waits no longer or
 * names others, the walk is void: nothing is done on it.
 *
 * What was found to be a chain stays known. Only what comes can close a circle: a new link, or a
 * deletion of an object at which a walk has ended. So a chain that grows is walked once in all, not
 * once from each of its links, nor after each change of the graph.
 *
 * Bounds: `circleLimits`.
 */
import type { Steps } from '../stdx/stepwise.ts';
import type { Entry } from '../../streams/streams.ts';
import type { ObjectReference, OwnerGraph } from './garbage-collector-graph.ts';

const circleLimits = {
  /** Links of one walk. Policy: a larger circle is not seen. */
  linksMax: 10_000,
  /** Links that are followed in one step. Policy: the next ones in the next. */
  linksAtOnce: 512,
  /** Ends of walks that are remembered. Policy: with more, chains are walked anew when the graph
   * has changed. */
  endsMax: 64,
  /** Circles that are being released. Policy: with more, the oldest is forgotten, and another one
   * of it may be released, too. */
  releasedMax: 16,
} as const;

interface Circle {
  /** The target, and what waits for it through objects that are deleted in the foreground. What is
   * known to be in no circle is left out. */
  readonly members: ReadonlySet<ObjectReference>;
  /** How many of these block the target. */
  readonly blockersCount: number;
}

/** From the target upwards. */
interface CircleWalk extends Circle {
  readonly target: ObjectReference;
  readonly members: Set<ObjectReference>;
  /** Uids of owners that do not wait. */
  readonly ends: Set<string>;
  blockersCount: number;
  state: 'under way' | 'done' | 'void';
}

/** What was found out about circles. */
export interface CircleMemory {
  version: number;
  linksVersion: number;
  /** None of these is in a circle. Another set, when they are forgotten. */
  without: Set<ObjectReference>;
  /** Uids of owners that did not wait, at which walks have ended. */
  readonly ends: Set<string>;
  /** The last walk, which may be under way. */
  walk: CircleWalk | undefined;
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
    walk: undefined,
    released: [],
  };
}

/** It does not wait as it did, or has not the owners that it had. */
export function noteLost(reference: ObjectReference, { walk }: CircleMemory): void {
  if (walk?.members.has(reference) === true) walk.state = 'void';
}

/** Forgets what may have become wrong. */
export function refresh(circles: CircleMemory, graph: CircleContext['graph']): void {
  if (circles.version === graph.version) return;
  circles.version = graph.version;
  circles.released = [];
  if (circles.linksVersion === graph.linksVersion && !isGoingOn(circles, graph)) return;
  circles.linksVersion = graph.linksVersion;
  circles.without = new Set();
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
function isGoingOn({ ends }: Pick<CircleMemory, 'ends'>, graph: CircleContext['graph']): boolean {
  if (ends.size > circleLimits.endsMax) return true;
  for (const uid of ends) if (graph.waitingAt(uid) !== undefined) return true;
  return false;
}

/** Undefined: it is more than one step (`findCircle`). */
export function circleAtOnce(target: ObjectReference, context: CircleContext): Circle | undefined {
  const { circles } = context;
  const { walk: last, without } = circles;
  if (last?.target === target && last.state === 'done') return last;
  const walk = walkFrom(target);
  if (without.has(target)) return walk;
  const ended = follow(walk, without, context).next();
  if (ended.done !== true) return undefined;
  if (ended.value) noteChain(walk, circles);
  return walk;
}

/** What it finds is there until it is forgotten (`endWalk`). No other one may be under way. */
export function* findCircle(target: ObjectReference, context: CircleContext): Steps<void> {
  const { circles, graph } = context;
  refresh(circles, graph);
  const { linksVersion, without } = circles;
  const walk = walkFrom(target);
  circles.walk = walk;
  const isChain = yield* follow(walk, without, context);
  if (walk.state === 'void') return;
  walk.state = 'done';
  refresh(circles, graph);
  // What has come or was forgotten meanwhile may have been left out.
  const isKept = circles.without === without && graph.linksVersion === linksVersion;
  if (isChain && isKept && !isGoingOn(walk, graph)) noteChain(walk, circles);
}

/** Behind the decision for which a circle was looked for: later ones would lack what comes. */
export function endWalk(circles: CircleMemory): void {
  circles.walk = undefined;
}

function walkFrom(target: ObjectReference): CircleWalk {
  return {
    target,
    members: new Set([target]),
    ends: new Set(),
    blockersCount: 0,
    state: 'under way',
  };
}

function noteChain({ ends, members }: CircleWalk, circles: CircleMemory): void {
  for (const each of members) circles.without.add(each);
  for (const uid of ends) {
    if (circles.ends.size > circleLimits.endsMax) break;
    circles.ends.add(uid);
  }
}

/** Whether it is a chain: false, too, where not all that waits for the target could be met. */
function* follow(
  walk: CircleWalk,
  without: ReadonlySet<ObjectReference>,
  { entryAt, graph }: CircleContext,
): Steps<boolean> {
  const { ends, members, target } = walk;
  let links = 0;
  let isChain = true;
  for (const reference of members) {
    let blocksTarget = false;
    for (const { uid, blocks } of graph.node(reference)?.owners ?? []) {
      links += 1;
      if (links > circleLimits.linksMax) return false;
      if (links % circleLimits.linksAtOnce === 0) yield;
      if (walk.state === 'void') return false;
      const waiting = blocks ? graph.waitingAt(uid) : undefined;
      if (waiting === target) blocksTarget = true;
      if (waiting === undefined && blocks) ends.add(uid);
      if (waiting === undefined || without.has(waiting)) continue;
      // What cannot be read (any more) is not taken for part of a circle.
      const entry = members.has(waiting) ? undefined : entryAt(waiting);
      if (entry === undefined || entry === 'unreadable') isChain = false;
      else members.add(waiting);
    }
    if (blocksTarget) walk.blockersCount += 1;
  }
  return isChain;
}

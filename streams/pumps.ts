/**
 * The next write of a member that is not live: initial events from its snapshot, or what it missed
 * from the history of the resource or from a page of the log. Each call makes at most one chunk;
 * nothing is kept between calls but the iterator and the cursor.
 *
 * What it is not: a sender. It moves the member's cursor past what it returns; the caller writes
 * that, or ends the member.
 */
import type { Change } from '../src/storage/storage.ts';
import { joined } from './frame-ring.ts';
import type { StreamLimits } from './limits.ts';
import type { LogPage } from './log-pages.ts';
import { noCursor } from './member.ts';
import type { InitialEvents, Member } from './member.ts';
import { frameOf, selectedEvent, selects } from './selection.ts';
import type { Selection } from './selection.ts';
import type { Entry, ResourceSnapshot } from './streams.ts';

/** `bytes` undefined: nothing to write this time. */
export interface Pumped {
  readonly bytes: Uint8Array | undefined;
  readonly framesCount: number;
  /** What was looked at, for the turn's budget. */
  readonly examinedCount: number;
}

/** The entries that a selection may show, in key order: one, one namespace, or all. */
export function initialEvents(
  snapshot: ResourceSnapshot,
  selection: Selection,
  mark: boolean,
): InitialEvents {
  const { pins } = selection.predicate;
  const namespace = selection.namespace ?? pins.get('metadata.namespace');
  const name = pins.get('metadata.name');
  const { revision } = snapshot;
  if (namespace === undefined || name === undefined) {
    return { entries: snapshot.entries(namespace), revision, mark, held: undefined };
  }
  const entry = snapshot.get(namespace, name);
  const entries = (entry === undefined ? [] : [entry]).values();
  return { entries, revision, mark, held: undefined };
}

/**
 * Takes from the snapshot. Sets `member.initial` to undefined with the last chunk. Encoders that
 * can do so write straight into `scratch`, which the chunk returned is then a part of.
 */
export function pumpInitial(
  member: Member,
  initial: InitialEvents,
  limits: StreamLimits,
  scratch: Uint8Array,
): Pumped {
  const { encoder } = member.cls;
  if (encoder.eventInto !== undefined) return fillScratch(member, initial, limits, scratch);
  const chunk = new ChunkMaker(limits.pumpChunkBytes);
  let examinedCount = 0;
  while (!chunk.full && examinedCount < limits.pumpExaminedMax) {
    const next: IteratorResult<Entry, unknown> = initial.entries.next();
    if (next.done === true) {
      if (initial.mark) chunk.add(encoder.bookmark(initial.revision, true));
      member.initial = undefined;
      break;
    }
    examinedCount += 1;
    if (selects(member.cls.selection, next.value)) chunk.add(encoder.event('ADDED', next.value));
  }
  return { ...chunk.take(), examinedCount };
}

function fillScratch(
  member: Member,
  initial: InitialEvents,
  limits: StreamLimits,
  scratch: Uint8Array,
): Pumped {
  const { encoder, selection } = member.cls;
  let end = 0;
  let framesCount = 0;
  let examinedCount = 0;
  while (examinedCount < limits.pumpExaminedMax) {
    const entry = initial.held ?? nextEntry(initial);
    initial.held = undefined;
    if (entry === undefined) {
      member.initial = undefined;
      const marked = initial.mark ? encoder.bookmark(initial.revision, true) : undefined;
      const bytes = end === 0 ? marked : withLast(scratch.subarray(0, end), marked);
      return { bytes, framesCount: framesCount + (marked === undefined ? 0 : 1), examinedCount };
    }
    examinedCount += 1;
    if (!selects(selection, entry)) continue;
    const next = encoder.eventInto?.('ADDED', entry, scratch, end) ?? 0;
    framesCount += 1;
    if (next > 0) {
      end = next;
      continue;
    }
    // One that fits no chunk goes alone; otherwise it begins the next chunk.
    if (end === 0) return { bytes: encoder.event('ADDED', entry), framesCount: 1, examinedCount };
    initial.held = entry;
    framesCount -= 1;
    break;
  }
  return { bytes: end === 0 ? undefined : scratch.subarray(0, end), framesCount, examinedCount };
}

function nextEntry(initial: InitialEvents): Entry | undefined {
  const next: IteratorResult<Entry, unknown> = initial.entries.next();
  return next.done === true ? undefined : next.value;
}

function withLast(chunk: Uint8Array, last: Uint8Array | undefined): Uint8Array {
  return last === undefined ? chunk : Buffer.concat([chunk, last]);
}

/** Takes from the history, which must reach back to the member's cursor. */
export function pumpHistory(member: Member, limits: StreamLimits): Pumped {
  const { encoder, selection, stream } = member.cls;
  const { history } = stream.cache;
  const chunk = new ChunkMaker(limits.pumpChunkBytes);
  let examinedCount = 0;
  while (!chunk.full && examinedCount < limits.pumpExaminedMax && member.cursor < history.lastSeq) {
    const change = history.at(member.cursor + 1);
    const event = selectedEvent(selection, change);
    if (event !== undefined) chunk.add(frameOf(encoder, event).bytes);
    member.cursor = change.seq;
    member.revision = change.revision;
    examinedCount += 1;
  }
  return { ...chunk.take(), examinedCount };
}

/** Takes from a page of the log that covers the member's revision. The log may be ahead of the
 * hub: then the member waits for the hub at a revision that it has already been sent. */
export function pumpLog(member: Member, page: LogPage, limits: StreamLimits): Pumped {
  const { encoder, selection, stream } = member.cls;
  const chunk = new ChunkMaker(limits.pumpChunkBytes);
  let examinedCount = 0;
  let at = page.indexAfter(member.revision);
  for (; at < page.changes.length && !chunk.full; at += 1) {
    member.revision = (page.changes[at] as Change).revision;
    examinedCount += 1;
    if (!page.isOf(at, stream.id)) continue;
    const change = page.at(at);
    const event = change && selectedEvent(selection, change);
    if (event !== undefined) chunk.add(frameOf(encoder, event).bytes);
  }
  member.cursor = noCursor;
  if (at === page.changes.length) member.revision = page.through;
  return { ...chunk.take(), examinedCount };
}

class ChunkMaker {
  readonly #bytesMax: number;
  readonly #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get full(): boolean {
    return this.#bytes >= this.#bytesMax;
  }

  add(frame: Uint8Array): void {
    this.#parts.push(frame);
    this.#bytes += frame.length;
  }

  take(): Pick<Pumped, 'bytes' | 'framesCount'> {
    const framesCount = this.#parts.length;
    const bytes = framesCount === 0 ? undefined : joined(this.#parts, this.#bytes);
    return { bytes, framesCount };
  }
}

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
    return { entries: snapshot.entries(namespace), revision, mark };
  }
  const entry = snapshot.get(namespace, name);
  return { entries: (entry === undefined ? [] : [entry]).values(), revision, mark };
}

/** Takes from the snapshot. Sets `member.initial` to undefined with the last chunk. */
export function pumpInitial(member: Member, initial: InitialEvents, limits: StreamLimits): Pumped {
  const { encoder, selection } = member.cls;
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
    if (selects(selection, next.value)) chunk.add(encoder.event('ADDED', next.value));
  }
  return { ...chunk.take(), examinedCount };
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

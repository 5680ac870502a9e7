/**
 * The next chunk for a watch that is not live yet: initial events from a snapshot, or missed events
 * from the history of the resource or from a page of the log. Each call makes at most one chunk of
 * whole frames.
 *
 * A chunk says where the watch stands when it has been sent. It ends before a large object whose
 * frame is not ready: the next one begins with that (I36).
 *
 * Bounds: a chunk is `pumpChunkBytes` (from the history `missedChunkBytes`) or a single frame, made
 * of at most `pumpExaminedMax` entries. It has at most `pumpMadeMax` frames that are made alone, of
 * objects of about `pumpMadeBytes`: a row takes many times what a copy of its object takes.
 */
import type { Change, Revision } from '../src/storage/storage.ts';
import { joined } from './frame-ring.ts';
import type { StreamLimits } from './limits.ts';
import type { LogPage } from './log-pages.ts';
import { frameOf, isFrameReady, selectedEvent, selects } from './selection.ts';
import { unknownSeq } from './position.ts';
import type { Position } from './position.ts';
import type { SelectedEvent, Selection } from './selection.ts';
import type { Entry, EntryCursor, EventEncoder, ResourceSnapshot } from './streams.ts';
import type { ResourceStream } from './watch-group.ts';

export interface Chunk extends Position {
  /** Undefined: there is nothing to send. */
  readonly bytes: Uint8Array | undefined;
  readonly framesCount: number;
  /** How many entries were examined, for the budget of the turn. */
  readonly examinedCount: number;
}

/** The part of a watch group that its events depend on. */
export interface Events {
  readonly stream: ResourceStream;
  readonly selection: Selection;
  readonly encoder: EventEncoder;
}

/** A chunk without bytes: only the position moves. */
export function movedTo(seq: number, revision: Revision): Chunk {
  return { bytes: undefined, framesCount: 0, examinedCount: 0, seq, revision };
}

/** The state of one snapshot as ADDED events. Holds the snapshot alive until it is done. */
export class InitialEvents {
  readonly position: Position;
  readonly #events: Events;
  readonly #limits: StreamLimits;
  readonly #scratch: Uint8Array;
  /** Undefined where the selection names one object, which is then held. */
  readonly #entries: EntryCursor | undefined;
  #isDone = false;
  /** An entry that was taken from the cursor but did not fit the chunk. */
  #held: Entry | undefined;

  /** Encoders that can write straight into `scratch`, which the chunk is then a part of. */
  constructor(
    events: Events,
    snapshot: ResourceSnapshot,
    seq: number,
    limits: StreamLimits,
    scratch: Uint8Array,
  ) {
    this.position = { seq, revision: snapshot.revision };
    this.#events = events;
    this.#limits = limits;
    this.#scratch = scratch;
    const { namespace, name } = scopeOf(events.selection);
    if (namespace === undefined || name === undefined) this.#entries = snapshot.entries(namespace);
    else this.#held = snapshot.get(namespace, name);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  next(): Chunk {
    return this.#events.encoder.eventInto === undefined ? this.#joined() : this.#intoScratch();
  }

  #take(): Entry | undefined {
    const held = this.#held;
    if (held === undefined) return this.#entries?.take();
    this.#held = undefined;
    return held;
  }

  /** False: it comes first in the next chunk. */
  #isReady(entry: Entry): boolean {
    if (isFrameReady(this.#events.encoder, 'ADDED', entry, this.#limits)) return true;
    this.#held = entry;
    return false;
  }

  #joined(): Chunk {
    const { encoder, selection } = this.#events;
    const { pumpChunkBytes, pumpExaminedMax } = this.#limits;
    const chunk = new ChunkMaker(pumpChunkBytes, this.#limits);
    let examinedCount = 0;
    while (!chunk.full && examinedCount < pumpExaminedMax) {
      const entry = this.#take();
      if (entry === undefined) {
        this.#isDone = true;
        break;
      }
      examinedCount += 1;
      if (!selects(selection, entry)) continue;
      if (!this.#isReady(entry)) break;
      chunk.add(encoder.event('ADDED', entry), entry);
    }
    const { bytes, framesCount } = chunk.take();
    return this.#chunk(bytes, framesCount, examinedCount);
  }

  #intoScratch(): Chunk {
    const { encoder, selection } = this.#events;
    const { pumpExaminedMax } = this.#limits;
    const scratch = this.#scratch;
    let end = 0;
    let framesCount = 0;
    let examinedCount = 0;
    while (examinedCount < pumpExaminedMax) {
      const entry = this.#take();
      if (entry === undefined) {
        this.#isDone = true;
        break;
      }
      examinedCount += 1;
      if (!selects(selection, entry)) continue;
      if (!this.#isReady(entry)) break;
      const next = encoder.eventInto?.('ADDED', entry, scratch, end) ?? 0;
      if (next > 0) {
        framesCount += 1;
        end = next;
        continue;
      }
      // One that fits no chunk goes alone; otherwise it begins the next chunk.
      if (end === 0) return this.#chunk(encoder.event('ADDED', entry), 1, examinedCount);
      this.#held = entry;
      break;
    }
    const bytes = end === 0 ? undefined : scratch.subarray(0, end);
    return this.#chunk(bytes, framesCount, examinedCount);
  }

  #chunk(bytes: Uint8Array | undefined, framesCount: number, examinedCount: number): Chunk {
    const { seq, revision } = this.position;
    return { bytes, framesCount, examinedCount, seq, revision };
  }
}

/** What a selection may show: one object, one namespace, or all. */
function scopeOf({ namespace, predicate: { pins } }: Selection): {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
} {
  return {
    namespace: namespace ?? pins.get('metadata.namespace'),
    name: pins.get('metadata.name'),
  };
}

/** From the history, which must reach back to `from.seq`. */
export function chunkOfHistory(events: Events, from: Position, limits: StreamLimits): Chunk {
  const { encoder, selection, stream } = events;
  const { history } = stream.cache;
  const chunk = new ChunkMaker(limits.missedChunkBytes, limits);
  let examinedCount = 0;
  let { seq, revision } = from;
  while (!chunk.full && examinedCount < limits.pumpExaminedMax && seq < history.lastSeq) {
    const change = history.at(seq + 1);
    const event = selectedEvent(selection, change);
    if (event !== undefined) {
      if (!isFrameReady(encoder, event.type, event.entry, limits)) break;
      chunk.add(frameOf(encoder, event).bytes, event.entry);
    }
    ({ seq, revision } = change);
    examinedCount += 1;
  }
  return { ...chunk.take(), examinedCount, seq, revision };
}

/** From a page of the log that covers `from.revision`. The log may be ahead of the cache: then the
 * watch waits for the cache at a revision that it has already been sent. `scratch`: as above. */
export function chunkOfLog(
  events: Events,
  from: Position,
  page: LogPage,
  limits: StreamLimits,
  scratch: Uint8Array,
): Chunk {
  const { encoder, selection, stream } = events;
  const chunk = new ChunkMaker(limits.pumpChunkBytes, limits, scratch);
  let examinedCount = 0;
  let { revision } = from;
  let at = page.indexAfter(revision);
  for (; at < page.changes.length && !chunk.full; at += 1) {
    const change = page.isOf(at, stream.id) ? page.at(at) : undefined;
    const event = change && selectedEvent(selection, change);
    if (event !== undefined) {
      if (!isFrameReady(encoder, event.type, event.entry, limits)) break;
      chunk.addEvent(encoder, event);
    }
    revision = (page.changes[at] as Change).revision;
    examinedCount += 1;
  }
  if (at === page.changes.length) revision = page.through;
  return { ...chunk.take(), examinedCount, seq: unknownSeq, revision };
}

class ChunkMaker {
  readonly #bytesMax: number;
  readonly #madeMax: number;
  readonly #madeBytesMax: number;
  /** Where frames are written for as long as they fit there, one behind the other. */
  readonly #scratch: Uint8Array | undefined;
  #written = 0;
  #writtenCount = 0;
  /** What is not there. */
  readonly #parts: Uint8Array[] = [];
  #bytes = 0;
  /** Of the objects that parts were made of. */
  #madeBytes = 0;

  constructor(bytesMax: number, limits: StreamLimits, scratch?: Uint8Array) {
    this.#bytesMax = bytesMax;
    this.#madeMax = limits.pumpMadeMax;
    this.#madeBytesMax = limits.pumpMadeBytes;
    this.#scratch = scratch;
  }

  get full(): boolean {
    if (this.#bytes >= this.#bytesMax) return true;
    return this.#parts.length >= this.#madeMax || this.#madeBytes >= this.#madeBytesMax;
  }

  add(frame: Uint8Array, { bytes }: Entry): void {
    this.#parts.push(frame);
    this.#bytes += frame.length;
    this.#madeBytes += bytes.length;
  }

  /** A hundred buffers for frames would each be one that the collector may take its time in. */
  addEvent(encoder: EventEncoder, event: SelectedEvent): void {
    if (!this.#write(encoder, event)) this.add(frameOf(encoder, event).bytes, event.entry);
  }

  #write(encoder: EventEncoder, { entry, type }: SelectedEvent): boolean {
    if (this.#scratch === undefined || this.#parts.length > 0) return false;
    const end = encoder.eventInto?.(type, entry, this.#scratch, this.#written) ?? 0;
    if (end === 0) return false;
    this.#bytes += end - this.#written;
    this.#written = end;
    this.#writtenCount += 1;
    return true;
  }

  take(): Pick<Chunk, 'bytes' | 'framesCount'> {
    const framesCount = this.#writtenCount + this.#parts.length;
    const written = this.#scratch?.subarray(0, this.#written);
    const parts = written === undefined || this.#written === 0 ? [] : [written];
    parts.push(...this.#parts);
    return { bytes: parts.length === 0 ? undefined : joined(parts, this.#bytes), framesCount };
  }
}

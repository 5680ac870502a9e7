/**
 * Frames of a watch in JSON: one line `{"type":...,"object":...}` an event (spec 1, sections 2.4
 * and 6). Each function makes an encoder of one wire form, as streams/ expects it.
 *
 * Who gets a frame, and when, is decided in streams/. Media types without a stream form never come
 * here.
 *
 * Invariants: encoders with equal ids make equal bytes for equal entries. Where an object is shown
 * as it is stored, the hot path, a frame is one allocation and two copies, and nothing is parsed.
 * `entry.bytes` carry their resourceVersion.
 */
import { stringifyJson } from './codecs/lossless.ts';
import type { EncodableState, StateEncoder } from './kept-encodings.ts';
import { isLarge } from './object-encoding.ts';
import { partialForm } from './projection/partial-metadata.ts';
import type { PartialOptions } from './projection/partial-metadata.ts';
import { tableForm } from './projection/table.ts';
import type { TableOptions } from './projection/table.ts';
import type { StatusError } from './status-error.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

export type EncodableEntry = EncodableState;

/** Structurally the EventEncoder of streams/. */
export interface EventFrames<E extends EncodableEntry = EncodableEntry> {
  readonly id: string;
  event(type: EventType, entry: E, previous?: E): Uint8Array;
  eventInto?(type: EventType, entry: E, target: Uint8Array, at: number): number;
  isReady?(type: EventType, entry: E): boolean;
  bookmark(revision: bigint, initialEventsEnd: boolean): Uint8Array;
  error(status: StatusError): Uint8Array;
}

/** What entries are in a form: that of a list's items. */
export interface EventItems {
  /** Of states that are asked for again: those of initial events. */
  readonly kept: StateEncoder;
  /** Of large ones, made in parts; undefined: making one takes no longer than a part. */
  readonly large: LargeItems | undefined;
}

export interface LargeItems {
  /** Does a part of the work. True: the frame of this event takes no longer than a part. */
  isReady(type: EventType, entry: EncodableEntry): boolean;
  /** Undefined: it has not been made so. */
  find(type: EventType, entry: EncodableEntry): Uint8Array | undefined;
}

/** Undefined: it is made for this frame alone. */
export function knownItem(
  { kept, large }: EventItems,
  type: EventType,
  entry: EncodableEntry,
): Uint8Array | undefined {
  const made = large !== undefined && isLarge(entry.bytes) ? large.find(type, entry) : undefined;
  return made ?? (type === 'ADDED' ? kept(entry) : undefined);
}

/** Of an encoder whose items may take long. */
export function readiness(items: EventItems | undefined): Pick<EventFrames, 'isReady'> {
  const large = items?.large;
  if (large === undefined) return {};
  return { isReady: (type, entry) => !isLarge(entry.bytes) || large.isReady(type, entry) };
}

export interface JsonEventOptions {
  /** As the watch shows objects: what its bookmarks carry. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The API domain of the identity. */
  readonly domain: string;
}

const prefixes: Readonly<Record<EventType, Uint8Array>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};
const closingBrace = 0x7d;
const newline = 0x0a;

/** Objects as `show` makes them, once an event, or as they are: `show` then gives its argument.
 * Bookmarks carry the options' kind. Equal ids show equal bytes. `items` are what `show` makes. */
export function shownEvents(
  id: string,
  options: JsonEventOptions,
  show: (bytes: Uint8Array) => Uint8Array,
  items?: EventItems,
): EventFrames {
  const shown =
    items === undefined
      ? (_type: EventType, entry: EncodableEntry): Uint8Array => show(entry.bytes)
      : (type: EventType, entry: EncodableEntry): Uint8Array =>
          knownItem(items, type, entry) ?? show(entry.bytes);
  return {
    id,
    ...readiness(items),
    event: (type, entry) => frameOf(type, shown(type, entry)),
    eventInto: (type, entry, target, at) => frameInto(type, shown(type, entry), target, at),
    bookmark: (revision, end) => bookmarkFrame(bookmarkObject(options, revision, end)),
    error: errorFrame,
  };
}

export interface PartialEventOptions extends PartialOptions {
  /** What the metadata is taken from, where that is not the entry's own bytes, and its name. */
  readonly show?: ((bytes: Uint8Array) => Uint8Array) | undefined;
  readonly showId?: string | undefined;
  readonly items?: EventItems | undefined;
}

/** Every object as its PartialObjectMetadata. */
export function partialEvents(options: PartialEventOptions): EventFrames {
  const { items, show, showId } = options;
  const form = partialForm(options);
  const { apiVersion, kind } = form;
  const shown = { apiVersion, kind, domain: options.domain };
  const project =
    show === undefined ? form.project : (bytes: Uint8Array) => form.project(show(bytes));
  return shownEvents(`json/${apiVersion}/${kind}/${showId ?? ''}`, shown, project, items);
}

export interface TableEventOptions extends TableOptions {
  /** How objects (includeObject=Object) and the row of a bookmark are labelled. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Sends the columns in the first event only. The encoder then has a memory, so it belongs to
   * one watch, whose name this is, and its frames are shared with nobody. Without it every event
   * carries the columns (clients take equal ones as known) and frames are shared. */
  readonly watchId?: string | undefined;
  /** From an entry's bytes to those of the object in its row; absent: they are the same. */
  readonly show?: ((bytes: Uint8Array) => Uint8Array) | undefined;
  /** Rows at this moment, in JSON or that encoding. */
  readonly rows?: EventItems | undefined;
  /** Absent: JSON. */
  readonly encoding?: TableEncoding | undefined;
}

/** How the frames of Tables are written. */
export interface TableEncoding {
  row(json: Uint8Array): Uint8Array;
  /** `head` and `tail` are JSON, and stand around the row. */
  frame(type: EventType, head: string, row: Uint8Array, tail: string): Uint8Array;
}

const tablesInJson: TableEncoding = {
  row: (json) => json,
  // At once: a copy of what is large takes as long as much of the rest.
  frame: (type, head, row, tail) =>
    Buffer.concat([prefixes[type], Buffer.from(head), row, Buffer.from(`${tail}}\n`)]),
};

/** Every object as a Table of one row. */
export function tableEvents(options: TableEventOptions): EventFrames {
  const form = tableForm(options);
  const once = options.watchId !== undefined;
  let columnsSent = false;
  const { encoding = tablesInJson, rows, show } = options;
  const rowOf = (type: EventType, entry: EncodableEntry): Uint8Array => {
    const made = rows && knownItem(rows, type, entry);
    if (made !== undefined) return made;
    // An object that has left a selection is not what it was at that revision.
    if (rows !== undefined && type !== 'DELETED') return rows.kept(entry);
    return encoding.row(form.rowNow(show === undefined ? entry.bytes : show(entry.bytes)));
  };
  const frame = (type: EventType, entry: EncodableEntry): Uint8Array => {
    const { head, tail } = form.around(entry.revision.toString(), !columnsSent);
    columnsSent = once;
    return encoding.frame(type, head, rowOf(type, entry), tail);
  };
  const { apiVersion, kind, domain } = options;
  const shape = `${form.apiVersion}/${options.includeObject}/${apiVersion}/${kind}`;
  return {
    id: `table/${shape}${once ? `/${options.watchId}` : ''}`,
    ...readiness(rows),
    event: frame,
    bookmark(revision, end) {
      const object = bookmarkObject({ apiVersion, kind, domain }, revision, end);
      return bookmarkFrame(form.tableOf(Buffer.from(object, 'utf8'), revision.toString(), false));
    },
    error: errorFrame,
  };
}

/** Where the frame ends in `target`; 0 when it does not fit behind `at`. */
function frameInto(type: EventType, object: Uint8Array, target: Uint8Array, at: number): number {
  const prefix = prefixes[type];
  const end = at + prefix.length + object.length + 2;
  if (end > target.length) return 0;
  target.set(prefix, at);
  target.set(object, at + prefix.length);
  target[end - 2] = closingBrace;
  target[end - 1] = newline;
  return end;
}

function frameOf(type: EventType, object: Uint8Array): Uint8Array {
  const prefix = prefixes[type];
  // Frames are short-lived and die in the order they were made, so they may share a pool.
  const frame = Buffer.allocUnsafe(prefix.length + object.length + 2);
  frame.set(prefix, 0);
  frame.set(object, prefix.length);
  frame[frame.length - 2] = closingBrace;
  frame[frame.length - 1] = newline;
  return frame;
}

export function bookmarkObject(
  options: JsonEventOptions,
  revision: bigint,
  initialEventsEnd: boolean,
): string {
  const annotations = { [`${options.domain}/initial-events-end`]: 'true' };
  return JSON.stringify({
    kind: options.kind,
    apiVersion: options.apiVersion,
    metadata: {
      resourceVersion: revision.toString(),
      creationTimestamp: null,
      ...(initialEventsEnd ? { annotations } : {}),
    },
  });
}

function bookmarkFrame(object: string): Uint8Array {
  return Buffer.from(`{"type":"BOOKMARK","object":${object}}\n`, 'utf8');
}

function errorFrame(status: StatusError): Uint8Array {
  return Buffer.from(`{"type":"ERROR","object":${stringifyJson(status.toStatus())}}\n`, 'utf8');
}

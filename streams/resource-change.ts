/**
 * Stored records and log entries as streams/ works with them: entries with the resourceVersion
 * stamped in, and changes with a place in the order of their resource.
 *
 * Invariants: entries and changes are immutable (the one memo below is invisible); bytes are
 * stamped once per revision and shared by every reader and every watch group.
 */
import { ownMemory, pooledMemory } from '../src/stdx/blocks.ts';
import type { Allocate } from '../src/stdx/blocks.ts';
import { parseStoreKey } from '../src/storage/keys.ts';
import type { ObjectRecord } from '../src/storage/record.ts';
import type { Revision, StoreKey, StoredRecord } from '../src/storage/storage.ts';
import type { Entry, EntryKey, EventType } from './streams.ts';

/** An entry that can be stamped again: a DELETED event shows an old state at a new revision. */
export interface StampedEntry extends Entry {
  /** Where the resourceVersion lies in the bytes, and how long it is. */
  readonly metadataAt: number;
  readonly stampBytes: number;
  /** See RecordRead. */
  readonly written?: ObjectRecord | undefined;
}

/** A record as it is read now. `written`: what is stored, where that has other bytes; it is what is
 * read again when the form changes. */
export type RecordRead = ObjectRecord & { readonly written?: ObjectRecord | undefined };

export type EntryName = Pick<Entry, 'namespace' | 'name'>;

export interface EntryMaker {
  /** `allocate`: where its bytes lie. `place`: the names, where they are known.
   * @throws StorageError `corrupt` when the record cannot be decoded. */
  fromRecord(record: StoredRecord, allocate: Allocate, place?: EntryName): StampedEntry;
  /** The same state under another revision. */
  restamped(entry: StampedEntry, revision: Revision, allocate: Allocate): StampedEntry;
  /** The state read under the current form; the very same entry if it was read under that form. */
  readAnew(id: string, entry: StampedEntry, allocate: Allocate): StampedEntry;
  /** The same with its bytes elsewhere. */
  moved(entry: StampedEntry, allocate: Allocate): StampedEntry;
}

/** A record as objects of its resource are read now, which can be another way than when it was
 * written: the very same one for all but kinds that users define. `id`: `<group>/<resource>`. */
export type ReadRecord = (id: string, record: ObjectRecord) => RecordRead;
export type DecodeRecord = (stored: StoredRecord) => ObjectRecord;
/** Inserts `"resourceVersion":"<revision>",` at `metadataAt` into new memory. */
export type Stamp = (
  object: Uint8Array,
  metadataAt: number,
  revision: Revision,
  allocate: Allocate,
) => Uint8Array;

const nothing: Readonly<Record<string, string>> = Object.freeze({});

/** Written out member by member, so that all entries have one hidden class. */
function shaped(
  entry: StampedEntry,
  shape: string,
  written: ObjectRecord | undefined,
): StampedEntry {
  return {
    namespace: entry.namespace,
    name: entry.name,
    revision: entry.revision,
    labels: entry.labels,
    fields: entry.fields,
    bytes: entry.bytes,
    metadataAt: entry.metadataAt,
    stampBytes: entry.stampBytes,
    timer: undefined,
    shape,
    written,
  };
}

type EntryMeta = Pick<
  StampedEntry,
  'labels' | 'fields' | 'metadataAt' | 'timer' | 'shape' | 'written'
>;

function entryOf(
  name: EntryName,
  revision: Revision,
  meta: EntryMeta,
  bytes: Uint8Array,
  stampBytes: number,
): StampedEntry {
  const entry = {
    namespace: name.namespace,
    name: name.name,
    revision,
    labels: meta.labels,
    fields: meta.fields,
    bytes,
    metadataAt: meta.metadataAt,
    stampBytes,
  };
  // Most have neither: they keep one hidden class, and what users define another.
  if (meta.shape !== undefined) return shaped(entry, meta.shape, meta.written);
  return meta.timer === undefined ? entry : { ...entry, timer: meta.timer };
}

export function createEntryMaker(
  decodeRecord: DecodeRecord,
  stamp: Stamp,
  readRecord: ReadRecord = (_id, record) => record,
): EntryMaker {
  const make = (
    name: EntryName,
    revision: Revision,
    meta: EntryMeta,
    object: Uint8Array,
    allocate: Allocate,
  ): StampedEntry => {
    const bytes = stamp(object, meta.metadataAt, revision, allocate);
    return entryOf(name, revision, meta, bytes, bytes.length - object.length);
  };
  const unstamped = (
    { bytes, metadataAt, stampBytes }: StampedEntry,
    allocate: Allocate = ownMemory,
  ): Uint8Array => {
    const object = allocate(bytes.length - stampBytes);
    object.set(bytes.subarray(0, metadataAt));
    object.set(bytes.subarray(metadataAt + stampBytes), metadataAt);
    return object;
  };
  const asWritten = (entry: StampedEntry): ObjectRecord => {
    const { labels, fields, metadataAt, shape } = entry;
    return { uid: '', labels, fields, metadataAt, object: unstamped(entry), shape };
  };
  return {
    fromRecord(stored, allocate, place = parseStoreKey(stored.key)) {
      const decoded = decodeRecord(stored);
      const record: RecordRead =
        decoded.shape === undefined ? decoded : readRecord(resourceIdOf(stored.key), decoded);
      const { labels, fields, metadataAt, object, shape, timer, written } = record;
      // Written out: a copy of a literal has a hidden class of its own each time.
      const [ownLabels, ownFields] = [orNothing(labels), orNothing(fields)];
      const meta = { labels: ownLabels, fields: ownFields, metadataAt, timer, shape, written };
      return make(place, stored.revision, meta, object, allocate);
    },
    restamped(entry, revision, allocate) {
      return make(entry, revision, entry, unstamped(entry, pooledMemory), allocate);
    },
    readAnew(id, entry, allocate) {
      const record = readRecord(id, entry.written ?? asWritten(entry));
      if (record.shape === entry.shape) return entry;
      return make(entry, entry.revision, record, record.object, allocate);
    },
    moved(entry, allocate) {
      const bytes = allocate(entry.bytes.length);
      bytes.set(entry.bytes);
      return entryOf(entry, entry.revision, entry, bytes, entry.stampBytes);
    },
  };
}

function orNothing(record: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const _ in record) return record;
  return nothing;
}

/** One change of one resource, in its order. */
export class ResourceChange {
  /** Position among the changes of this resource since the start of the server. The revision is
   * for the outside; in here a plain number is cheaper. */
  readonly seq: number;
  readonly revision: Revision;
  readonly type: EventType;
  /** DELETED: the last state, stamped with the revision of the deletion. */
  readonly entry: StampedEntry;
  readonly previous: StampedEntry | undefined;
  readonly #maker: EntryMaker;
  readonly #allocate: Allocate;
  #departed: StampedEntry | undefined;

  constructor(seq: number, change: ChangeParts, maker: EntryMaker, allocate: Allocate) {
    this.seq = seq;
    this.revision = change.revision;
    this.type = change.type;
    this.entry = change.entry;
    this.previous = change.previous;
    this.#maker = maker;
    this.#allocate = allocate;
  }

  /** The state before, at this change's revision: what a watch sees leave its selection. */
  departed(): StampedEntry {
    if (this.type === 'DELETED' || this.previous === undefined) return this.entry;
    this.#departed ??= this.#maker.restamped(this.previous, this.revision, this.#allocate);
    return this.#departed;
  }
}

interface ChangeParts {
  readonly revision: Revision;
  readonly type: EventType;
  readonly entry: StampedEntry;
  readonly previous: StampedEntry | undefined;
}

/** A change of the log, with its records decoded. */
export interface DecodedChange {
  readonly revision: Revision;
  /** Undefined: it deletes. */
  readonly written: StampedEntry | undefined;
  readonly previous: StampedEntry | undefined;
}

/** Undefined for a delete of what was not there: nothing happened that a watch could show.
 * `allocate`: where states lie that only the change has. */
export function resourceChange(
  seq: number,
  { revision, written, previous }: DecodedChange,
  maker: EntryMaker,
  allocate: Allocate,
): ResourceChange | undefined {
  if (written !== undefined) {
    const type = previous === undefined ? 'ADDED' : 'MODIFIED';
    const parts = { revision, type, entry: written, previous } as const;
    return new ResourceChange(seq, parts, maker, allocate);
  }
  if (previous === undefined) return undefined;
  const entry = maker.restamped(previous, revision, allocate);
  const parts = { revision, type: 'DELETED', entry, previous } as const;
  return new ResourceChange(seq, parts, maker, allocate);
}

/** `<group>/<resource>`: how caches are found. */
export function resourceIdOf(key: StoreKey): string {
  return key.slice(0, key.indexOf('/', key.indexOf('/') + 1));
}

/** `<namespace>/<name>`. */
export function entryKeyOf(key: StoreKey): EntryKey {
  return key.slice(key.indexOf('/', key.indexOf('/') + 1) + 1);
}

export function entryKey(entry: { readonly namespace: string; readonly name: string }): EntryKey {
  return `${entry.namespace}/${entry.name}`;
}

/**
 * The contract of streams/: every read and every watch is answered here (spec 1, 4.9, 4.10, 6).
 *
 *   storage.tail ─▶ watch cache ─▶ ordered immutable snapshots ─▶ snapshot() ─▶ get, list
 *                    ├──▶ history ring (per resource) ─▶ what a watch has missed
 *                    ├──▶ watch groups ─▶ frames, made once ─▶ watchers: a position, a sink
 *                    └──▶ resourceEvents() ─▶ controllers and indexes in this process
 *
 * Invariants are numbered in SPEC.md, each with its test.
 */
import type { Observable } from 'rxjs';
import type { GroupResource } from '../src/apimachinery/schema.ts';
import type { StatusError } from '../src/apimachinery/status-error.ts';
import type { Requester } from '../src/stdx/requester.ts';
import type { RecordTimer } from '../src/storage/record.ts';
import type { Revision } from '../src/storage/storage.ts';
import type { Followers } from './followers.ts';

/** One object as the cache holds it. Immutable; shared by all readers. */
export interface Entry {
  readonly namespace: string;
  readonly name: string;
  readonly revision: Revision;
  readonly labels: Readonly<Record<string, string>>;
  /** Selectable fields of the kind, beside metadata.name and metadata.namespace. */
  readonly fields: Readonly<Record<string, string>>;
  /** JSON with metadata.resourceVersion stamped in. Never written to. */
  readonly bytes: Uint8Array;
  /** For an object with a timer (a bootstrap token): the state of its machine. */
  readonly timer?: RecordTimer | undefined;
  /** Of a kind that users define: see ObjectRecord. */
  readonly shape?: string | undefined;
}

/** `namespace/name`, or `/name` for a cluster-scoped object: the order of lists. */
export type EntryKey = string;

/** `take` gives what `next` does, without an object around it. */
export interface EntryCursor extends IterableIterator<Entry> {
  take(): Entry | undefined;
}

export interface ResourceSnapshot {
  /** Everything up to and including this revision is in, nothing after it. */
  readonly revision: Revision;
  /** Entries in the scope; '' or undefined namespace: all. O(log n). */
  count(namespace: string | undefined): number;
  /** Entries in the scope that come after this key. O(log n). */
  countAfter(namespace: string | undefined, after: EntryKey): number;
  get(namespace: string, name: string): Entry | undefined;
  /** In key order, from the first entry after `after`. Lazy. */
  entries(namespace: string | undefined, after?: EntryKey): EntryCursor;
  /** Objects whose record cannot be decoded, with the reason; nearly always none. `get` and
   * `entries` show their last readable state, or nothing. */
  readonly unreadable: UnreadableEntries;
}

export interface UnreadableEntry {
  readonly key: EntryKey;
  readonly why: string;
}

/** Immutable. There may be as many as there are objects. */
export interface UnreadableEntries {
  readonly size: number;
  /** Why it cannot be read. */
  get(key: EntryKey): string | undefined;
  has(key: EntryKey): boolean;
  /** In key order, lazily; undefined: those of all namespaces. */
  in(namespace: string | undefined): IterableIterator<UnreadableEntry>;
}

/** Nobody is told of more of them at a time. */
const unreadableNamedMax = 100;

/** The first ones of the namespace; undefined or '': of all. */
export function unreadableIn(
  { unreadable }: { readonly unreadable: UnreadableEntries },
  namespace: string | undefined,
): readonly UnreadableEntry[] {
  if (unreadable.size === 0) return [];
  const named: UnreadableEntry[] = [];
  for (const each of unreadable.in(namespace === '' ? undefined : namespace)) {
    if (named.push(each) === unreadableNamedMax) break;
  }
  return named;
}

export interface Predicate {
  /** Canonical text; equal predicates have equal ids. '' matches everything. */
  readonly id: string;
  matches(entry: Entry): boolean;
  /** Fields the predicate pins to one value (`metadata.name`, `spec.nodeName`): lets a change
   * skip groups that cannot match. Optional to use. */
  readonly pins: ReadonlyMap<string, string>;
  /** The same of labels, which have to be there with this value. */
  readonly labelPins: ReadonlyMap<string, string>;
}

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Makes frames of one wire form. Pure; the same input gives the same bytes. */
export interface EventEncoder {
  /** Equal ids make equal bytes: media type, version, transform. */
  readonly id: string;
  /** For DELETED, `entry.bytes` already carry the deletion's revision. `previous`: of a MODIFIED,
   * the state that was selected before. */
  event(type: EventType, entry: Entry, previous?: Entry): Uint8Array;
  /** Writes what event() makes into `target` at `at`; returns where it ends, or 0 when it does not
   * fit. Optional, and only where event() has no use for `previous`: it saves one buffer per event
   * where many events are put together. */
  eventInto?(type: EventType, entry: Entry, target: Uint8Array, at: number): number;
  /** Does a part of what event() needs of a large entry (`largeEntryBytes`). False: there is more;
   * it is asked again, in this turn or a later one. True: in this step the frame takes no longer
   * than a part. Optional: no frame takes longer. */
  isReady?(type: EventType, entry: Entry): boolean;
  bookmark(revision: Revision, initialEventsEnd: boolean): Uint8Array;
  error(status: StatusError): Uint8Array;
}

/** Where frames go. ResponseStream of the transport port satisfies it. */
export interface WatchSink {
  /** Copies or sends the chunk before it returns, because the memory is reused. The memory of a
   * `shared` chunk, which goes to many sinks in this turn, never changes. */
  write(chunk: Uint8Array, shared?: boolean): boolean;
  onDrain(callback: () => void): void;
  end(): void;
  readonly closed: boolean;
  /** What a write leaves behind is settled in the next turn of the event loop, by reading once more
   * what it has touched: few in a turn cost less each. Absent: they leave nothing. */
  readonly settlesLater?: boolean;
}

export type WatchStart =
  /** Events after this revision; no initial events. */
  | { readonly kind: 'after'; readonly revision: Revision }
  /** Events after now (the linearizable revision at the request). */
  | { readonly kind: 'now' }
  /** The state as ADDED events, at a revision >= atLeast (undefined: linearizable; 0: any), then
   * the changes. `mark`: a bookmark with the initial-events-end annotation in between. */
  | { readonly kind: 'state'; readonly atLeast: Revision | undefined; readonly mark: boolean };

export interface WatchRequest {
  readonly resource: GroupResource;
  /** undefined: all namespaces (or a cluster-scoped resource). */
  readonly namespace: string | undefined;
  readonly predicate: Predicate;
  readonly start: WatchStart;
  readonly bookmarks: boolean;
  /** The stream is ended cleanly after this long. */
  readonly timeoutMs: number;
  readonly encoder: EventEncoder;
  /** Who asks for it. The watches of one caller, however many, keep those of others waiting for a
   * turn. Absent: it counts among nobody's. */
  readonly caller?: string | undefined;
  /** Counts what is sent. Watches with equal encoders share one. */
  readonly sent?: SentEvents | undefined;
  /** The state has been sent; `marked`: the mark behind it is being sent. Called once, if at all.
   */
  readonly onInitialEventsEnd?: ((marked: boolean) => void) | undefined;
}

/** Counts the frames and bytes that are sent. */
export interface SentEvents {
  /** So many frames, of so many bytes together. */
  observeMany(frames: number, bytes: number): void;
}

export interface WatchHandle {
  /** The client has gone: forget the watch. Idempotent. */
  close(): void;
}

export type Freshness =
  | { readonly kind: 'reached' }
  /** `revision` is still ahead of what exists after the wait. */
  | { readonly kind: 'too-large'; readonly current: Revision }
  /** Who asked has gone. */
  | { readonly kind: 'left' };

export interface Streams {
  /** Loads the caches and starts following the log. Resolves when reads can be served. */
  start(): Promise<void>;
  /** Ends every watch cleanly (a final bookmark where bookmarks are on), and from now on each that
   * begins. Reads are answered as before, also those that wait. */
  endAllWatches(): Promise<void>;
  /** Ends every watch, then stops following: reads that wait are refused. */
  stop(): Promise<void>;
  /** Everything up to here has been applied to the caches. */
  readonly revision: Revision;
  /** Resolves when the caches show everything acknowledged before the call (promise P3). @throws
   * StorageError `lagging` when they do not within `currentWaitMs`, or the store's error when it
   * cannot tell its revision. It never resolves with an older state. */
  waitUntilCurrent(): Promise<void>;
  /** Resolves when the caches have reached `revision`, after `freshnessWaitMs`, or when the
   * requester goes. */
  waitUntil(revision: Revision, requester?: Requester): Promise<Freshness>;
  /** The cache of a resource as it is now. O(1). */
  snapshot(resource: GroupResource): ResourceSnapshot;
  /** Objects of the resource of which no state is known, with the reason; nearly always none, and
   * then O(1). */
  unreadableEntries(resource: GroupResource): UnreadableEntries;
  /** Whether records of the resource cannot be read yet, because their keys are away: it has no
   * lists and no watches until they are there, and then it is whole by itself. */
  isWaiting(resource: GroupResource): boolean;
  /** How many resources are; nearly always 0. */
  readonly waitingCount: number;
  /** The resource exactly at `revision`: from the cache or a kept snapshot if one shows that
   * revision, from the store otherwise. */
  snapshotAt(resource: GroupResource, revision: Revision): Promise<SnapshotAt>;
  /** Keeps this snapshot for later pages of the same list (`snapshotAt` finds it), for a bounded
   * time and number; beyond, the store answers. */
  keep(resource: GroupResource, snapshot: ResourceSnapshot): void;
  /** Never throws: what goes wrong after the head was sent is an ERROR event. */
  watch(request: WatchRequest, sink: WatchSink): WatchHandle;
  /** Ends every watch of the resource cleanly, because its definition has changed. */
  endWatches(resource: GroupResource): void;
  /** The form in which objects of the resource are read has changed: objects of another form are
   * read again, in steps. No revision changes, and watches see no event. */
  refresh(resource: GroupResource): Generator<undefined, void>;
  /** For this process: RESET when it is subscribed to, in the same step, and when a resource that
   * was waiting is whole; beside that every change of the resource, in log order, in the step in
   * which the snapshots come to show it; several resources advance together. Never ends. To be
   * subscribed to through `followers`. `only`: beside RESET nothing but changes of this type. */
  resourceEvents(resource: GroupResource, only?: EventType): Observable<ResourceEvent>;
  /** The followers of resources in this process. */
  readonly followers: Followers;
  stats(): StreamStats;
}

/** The current state; earlier events are void. */
export interface Reset {
  readonly type: 'RESET';
  /** `<group>/<resource>`. */
  readonly resource: string;
  readonly snapshot: ResourceSnapshot;
}

interface Changed<T extends EventType> {
  readonly type: T;
  readonly resource: string;
  /** Of a Deleted: the last state. */
  readonly entry: Entry;
}
export type Added = Changed<'ADDED'>;
export type Modified = Changed<'MODIFIED'>;
export type Deleted = Changed<'DELETED'>;

export type ResourceEvent = Reset | Added | Modified | Deleted;

export type SnapshotAt =
  | { readonly kind: 'ok'; readonly snapshot: ResourceSnapshot }
  | { readonly kind: 'compacted'; readonly oldest: Revision }
  | { readonly kind: 'future'; readonly current: Revision };

export interface StreamStats {
  readonly watchersCount: number;
  readonly groupsCount: number;
  readonly blockedCount: number;
  readonly catchingUpCount: number;
  readonly eventsTotal: number;
  readonly framesTotal: number;
  readonly cachedBytes: number;
  /** Consistent reads that wait for the log, and how long the oldest has waited. */
  readonly readsWaitingCount: number;
  readonly oldestReadMs: number;
  /** For how long it has been known that the log is ahead of the caches, or that the store does
   * not say how far it is; 0 when neither. Known by asking: reads ask, and waitUntilCurrent. */
  readonly lagMs: number;
}

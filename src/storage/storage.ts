/**
 * The storage contract: what every adapter (memory, lmdb, fdb) promises, and nothing of how.
 *
 * Values are opaque bytes; the only thing an adapter sees of a record beside its key is `state`, a
 * short word that conditions of other records' commits may test ("the namespace is live").
 *
 *   revision space    1 ──── compactRevision ═══════ history ═══════ revision() ─ ─ ─▶
 *                     reads at, and changes after, a revision left of compactRevision: compacted
 *
 * Invariants (the contract suite in test/contract/storage-contract.ts holds every adapter to them)
 *  - A revision is unique per mutation, increasing in log order, and known only when the commit has
 *    succeeded. Callers never compute one; revisions may have gaps.
 *  - commit() resolves only after the mutations are durable. Nothing that is not yet durable is
 *    visible: not to read, scan, changes, tail or revision().
 *  - Other writers may exist. Every precondition and condition is evaluated inside the transaction
 *    that applies the mutation.
 *  - One commit carries many independent mutations; each gets its own outcome and its own revision.
 *    A refused mutation writes nothing and does not disturb its neighbours, except those that are
 *    to follow it, which are refused, too.
 *  - A mutation's companions are written with it, in its transaction, or neither is. They are
 *    decided there, on the records as they are then; a companion that fails refuses its mutation.
 *    Each is a change of its own, behind that of its mutation. Amendments of one record in one
 *    commit may be one change.
 *  - A read at revision N sees exactly the mutations with revision <= N.
 *  - The log is complete: changes(after) yields every mutation after `after`, once, in order, or
 *    says `compacted`.
 *  - A record whose bytes were damaged in the medium is given with `damage`, in its place; it fails
 *    nothing but itself. Since nobody knows when it was written, reads of the past show it too.
 */
import type { ObjectRecord } from './record.ts';

/** Position in the history of the store. Below 2^63. 0 is "before everything". */
export type Revision = bigint & { readonly __revision: unique symbol };

export const revisionZero = 0n as Revision;

/** `<group>/<resource>/<namespace>/<name>`; see keys.ts. Compared as UTF-8 bytes. */
export type StoreKey = string & { readonly __storeKey: unique symbol };

export interface StoredRecord {
  readonly key: StoreKey;
  /** The revision of the mutation that wrote this record. */
  readonly revision: Revision;
  /** The word that conditions test: the state of the machine that owns the record. */
  readonly state: string;
  /** Opaque to the adapter; at most `valueBytesMax`. The receiver must not write into it. */
  readonly value: Uint8Array;
  /** What the adapter found wrong with it, if so: then `key` alone is certain. `revision` is still
   * what a mutation has to expect of it. */
  readonly damage?: string | undefined;
  /** What `value` holds, where the mutation said so and the record has not left the process since:
   * nobody needs to decode it. */
  readonly decoded?: ObjectRecord | undefined;
}

export type Precondition =
  /** No record has this key. */
  | { readonly kind: 'absent' }
  /** The record now was written at exactly this revision. */
  | { readonly kind: 'revision'; readonly revision: Revision }
  /** The mutation at this index of the same commit was applied, the last one on this key. */
  | { readonly kind: 'after'; readonly index: number };

/** A test on another record, made in the same transaction and part of its conflict set. */
export interface Condition {
  readonly key: StoreKey;
  /** The record exists and its state is this word; undefined: there is no such record. */
  readonly state: string | undefined;
}

/** A further write, in the transaction of a mutation and under its fate. Its key is neither that of
 * its mutation nor that of another companion of it. */
export type Companion =
  /** Puts a record where none is, or where it is the owner's already; else it fails, as `taken`. */
  | {
      readonly kind: 'claim';
      readonly key: StoreKey;
      readonly owner: string;
      readonly state: string;
      readonly value: Uint8Array;
    }
  /** Deletes the record if it is the owner's; never fails. */
  | { readonly kind: 'release'; readonly key: StoreKey; readonly owner: string }
  /** Puts the record, whatever is there; never fails. */
  | {
      readonly kind: 'mark';
      readonly key: StoreKey;
      readonly state: string;
      readonly value: Uint8Array;
    }
  /** What the store's rules make of the record and the instruction. No record: nothing. */
  | { readonly kind: 'amend'; readonly key: StoreKey; readonly instruction: Instruction };

/** Plain JSON: it travels to where the store is. */
export type Instruction = Readonly<Record<string, unknown>>;

/** What is done to the content of records within a transaction: pure functions, given to a store
 * when it is opened. All servers of a store must have the same. */
export interface CompanionRules {
  /** Once for each record and commit. @throws when it cannot be read: then the companion fails. */
  decode(stored: Pick<StoredRecord, 'key' | 'state' | 'value' | 'damage'>): unknown;
  /** `current`: as decode() or an earlier amendment has made it; it is left as it is. */
  amend(current: unknown, instruction: Instruction): Amendment;
  /** The new value of the record. */
  encode(amended: unknown, place: Pick<StoredRecord, 'key' | 'state'>): Uint8Array;
  /** Whose the record is; undefined: nobody's who could claim it. */
  ownerOf(current: unknown): string | undefined;
}

export type Amendment =
  | { readonly kind: 'amended'; readonly next: unknown }
  | { readonly kind: 'unchanged' }
  /** `code` is for programs, `message` for people. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

export type MutationOperation = PutOperation | { readonly kind: 'delete' };

export interface PutOperation {
  readonly kind: 'put';
  readonly state: string;
  readonly value: Uint8Array;
  /** Memory that ends with `value`; what stands before it is the store's to write to, which then
   * need not copy the value to have it behind a head of its own. Absent: none. */
  readonly withRoom?: Buffer | undefined;
  /** What `value` holds, for those who follow the log in this process. Absent: they decode it. */
  readonly decoded?: ObjectRecord | undefined;
}

export interface Mutation {
  readonly key: StoreKey;
  readonly expect: Precondition;
  readonly conditions: readonly Condition[];
  readonly operation: MutationOperation;
  /** At most `companionsMax`. Undefined: none. */
  readonly companions?: readonly Companion[] | undefined;
  /** Indexes of mutations before it in the same commit, on whatever keys: it is tried only if each
   * of them was applied. Undefined: none. */
  readonly follows?: readonly number[] | undefined;
}

export type MutationOutcome =
  | { readonly kind: 'applied'; readonly revision: Revision }
  /** `expect` did not hold. `found` is the record's revision now, undefined when there is none. */
  | { readonly kind: 'conflict'; readonly found: Revision | undefined }
  /** A condition did not hold. `found` is the state now, undefined when the record is missing. */
  | {
      readonly kind: 'condition-failed';
      readonly condition: Condition;
      readonly found: string | undefined;
    }
  /** One that it was to follow was not applied, so it was not tried. */
  | { readonly kind: 'predecessor-failed' }
  | CompanionFailure;

/** `taken`: what was to be claimed is another's; `unreadable`: the record cannot be read; else the
 * code of the rules. */
export interface CompanionFailure {
  readonly kind: 'companion-failed';
  readonly key: StoreKey;
  readonly code: string;
  readonly message: string;
}

export interface Change {
  readonly revision: Revision;
  readonly key: StoreKey;
  readonly kind: 'put' | 'delete';
  /** Wall time of the commit at the server that made it, milliseconds. */
  readonly timeMs: number;
  /** The record as this change left it; undefined for a delete. */
  readonly record: StoredRecord | undefined;
  /** The record this change superseded. Present only when asked for, and when there was one. */
  readonly previous: StoredRecord | undefined;
}

export interface ChangePage {
  /** In revision order, without gaps. May be empty. */
  readonly changes: readonly Change[];
  /** Every change up to here is in this page or an earlier one: the next `after`. */
  readonly through: Revision;
}

export interface ScanRange {
  /** Keys that start with this; see keys.ts. Never empty of a resource: scans stay in one resource
   * unless `prefix` is '' (everything, used once at start). */
  readonly prefix: string;
  /** Only keys strictly greater than this one. */
  readonly after?: StoreKey | undefined;
  /** At most this many records, and at most about `pageBytesMax` bytes, in one page. */
  readonly limit: number;
  /** Values may lie in this memory of the caller's, who uses them before it is given again. Absent,
   * or where they do not fit: in other memory. */
  readonly into?: Uint8Array | undefined;
}

export interface ScanPage {
  /** In key order. */
  readonly records: readonly StoredRecord[];
  /** The revision this page shows. Pass it as `at` to read the next page of the same snapshot. */
  readonly revision: Revision;
  /** Whether a further page may hold records. */
  readonly more: boolean;
}

/** Reading the past can fail in two expected ways; everything else is a thrown StorageError. */
export type AtRevision<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'compacted'; readonly compactRevision: Revision }
  | { readonly kind: 'future'; readonly revision: Revision };

/** Of the newest records. */
export interface StoreContent {
  readonly records: number;
  /** Of their values, without those that are larger than `blockPartBytesMax`. */
  readonly smallValueBytes: number;
}

export interface Storage {
  /** For the ready line, logs and health: `memory`, `lmdb`, `fdb`. */
  readonly name: string;

  /** How many commits it is worth having in flight at once; absent: one. Any number may be asked
   * for: commits that touch a common key are applied in the order in which they were. */
  readonly commitLanes?: number | undefined;
  /** How many writes one commit may have, companions counted with mutations; absent: as many as
   * anybody brings together. */
  readonly commitWritesMax?: number | undefined;
  /** What there was when it was opened; absent: not known. For whoever makes room to read it. */
  readonly found?: StoreContent | undefined;

  /** The record at `at`, or now. `value: undefined` when there was none. */
  read(key: StoreKey, at?: Revision): Promise<AtRevision<StoredRecord | undefined>>;
  scan(range: ScanRange, at?: Revision): Promise<AtRevision<ScanPage>>;

  /** Applies each mutation whose expectations hold, in the given order, in one transaction.
   * Resolves when durable; outcomes stand at the mutations' indexes.
   * @throws StorageError when nothing of it was applied, or (code `unknown`) may have been. */
  commit(mutations: readonly Mutation[]): Promise<readonly MutationOutcome[]>;

  /** One page of the log: changes with revision > after. `previous: true` also reads what each
   * change superseded. An empty page has through === the durable revision. */
  changes(
    after: Revision,
    options: { readonly limit: number; readonly previous: boolean },
  ): Promise<AtRevision<ChangePage>>;

  /** Follows the log: yields non-empty pages (without `previous`) as changes become durable, in
   * order from `after`; sleeps in between and never polls. Ends when `signal` aborts.
   * @throws StorageError `compacted` when it fell behind the compaction. */
  tail(after: Revision, signal: AbortSignal): AsyncIterable<ChangePage>;

  /** The newest durable revision: linearizable, at or after every commit acknowledged (by any
   * server of this store) before the call. */
  revision(): Promise<Revision>;

  /** Changes up to and including this one are gone from the log. */
  compactRevision(): Promise<Revision>;

  /** Forgets changes with revision <= before and the records they superseded. Reads at `before`
   * itself keep working. Works in bounded steps; may be called by anyone, also twice. */
  compact(before: Revision): Promise<void>;

  /** Why this store takes no more writes, if it does not: for health checks. */
  failure(): StorageError | undefined;

  /** Waits for commits in flight. Further calls throw StorageError `closed`. */
  close(): Promise<void>;
}

export type StorageErrorCode =
  /** The store is held by another process. */
  | 'in-use'
  /** The store was written under another identity or format. */
  | 'identity'
  /** An import into the store has not finished: it cannot be served. */
  | 'incomplete'
  /** An import was asked for into a store that holds something. */
  | 'not-empty'
  /** The medium is full; nothing was applied. */
  | 'full'
  /** I/O failed; nothing was applied. */
  | 'io'
  /** The medium has not answered in time; nothing was applied. */
  | 'timeout'
  /** I/O failed and the outcome is not known. */
  | 'unknown'
  /** A tail fell behind the compaction. */
  | 'compacted'
  /** A follower of the log was not up to date in time; nothing was read. Not of an adapter. */
  | 'lagging'
  /** A stored record cannot be read. */
  | 'corrupt'
  /** It cannot be read yet: who keeps its key is away. Not of an adapter. */
  | 'away'
  /** A value or key is over the named limit. */
  | 'too-large'
  | 'closed';

export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;
  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Limits of the contract; an adapter may be stricter only by saying so in its header. */
export const storageLimits = {
  /** Largest record value. A request body is at most 3 MiB; an object grows when stored. */
  valueBytesMax: 4 * 1024 * 1024,
  /** Longest key in UTF-8 bytes. */
  keyBytesMax: 1024,
  /** Longest state word in UTF-8 bytes. */
  stateBytesMax: 64,
  /** Most companions of one mutation. */
  companionsMax: 60,
  /** Soft bound of one scan or changes page. At least one record is always returned. */
  pageBytesMax: 4 * 1024 * 1024,
  /** Most changes in one page of tail(); the rest comes in the next one. */
  tailChangesMax: 1000,
} as const;

/**
 * The port to FoundationDB: the few operations that the adapter uses.
 *
 * `foundationdb-binding.ts` implements it with the npm package, a double under test/ in memory.
 * Nothing else in the adapter knows which client it runs on.
 *
 * Invariants: the semantics are those of FoundationDB, API version 720. All reads of a transaction
 * see its read version. A serializable read adds its key or range to the read conflict set, a
 * snapshot read does not. The writes of a transaction are applied together at one commit version,
 * or not at all, or the outcome is unknown. A failure is an Error whose `code` is FoundationDB's
 * number.
 */

export type ReadMode =
  /** Part of the conflict set. */
  | 'serializable'
  /** Not part of it. */
  | 'snapshot';

export interface KeyValue {
  readonly key: Buffer;
  readonly value: Buffer;
}

export interface KeyValuePage {
  /** In key order. */
  readonly entries: readonly KeyValue[];
  /** Whether the range may hold more behind the last entry. */
  readonly more: boolean;
}

export interface RangeLimits {
  readonly limit: number;
  /** The page ends softly at about this many bytes. */
  readonly bytesTarget: number;
}

export interface FdbWatch {
  /** Resolves once the value differs from what the transaction saw. Rejects with an FdbError. */
  readonly changed: Promise<void>;
  cancel(): void;
}

export interface FdbTransaction {
  /** At or after the commit version of everything acknowledged before it was asked for. */
  readVersion(): Promise<bigint>;
  get(key: Buffer, mode: ReadMode): Promise<Buffer | undefined>;
  /** Keys from `begin` up to but without `end`. */
  getRange(begin: Buffer, end: Buffer, limits: RangeLimits, mode: ReadMode): Promise<KeyValuePage>;
  set(key: Buffer, value: Buffer): void;
  clear(key: Buffer): void;
  clearRange(begin: Buffer, end: Buffer): void;
  /** The `STAMP_BYTES` of the key from `stampAt` become the versionstamp of the commit. */
  setVersionstampedKey(key: Buffer, stampAt: number, value: Buffer): void;
  setVersionstampedValue(key: Buffer, value: Buffer, stampAt: number): void;
  /** In force once the transaction has committed; outlives it. */
  watch(key: Buffer): FdbWatch;
  /** To be asked for before commit(); resolves after it. */
  versionstamp(): Promise<Buffer>;
  commit(): Promise<void>;
  /** After a failure that a retry may mend: waits and resets the transaction, which keeps its
   * timeout. Rejects with the error itself when a retry cannot mend it. */
  onError(error: FdbError): Promise<void>;
  cancel(): void;
}

export interface TransactionOptions {
  /** From begin to the last retry; then everything rejects with `transactionTimedOut`. None: no
   * timeout. */
  readonly timeoutMs?: number | undefined;
  /** `batch` gives way to everything else. */
  readonly priority?: 'default' | 'batch' | undefined;
}

export interface FdbDatabase {
  begin(options: TransactionOptions): FdbTransaction;
  close(): void;
}

/** Commit version (8 bytes, big-endian) and order within that version (2 bytes). */
export const STAMP_BYTES = 10;

/** What FoundationDB calls its failures; only those that somebody tells apart. */
export const fdbCodes = {
  transactionTooOld: 1007,
  futureVersion: 1009,
  notCommitted: 1020,
  commitUnknownResult: 1021,
  transactionCancelled: 1025,
  transactionTimedOut: 1031,
  accessedUnreadable: 1036,
  processBehind: 1037,
  databaseLocked: 1038,
  clusterVersionChanged: 1039,
  proxyMemoryLimitExceeded: 1042,
  batchTransactionThrottled: 1051,
  grvProxyMemoryLimitExceeded: 1078,
  operationCancelled: 1101,
  tagThrottled: 1213,
  proxyTagThrottled: 1223,
  noClusterFile: 1515,
  clusterFileNotReadable: 1513,
  clusterFileTooLarge: 1516,
  noCommitVersion: 2021,
  transactionTooLarge: 2101,
  keyTooLarge: 2102,
  valueTooLarge: 2103,
  connectionStringInvalid: 2104,
  apiVersionNotSupported: 2203,
} as const;

export interface FdbError extends Error {
  readonly code: number;
}

export function isFdbError(error: unknown): error is FdbError {
  return error instanceof Error && typeof (error as { code?: unknown }).code === 'number';
}

/** Failures of a commit after which nothing of it is or will be in the database. Whatever is not
 * listed leaves the outcome open, known to FoundationDB as "maybe committed" or not. */
const refusedCodes: ReadonlySet<number> = new Set([
  fdbCodes.transactionTooOld,
  fdbCodes.futureVersion,
  fdbCodes.notCommitted,
  fdbCodes.accessedUnreadable,
  fdbCodes.processBehind,
  fdbCodes.databaseLocked,
  fdbCodes.proxyMemoryLimitExceeded,
  fdbCodes.batchTransactionThrottled,
  fdbCodes.grvProxyMemoryLimitExceeded,
  fdbCodes.tagThrottled,
  fdbCodes.proxyTagThrottled,
  fdbCodes.transactionTooLarge,
  fdbCodes.keyTooLarge,
  fdbCodes.valueTooLarge,
]);

/** Whether a commit that failed so is certain to have changed nothing, now and later. */
export function certainlyNotCommitted(error: FdbError): boolean {
  return refusedCodes.has(error.code);
}

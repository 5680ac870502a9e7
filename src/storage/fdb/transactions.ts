/**
 * Running a piece of work in transactions: retry what a retry mends, translate the rest.
 *
 * What it is not: the commit of mutations; that one has to know which of its attempts applied, and
 * lives in commits.ts. Work that is run here may run several times and may have been applied by
 * an attempt that failed: it must come to the same when it is.
 *
 * Bounds: `fdbLimits`, and for what a request waits for the request's own timeout
 * (`requestTimeoutMs` of the store); a transaction's timeout counts over its retries, and
 * FoundationDB's own back-off stands between them.
 */
import { StorageError } from '../storage.ts';
import { fdbCodes, isFdbError } from './binding.ts';
import type { FdbDatabase, FdbError, FdbTransaction, TransactionOptions } from './binding.ts';

export const fdbLimits = {
  /** One step of work that no request waits for: compacting, moving a store. */
  workTimeoutMs: 10_000,
  /** One transaction of a commit, with its retries. */
  commitTimeoutMs: 5_000,
  /** Asking for a turn on a record: only a favour. */
  turnTimeoutMs: 500,
  /** The first transaction of a new opener: how long a cluster may take to answer. */
  openTimeoutMs: 10_000,
  /** Value bytes of one commit; with keys, log and superseded records well below 10 MB. */
  commitBytesMax: 5 * 1024 * 1024,
} as const;

/** Runs `work` until an attempt succeeds; commits nothing.
 * @throws StorageError */
export async function runRead<T>(
  db: FdbDatabase,
  work: (transaction: FdbTransaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const transaction = db.begin(options);
  for (;;) {
    try {
      return await work(transaction);
    } catch (error) {
      await retryOrThrow(transaction, error);
    }
  }
}

/** Runs `work` and commits what it wrote, until an attempt succeeds.
 * @throws StorageError */
export function runWrite<T>(
  db: FdbDatabase,
  work: (transaction: FdbTransaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const attempt = async (transaction: FdbTransaction): Promise<T> => {
    const result = await work(transaction);
    await transaction.commit();
    return result;
  };
  return runRead(db, attempt, options);
}

/** Resolves when the transaction may be tried again. */
async function retryOrThrow(transaction: FdbTransaction, error: unknown): Promise<void> {
  if (!isFdbError(error)) throw error;
  try {
    await transaction.onError(error);
  } catch (final) {
    throw isFdbError(final) ? translateFdbError(final) : final;
  }
}

const tooLarge: ReadonlySet<number> = new Set([
  fdbCodes.transactionTooLarge,
  fdbCodes.keyTooLarge,
  fdbCodes.valueTooLarge,
]);

export function translateFdbError(error: FdbError): StorageError {
  const options = { cause: error };
  if (error.code === fdbCodes.transactionTimedOut) {
    return new StorageError('timeout', 'FoundationDB has not answered in time', options);
  }
  const message = `FoundationDB: ${error.message} (${error.code})`;
  return new StorageError(tooLarge.has(error.code) ? 'too-large' : 'io', message, options);
}

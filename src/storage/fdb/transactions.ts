/**
 * Runs work in transactions: retries the errors that a retry can cure, translates the others.
 *
 * It is not for committing mutations: commits.ts has to know which of its attempts was applied.
 * Work that runs here may run several times, also after an attempt that failed but was applied, so
 * its result must be the same then.
 *
 * Bounds: `fdbLimits`, and the timeout of the request (`requestTimeoutMs` of the store) for what a
 * request waits for. The timeout of a transaction covers its retries. FoundationDB's own back-off
 * paces them.
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

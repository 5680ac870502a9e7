/**
 * Compaction: removes history up to a revision, in bounded steps, on the server that holds the
 * lease.
 *
 * The caller decides up to which revision (src/storage/compactor.ts).
 *
 * The lease (an owner and the version at which it ends) only keeps servers from doing the same work
 * twice; it is released at the end. Correctness does not depend on it: each step is a transaction
 * with the compact revision in its conflict set, and a repeated step finds nothing to do.
 *
 * Bounds: COMPACT_STEP changes in a step.
 */
import { StorageError, revisionZero } from '../storage.ts';
import type { Revision } from '../storage.ts';
import type { FdbDatabase, FdbTransaction } from './binding.ts';
import { readLog, supersededBy } from './fdb-log.ts';
import type { LogEntryAt } from './layout.ts';
import { decodeCompactRevision, viewHistory } from './fdb-reads.ts';
import type { Subspace } from './fdb-reads.ts';
import { versionBytes } from './layout.ts';
import { COMPACTION_LEASE_MS, OWNER_BYTES, VERSIONS_PER_MS } from './slots.ts';
import { fdbLimits, runWrite } from './transactions.ts';

/** Changes forgotten in one transaction; each may mean reading a record to find its pieces. */
const COMPACT_STEP = 256;

export interface CompactionOptions {
  readonly db: FdbDatabase;
  readonly space: Subspace;
  readonly owner: Buffer;
  /** Aborts when the store is closed: then no further step is made. */
  readonly closing: AbortSignal;
}

/** Forgets up to `before`, or leaves it to the server that is at it.
 * @throws StorageError */
export async function compactTo(options: CompactionOptions, before: Revision): Promise<void> {
  const step = (transaction: FdbTransaction): Promise<boolean> =>
    compactStep(options, transaction, before);
  const how = { timeoutMs: fdbLimits.workTimeoutMs, priority: 'batch' } as const;
  do {
    if (options.closing.aborted) throw new StorageError('closed', 'the store is closed');
  } while (await runWrite(options.db, step, how));
}

/** Answers whether there may be more to forget. */
async function compactStep(
  { space, owner }: CompactionOptions,
  transaction: FdbTransaction,
  before: Revision,
): Promise<boolean> {
  const { keys } = space;
  const [version, lease, stored, view] = await Promise.all([
    transaction.readVersion(),
    transaction.get(keys.compactorLease, 'serializable'),
    transaction.get(keys.compactRevision, 'serializable'),
    viewHistory(space, transaction),
  ]);
  const mine = lease?.subarray(0, OWNER_BYTES).equals(owner) === true;
  if (lease !== undefined && !mine && lease.readBigUInt64BE(OWNER_BYTES) > version) return false;
  const bound = before < view.revision ? before : view.revision;
  const compacted = decodeCompactRevision(stored);
  if (bound <= compacted) {
    if (mine) transaction.clear(keys.compactorLease);
    return false;
  }
  // From the very start: a store that was put back may have entries below its compact revision.
  const page = await readLog(space, transaction, revisionZero, COMPACT_STEP);
  const forgotten = page.entries.filter(({ revision }) => revision <= bound);
  await Promise.all(forgotten.map((entry) => forget(space, transaction, entry)));
  const more = !page.ended && forgotten.length === page.entries.length;
  const through = more ? (forgotten.at(-1) as LogEntryAt).revision : bound;
  if (through > compacted) transaction.set(keys.compactRevision, versionBytes(through));
  if (more) {
    const ends = version + BigInt(COMPACTION_LEASE_MS) * VERSIONS_PER_MS;
    transaction.set(keys.compactorLease, Buffer.concat([owner, versionBytes(ends)]));
  } else if (lease !== undefined) {
    transaction.clear(keys.compactorLease);
  }
  return more;
}

async function forget(
  space: Subspace,
  transaction: FdbTransaction,
  entry: LogEntryAt,
): Promise<void> {
  const { keys } = space;
  const superseded = await supersededBy(space, transaction, entry);
  transaction.clear(keys.log(entry.place));
  if (superseded === undefined) return;
  transaction.clear(keys.old(entry.key, entry.place));
  if (superseded.payload.kind === 'blob') {
    transaction.clearRange(...keys.blobRange(superseded.payload.id));
  }
}

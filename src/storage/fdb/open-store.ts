/**
 * Opens a store: creates or checks its marks, and makes sure that revisions never go back.
 *
 * Revisions come from commit versions, which rise only within one cluster. A store that was moved
 * to another cluster may hold versions which that cluster has not reached yet (fdbrestore raises
 * the cluster's versions, copying keys does not). New commits would then sort before the existing
 * history. Whoever opens such a store begins a new era, in one transaction:
 *
 *   eras      + (read version, newest revision of the store + RESTORE_GAP)
 *   compacted = the start of the new era: clients may have seen changes made after the copy, which
 *               are lost, so no watch may resume; each client lists again
 *   slots, leases: removed; they are stamped with versions of the other cluster
 *
 * Invariants: on the cluster where a store was written none of its versions is above a read
 * version, so the test never fires by mistake. A copy that is restored where versions are higher
 * needs no new era for its order, but its clients must list again all the same: that is what
 * beginEra() is for.
 */
import { StorageError } from '../storage.ts';
import { fdbCodes } from './binding.ts';
import type { FdbDatabase, FdbTransaction } from './binding.ts';
import {
  ERAS_MAX,
  FORMAT,
  TIP_STAMP_AT,
  corrupt,
  revisionSpace,
  tipOf,
  versionBytes,
  versionOfTip,
} from './layout.ts';
import type { Keys } from './layout.ts';
import { checkMarks, decodeMarks, describeStore, encodeMarks } from './marks.ts';
import type { Marks } from './marks.ts';
import { COMPACTION_LEASE_MS, OWNER_BYTES, VERSIONS_PER_MS } from './slots.ts';
import { fdbLimits, runWrite } from './transactions.ts';

/** Versions between the newest commit of a store and its next era: a hundred days' worth, so that
 * no revision given after the copy was made is given again. */
const RESTORE_GAP = 100n * 24n * 3600n * 1000n * VERSIONS_PER_MS;

export interface OpenedStore {
  readonly marks: Marks;
  /** As stored: what a server that takes a slot compares with. */
  readonly bytes: Buffer;
}

/** Makes the store when there is none.
 * @throws StorageError `identity`, `incomplete`, `corrupt`, `io`. */
export async function openStore(
  db: FdbDatabase,
  keys: Keys,
  identity: string,
  prefix: string,
): Promise<OpenedStore> {
  return firstWrite(db, async (transaction) => {
    const bytes = await transaction.get(keys.meta, 'serializable');
    if (bytes === undefined) return makeStore(transaction, keys, identity);
    const marks = decodeMarks(bytes);
    checkMarks(marks, identity, describeStore(prefix));
    const version = await transaction.readVersion();
    if ((await newestVersion(transaction, keys)) <= version) return { marks, bytes };
    return writeEra(transaction, keys, marks);
  });
}

/** Begins an era in a store that was put back from a copy: revisions go on far above those of the
 * copy, and history is forgotten. No server may be running over it.
 * @throws StorageError `identity`, `incomplete`, `corrupt`, `io`. */
export async function beginEra(db: FdbDatabase, keys: Keys, prefix: string): Promise<void> {
  const tried: Buffer[] = [];
  await firstWrite(db, async (transaction) => {
    const { bytes, marks } = await readStore(transaction, keys, prefix);
    // An attempt whose outcome was not known has done it.
    if (tried.some((each) => each.equals(bytes))) return;
    tried.push((await writeEra(transaction, keys, marks)).bytes);
  });
}

/** The marks of a store that is there.
 * @throws StorageError `identity`, `incomplete`, `corrupt`; `io` when there is none. */
export async function readStore(
  transaction: FdbTransaction,
  keys: Keys,
  prefix: string,
): Promise<OpenedStore> {
  const bytes = await transaction.get(keys.meta, 'serializable');
  const where = describeStore(prefix);
  if (bytes === undefined) throw new StorageError('io', `${where} does not exist`);
  const marks = decodeMarks(bytes);
  checkMarks(marks, undefined, where);
  return { marks, bytes };
}

/** Runs and commits the first work of an opener: where an unreachable cluster shows. */
export async function firstWrite<T>(
  db: FdbDatabase,
  work: (transaction: FdbTransaction) => Promise<T>,
): Promise<T> {
  try {
    return await runWrite(db, work, { timeoutMs: fdbLimits.openTimeoutMs });
  } catch (error) {
    throw unreachable(error);
  }
}

async function makeStore(
  transaction: FdbTransaction,
  keys: Keys,
  identity: string,
): Promise<OpenedStore> {
  const eras = [{ version: await transaction.readVersion(), base: 0n }];
  const marks = { format: FORMAT, identity, eras };
  return writeMarks(transaction, keys, marks);
}

/** Writes marks, and the tip of their newest era. */
export function writeMarks(transaction: FdbTransaction, keys: Keys, marks: Marks): OpenedStore {
  const bytes = encodeMarks(marks);
  transaction.set(keys.meta, bytes);
  transaction.setVersionstampedValue(keys.tip, tipOf(marks.eras.length - 1), TIP_STAMP_AT);
  return { marks, bytes };
}

/** The newest version that anything but a record of this store was stamped with. */
async function newestVersion(transaction: FdbTransaction, keys: Keys): Promise<bigint> {
  const [tip, lease, beats] = await Promise.all([
    readTip(transaction, keys),
    transaction.get(keys.compactorLease, 'snapshot'),
    transaction.getRange(...keys.table('h'), { limit: 0xff, bytesTarget: 0 }, 'snapshot'),
  ]);
  const taken =
    lease === undefined
      ? 0n
      : lease.readBigUInt64BE(OWNER_BYTES) - BigInt(COMPACTION_LEASE_MS) * VERSIONS_PER_MS;
  const versions = [
    versionOfTip(tip),
    taken,
    ...beats.entries.map(({ value }) => value.readBigUInt64BE()),
  ];
  return versions.reduce((newest, each) => (each > newest ? each : newest));
}

async function readTip(transaction: FdbTransaction, keys: Keys): Promise<Buffer> {
  const tip = await transaction.get(keys.tip, 'snapshot');
  if (tip === undefined) throw corrupt('the mark of the newest commit');
  return tip;
}

async function writeEra(
  transaction: FdbTransaction,
  keys: Keys,
  before: Marks,
): Promise<OpenedStore> {
  if (before.eras.length >= ERAS_MAX) {
    throw new StorageError('io', `the store has been put back ${ERAS_MAX} times; export it`);
  }
  const [version, tip] = await Promise.all([transaction.readVersion(), readTip(transaction, keys)]);
  const base = (revisionSpace(before.eras).endOfTip(tip) >> 12n) + RESTORE_GAP;
  const eras = [...before.eras, { version, base }];
  transaction.clearRange(...keys.table('s'));
  transaction.clearRange(...keys.table('h'));
  transaction.clear(keys.compactorLease);
  const start = revisionSpace(eras).of(version, 0, 0);
  transaction.set(keys.compactRevision, versionBytes(start));
  return writeMarks(transaction, keys, { ...before, eras });
}

/** What the client library says of a cluster file. */
const clusterFileCodes: ReadonlySet<unknown> = new Set([
  fdbCodes.noClusterFile,
  fdbCodes.clusterFileNotReadable,
  fdbCodes.clusterFileTooLarge,
  fdbCodes.connectionStringInvalid,
]);

/** The first transaction of an opener is where a cluster that cannot be reached shows, and a file
 * that names none. */
function unreachable(error: unknown): unknown {
  if (!(error instanceof StorageError)) return error;
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  if (clusterFileCodes.has(code)) {
    const message = `--fdb-cluster-file: it names no cluster: ${error.message}`;
    return new StorageError('io', message, { cause: error });
  }
  if (error.code !== 'timeout') return error;
  return new StorageError(
    'io',
    `the FoundationDB cluster has not answered in ${fdbLimits.openTimeoutMs / 1000} s:` +
      ' check --fdb-cluster-file, and with `fdbcli --exec status` that the cluster is available',
    { cause: error },
  );
}

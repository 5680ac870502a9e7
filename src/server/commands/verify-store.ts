/**
 * `sluice verify`: every record of a store is read as a server would read it, superseded ones
 * included, and held against the log; what cannot be read and what contradicts is named.
 *
 * It repairs nothing: what cannot be read is removed by the unsafe deletion, which a feature gate
 * allows, or brought back from a backup. How a store is walked is its adapter's: an LMDB store that
 * nobody serves (lmdb/verify.ts), a FoundationDB store beside live servers (fdb/fdb-verify.ts).
 */
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { Clock } from '../../stdx/clock.ts';
import { messageOf } from '../../stdx/message-of.ts';
import { verifyFdb } from '../../storage/fdb/fdb-verify.ts';
import type { FdbVerifyOptions } from '../../storage/fdb/fdb-verify.ts';
import { openExistingLmdb } from '../../storage/lmdb/lmdb-transfer.ts';
import { decodeRecord } from '../../storage/record-codec.ts';
import type { StoredRecord } from '../../storage/storage.ts';
import type { StoreReport } from '../../storage/verify.ts';
import { StoreDamaged } from '../known-failures.ts';

/** Resolves with the line that says it is sound.
 * @throws StoreDamaged, StorageError. */
export async function verifyLmdb(directory: string, clock: Clock): Promise<string> {
  const { storage, identity } = await openExistingLmdb(directory, clock, { onlyReads: true });
  try {
    return verdict(directory, identity, storage.verify(whyUnreadable));
  } finally {
    await storage.close();
  }
}

/** The same beside live servers.
 * @throws StoreDamaged, StorageError. */
export async function verifyFoundationdb(
  options: FdbVerifyOptions,
  where: string,
): Promise<string> {
  const report = await verifyFdb(options, whyUnreadable);
  return verdict(where, report.identity, report);
}

function verdict(where: string, identity: string, report: StoreReport): string {
  if (report.problems.length > 0) throw new StoreDamaged(where, report.problems);
  return (
    `${where} is sound: ${report.recordsCount} records, ${report.changesCount} changes,` +
    ` ${report.supersededCount} superseded records, identity=${identity}` +
    ` revision=${report.revision} compactRevision=${report.compactRevision}`
  );
}

/** A record without a checksum may hold what is no object. */
function whyUnreadable(stored: StoredRecord): string | undefined {
  try {
    decodeObject(decodeRecord(stored).object);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

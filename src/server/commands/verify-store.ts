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
import { labelOfEncrypted, plainRecords } from '../../storage/encrypted-records.ts';
import type { RecordCodec } from '../../storage/encrypted-records.ts';
import type { StoredRecord } from '../../storage/storage.ts';
import type { StoreReport } from '../../storage/verify.ts';
import { StoreDamaged } from '../known-failures.ts';

/** Resolves with the line that says it is sound.
 * @throws StoreDamaged, StorageError. */
export async function verifyLmdb(
  directory: string,
  clock: Clock,
  codec?: RecordCodec,
): Promise<string> {
  const check = recordCheck(codec);
  const { storage, identity } = await openExistingLmdb(directory, clock, { onlyReads: true });
  try {
    await withKeys(codec, async (look) => void storage.verify(look));
    return verdict(directory, identity, storage.verify(check.whyUnreadable), check);
  } finally {
    await storage.close();
  }
}

/** The same beside live servers.
 * @throws StoreDamaged, StorageError. */
export async function verifyFoundationdb(
  options: FdbVerifyOptions,
  where: string,
  codec?: RecordCodec,
): Promise<string> {
  const check = recordCheck(codec);
  await withKeys(codec, (look) => verifyFdb(options, look));
  const report = await verifyFdb(options, check.whyUnreadable);
  return verdict(where, report.identity, report, check);
}

/** Keys that have to be asked for are asked for beforehand, in a walk of their own: records are
 * looked at at once. */
async function withKeys(
  codec: RecordCodec | undefined,
  walk: (look: (stored: StoredRecord) => undefined) => Promise<unknown>,
): Promise<void> {
  const fetch = codec?.fetchKey;
  if (fetch === undefined) return;
  const fetching = new Set<Promise<void>>();
  await walk((stored) => {
    const one = fetch(stored, 'once');
    if (one === undefined) return;
    fetching.add(one);
    void one.then(() => fetching.delete(one));
  });
  await Promise.all(fetching);
}

function verdict(
  where: string,
  identity: string,
  report: StoreReport,
  { sealedCount }: Check,
): string {
  if (report.problems.length > 0) throw new StoreDamaged(where, report.problems);
  return (
    `${where} is sound: ${report.recordsCount} records, ${report.changesCount} changes,` +
    ` ${report.supersededCount} superseded records, identity=${identity}` +
    ` revision=${report.revision} compactRevision=${report.compactRevision}` +
    (sealedCount() === 0 ? '' : `; ${sealedCount()} are encrypted and were not decrypted`)
  );
}

interface Check {
  readonly whyUnreadable: (stored: StoredRecord) => string | undefined;
  /** Encrypted records of which nothing but the checksum was looked at. */
  readonly sealedCount: () => number;
}

/** Without a codec what is encrypted stays so. */
function recordCheck(codec: RecordCodec | undefined): Check {
  let count = 0;
  const { decodeRecord } = codec ?? plainRecords;
  return {
    sealedCount: () => count,
    whyUnreadable(stored) {
      try {
        if (codec === undefined && labelOfEncrypted(stored) !== undefined) count += 1;
        // A record without a checksum may hold what is no object.
        else decodeObject(decodeRecord(stored).object);
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },
  };
}

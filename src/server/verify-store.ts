/**
 * `sluice verify`: every record of a store is read as a server would read it, and those that cannot
 * be are named.
 *
 * What it is not: a repair. What cannot be read is removed by the unsafe deletion (README.md), or
 * brought back from a backup. On LMDB the tables are held against each other as well, superseded
 * records included (lmdb/verify.ts); on FoundationDB the records are read as they are now, beside
 * live servers.
 */
import { decodeObject } from '../apimachinery/object-encoding.ts';
import type { Clock } from '../stdx/clock.ts';
import { openExistingLmdb } from '../storage/lmdb/lmdb-transfer.ts';
import { decodeRecord } from '../storage/record-codec.ts';
import type { StoredRecord, StoreKey } from '../storage/storage.ts';
import type { StoreExport } from '../storage/transfer.ts';

/** Problems that are shown; of more only the number is. */
const problemsShownMax = 1000;

/** The store could be walked, and is not as it was written. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged';
  constructor(where: string, problems: readonly string[]) {
    const count = problems.length === 1 ? '1 place' : `${problems.length} places`;
    const shown = problems.slice(0, problemsShownMax).map((problem) => `\n  ${problem}`);
    const rest = problems.length - shown.length;
    const more = rest > 0 ? `\n  and ${rest} more` : '';
    super(`${where} is damaged in ${count}:${shown.join('')}${more}`);
  }
}

/** Resolves with the line that says it is sound.
 * @throws StoreDamaged, StorageError. */
export async function verifyLmdb(directory: string, clock: Clock): Promise<string> {
  const { storage, identity } = await openExistingLmdb(directory, clock);
  try {
    const report = storage.verify(whyUnreadable);
    if (report.problems.length > 0) throw new StoreDamaged(directory, report.problems);
    return (
      `${directory} is sound: ${report.recordsCount} records, ${report.changesCount} changes,` +
      ` ${report.supersededCount} superseded records, identity=${identity}` +
      ` revision=${report.revision} compactRevision=${report.compactRevision}`
    );
  } finally {
    await storage.close();
  }
}

/** The same for the records alone.
 * @throws StoreDamaged, StorageError. */
export async function verifyRecords(opening: Promise<StoreExport>, where: string): Promise<string> {
  const source = await opening;
  try {
    const problems: string[] = [];
    let recordsCount = 0;
    let after: StoreKey | undefined;
    for (let more = true; more;) {
      const page = await source.page(after);
      for (const record of page.records) {
        const why = whyUnreadable(record);
        if (why !== undefined) problems.push(`${record.key}: ${why}`);
      }
      recordsCount += page.records.length;
      after = page.records.at(-1)?.key ?? after;
      more = page.more;
    }
    if (problems.length > 0) throw new StoreDamaged(where, problems);
    const { identity, revision, compactRevision } = source.header;
    return (
      `${where} is sound: ${recordsCount} records, identity=${identity}` +
      ` revision=${revision} compactRevision=${compactRevision}`
    );
  } finally {
    await source.close();
  }
}

/** A record without a checksum may hold what is no object. */
function whyUnreadable(stored: StoredRecord): string | undefined {
  try {
    decodeObject(decodeRecord(stored).object);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The keys of one FoundationDB double copied into another: what fdbbackup and fdbrestore do. */
import type { FdbDatabase, KeyValue } from '../../../src/storage/fdb/binding.ts';

/** Every key of a range, as it is now. */
export async function dump(
  db: FdbDatabase,
  range: readonly [Buffer, Buffer],
): Promise<readonly KeyValue[]> {
  const limits = { limit: 1_000_000, bytesTarget: 0 };
  return (await db.begin({}).getRange(...range, limits, 'snapshot')).entries;
}

export async function restore(db: FdbDatabase, entries: readonly KeyValue[]): Promise<void> {
  const transaction = db.begin({});
  for (const { key, value } of entries) transaction.set(key, value);
  await transaction.commit();
}

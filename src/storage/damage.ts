/**
 * Records whose bytes were damaged on the medium: what all adapters share (StoredRecord.damage in
 * storage.ts).
 *
 * An adapter checks the bytes that it writes around a value, record-codec.ts checks the value.
 */
import type { Revision, StoredRecord } from './storage.ts';

/** The state of a record whose own cannot be read: no condition asks for it. */
export const damagedState = '';

/** Why a record that the adapter found nothing wrong with cannot be read, if so. */
export type RecordCheck = (stored: StoredRecord) => string | undefined;

/** Whether a read at this revision shows a record that nothing had superseded then. When a damaged
 * one was written nobody knows: it is rather shown as unreadable than silently left out. */
export function isShownAt(
  { revision, damage }: Pick<StoredRecord, 'revision' | 'damage'>,
  at: Revision,
): boolean {
  return damage !== undefined || revision <= at;
}

/** The record that change `revision` wrote, if this is it: its own revision may be what is
 * damaged, the log's is not. */
export function asWrittenAt<R extends Pick<StoredRecord, 'revision' | 'damage'>>(
  record: R | undefined,
  revision: Revision,
): R | undefined {
  if (record?.revision === revision) return record;
  return record?.damage === undefined ? undefined : { ...record, revision };
}

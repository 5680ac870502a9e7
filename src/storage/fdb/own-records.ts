/**
 * Records that this server has just committed: its follower of the log need not read them back.
 *
 * What it is not: a cache of what is current. A revision names one record for ever, so what is
 * here is never wrong; what is not here is in the database.
 *
 * Bounds: `ownRecordsLimits`; the oldest are dropped first.
 */
import type { Revision } from '../storage.ts';
import { payloadBytes } from './layout.ts';
import type { FdbRecord } from './layout.ts';

export const ownRecordsLimits = { recordsMax: 8192, bytesMax: 16 * 1024 * 1024 } as const;

export interface OwnRecords {
  /** With its value inline, whatever its size. */
  add(record: FdbRecord): void;
  of(revision: Revision): FdbRecord | undefined;
}

export function createOwnRecords(
  limits: { readonly recordsMax: number; readonly bytesMax: number } = ownRecordsLimits,
): OwnRecords {
  const records = new Map<Revision, FdbRecord>();
  let bytes = 0;
  return {
    add(record) {
      records.set(record.revision, record);
      bytes += payloadBytes(record.payload);
      for (const [revision, oldest] of records) {
        if (records.size <= limits.recordsMax && bytes <= limits.bytesMax) break;
        records.delete(revision);
        bytes -= payloadBytes(oldest.payload);
      }
    },
    of: (revision) => records.get(revision),
  };
}

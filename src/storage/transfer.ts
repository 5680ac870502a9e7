/**
 * Moving a store: one snapshot read out of it, or a snapshot made into a new one.
 *
 * Nothing is merged: an import goes into a place that holds nothing, and what it makes is a store
 * like any other. transfer-file.ts is the form that a snapshot has in between.
 *
 * Invariants (test/contract/transfer-contract.ts holds every adapter to them)
 *  - An export shows one revision, whatever is written meanwhile.
 *  - After finish() every record has the revision it was exported with; the newest revision and the
 *    compact revision of the store are at or above the exported one, so that a list at it works and
 *    a watch from before it is told `compacted`; every later revision is greater.
 *  - Between begin() and finish() nothing can be served: opening the store throws `incomplete`,
 *    also after a crash. begin() may then be called again with `force`, which empties what an
 *    unfinished import has left, and nothing else.
 * Bounds: a page of an export, `importPage` of an import; nothing is kept of earlier ones.
 */
import { StorageError } from './storage.ts';
import type { Revision, Storage, StoredRecord, StoreKey } from './storage.ts';

export interface TransferHeader {
  readonly identity: string;
  /** The revision that the records show. */
  readonly revision: Revision;
  /** Of the store it came from; for information. */
  readonly compactRevision: Revision;
}

export interface TransferPage {
  /** In key order. */
  readonly records: readonly StoredRecord[];
  readonly more: boolean;
}

export interface StoreExport {
  readonly header: TransferHeader;
  /** Records with keys greater than `after`. @throws StorageError */
  page(after: StoreKey | undefined): Promise<TransferPage>;
  close(): Promise<void>;
}

export interface StoreImport {
  /** Marks the place as being imported into.
   * @throws StorageError `not-empty`; `incomplete` without `force`; `io`, `full`. */
  begin(header: TransferHeader, options: { readonly force: boolean }): Promise<void>;
  /** At most `importPage`, in key order over all calls. @throws StorageError */
  put(records: readonly StoredRecord[]): Promise<void>;
  /** Makes it a store, in one transaction. @throws StorageError */
  finish(): Promise<void>;
  /** Takes back what was put since begin(): the place is empty again. */
  abort(): Promise<void>;
  close(): Promise<void>;
}

export const exportPageRecordsMax = 500;

/** What one put() may hold; a single record may be larger than `bytesMax`. */
export const importPage = { recordsMax: 500, bytesMax: 1024 * 1024 } as const;

/** An export of a store that is open here. Closing it leaves the store open. */
export async function exportOf(storage: Storage, identity: string): Promise<StoreExport> {
  const compactRevision = await storage.compactRevision();
  const revision = await storage.revision();
  return {
    header: { identity, revision, compactRevision },
    async page(after) {
      const range = { prefix: '', after, limit: exportPageRecordsMax };
      const page = await storage.scan(range, revision);
      if (page.kind !== 'ok') throw exportOvertaken(revision);
      return page.value;
    },
    close: () => Promise.resolve(),
  };
}

export function exportOvertaken(revision: Revision): StorageError {
  return new StorageError(
    'compacted',
    `revision ${revision} was compacted while it was being exported; try again`,
  );
}

export function targetNotEmpty(where: string): StorageError {
  return new StorageError('not-empty', `${where} holds a store; an import needs an empty place`);
}

export function importUnfinished(where: string): StorageError {
  return new StorageError(
    'incomplete',
    `${where} is incomplete: an import into it has not finished;` +
      ' run it again with `sluice import --force`',
  );
}

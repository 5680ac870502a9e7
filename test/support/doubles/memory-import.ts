/**
 * Importing into a medium of the memory store: for tests, and to say what an import means in the
 * fewest lines.
 */
import { StorageError } from '../../../src/storage/storage.ts';
import { targetNotEmpty, importUnfinished } from '../../../src/storage/transfer.ts';
import type { StoreImport, TransferHeader } from '../../../src/storage/transfer.ts';
import type { MemoryMedium } from '../../../src/storage/memory/memory-storage.ts';

export function createMemoryImport(medium: MemoryMedium): StoreImport {
  let header: TransferHeader | undefined;

  function empty(): void {
    medium.versions.clear();
    medium.keys.length = 0;
  }

  return {
    begin(given, { force }) {
      if (medium.revision > 0n) return Promise.reject(targetNotEmpty('the medium'));
      if (medium.importing && !force) return Promise.reject(importUnfinished('the medium'));
      empty();
      medium.importing = true;
      header = given;
      return Promise.resolve();
    },
    put(records) {
      for (const record of records) {
        medium.keys.push(record.key);
        const kept = { ...record, value: record.value.slice() };
        medium.versions.set(record.key, [{ record: kept, until: undefined }]);
      }
      return Promise.resolve();
    },
    finish() {
      if (header === undefined) {
        return Promise.reject(new StorageError('closed', 'the import has not begun'));
      }
      medium.revision = header.revision;
      medium.compactRevision = header.revision;
      medium.importing = false;
      return Promise.resolve();
    },
    abort() {
      empty();
      medium.importing = false;
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}

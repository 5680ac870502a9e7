/**
 * The suite every storage adapter must pass: each sentence of src/storage/storage.ts as a test.
 *
 * Nothing here assumes consecutive revisions, synchronous visibility or a single writer.
 */
import { after, beforeEach, describe } from 'node:test';
import type { Storage } from '../../src/storage/storage.ts';
import {
  commitTests,
  limitTests,
  closeTests,
  secondWriterTests,
} from './storage-contract-commit.ts';
import { companionTests } from './storage-contract-companions.ts';
import { concurrentTests } from './storage-contract-concurrent.ts';
import { logTests, tailTests, compactionTests } from './storage-contract-log.ts';
import { modelTests } from './storage-contract-model.ts';
import { readTests, scanTests } from './storage-contract-read.ts';
import type { StorageFixture } from './storage-fixture.ts';

export function storageContract(name: string, fixture: StorageFixture): void {
  describe(`storage contract: ${name}`, () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await fixture.open();
    });
    after(() => fixture.cleanUp());

    commitTests(() => storage);
    readTests(() => storage);
    scanTests(() => storage);
    logTests(() => storage);
    tailTests(() => storage);
    compactionTests(() => storage);
    limitTests(() => storage);
    closeTests(() => storage);
    modelTests(fixture);
    concurrentTests(fixture);
    secondWriterTests(fixture, () => storage);
    companionTests(fixture, () => storage);
  });
}

/**
 * A process that opens a store, for tests that need a second one or one to kill.
 *
 *   lmdb-child.js open  <directory>            prints `open` or the code of the error; stays open
 *   lmdb-child.js read  <directory>            prints `open`; reads as a backup does; stays open
 *   lmdb-child.js peek  <directory>            the same, without saying that it only reads
 *   lmdb-child.js write <directory> <seed>     writers under load; prints each acknowledged write
 *
 * An acknowledged write is one line `A <key> <revision> <text>`, a deletion `D <key> <revision>`.
 */
import { writeSync } from 'node:fs';
import { seededPrng, randomBelow } from '../../../src/stdx/prng.ts';
import { systemClock, systemTimers } from '../../../src/stdx/clock.ts';
import { createCommitter } from '../../../src/storage/committer.ts';
import { announceReader } from '../../../src/storage/lmdb/directory-lock.ts';
import { currentRevision } from '../../../src/storage/lmdb/lmdb-reads.ts';
import { openLmdbStorage } from '../../../src/storage/lmdb/lmdb-storage.ts';
import { lmdbDefaults, openEnvironment } from '../../../src/storage/lmdb/tables.ts';
import { StorageError } from '../../../src/storage/storage.ts';
import type { Storage, StoreKey } from '../../../src/storage/storage.ts';

const WRITERS = 100;

async function write(storage: Storage, seed: number): Promise<void> {
  const committer = createCommitter({ storage, clock: systemClock, timers: systemTimers });
  const prng = seededPrng(seed);
  const writer = async (id: number): Promise<void> => {
    const key = `/configmaps/default/w${id}` as StoreKey;
    const found = await storage.read(key);
    let revision = found.kind === 'ok' ? found.value?.revision : undefined;
    for (let n = 0; ; n += 1) {
      const text = `${seed}-${n}-${'x'.repeat(randomBelow(prng, 3000))}`;
      const remove = revision !== undefined && randomBelow(prng, 10) === 0;
      const outcome = await committer.submit({
        key,
        expect: revision === undefined ? { kind: 'absent' } : { kind: 'revision', revision },
        conditions: [],
        operation: remove
          ? { kind: 'delete' }
          : { kind: 'put', state: 'live', value: Buffer.from(text) },
      }).outcome;
      if (outcome.kind !== 'applied') throw new Error(`writer ${id}: ${outcome.kind}`);
      revision = remove ? undefined : outcome.revision;
      writeSync(1, `${remove ? 'D' : 'A'} ${key} ${outcome.revision} ${remove ? '' : text}\n`);
    }
  };
  const compacting = async (): Promise<void> => {
    for (;;) {
      const now = await storage.revision();
      if (now > 500n) await storage.compact((now - 500n) as typeof now);
      await new Promise((resolve) => systemTimers.after(20, () => resolve(undefined)));
    }
  };
  await Promise.all([compacting(), ...Array.from({ length: WRITERS }, (_, id) => writer(id))]);
}

const [mode, path, seed] = process.argv.slice(2);
const directory = path as string;
try {
  if (mode === 'read' || mode === 'peek') {
    if (mode === 'read') await announceReader(directory);
    const tables = openEnvironment(directory, lmdbDefaults.mapBytes, { readOnly: true });
    currentRevision(tables);
    writeSync(1, 'open\n');
    process.stdin.resume();
  } else {
    const storage = await openLmdbStorage({ path: directory, identity: 'svc', clock: systemClock });
    writeSync(1, 'open\n');
    if (mode === 'write') await write(storage, Number(seed));
    else process.stdin.resume();
  }
} catch (error) {
  writeSync(1, `${error instanceof StorageError ? error.code : String(error)}\n`);
  process.exitCode = 1;
}

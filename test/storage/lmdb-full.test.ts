/**
 * An LMDB store without room: whatever it holds and however it was filled, every deletion is
 * written, and deletions alone give it room again, while it runs.
 *
 * Two media: a small tmpfs, and a file that may not grow (a limit of this very process, as a quota
 * would have it). `SLUICE_FULL_SEEDS` tries more contents.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { after, test } from 'node:test';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';
import { createCommitter } from '../../src/storage/committer.ts';
import { openLmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import type { LmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import { reserveLimits } from '../../src/storage/lmdb/reserve.ts';
import { StorageError } from '../../src/storage/storage.ts';
import type { Revision, StoreKey } from '../../src/storage/storage.ts';
import { absent, key, scanAll } from '../contract/storage-fixture.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { eventually } from '../support/clients/watch-client.ts';

const directories = testDirectories('sluice-lmdb-full');
const seeds = Array.from(
  { length: Number(process.env['SLUICE_FULL_SEEDS'] ?? 2) },
  (_, i) => i + 1,
);
const ending = 'ending';
const writersCount = 10;

after(() => directories.removeAll());

interface Medium {
  readonly directory: string;
  unlimited(): void;
  dispose(): void;
}

/** Or why there is none. */
function smallTmpfs(): Medium | string {
  const directory = directories.make();
  const made = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', directory]);
  if (made.status !== 0) return `no tmpfs here: ${String(made.stderr)}`;
  return {
    directory,
    unlimited: () => void spawnSync('mount', ['-o', 'remount,size=64m', directory]),
    dispose: () => void spawnSync('umount', ['-l', directory]),
  };
}

const passOver = (): void => undefined;

function limitedFile(): Medium | string {
  const limit = (bytes: string): boolean =>
    spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]).status === 0;
  if (!limit(String(6 * 1024 * 1024))) return 'prlimit does not work here';
  // Node ignores the signal of a write beyond the limit, but a runner that watches all signals ends
  // the process with it, unless somebody else has asked for it too.
  process.on('SIGXFSZ', passOver);
  const unlimited = (): void => void limit('unlimited');
  const dispose = (): void => {
    unlimited();
    process.off('SIGXFSZ', passOver);
  };
  return { directory: directories.make(), unlimited, dispose };
}

interface Shape {
  readonly title: string;
  bytes(prng: Prng): number;
}

const shapes: readonly Shape[] = [
  { title: 'values of 20 kB', bytes: () => 20_000 },
  { title: 'small values', bytes: (prng) => 200 + randomBelow(prng, 1500) },
  { title: 'values of any size', bytes: (prng) => 2 ** (6 + randomBelow(prng, 12)) },
];

function openServed(directory: string, fullness: boolean[]): Promise<LmdbStorage> {
  return openLmdbStorage({
    path: path.join(directory, 'store'),
    identity: 'svc',
    clock: systemClock,
    room: {
      timers: systemTimers,
      reserveBytes: reserveLimits.bytes,
      isEnding: (state) => state === ending,
      onFull: (full) => fullness.push(full),
    },
  });
}

type Records = Map<StoreKey, Revision>;

function isFull(error: unknown): boolean {
  assert.ok(error instanceof StorageError && error.code === 'full', String(error));
  return true;
}

/** Ten writers, of which each ends with its first refusal. */
async function fill(storage: LmdbStorage, shape: Shape, prng: Prng): Promise<Records> {
  const committer = createCommitter({ storage, clock: systemClock, timers: systemTimers });
  const records: Records = new Map();
  const writer = async (_: unknown, index: number): Promise<void> => {
    for (let n = 0; ; n += 1) {
      const at = key(`${randomBelow(prng, 1e9)}-${index}-${n}`);
      const value = Buffer.alloc(shape.bytes(prng), n);
      const operation = { kind: 'put', state: 'live', value } as const;
      const submission = { key: at, expect: absent, conditions: [], operation } as const;
      try {
        const outcome = await committer.submit(submission).outcome;
        assert.equal(outcome.kind, 'applied');
        if (outcome.kind === 'applied') records.set(at, outcome.revision);
      } catch (error) {
        isFull(error);
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: writersCount }, writer));
  return records;
}

/** Ten at once, each of which is written; in random order. */
async function remove(storage: LmdbStorage, records: Records, part: number): Promise<void> {
  const committer = createCommitter({ storage, clock: systemClock, timers: systemTimers });
  const all = [...records].slice(0, Math.ceil(records.size * part));
  const remover = async (): Promise<void> => {
    for (let next = all.pop(); next !== undefined; next = all.pop()) {
      const [at, revision] = next;
      const expect = { kind: 'revision', revision } as const;
      const operation = { kind: 'delete' } as const;
      const pending = committer.submit({ key: at, expect, conditions: [], operation });
      assert.equal((await pending.outcome).kind, 'applied');
      records.delete(at);
    }
  };
  await Promise.all(Array.from({ length: writersCount }, remover));
}

async function assertHolds(storage: LmdbStorage, records: Records): Promise<void> {
  const found = await scanAll(storage, '/configmaps/', undefined, 500);
  const expected = [...records].sort();
  assert.deepEqual(found.map((each) => [each.key, each.revision]).sort(), expected);
  assert.deepEqual(storage.verify().problems, []);
}

async function runOn(medium: Medium, shape: Shape, seed: number): Promise<number> {
  const prng = seededPrng(seed);
  const fullness: boolean[] = [];
  let storage = await openServed(medium.directory, fullness);
  try {
    const records = await fill(storage, shape, prng);
    const count = records.size;
    assert.equal(storage.failure?.()?.code, 'full');
    await assertHolds(storage, records);
    if (seed % 2 === 0) {
      await storage.close();
      storage = await openServed(medium.directory, fullness);
      await assertHolds(storage, records);
    }
    await remove(storage, records, 0.9);
    await assertHolds(storage, records);
    await eventually('it has room again', () => storage.failure?.() === undefined);
    assert.equal(fullness.at(-1), false);
    const again = await fill(storage, shape, prng);
    assert.ok(again.size > count / 10, `${count} records at first, ${again.size} with room again`);
    for (const [at, revision] of again) records.set(at, revision);
    await assertHolds(storage, records);
    await remove(storage, records, 1);
    await assertHolds(storage, records);
    return count;
  } finally {
    await storage.close();
  }
}

const media = [
  { title: 'a full disk', make: smallTmpfs },
  { title: 'a file that may not grow', make: limitedFile },
];

for (const { title, make } of media) {
  for (const shape of shapes) {
    test(`${title}, ${shape.title}: deletions always go through, and make room`, async (t) => {
      for (const seed of seeds) {
        const medium = make();
        if (typeof medium === 'string') return t.skip(medium);
        try {
          t.diagnostic(`seed ${seed}: ${await runOn(medium, shape, seed)} records`);
        } finally {
          medium.dispose();
        }
      }
    });
  }
}

/**
 * Room for what is written next: where there is plenty nothing is done for it, and on a small
 * medium the file is made longer before LMDB writes, or the write is refused.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '../../src/stdx/clock.ts';
import { createFileRoom, fileRoomLimits, pagesFor } from '../../src/storage/lmdb/file-room.ts';
import type { FileRoom } from '../../src/storage/lmdb/file-room.ts';
import { openReserveTable } from '../../src/storage/lmdb/reserve.ts';
import { lmdbDefaults, openEnvironment } from '../../src/storage/lmdb/tables.ts';
import type { Tables } from '../../src/storage/lmdb/tables.ts';
import { StorageError } from '../../src/storage/storage.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-file-room');
const mounts: string[] = [];
after(async () => {
  for (const mount of mounts) spawnSync('umount', ['-l', mount]);
  await directories.removeAll();
});

interface Opened {
  readonly tables: Tables;
  readonly room: FileRoom;
  pages(): number;
}

function openIn(directory: string): Opened {
  const tables = openEnvironment(directory, lmdbDefaults.mapBytes);
  const reserve = openReserveTable(tables);
  const room = createFileRoom({ path: directory, tables, reserve, clock: systemClock });
  return { tables, room, pages: () => statSync(path.join(directory, 'data.mdb')).size / 4096 };
}

const isFull = (error: unknown): boolean => error instanceof StorageError && error.code === 'full';

test('what a record takes: pages of trees, and its own when it is long', () => {
  const { pagesPerRecord } = fileRoomLimits;
  assert.deepEqual(pagesFor([]), { pages: 0, inRows: 0 });
  assert.deepEqual(pagesFor([0, 1400]), { pages: 2 * pagesPerRecord, inRows: 0 });
  assert.deepEqual(pagesFor([4096]), { pages: pagesPerRecord + 2, inRows: 2 });
});

test('where there is plenty of room the file stays as long as it is', async () => {
  const { pages, room, tables } = openIn(directories.make());
  const before = pages();
  await room.make({ pages: 1000, inRows: 0 });
  assert.equal(await room.makeAnywhere(1000), true);
  assert.equal(pages(), before);
  await tables.root.close();
});

test('on a small medium the file is made longer, or the write is refused', async (context) => {
  const directory = directories.make();
  const made = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', directory]);
  if (made.status !== 0) return context.skip(`no tmpfs here: ${String(made.stderr)}`);
  mounts.push(directory);
  const { pages, room, tables } = openIn(directory);
  await room.make({ pages: 200, inRows: 0 });
  const longer = pages();
  assert.ok(longer >= 200, `${longer} pages`);
  await room.make({ pages: 200, inRows: 0 });
  assert.equal(pages(), longer, 'they are there by now');
  await assert.rejects(room.make({ pages: 2000, inRows: 0 }), isFull);
  assert.equal(await room.makeAnywhere(2000), false);
  await room.make({ pages: 200, inRows: 0 });
  await tables.meta.put(Buffer.from('k'), Buffer.from('v'));
  assert.equal(tables.meta.getBinary(Buffer.from('k'))?.toString(), 'v');
  await tables.root.close();
});

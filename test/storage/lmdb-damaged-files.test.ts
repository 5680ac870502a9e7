/** A file of LMDB that is not as LMDB left it is refused before anything of it is believed. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../src/stdx/clock.ts';
import { backupLmdb } from '../../src/storage/lmdb/lmdb-backup.ts';
import { openLmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import { openLmdbExport } from '../../src/storage/lmdb/lmdb-transfer.ts';
import { absent, key, put } from '../contract/storage-fixture.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-damaged');
after(() => directories.removeAll());

const clock = systemClock;
const count = 2000;
const pageBytes = 4096;
let sound = '';

before(async () => {
  sound = directories.make();
  const storage = await openLmdbStorage({ path: sound, identity: 'svc', clock });
  for (let from = 0; from < count; from += 100) {
    const names = Array.from({ length: 100 }, (_, i) => key(`k${from + i}`));
    await storage.commit(names.map((name) => put(name, absent)));
  }
  await storage.close();
});

function copied(): { readonly where: string; readonly file: string } {
  const where = directories.make();
  const file = path.join(where, 'data.mdb');
  copyFileSync(path.join(sound, 'data.mdb'), file);
  return { where, file };
}

/** Every page that leads to others loses the last of them: a walk ends early, and nothing says so. */
function shorten(file: string): void {
  const bytes = readFileSync(file);
  const [flagsAt, lowerAt, headBytes, isBranch] = [18, 20, 24, 1];
  for (let at = 2 * pageBytes; at < bytes.length; at += pageBytes) {
    const lower = bytes.readUInt16LE(at + lowerAt);
    const isLeading = (bytes.readUInt16LE(at + flagsAt) & 0xf) === isBranch;
    if (isLeading && lower > headBytes + 2 * 2) bytes.writeUInt16LE(lower - 2, at + lowerAt);
  }
  writeFileSync(file, bytes);
}

async function assertRefused(where: string, message: RegExp): Promise<void> {
  const refused = { code: 'corrupt', message };
  const to = path.join(directories.make(), 'copy');
  await assert.rejects(openLmdbStorage({ path: where, identity: 'svc', clock }), refused);
  await assert.rejects(openLmdbExport(where, clock), refused);
  await assert.rejects(backupLmdb(where, to, clock), refused);
  assert.equal(existsSync(to), false);
}

describe('a file of LMDB', () => {
  it('(is opened, exported and copied when it is as LMDB left it)', async () => {
    const { where } = copied();
    const to = path.join(directories.make(), 'copy');
    assert.equal((await backupLmdb(where, to, clock)).recordsCount, count);
    await (await openLmdbExport(where, clock)).close();
  });

  it('of which a part cannot be reached is not taken for a smaller store', async () => {
    const { file, where } = copied();
    shorten(file);
    await assertRefused(where, /of the 2000 entries of its table "\w+" \d+ are found/);
  });

  it('is refused where a part of a page that leads to records is gone', async () => {
    const { file } = copied();
    const bytes = readFileSync(file);
    const flagsAt = 18;
    const isTree = (page: number): boolean =>
      [1, 2].includes(bytes[page * pageBytes + flagsAt] ?? 0);
    const all = Array.from({ length: bytes.length / pageBytes - 2 }, (_, i) => i + 2);
    const trees = all.filter(isTree);
    let [refused, opened] = [0, 0];
    for (let round = 0; round < 60; round += 1) {
      const page = trees[(round * 7) % trees.length] as number;
      const damaged = Buffer.from(bytes);
      const at = page * pageBytes + (round % 8) * (pageBytes / 8);
      damaged.fill(0, at, at + pageBytes / 8);
      const { file: its, where } = copied();
      writeFileSync(its, damaged);
      const open = openLmdbStorage({ path: where, identity: 'svc', clock });
      const storage = await open.catch((error: unknown) => {
        assert.match(String(error), /data\.mdb is damaged: .*: put back a backup/);
        refused += 1;
      });
      if (storage === undefined) continue;
      opened += 1;
      const page1 = await storage.scan({ prefix: '', limit: count });
      assert.equal(page1.kind === 'ok' && page1.value.records.length, count, `page ${page}`);
      await storage.close();
    }
    assert.ok(refused > 10 && opened > 0, `${refused} refused, ${opened} opened`);
  });

  it('is refused where two pages have changed places', async () => {
    const { file, where } = copied();
    const bytes = readFileSync(file);
    const leaves = Array.from({ length: bytes.length / pageBytes }, (_, page) => page).filter(
      (page) => bytes.readUInt16LE(page * pageBytes + 18) === 2 && page > 1,
    );
    const [first = 0, second = 0] = [leaves.at(10), leaves.at(20)].map(
      (page = 0) => page * pageBytes,
    );
    const kept = Buffer.from(bytes.subarray(first, first + pageBytes));
    bytes.copyWithin(first, second, second + pageBytes);
    kept.copy(bytes, second);
    writeFileSync(file, bytes);
    await assertRefused(where, /page \d+ is another one/);
  });

  it('that was cut short does not end the process', async () => {
    const { file, where } = copied();
    const { size } = statSync(file);
    for (const length of [Math.floor(size / 3), pageBytes, 100]) {
      truncateSync(file, length);
      await assertRefused(where, /data\.mdb is cut short/);
    }
  });

  it('that is empty is a new store to a server, and none to a reader', async () => {
    const { file, where } = copied();
    truncateSync(file, 0);
    await assert.rejects(openLmdbExport(where, clock), /data\.mdb is empty/);
    await assert.rejects(backupLmdb(where, path.join(where, 'copy'), clock), /is empty/);
    await (await openLmdbStorage({ path: where, identity: 'svc', clock })).close();
  });
});

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
/** More than a page. */
const long = 'v'.repeat(10_000);

before(async () => {
  sound = directories.make();
  const storage = await openLmdbStorage({ path: sound, identity: 'svc', clock });
  for (let from = 0; from < count; from += 100) {
    const names = Array.from({ length: 100 }, (_, i) => key(`k${from + i}`));
    await storage.commit(names.map((name, i) => put(name, absent, i === 0 ? long : 'v')));
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

const [numberAt, flagsAt, lowerAt, upperAt, headBytes] = [0, 18, 20, 22, 24] as const;
const [entryFlagsAt, keyBytesAt] = [4, 6] as const;

/** Of each page of a kind, what becomes of it: `at` is where its entry `index` begins. */
interface Damage {
  readonly title: string;
  readonly told: RegExp;
  readonly kind?: 'branch' | 'leaf' | 'long';
  readonly harm: (page: Buffer, at: (index: number) => number) => void;
}

const pointerAt = (index: number): number => headBytes + 2 * index;

const damages: readonly Damage[] = [
  {
    title: 'a page without entries',
    told: /has a wrong head/,
    harm: (page) => page.writeUInt16LE(0, lowerAt),
  },
  {
    title: 'half an entry',
    told: /has a wrong head/,
    harm: (page) => page.writeUInt16LE(page.readUInt16LE(lowerAt) + 1, lowerAt),
  },
  {
    title: 'more places than there is room for',
    told: /has a wrong head/,
    harm: (page) => page.writeUInt16LE(page.readUInt16LE(upperAt) + 2, lowerAt),
  },
  {
    title: 'entries that begin behind the page',
    told: /has a wrong head/,
    harm: (page) => page.writeUInt16LE(pageBytes - headBytes + 1, upperAt),
  },
  {
    title: 'an entry among the places of entries',
    told: /has an entry outside of it/,
    harm: (page) => page.writeUInt16LE(0, pointerAt(0)),
  },
  {
    title: 'an entry whose head is behind the end',
    told: /has an entry outside of it/,
    harm: (page) => page.writeUInt16LE(pageBytes - headBytes - 7, pointerAt(0)),
  },
  {
    title: 'a key that is empty',
    told: /has a key that does not fit/,
    harm: (page, at) => page.writeUInt16LE(0, at(1) + keyBytesAt),
  },
  {
    title: 'a key that is longer than its page',
    told: /has a key that does not fit/,
    harm: (page, at) => page.writeUInt16LE(pageBytes, at(1) + keyBytesAt),
  },
  {
    title: 'a key twice',
    told: /has keys out of order/,
    harm: (page) => page.writeUInt16LE(page.readUInt16LE(pointerAt(0)), pointerAt(1)),
  },
  {
    title: 'two keys of a branch that have changed places',
    told: /has keys out of order/,
    kind: 'branch',
    harm(page) {
      const second = page.readUInt16LE(pointerAt(1));
      page.writeUInt16LE(page.readUInt16LE(pointerAt(2)), pointerAt(1));
      page.writeUInt16LE(second, pointerAt(2));
    },
  },
  {
    title: 'two entries of a branch that lead to one page',
    told: /is used twice/,
    kind: 'branch',
    harm: (page, at) => page.copy(page, at(1), at(0), at(0) + entryFlagsAt + 2),
  },
  {
    title: 'an entry that leads behind the end of the file',
    told: /a page leads to page \d+ of \d+/,
    kind: 'branch',
    harm: (page, at) => page.writeUInt16LE(0xffff, at(0) + 2),
  },
  {
    title: 'a value that is longer than its page',
    told: /has a value that does not fit/,
    harm: (page, at) => page.writeUInt16LE(pageBytes, at(0)),
  },
  {
    title: 'an entry of a kind that LMDB does not know',
    told: /has an entry of an unknown kind/,
    harm: (page, at) => page.writeUInt16LE(8, at(0) + entryFlagsAt),
  },
  {
    title: 'a leaf that says that it leads further',
    told: /is of another kind/,
    harm: (page) => page.writeUInt16LE(1, flagsAt),
  },
  ...(['number', 'flags', 'pages'] as const).map((what): Damage => ({
    title: `a long value with another ${what} in its head`,
    told: /is not the long value that it should be/,
    kind: 'long',
    harm: (page) =>
      page.writeUInt16LE(1, { number: numberAt, flags: flagsAt, pages: lowerAt }[what]),
  })),
];

/** Every page of the kind that has room for it: some of them are no longer in use. */
function harm(file: string, { harm: change, kind = 'leaf' }: Damage): void {
  const bytes = readFileSync(file);
  const flags = { branch: 1, leaf: 2, long: 4 }[kind];
  for (let from = 2 * pageBytes; from < bytes.length; from += pageBytes) {
    const page = bytes.subarray(from, from + pageBytes);
    const isKind = page.readUInt32LE(numberAt) === from / pageBytes;
    if (!isKind || page.readUInt16LE(flagsAt) !== flags) continue;
    if (kind !== 'long' && page.readUInt16LE(lowerAt) < 3 * 2) continue;
    change(page, (index) => headBytes + page.readUInt16LE(pointerAt(index)));
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

  for (const damage of damages) {
    it(`is refused for ${damage.title}`, async () => {
      const { file, where } = copied();
      harm(file, damage);
      await assertRefused(where, damage.told);
    });
  }

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

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { systemClock, whenSettled } from '../../src/stdx/clock.ts';
import { openLmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import type { LmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import { StorageError, revisionZero } from '../../src/storage/storage.ts';
import type { Revision, StoreKey } from '../../src/storage/storage.ts';
import { absent, commitOne, key, ok, put, textOf, written } from '../contract/storage-fixture.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-lmdb');
const childScript = fileURLToPath(new URL('../support/servers/lmdb-child.js', import.meta.url));

function open(directory: string, identity = 'svc'): Promise<LmdbStorage> {
  return openLmdbStorage({ path: directory, identity, clock: systemClock });
}

function startChild(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [childScript, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** The first line a child prints. */
function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
  });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('close', () => resolve()));
}

after(() => directories.removeAll());

describe('lmdb: when a commit begins', () => {
  it('it is on its way to the disk before the turn that asked for it ends', async () => {
    const directory = directories.make();
    const store = await open(directory);
    await commitOne(store, put(key('before'), absent, 'b'));
    await setImmediate();
    const before = metaPages(directory);
    const committed = commitOne(store, put(key('now'), absent, 'n'));
    await new Promise<void>(whenSettled);
    // No callback of this thread runs meanwhile: only the store's own thread can write.
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let looks = 2_000; looks > 0 && metaPages(directory) === before; looks -= 1) {
      Atomics.wait(pause, 0, 0, 5);
    }
    assert.notEqual(metaPages(directory), before);
    await committed;
    assert.equal(textOf(ok(await store.read(key('now')))), 'n');
    await store.close();
  });
});

/** What LMDB writes last of a commit. */
function metaPages(directory: string): string {
  const bytes = Buffer.alloc(2 * 4096);
  const file = openSync(path.join(directory, 'data.mdb'), 'r');
  readSync(file, bytes, 0, bytes.length, 0);
  closeSync(file);
  return bytes.toString('latin1');
}

describe('lmdb: values with room before them', () => {
  it('are stored as those without, however much room there is and however long the state', async () => {
    const directory = directories.make();
    const store = await open(directory);
    const states = ['live', 'ü'.repeat(20), 's'.repeat(64)];
    const wanted: { name: string; state: string; text: string }[] = [];
    for (const [i, state] of states.entries()) {
      for (const room of [undefined, 0, 3, 17, 32, 200]) {
        const text = `value ${i} ${room}`;
        const memory = Buffer.alloc((room ?? 0) + text.length, 0xee);
        memory.write(text, room ?? 0);
        const withRoom = room === undefined ? undefined : memory;
        const value = memory.subarray(room ?? 0);
        const name = `r${i}-${room}`;
        const operation = { kind: 'put', state, value, withRoom } as const;
        await commitOne(store, { key: key(name), expect: absent, conditions: [], operation });
        wanted.push({ name, state, text });
      }
    }
    const shown = async (from: LmdbStorage) => {
      const found = [];
      for (const { name } of wanted) {
        const record = ok(await from.read(key(name)));
        found.push({ name, state: record?.state, text: textOf(record) });
      }
      return found;
    };
    assert.deepEqual(await shown(store), wanted);
    assert.deepEqual(store.verify().problems, []);
    await store.close();
    const again = await open(directory);
    assert.deepEqual(await shown(again), wanted);
    await again.close();
  });

  it('show followers what they hold, as long as it is in memory', async () => {
    const store = await open(directories.make());
    const value = Buffer.from('v');
    const decoded = { uid: 'u', labels: {}, fields: {}, metadataAt: 0, object: value };
    const operation = { kind: 'put', state: 'live', value, decoded } as const;
    await commitOne(store, { key: key('a'), expect: absent, conditions: [], operation });
    const stopped = new AbortController();
    for await (const { changes } of store.tail(revisionZero, stopped.signal)) {
      assert.equal(changes[0]?.record?.decoded, decoded);
      stopped.abort();
    }
    assert.equal(ok(await store.read(key('a')))?.decoded, undefined);
    await store.close();
  });
});

describe('lmdb: reopening', () => {
  it('keeps records, history, revisions and the compact revision', async () => {
    const directory = directories.make();
    const first = await open(directory);
    const one = await commitOne(first, put(key('a'), absent, 'one'));
    const two = await commitOne(first, put(key('a'), written(one), 'two'));
    const three = await commitOne(first, put(key('a'), written(two), 'three'));
    await first.compact(one);
    await first.close();
    const second = await open(directory);
    assert.equal(await second.revision(), three);
    assert.equal(await second.compactRevision(), one);
    assert.equal(textOf(ok(await second.read(key('a'), two))), 'two');
    const page = ok(await second.changes(one, { limit: 9, previous: false }));
    assert.deepEqual(
      page.changes.map((c) => c.revision),
      [two, three],
    );
    const four = await commitOne(second, put(key('a'), written(three), 'four'));
    assert.ok(four > three);
    assert.deepEqual(second.verify().problems, []);
    await second.close();
  });

  it('knows how many bytes the newest small values have', async () => {
    const directory = directories.make();
    const first = await open(directory);
    assert.equal(first.found, undefined);
    const one = await commitOne(first, put(key('a'), absent, 's'.repeat(9_000)));
    await commitOne(first, put(key('a'), written(one), 's'.repeat(3_000)));
    await commitOne(first, put(key('b'), absent, 's'.repeat(1_000)));
    await commitOne(first, put(key('c'), absent, 'l'.repeat(30_000)));
    await first.close();
    const second = await open(directory);
    const { records, smallValueBytes } = second.found ?? { records: 0, smallValueBytes: 0 };
    assert.equal(records, 3);
    // With the head of each record.
    assert.ok(smallValueBytes > 4_000 && smallValueBytes < 4_100, String(smallValueBytes));
    await second.close();
  });

  it('follows the log across a restart without gap or repeat', async () => {
    const directory = directories.make();
    const first = await open(directory);
    const revisions: Revision[] = [];
    for (const n of ['a', 'b', 'c']) revisions.push(await commitOne(first, put(key(n), absent)));
    await first.close();
    const second = await open(directory);
    const abort = new AbortController();
    const seen: Revision[] = [];
    const following = (async () => {
      for await (const page of second.tail(revisions[0] as Revision, abort.signal)) {
        seen.push(...page.changes.map((c) => c.revision));
        if (seen.length === 3) abort.abort();
      }
    })();
    revisions.push(await commitOne(second, put(key('d'), absent)));
    await following;
    assert.deepEqual(seen, revisions.slice(1));
    await second.close();
  });
});

describe('lmdb: who may open', () => {
  it('refuses another identity and names both; the right one still opens', async () => {
    const directory = directories.make();
    await (await open(directory)).close();
    await assert.rejects(open(directory, 'kubernetes'), (error) => {
      assert.ok(error instanceof StorageError);
      assert.equal(error.code, 'identity');
      assert.match(error.message, /"svc".*"kubernetes"/);
      return true;
    });
    await (await open(directory)).close();
  });

  it('refuses a second opener in this process, also through another path', async () => {
    const directory = directories.make();
    const link = path.join(directories.make(), 'link');
    symlinkSync(directory, link);
    const storage = await open(directory);
    await assert.rejects(open(directory), { code: 'in-use' });
    await assert.rejects(open(link), { code: 'in-use' });
    await commitOne(storage, put(key('a'), absent));
    await storage.close();
    await (await open(link)).close();
  });

  it('refuses a second process, and lets go of the lock of a killed one', async () => {
    const directory = directories.make();
    const holder = startChild('open', directory);
    assert.equal(await firstLine(holder), 'open');
    await assert.rejects(open(directory), { code: 'in-use' });
    holder.kill('SIGKILL');
    await ended(holder);
    const storage = await open(directory);
    const late = startChild('open', directory);
    assert.equal(await firstLine(late), 'in-use');
    await ended(late);
    await storage.close();
  });

  it('refuses a process that cannot see the lock: one of another network name space', async (t) => {
    const directory = directories.make();
    const storage = await open(directory);
    await commitOne(storage, put(key('a'), absent));
    const apart = ['--net', process.execPath, childScript, 'open', directory];
    const { status, stdout } = spawnSync('unshare', apart, { input: '', encoding: 'utf8' });
    await storage.close();
    if (status === null || stdout === '') {
      t.skip('no name space can be made here');
      return;
    }
    assert.equal(stdout, 'in-use\n');
  });

  it('starts beside a process that says it only reads, and refuses one that does not', async () => {
    for (const [mode, refused] of [
      ['read', false],
      ['peek', true],
    ] as const) {
      const directory = directories.make();
      await (await open(directory)).close();
      const reader = startChild(mode, directory);
      assert.equal(await firstLine(reader), 'open');
      if (refused) {
        await assert.rejects(open(directory), { code: 'in-use' });
      } else {
        const storage = await open(directory);
        await commitOne(storage, put(key('a'), absent));
        await storage.close();
      }
      reader.kill('SIGKILL');
      await ended(reader);
      await (await open(directory)).close();
    }
  });

  it('says `io` when the directory cannot be made, and `corrupt` for a file that is no store', async () => {
    const directory = directories.make();
    writeFileSync(path.join(directory, 'file'), '');
    await assert.rejects(open(path.join(directory, 'file', 'store')), { code: 'io' });
    const foreign = path.join(directory, 'foreign');
    mkdirSync(foreign);
    writeFileSync(path.join(foreign, 'data.mdb'), Buffer.alloc(64 * 1024, 'not a store '));
    await assert.rejects(open(foreign), { code: 'corrupt' });
    writeFileSync(path.join(foreign, 'data.mdb'), 'short');
    await assert.rejects(open(foreign), { code: 'corrupt' });
  });
});

interface Acknowledged {
  readonly revision: Revision;
  readonly text: string | undefined;
}

/** Runs a writer until it has acknowledged `lines` writes, kills it, and tells the last ones. */
async function writeUntilKilled(
  directory: string,
  seed: number,
  lines: number,
): Promise<Map<StoreKey, Acknowledged>> {
  const child = startChild('write', directory, String(seed));
  let text = '';
  let count = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    count += chunk.toString().split('\n').length - 1;
    if (count >= lines) child.kill('SIGKILL');
  });
  await ended(child);
  const acknowledged = new Map<StoreKey, Acknowledged>();
  // What stands behind the last line end was cut by the kill.
  for (const line of text.split('\n').slice(1, -1)) {
    const [kind, name, revision, value] = line.split(' ');
    assert.match(String(kind), /^[AD]$/, line);
    acknowledged.set(name as StoreKey, {
      revision: BigInt(revision as string) as Revision,
      text: kind === 'A' ? value : undefined,
    });
  }
  return acknowledged;
}

describe('lmdb: kill -9 under load', () => {
  it('keeps every acknowledged commit and leaves tables that agree', async () => {
    const directory = directories.make();
    for (let round = 0; round < 4; round += 1) {
      const acknowledged = await writeUntilKilled(directory, round, 300 + round * 700);
      assert.ok(acknowledged.size > 0);
      const storage = await open(directory);
      assert.deepEqual(storage.verify().problems, []);
      for (const [name, { revision, text }] of acknowledged) {
        const at = ok(await storage.read(name));
        // A write in flight when the process died may be there; nothing older may.
        const isLast = at === undefined ? text === undefined : at.revision === revision;
        if (isLast) assert.equal(textOf(at), text);
        else assert.ok((await newestChange(storage, name)) > revision, `${name} lost ${revision}`);
      }
      await storage.close();
    }
  });
});

async function newestChange(storage: LmdbStorage, name: StoreKey): Promise<Revision> {
  let newest = revisionZero;
  let from = await storage.compactRevision();
  for (;;) {
    const { changes, through } = ok(await storage.changes(from, { limit: 500, previous: false }));
    if (changes.length === 0) return newest;
    newest = changes.findLast((c) => c.key === name)?.revision ?? newest;
    from = through;
  }
}

describe('lmdb: a full disk', () => {
  it('says `full`, applies nothing, and goes on when there is room again', async (t) => {
    const directory = directories.make();
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', directory], {
        stdio: 'ignore',
      });
    } catch {
      t.skip('a small file system cannot be mounted here');
      return;
    }
    const storage = await open(path.join(directory, 'store'));
    try {
      const large = 'x'.repeat(200_000);
      let count = 0;
      await assert.rejects(
        async () => {
          for (; count < 100; count += 1) {
            await commitOne(storage, put(key(`k${count}`), absent, large));
          }
        },
        (error) => error instanceof StorageError && error.code === 'full',
      );
      const revision = await storage.revision();
      assert.equal(ok(await storage.read(key(`k${count}`))), undefined);
      assert.equal(storage.verify().recordsCount, count);
      assert.deepEqual(storage.verify().problems, []);
      await assert.rejects(storage.commit([put(key('more'), absent, large)]), { code: 'full' });
      execFileSync('mount', ['-o', 'remount,size=16m', directory]);
      assert.ok((await commitOne(storage, put(key('more'), absent, large))) > revision);
      assert.deepEqual(storage.verify().problems, []);
    } finally {
      await storage.close();
      execFileSync('umount', [directory]);
    }
  });
});

describe('lmdb: an end beside work of many steps', () => {
  it('comes between two steps of a compaction, of which no more is done', async () => {
    const directory = directories.make();
    const storage = await open(directory);
    const changesCount = 1_000;
    const names = Array.from({ length: changesCount }, (_, i) => key(`k${i}`));
    await storage.commit(names.map((name) => put(name, absent)));
    const revision = await storage.revision();
    const compacting = storage.compact(revision);
    const ended = assert.rejects(compacting, { code: 'closed' });
    while ((await storage.compactRevision()) === revisionZero) await setImmediate();
    await storage.close();
    await ended;
    const again = await open(directory);
    const reached = await again.compactRevision();
    assert.ok(reached > revisionZero && reached < revision, String(reached));
    assert.deepEqual(again.verify().problems, []);
    await again.close();
  });
});

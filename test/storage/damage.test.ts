/**
 * Records of which a byte was altered in the medium, in every store that has one: they are found
 * out, they can be removed, and nothing else is disturbed.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../../src/stdx/clock.ts';
import { createKeys } from '../../src/storage/fdb/layout.ts';
import { encodeKey } from '../../src/storage/lmdb/layout.ts';
import { openLmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import { lmdbDefaults, openEnvironment } from '../../src/storage/lmdb/tables.ts';
import { decodeRecord, encodeRecord } from '../../src/storage/record-codec.ts';
import {
  decodeAt,
  decodePage,
  encodeAt,
  encodePage,
  recordCodec,
  scanCodec,
} from '../../src/storage/remote/wire.ts';
import { revisionZero } from '../../src/storage/storage.ts';
import type {
  Precondition,
  Revision,
  Storage,
  StoredRecord,
  StoreKey,
  Change,
} from '../../src/storage/storage.ts';
import {
  absent,
  commitOne,
  key,
  ok,
  remove,
  scanAll,
  written,
} from '../contract/storage-fixture.ts';
import { createServers, doublePrefix } from '../support/servers/fdb-servers.ts';
import { testDirectories } from '../support/data/test-directories.ts';

type Alter = (bytes: Buffer) => Buffer;

interface Medium {
  readonly name: string;
  /** Bytes of a record that no checksum can cover (src/storage/fdb/layout.ts). */
  readonly unguarded: readonly number[];
  open(): Promise<Storage>;
  /** While it is not open. */
  alter(record: StoreKey, change: Alter): Promise<void>;
}

const directories = testDirectories('sluice-damage');
after(() => directories.removeAll());

function lmdbMedium(): Medium {
  const path = directories.make();
  return {
    name: 'lmdb',
    unguarded: [],
    open: () => openLmdbStorage({ path, identity: 'svc', clock: systemClock }),
    async alter(record, change) {
      const tables = openEnvironment(path, lmdbDefaults.mapBytes);
      const bytes = tables.cur.getBinary(encodeKey(record));
      assert(bytes !== undefined);
      await tables.cur.put(encodeKey(record), change(Buffer.from(bytes)));
      await tables.root.close();
    },
  };
}

function fdbMedium(): Medium {
  const servers = createServers();
  const place = { from: 1, length: 13 };
  return {
    name: 'fdb',
    unguarded: Array.from({ length: place.length }, (_, i) => place.from + i),
    open: () => servers.open(),
    async alter(record, change) {
      const transaction = servers.double.connect().begin({ timeoutMs: 1000 });
      const at = createKeys(doublePrefix).current(record);
      const bytes = await transaction.get(at, 'serializable');
      assert(bytes !== undefined);
      transaction.set(at, change(Buffer.from(bytes)));
      await transaction.commit();
    },
  };
}

function recordOf(name: string, size: number): { place: StoreKey; value: Uint8Array } {
  const place = key(name);
  const object = Buffer.from(JSON.stringify({ name, text: 'x'.repeat(size) }));
  const record = { uid: `uid-of-${name}`, labels: { name }, fields: {}, metadataAt: 1, object };
  return { place, value: encodeRecord(record, { key: place, state: 'live' }) };
}

async function write(
  storage: Storage,
  name: string,
  expect: Precondition = absent,
  size = 40,
): Promise<Revision> {
  const { place, value } = recordOf(name, size);
  const operation = { kind: 'put', state: 'live', value } as const;
  return commitOne(storage, { key: place, expect, conditions: [], operation });
}

function readable(stored: StoredRecord): boolean {
  try {
    decodeRecord(stored);
    return true;
  } catch {
    return false;
  }
}

for (const medium of [lmdbMedium, fdbMedium]) {
  describe(`damaged records: ${medium().name}`, () => {
    it('whatever byte of a record is altered, it is not taken for a record', async () => {
      const place = medium();
      const first = await place.open();
      await write(first, 'bad');
      await first.close();
      let length = 0;
      await place.alter(key('bad'), (bytes) => {
        length = bytes.length;
        return bytes;
      });
      const guarded = Array.from({ length }, (_, i) => i).filter(
        (i) => !place.unguarded.includes(i),
      );
      const property = fc.asyncProperty(
        fc.constantFrom(...guarded),
        fc.integer({ min: 1, max: 255 }),
        async (at, by) => {
          const flip: Alter = (bytes) => {
            bytes[at] = (bytes[at] as number) ^ by;
            return bytes;
          };
          await place.alter(key('bad'), flip);
          const storage = await place.open();
          const [stored] = await scanAll(storage, '');
          await storage.close();
          await place.alter(key('bad'), flip);
          assert(stored !== undefined);
          assert.equal(readable(stored), false, `byte ${at} by ${by}`);
        },
      );
      await fc.assert(property, { numRuns: 60 });
      const storage = await place.open();
      const [stored] = await scanAll(storage, '');
      assert.equal(stored && readable(stored), true, 'as it was written it is one');
      await storage.close();
    });

    const damages: Record<string, Alter> = {
      'in its revision': (bytes) => bytes.fill(0xff, 1, 3),
      'in the length of its state': (bytes) => {
        const at = medium().name === 'lmdb' ? 8 : 14;
        bytes[at] = (bytes[at] as number) ^ 0x41;
        return bytes;
      },
      'in its value': (bytes) => bytes.fill(0, bytes.length - 5),
      'cut to nothing': () => Buffer.alloc(0),
      'cut in its head': (bytes) => bytes.subarray(0, 9),
    };
    for (const [where, change] of Object.entries(damages)) {
      it(`one that is damaged ${where} disturbs no other, shows in the past, can be removed`, async () => {
        const place = medium();
        const first = await place.open();
        const before = await write(first, 'good');
        const old = await write(first, 'bad');
        const newer = await write(first, 'bad', written(old));
        const last = await write(first, 'later');
        await first.close();
        await place.alter(key('bad'), change);

        const storage = await place.open();
        const state = (records: readonly StoredRecord[]): unknown =>
          records.map((stored) => [stored.key, readable(stored)]);
        const all = [
          [key('bad'), false],
          [key('good'), true],
          [key('later'), true],
        ];
        assert.deepEqual(state(await scanAll(storage, '')), all);
        assert.deepEqual(
          state(await scanAll(storage, '', newer)),
          all.slice(0, 2),
          'at its revision',
        );
        assert.deepEqual(
          state(await scanAll(storage, '', old)),
          [[key('bad'), true], all[1]],
          'what it replaced is whole',
        );
        const read = ok(await storage.read(key('bad')));
        assert.equal(read && readable(read), false);
        const then = ok(await storage.read(key('bad'), newer));
        assert.equal(then && readable(then), false);
        const page = ok(await storage.changes(revisionZero, { limit: 9, previous: true }));
        assert.deepEqual(
          page.changes.map(({ revision, record }) => [revision, record && readable(record)]),
          [
            [before, true],
            [old, true],
            [newer, false],
            [last, true],
          ],
        );
        const expect = written(read?.revision as Revision);
        const removed = await commitOne(storage, remove(key('bad'), expect));
        assert.ok(removed > last);
        assert.deepEqual(state(await scanAll(storage, '')), all.slice(1));
        assert.deepEqual(state(await scanAll(storage, '', last)), all, 'before its removal');
        await write(storage, 'bad');
        assert.deepEqual(state(await scanAll(storage, '')), [[key('bad'), true], ...all.slice(1)]);
        await storage.close();
      });
    }
  });
}

describe('a store of LMDB format 1', () => {
  it('is opened, read and written, and is one of format 2 from then on', async () => {
    const path = directories.make();
    const open = (): Promise<Storage> =>
      openLmdbStorage({ path, identity: 'svc', clock: systemClock });
    const first = await open();
    const revision = await write(first, 'old');
    await first.close();
    const raw = openEnvironment(path, lmdbDefaults.mapBytes);
    const bytes = Buffer.from(raw.cur.getBinary(encodeKey(key('old'))) as Buffer);
    const head = Buffer.from(bytes.subarray(0, 9 + 4));
    head[8] = 4;
    await raw.cur.put(encodeKey(key('old')), Buffer.concat([head, bytes.subarray(9 + 4 + 4)]));
    await raw.meta.put(Buffer.from('format'), Buffer.of(1));
    await raw.root.close();

    const storage = await open();
    const [stored] = await scanAll(storage, '');
    assert.deepEqual(
      [stored?.revision, stored?.state, stored && readable(stored)],
      [revision, 'live', true],
    );
    await write(storage, 'old', written(revision));
    await storage.close();
    const after = openEnvironment(path, lmdbDefaults.mapBytes);
    assert.deepEqual(after.meta.getBinary(Buffer.from('format')), Buffer.of(2));
    await after.root.close();
  });
});

describe('between the processes of one server', () => {
  it('a damaged record is told as one: alone, in a page, in a change and as what was before', () => {
    const whole: StoredRecord = {
      key: key('a'),
      revision: 7n as Revision,
      state: 'live',
      value: Uint8Array.from([1]),
    };
    const damaged: StoredRecord = { ...whole, state: '', damage: 'the head is wrong' };
    for (const record of [whole, damaged]) {
      const read = { kind: 'ok', value: record } as const;
      const one = decodeAt(encodeAt(read, recordCodec.toRow), recordCodec.fromRow);
      assert.deepEqual(plain(ok(one) as StoredRecord), plain(record));
      const page = { records: [record], revision: 9n as Revision, more: false };
      const scanned = decodeAt(
        encodeAt({ kind: 'ok', value: page }, scanCodec.toRow),
        scanCodec.fromRow,
      );
      assert.deepEqual(ok(scanned).records.map(plain), [plain(record)]);
      const change: Change = {
        revision: record.revision,
        key: record.key,
        kind: 'put',
        timeMs: 1,
        record,
        previous: record,
      };
      const changes = decodePage(encodePage({ changes: [change], through: record.revision }));
      const [told] = changes.changes;
      assert.ok(told?.record && told.previous);
      assert.deepEqual([plain(told.record), plain(told.previous)], [plain(record), plain(record)]);
    }
  });
});

/** Bytes come as views of one kind or another. */
function plain({ value, ...record }: StoredRecord): object {
  return { ...record, value: [...value] };
}

describe('values in pieces', () => {
  it('one of which is missing make a damaged record, not a failed scan', async () => {
    const servers = createServers();
    const storage = await servers.open();
    await write(storage, 'bad', absent, 200_000);
    await write(storage, 'good');
    const transaction = servers.double.connect().begin({ timeoutMs: 1000 });
    const blobs = Buffer.concat([Buffer.from(doublePrefix), Buffer.of(0), Buffer.from('b')]);
    const limits = { limit: 1, bytesTarget: 0 };
    const after = Buffer.concat([blobs.subarray(0, -1), Buffer.from('c')]);
    const { entries } = await transaction.getRange(blobs, after, limits, 'snapshot');
    transaction.clear(entries[0]?.key as Buffer);
    await transaction.commit();
    const records = await scanAll(storage, '');
    assert.deepEqual(
      records.map((stored) => [stored.key, readable(stored)]),
      [
        [key('bad'), false],
        [key('good'), true],
      ],
    );
    await servers.closeAll();
  });
});

/** The suite every adapter of src/storage/transfer.ts must pass. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { compareKeys } from '../../src/storage/key-order.ts';
import { revisionZero, storageLimits } from '../../src/storage/storage.ts';
import type { Revision, Storage, StoredRecord, StoreKey } from '../../src/storage/storage.ts';
import type { StoreExport, StoreImport, TransferHeader } from '../../src/storage/transfer.ts';
import { exportBytes, importBytes } from '../../src/storage/transfer-file.ts';
import {
  absent,
  applied,
  commitOne,
  key,
  ok,
  put,
  rejectsWith,
  scanAll,
  written,
} from './storage-fixture.ts';
import { remove } from './storage-fixture.ts';

/** Where one store is, or can be made. */
export interface TransferPlace {
  openImport(): Promise<StoreImport>;
  openStorage(): Promise<Storage>;
  /** Of a store that no Storage made here has open, where an adapter wants it so. */
  openExport(): Promise<StoreExport>;
}

export interface TransferFixture {
  /** A new place that holds nothing. */
  place(): TransferPlace;
  cleanUp(): Promise<void>;
  /** Random stores to try. */
  readonly runs?: number | undefined;
}

export async function exported(place: TransferPlace): Promise<Buffer> {
  const source = await place.openExport();
  const pieces: Buffer[] = [];
  for await (const piece of exportBytes(source)) pieces.push(piece);
  await source.close();
  return Buffer.concat(pieces);
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    await Promise.resolve();
    yield bytes.subarray(at, at + size);
  }
}

export async function imported(
  place: TransferPlace,
  bytes: Uint8Array,
  options: { readonly force?: boolean; readonly identity?: string; readonly size?: number } = {},
): Promise<void> {
  const target = await place.openImport();
  const { force = false, identity, size = 1000 } = options;
  try {
    await importBytes(inPieces(bytes, size), target, { force, identity });
  } finally {
    await target.close();
  }
}

async function inStorage<T>(
  place: TransferPlace,
  use: (storage: Storage) => Promise<T>,
): Promise<T> {
  const storage = await place.openStorage();
  try {
    return await use(storage);
  } finally {
    await storage.close();
  }
}

/** Records in a form that compares byte for byte. */
function plain(records: readonly StoredRecord[]): unknown[] {
  return records.map((r) => [r.key, r.revision, r.state, Buffer.from(r.value).toString('hex')]);
}

interface Fill {
  readonly name: string;
  readonly state: string;
  readonly size: number;
  readonly fate: 'kept' | 'updated' | 'deleted';
}

const sizes = fc.oneof(fc.nat(200), fc.constantFrom(0, 16_384, 16_385, 80_000, 80_001, 200_000));
const fills: fc.Arbitrary<readonly Fill[]> = fc.uniqueArray(
  fc.record({
    name: fc.string({
      unit: fc.constantFrom('a', 'b', '-', '.', '\uFF5E', '\u{1F600}'),
      minLength: 1,
      maxLength: 8,
    }),
    state: fc.constantFrom('live', 'finalizing', ''),
    size: sizes,
    fate: fc.constantFrom('kept' as const, 'updated' as const, 'deleted' as const),
  }),
  { selector: (fill) => fill.name, maxLength: 30 },
);

async function fillStore(storage: Storage, all: readonly Fill[]): Promise<void> {
  for (const { name, state, size, fate } of all) {
    const made = await commitOne(storage, put(key(name), absent, 'x'.repeat(size), { state }));
    if (fate === 'updated')
      await commitOne(storage, put(key(name), written(made), `${name}2`, { state }));
    if (fate === 'deleted') await commitOne(storage, remove(key(name), written(made)));
  }
}

interface Snapshot {
  readonly records: unknown[];
  readonly revision: Revision;
}

/** What it holds. */
function snapshot(place: TransferPlace): Promise<Snapshot> {
  return inStorage(place, async (storage) => {
    const revision = await storage.revision();
    return { records: plain(await scanAll(storage, '', undefined, 7)), revision };
  });
}

/** Holds an imported store to what its client may expect who has listed the old one. */
async function checkImported(place: TransferPlace, before: Snapshot): Promise<void> {
  await inStorage(place, async (storage) => {
    assert.deepEqual(plain(await scanAll(storage, '', undefined, 3)), before.records);
    const at = before.revision;
    assert.deepEqual(plain(await scanAll(storage, '', at, 2)), before.records);
    assert.ok((await storage.revision()) >= at);
    assert.equal(await storage.compactRevision(), at);
    if (at > 0n) {
      const older = (at - 1n) as Revision;
      const changes = await storage.changes(older, { limit: 10, previous: true });
      assert.equal(changes.kind, 'compacted');
      assert.equal((await storage.scan({ prefix: '', limit: 1 }, older)).kind, 'compacted');
    }
    const one = await commitOne(storage, put(key('zz-new'), absent, 'new'));
    const two = await commitOne(storage, put(key('zz-new'), written(one), 'newer'));
    assert.ok(one > at && two > one);
    const page = ok(await storage.changes(at, { limit: 10, previous: true }));
    assert.deepEqual(
      page.changes.map((c) => [c.revision, c.kind, c.previous?.revision]),
      [
        [one, 'put', undefined],
        [two, 'put', one],
      ],
    );
    // What came in can be changed, deleted, and read as it was.
    const [first] = await scanAll(storage, '', at);
    if (first !== undefined) {
      const gone = applied((await storage.commit([remove(first.key, written(first.revision))]))[0]);
      assert.ok(gone > two);
      assert.deepEqual(plain([ok(await storage.read(first.key, at)) as StoredRecord]), [
        before.records[0],
      ]);
      assert.deepEqual(plain(await scanAll(storage, '', at, 2)), before.records);
    }
    await storage.compact(await storage.revision());
  });
}

const header: TransferHeader = {
  identity: 'svc',
  revision: 9n as Revision,
  compactRevision: revisionZero,
};
const record = (name: string, revision: bigint, text = 'v'): StoredRecord => ({
  key: key(name),
  revision: revision as Revision,
  state: 'live',
  value: Buffer.from(text),
});

/** A small export, made by hand. */
async function smallExport(identity = 'svc'): Promise<Buffer> {
  const source: StoreExport = {
    header: { ...header, identity },
    page: (from) =>
      Promise.resolve(
        from === undefined
          ? { records: [record('a', 3n, 'x'.repeat(20_000)), record('b', 2n)], more: true }
          : { records: [record('c', 9n)], more: false },
      ),
    close: () => Promise.resolve(),
  };
  const pieces: Buffer[] = [];
  for await (const piece of exportBytes(source)) pieces.push(piece);
  return Buffer.concat(pieces);
}

export function transferContract(name: string, fixture: TransferFixture): void {
  describe(`transfer contract: ${name}`, () => {
    after(() => fixture.cleanUp());
    roundTripTests(fixture);
    refusalTests(fixture);
    unfinishedTests(fixture);
  });
}

function roundTripTests(fixture: TransferFixture): void {
  it('any store comes back record for record with its revisions, and goes on above them', async () => {
    await fc.assert(
      fc.asyncProperty(fills, fc.constantFrom(1, 7, 1000, 100_000), async (all, size) => {
        const [from, to] = [fixture.place(), fixture.place()];
        await inStorage(from, (storage) => fillStore(storage, all));
        const before = await snapshot(from);
        const bytes = await exported(from);
        await imported(to, bytes, { size: Math.max(size, bytes.length > 100_000 ? 1000 : 1) });
        assert.deepEqual(await snapshot(to).then((s) => s.records), before.records);
        await checkImported(to, before);
      }),
      { numRuns: fixture.runs ?? 15 },
    );
  });

  it('a store of many pages, the largest value and the longest key come back whole', async () => {
    const [from, to] = [fixture.place(), fixture.place()];
    await inStorage(from, async (storage) => {
      for (let i = 0; i < 24; i += 1) {
        const batch = Array.from({ length: 50 }, (_, j) =>
          put(key(`n${i}-${j}`), absent, `${i} ${j}`),
        );
        await storage.commit(batch);
      }
      await commitOne(storage, put(key('big'), absent, 'x'.repeat(storageLimits.valueBytesMax)));
      const longest = 'k'.repeat(storageLimits.keyBytesMax - key('').length);
      await commitOne(storage, put(key(longest), absent, 'long'));
    });
    const before = await snapshot(from);
    assert.equal(before.records.length, 1202);
    await imported(to, await exported(from), { size: 65_536 });
    await checkImported(to, before);
  });
}

function refusalTests(fixture: TransferFixture): void {
  it('a place that holds a store is refused, with `force` too, and stays as it was', async () => {
    const place = fixture.place();
    await inStorage(place, (storage) => commitOne(storage, put(key('mine'), absent)));
    const before = await snapshot(place);
    for (const force of [false, true]) {
      const importing = imported(place, await smallExport(), { force });
      await assert.rejects(importing, rejectsWith('not-empty'));
    }
    assert.deepEqual(await snapshot(place), before);
  });

  it('an export cut short anywhere, altered anywhere or followed by anything leaves the place empty', async () => {
    const bytes = await smallExport();
    const place = fixture.place();
    const lengths = [
      0,
      5,
      40,
      ...Array.from({ length: 60 }, (_, i) => bytes.length - 1 - i),
      300,
      15_000,
    ];
    for (const length of lengths) {
      const cut = imported(place, bytes.subarray(0, length));
      await assert.rejects(cut, rejectsWith('corrupt'), `cut at ${length}`);
    }
    const lineEnd = bytes.indexOf('\n');
    for (const at of [
      3,
      lineEnd + 2,
      lineEnd + 20,
      lineEnd + 60,
      10_000,
      ...lengths.slice(3, 63),
    ]) {
      const altered = Buffer.from(bytes);
      altered[at] = (altered[at] as number) ^ 1;
      await assert.rejects(imported(place, altered), `altered at ${at}`);
    }
    const longer = imported(place, Buffer.concat([bytes, Buffer.of(0)]));
    await assert.rejects(longer, rejectsWith('corrupt'));
    await imported(place, bytes);
    assert.equal((await snapshot(place)).records.length, 3);
  });

  it('another identity or format is refused before anything is written', async () => {
    const place = fixture.place();
    const other = imported(place, await smallExport('kubernetes'), { identity: 'svc' });
    await assert.rejects(other, rejectsWith('identity'));
    const text = (await smallExport()).toString('latin1').replace('"format":1', '"format":2');
    await assert.rejects(imported(place, Buffer.from(text, 'latin1')), rejectsWith('identity'));
    await imported(place, await smallExport(), { identity: 'svc' });
  });
}

function unfinishedTests(fixture: TransferFixture): void {
  it('an import that died cannot be served or exported, and starts over with `force` only', async () => {
    const place = fixture.place();
    const dying = await place.openImport();
    await dying.begin(header, { force: false });
    await dying.put([record('half', 1n, 'x'.repeat(30_000)), record('left', 2n)]);
    await dying.close();
    await assert.rejects(place.openStorage(), rejectsWith('incomplete'));
    await assert.rejects(place.openExport(), rejectsWith('incomplete'));
    await assert.rejects(imported(place, await smallExport()), rejectsWith('incomplete'));
    await imported(place, await smallExport(), { force: true });
    const { records } = await snapshot(place);
    assert.deepEqual(
      records.map((r) => (r as StoreKey[])[0]),
      ['a', 'b', 'c'].map(key).sort(compareKeys),
    );
  });
}

/** A store that waits for keys: nobody sees a record before its key, and nothing else changes. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { systemClock } from '../../src/stdx/clock.ts';
import { fetchingCommits, fetchingStorage } from '../../src/storage/fetching-storage.ts';
import {
  createMemoryMedium,
  createMemoryStorage,
} from '../../src/storage/memory/memory-storage.ts';
import type { MemoryMedium } from '../../src/storage/memory/memory-storage.ts';
import { revisionZero } from '../../src/storage/storage.ts';
import type { Storage, StoredRecord, StoreKey } from '../../src/storage/storage.ts';
import { counterRules as rules } from '../contract/companion-rules.ts';
import type { KeyPatience } from '../../src/storage/encrypted-records.ts';
import { storageContract } from '../contract/storage-contract.ts';
import type { StorageFixture } from '../contract/storage-fixture.ts';
import { absent, commitOne, key, put } from '../contract/storage-fixture.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Keys that come in a later turn of the event loop, for whoever asks. */
const slowKeys = { fetchKey: () => turn(), mayFetch: () => true };
const wrapped = (inner: Storage): Storage =>
  fetchingStorage(fetchingCommits(inner, slowKeys), slowKeys, () => 'patient');

function fixture(): StorageFixture {
  const media = new WeakMap<Storage, MemoryMedium>();
  const openOver = (medium: MemoryMedium | undefined): Promise<Storage> =>
    Promise.resolve(wrapped(createMemoryStorage({ clock: systemClock, medium, rules })));
  return {
    async open() {
      const medium = createMemoryMedium();
      const storage = await openOver(medium);
      media.set(storage, medium);
      return storage;
    },
    openSecond: (first) => openOver(media.get(first)),
    cleanUp: () => Promise.resolve(),
  };
}

describe('storage that waits for keys', () => {
  storageContract('memory, behind slow keys', fixture());

  let inner: Storage;
  let asked: {
    readonly key: StoreKey;
    readonly patience: KeyPatience;
    readonly done: () => void;
  }[];
  let storage: Storage;
  const fetchKey = ({ key: at }: Pick<StoredRecord, 'key'>, patience: KeyPatience) =>
    at.endsWith('/sealed')
      ? new Promise<void>((done) => void asked.push({ key: at, patience, done }))
      : undefined;
  const patienceOf = (): KeyPatience => 'patient';
  const keys = { fetchKey, mayFetch: (at: StoreKey) => at.endsWith('/sealed') };

  beforeEach(async () => {
    inner = createMemoryStorage({ clock: systemClock, rules });
    asked = [];
    storage = fetchingStorage(inner, keys, patienceOf);
    await commitOne(inner, put(key('plain'), absent));
    await commitOne(inner, put(key('sealed'), absent));
  });

  async function waitsForIt(answer: Promise<unknown>, patience: KeyPatience): Promise<void> {
    let isThere = false;
    void answer.then(() => (isThere = true));
    await turn();
    assert.equal(isThere, false);
    assert.deepEqual(
      asked.map((each) => [each.key, each.patience]),
      [[key('sealed'), patience]],
    );
    asked.pop()?.done();
    await answer;
    await storage.read(key('plain'));
  }

  it('hands on a record when its key is there, patiently where it is kept', async () => {
    await waitsForIt(storage.read(key('sealed')), 'once');
    await waitsForIt(storage.scan({ prefix: '/configmaps/', limit: 9 }), 'once');
    await waitsForIt(storage.scan({ prefix: '', limit: 9 }), 'patient');
    await waitsForIt(storage.changes(revisionZero, { limit: 9, previous: true }), 'if-well');
    const tail = storage.tail(revisionZero, new AbortController().signal)[Symbol.asyncIterator]();
    await waitsForIt(tail.next(), 'patient');
    await tail.return?.();
  });

  it('is followed no further by who no longer wants to, whether the key comes or not', async () => {
    const stopping = new AbortController();
    const pages: unknown[] = [];
    const following = (async () => {
      for await (const page of storage.tail(revisionZero, stopping.signal)) pages.push(page);
    })();
    await turn();
    assert.equal(asked.length, 1);
    stopping.abort();
    await following;
    assert.deepEqual(pages, []);
  });

  it('asks for no key where none has to be asked for', () => {
    const { fetchKey: none, mayFetch } = { fetchKey: undefined, mayFetch: undefined };
    assert.equal(
      fetchingStorage(inner, { fetchKey: none }, () => 'patient'),
      inner,
    );
    assert.equal(fetchingCommits(inner, { fetchKey: none, mayFetch }), inner);
  });

  it('keeps commits in their order, also behind one that waits', async () => {
    const committed: string[] = [];
    const recording: Storage = {
      ...inner,
      name: inner.name,
      read: (at) => inner.read(at),
      commit(mutations) {
        committed.push(...mutations.map((each) => each.key));
        return inner.commit(mutations);
      },
    };
    const held = fetchingCommits(recording, keys);
    const releases = { kind: 'release', key: key('sealed'), owner: 'nobody' } as const;
    const first = held.commit([{ ...put(key('a'), absent), companions: [releases] }]);
    const second = held.commit([put(key('b'), absent)]);
    await turn();
    assert.deepEqual(committed, []);
    assert.equal(asked.length, 1);
    asked.pop()?.done();
    await Promise.all([first, second]);
    await held.commit([put(key('c'), absent)]);
    assert.deepEqual(committed, [key('a'), key('b'), key('c')]);
    assert.equal(asked.length, 0);
  });
});

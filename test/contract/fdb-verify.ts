/** What a check of a FoundationDB store finds: on the double, and on a real cluster. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FdbDatabase, FdbTransaction, KeyValue } from '../../src/storage/fdb/binding.ts';
import { verifyFdb } from '../../src/storage/fdb/fdb-verify.ts';
import type { FdbReport } from '../../src/storage/fdb/fdb-verify.ts';
import { createKeys } from '../../src/storage/fdb/layout.ts';
import { runWrite } from '../../src/storage/fdb/transactions.ts';
import type { Revision, Storage } from '../../src/storage/storage.ts';
import { absent, commitOne, key, put, remove, written } from './storage-fixture.ts';

export interface VerifiedStore {
  /** In a place of its own. */
  readonly prefix: string;
  connect(): FdbDatabase;
  open(): Promise<Storage>;
  cleanUp(): Promise<void>;
}

const sound = (): undefined => undefined;
const limits = { limit: 1000, bytesTarget: 1024 * 1024 };

type Tables = Parameters<ReturnType<typeof createKeys>['table']>[0];

interface Damage {
  readonly what: string;
  /** Of the given store; `a` is [put, put, delete], `b` [put, put], `c` [put]. */
  readonly done: (
    transaction: FdbTransaction,
    keys: ReturnType<typeof createKeys>,
    entries: (table: Tables) => Promise<readonly KeyValue[]>,
  ) => Promise<void>;
  readonly found: (revisions: Readonly<Record<'a' | 'b' | 'c', readonly Revision[]>>) => string[];
}

const name = (which: string): string => key(which);

const damages: readonly Damage[] = [
  {
    what: 'a change that has gone from the log',
    async done(transaction, _, entries) {
      transaction.clear((await entries('l')).at(-1)?.key as Buffer);
    },
    found: ({ c }) => [`${name('c')}@${c[0]} has no log entry`],
  },
  {
    what: 'a record that has gone, and its state with it',
    async done(transaction, keys) {
      transaction.clear(keys.current(key('c')));
      transaction.clear(keys.state(key('c')));
      return Promise.resolve();
    },
    found: ({ c }) => [`change ${c[0]} has no record`],
  },
  {
    what: 'a superseded record that has gone',
    async done(transaction, keys, entries) {
      const [first] = (await entries('o')).filter(({ key: at }) =>
        keys.splitOld(at).key.endsWith('/b'),
      );
      transaction.clear(first?.key as Buffer);
    },
    found: ({ b }) => [`change ${b[0]} has no record`],
  },
  {
    what: 'a record that was superseded by another change',
    async done(transaction, keys, entries) {
      const old = (await entries('o')).find(({ key: at }) => keys.splitOld(at).key.endsWith('/b'));
      const another = (await entries('l')).at(-1);
      transaction.clear(old?.key as Buffer);
      const place = keys.placeOfLog(another?.key as Buffer);
      transaction.set(keys.old(key('b'), place), old?.value as Buffer);
    },
    found: ({ b, c }) => [
      `${name('b')}@${b[0]} was superseded at ${c[0]} by no change of it`,
      `change ${b[1]} has no record`,
    ],
  },
  {
    what: 'a deletion that left its record',
    async done(transaction, keys, entries) {
      const last = (await entries('o')).find(({ key: at }) => keys.splitOld(at).key.endsWith('/a'));
      const place = keys.placeOfLog((await entries('l'))[2]?.key as Buffer);
      // As if the deletion had written what the first change did.
      const value = Buffer.from(last?.value as Buffer);
      place.copy(value, 1);
      transaction.set(keys.current(key('a')), value);
      transaction.set(keys.state(key('a')), Buffer.from('live'));
    },
    found: ({ a }) => [
      `${name('a')}@${a[2]} has no log entry`,
      `${name('a')}@${a[1]} was deleted at ${a[2]}, after its successor began`,
      `delete ${a[2]} has a record`,
    ],
  },
  {
    what: 'a log entry that cannot be read',
    async done(transaction, _, entries) {
      const entry = (await entries('l')).at(-1);
      const value = Buffer.from(entry?.value as Buffer);
      value[0] = 9;
      transaction.set(entry?.key as Buffer, value);
    },
    found: ({ c }) => [
      `${name('c')}@${c[0]} has no log entry`,
      `the log entry of change ${c[0]} is malformed`,
    ],
  },
  {
    what: 'a state word that is not the one of its record',
    async done(transaction, keys) {
      transaction.set(keys.state(key('b')), Buffer.from('terminating'));
      return Promise.resolve();
    },
    found: () => [`${name('b')} is "live", and conditions read "terminating"`],
  },
  {
    what: 'state words without a record, and a record without one',
    async done(transaction, keys) {
      transaction.clear(keys.state(key('b')));
      for (const which of ['', 'bb', 'z']) {
        transaction.set(keys.state(key(which)), Buffer.from('live'));
      }
      return Promise.resolve();
    },
    found: () => [
      `${name('')} has a state and no record`,
      `${name('bb')} has a state and no record`,
      `${name('z')} has a state and no record`,
      `${name('b')} has no state for conditions to read`,
    ],
  },
];

export function fdbVerifyTests(place: () => VerifiedStore): void {
  describe('a check of a FoundationDB store', () => {
    for (const { what, done, found } of damages) {
      it(`finds ${what}, and nothing else`, async (t) => {
        const store = place();
        t.after(() => store.cleanUp());
        const { connect, prefix } = store;
        const storage = await store.open();
        const a = [await commitOne(storage, put(key('a'), absent))];
        a.push(await commitOne(storage, put(key('a'), written(a[0] as Revision))));
        a.push(await commitOne(storage, remove(key('a'), written(a[1] as Revision))));
        const b = [await commitOne(storage, put(key('b'), absent))];
        b.push(await commitOne(storage, put(key('b'), written(b[0] as Revision))));
        const c = [await commitOne(storage, put(key('c'), absent))];
        const whole = await verifyFdb({ db: connect(), prefix }, sound);
        assert.deepEqual(whole.problems, []);
        assert.deepEqual(countsOf(whole), [2, 3, 6]);

        const db = connect();
        const keys = createKeys(prefix);
        const work = (transaction: FdbTransaction): Promise<void> =>
          done(transaction, keys, async (table) => {
            const page = await transaction.getRange(...keys.table(table), limits, 'snapshot');
            return page.entries;
          });
        await runWrite(db, work, { timeoutMs: 10_000 });
        db.close();
        const { problems } = await verifyFdb({ db: connect(), prefix }, sound);
        assert.deepEqual(problems, found({ a, b, c }));
        await storage.close();
      });
    }

    describe('of more than a page', () => {
      let store: VerifiedStore;
      let storage: Storage;
      const updates = 300;
      before(async () => {
        store = place();
        storage = await store.open();
        let revision = await commitOne(storage, put(key('hot'), absent));
        for (let i = 0; i < updates; i += 1) {
          revision = await commitOne(storage, put(key('hot'), written(revision)));
        }
        for (let i = 0; i < 300; i += 50) {
          const some = Array.from({ length: 50 }, (_, at) => put(key(`k${i + at}`), absent));
          for (const outcome of await storage.commit(some)) assert.equal(outcome.kind, 'applied');
        }
      });
      after(async () => {
        await storage.close();
        await store.cleanUp();
      });

      it('goes through all of them, also those of one key', async () => {
        const report = await verifyFdb({ db: store.connect(), prefix: store.prefix }, sound);
        assert.deepEqual(report.problems, []);
        assert.deepEqual(countsOf(report), [301, updates, updates + 301]);
        assert.equal(report.revision, await storage.revision());
      });

      it('finds no fault in what is written and compacted while it reads', async () => {
        let work = Promise.resolve();
        let writesCount = 0;
        const disturb = async (): Promise<void> => {
          const revision = (await storage.revision()) as bigint;
          const found = await storage.read(key('k7'));
          const last = found.kind === 'ok' ? found.value?.revision : undefined;
          const update = last === undefined ? absent : written(last);
          await storage.commit([put(key('k7'), update), put(key(`z${writesCount}`), absent)]);
          writesCount += 1;
          if (writesCount % 3 === 0) await storage.compact((revision - 4096n) as Revision);
        };
        const db = store.connect();
        const disturbing: FdbDatabase = {
          ...db,
          begin(options) {
            const transaction = db.begin(options);
            return {
              ...transaction,
              async getRange(...range) {
                work = work.then(disturb);
                await work;
                return transaction.getRange(...range);
              },
            };
          },
        };
        const report = await verifyFdb({ db: disturbing, prefix: store.prefix }, sound);
        assert.deepEqual(report.problems, []);
        assert.ok(writesCount > 6, 'it was disturbed');
      });
    });
  });
}

function countsOf(report: FdbReport): readonly number[] {
  return [report.recordsCount, report.supersededCount, report.changesCount];
}

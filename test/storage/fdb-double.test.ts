/** The double of FoundationDB against what FoundationDB's documentation says. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { fdbCodes } from '../../src/storage/fdb/binding.ts';
import type { FdbDatabase, FdbTransaction } from '../../src/storage/fdb/binding.ts';
import { createFdbDouble } from '../support/doubles/fdb-double.ts';
import type { FdbDouble } from '../support/doubles/fdb-double.ts';
import { turns } from '../support/servers/fdb-servers.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import type { ManualTime } from '../support/doubles/manual-time.ts';

const b = (text: string): Buffer => Buffer.from(text, 'latin1');
const all = { limit: 100, bytesTarget: 0 };

let time: ManualTime;
let double: FdbDouble;
let db: FdbDatabase;
beforeEach(() => {
  time = manualTime();
  double = createFdbDouble({ nowMs: () => time.clock.nowMs(), timers: time.timers });
  db = double.connect();
});

function failsWith(code: number): (error: unknown) => boolean {
  return (error) => (error as { code?: unknown }).code === code;
}

async function write(work: (transaction: FdbTransaction) => void): Promise<Buffer> {
  const transaction = db.begin({});
  work(transaction);
  const stamp = transaction.versionstamp();
  stamp.catch(() => undefined);
  await transaction.commit();
  return stamp;
}

async function valueOf(key: string): Promise<string | undefined> {
  return (await db.begin({}).get(b(key), 'snapshot'))?.toString('latin1');
}

describe('developer guide, transactions', () => {
  it('reads see a snapshot of the database as of the read version', async () => {
    await write((t) => t.set(b('a'), b('1')));
    const reader = db.begin({});
    await reader.readVersion();
    await write((t) => t.set(b('a'), b('2')));
    assert.equal((await reader.get(b('a'), 'snapshot'))?.toString(), '1');
    assert.equal(await valueOf('a'), '2');
  });

  it('a transaction sees its own writes', async () => {
    await write((t) => t.set(b('a'), b('1')));
    const own = db.begin({});
    own.set(b('b'), b('2'));
    own.clear(b('a'));
    assert.equal(await own.get(b('a'), 'snapshot'), undefined);
    const { entries } = await own.getRange(b('a'), b('z'), all, 'snapshot');
    assert.deepEqual(entries, [{ key: b('b'), value: b('2') }]);
  });

  it('external consistency: a read version is at or after every commit acknowledged before', async () => {
    const stamp = await write((t) => t.set(b('a'), b('1')));
    assert.ok((await db.begin({}).readVersion()) >= stamp.readBigUInt64BE());
  });

  it('versions advance by about one million per second', async () => {
    const before = await db.begin({}).readVersion();
    time.advance(3000);
    assert.equal((await db.begin({}).readVersion()) - before, 3_000_000n);
  });

  it('they jump by a hundred seconds in a recovery; what was begun before is too old', async () => {
    const before = db.begin({});
    await before.get(b('a'), 'serializable');
    before.set(b('b'), b('1'));
    const version = await before.readVersion();
    double.recover();
    assert.equal((await db.begin({}).readVersion()) - version, 100_000_000n);
    await assert.rejects(before.commit(), failsWith(fdbCodes.transactionTooOld));
    time.advance(1000);
    assert.equal((await db.begin({}).readVersion()) - version, 101_000_000n);
  });
});

describe('developer guide, conflict ranges', () => {
  const conflict = failsWith(fdbCodes.notCommitted);

  it('a transaction conflicts when a key that it read was written after its read version', async () => {
    const t = db.begin({});
    await t.get(b('a'), 'serializable');
    t.set(b('b'), b('1'));
    await write((other) => other.set(b('a'), b('2')));
    await assert.rejects(t.commit(), conflict);
    assert.equal(await valueOf('b'), undefined);
  });

  it('a range read conflicts with a key that appears in the range, and with a cleared one', async () => {
    await write((t) => t.set(b('m'), b('1')));
    for (const change of [
      (t: FdbTransaction): void => t.set(b('k'), b('2')),
      (t: FdbTransaction): void => t.clearRange(b('l'), b('n')),
    ]) {
      const t = db.begin({});
      await t.getRange(b('a'), b('z'), all, 'serializable');
      t.set(b('0'), b('1'));
      await write(change);
      await assert.rejects(t.commit(), conflict);
    }
  });

  it('a range read that ended at its limit conflicts only as far as it read', async () => {
    await write((t) => ['a', 'b', 'c'].forEach((key) => t.set(b(key), b('1'))));
    const t = db.begin({});
    const page = await t.getRange(b('a'), b('z'), { limit: 2, bytesTarget: 0 }, 'serializable');
    assert.deepEqual([page.entries.length, page.more], [2, true]);
    t.set(b('0'), b('1'));
    await write((other) => other.set(b('c'), b('2')));
    await t.commit();
  });

  it('snapshot reads do not conflict, blind writes do not conflict, read-only never conflicts', async () => {
    const [reader, writer, readOnly] = [db.begin({}), db.begin({}), db.begin({})];
    await reader.get(b('a'), 'snapshot');
    reader.set(b('b'), b('1'));
    writer.set(b('a'), b('2'));
    await readOnly.get(b('a'), 'serializable');
    await write((other) => other.set(b('a'), b('3')));
    await reader.commit();
    await writer.commit();
    await readOnly.commit();
    assert.equal(await valueOf('a'), '2');
  });

  it('of two transactions at one version that read and write a key, the first commits', async () => {
    const two = [db.begin({}), db.begin({})];
    for (const [i, t] of two.entries()) {
      await t.get(b('a'), 'serializable');
      t.set(b('a'), b(String(i)));
    }
    const ends = await Promise.allSettled(two.map((t) => t.commit()));
    assert.deepEqual(
      ends.map((end) => end.status),
      ['fulfilled', 'rejected'],
    );
    assert.equal(await valueOf('a'), '0');
  });
});

describe('data modeling, versionstamps', () => {
  it('10 bytes: commit version and order in its batch; the same in key, value and answer', async () => {
    const stamp = await write((t) => {
      t.setVersionstampedKey(b('k/..........!'), 2, b('v'));
      t.setVersionstampedValue(b('v'), b('<..........>'), 1);
    });
    assert.equal(stamp.length, 10);
    const key = Buffer.concat([b('k/'), stamp, b('!')]);
    assert.equal((await db.begin({}).get(key, 'snapshot'))?.toString(), 'v');
    const value = await db.begin({}).get(b('v'), 'snapshot');
    assert.deepEqual(value, Buffer.concat([b('<'), stamp, b('>')]));
  });

  it('they increase with every commit; commits of one batch share the version, not the order', async () => {
    const stamps = [await write((t) => t.set(b('a'), b('1')))];
    stamps.push(
      ...(await Promise.all(['b', 'c', 'd'].map((key) => write((t) => t.set(b(key), b('1')))))),
    );
    assert.deepEqual([...stamps].sort(Buffer.compare), stamps);
    const versions = stamps.map((stamp) => stamp.readBigUInt64BE());
    assert.equal(new Set(versions).size, 2);
  });

  it('a key whose value has no versionstamp yet cannot be read (1036)', async () => {
    const t = db.begin({});
    t.setVersionstampedValue(b('a'), b('..........'), 0);
    const unreadable = failsWith(fdbCodes.accessedUnreadable);
    await assert.rejects(t.get(b('a'), 'snapshot'), unreadable);
  });

  it('C API, get_versionstamp: a read-only transaction has none (2021)', async () => {
    const t = db.begin({});
    const stamp = t.versionstamp();
    const none = assert.rejects(stamp, failsWith(fdbCodes.noCommitVersion));
    await t.get(b('a'), 'snapshot');
    await t.commit();
    await none;
  });
});

describe('known limitations', () => {
  it('a transaction older than five seconds can neither read nor commit (1007)', async () => {
    const [reader, writer] = [db.begin({}), db.begin({})];
    await reader.readVersion();
    await writer.get(b('a'), 'serializable');
    time.advance(5001);
    const tooOld = failsWith(fdbCodes.transactionTooOld);
    await assert.rejects(reader.get(b('a'), 'snapshot'), tooOld);
    writer.set(b('a'), b('1'));
    await assert.rejects(writer.commit(), tooOld);
  });

  it('keys hold 10,000 bytes, values 100,000, transactions 10,000,000', async () => {
    const x = (length: number): Buffer => Buffer.alloc(length, 'x');
    await write((t) => t.set(x(10_000), x(100_000)));
    for (const [work, code] of [
      [(t: FdbTransaction): void => t.set(x(10_001), x(1)), fdbCodes.keyTooLarge],
      [(t: FdbTransaction): void => t.set(x(1), x(100_001)), fdbCodes.valueTooLarge],
      [
        (t: FdbTransaction): void => {
          for (let i = 0; i < 100; i += 1) t.set(b(`k${i}`), x(100_000));
        },
        fdbCodes.transactionTooLarge,
      ],
    ] as const) {
      await assert.rejects(write(work), failsWith(code));
    }
  });

  it('what is read with conflicts counts by its keys, not by its values', async () => {
    await write((t) => t.set(b('big'), Buffer.alloc(100_000)));
    const t = db.begin({});
    for (let i = 0; i < 200; i += 1) await t.get(b('big'), 'serializable');
    t.set(b('a'), b('1'));
    await t.commit();
  });
});

describe('C API, watches', () => {
  async function armed(key: string): Promise<{ fired: () => boolean; cancel: () => void }> {
    const t = db.begin({});
    let done = false;
    const watch = t.watch(b(key));
    watch.changed.then(
      () => (done = true),
      () => undefined,
    );
    await t.commit();
    await turns(3);
    return { fired: () => done, cancel: () => watch.cancel() };
  }

  it('a watch fires when the value of its key changes, not for another key or the same value', async () => {
    await write((t) => t.set(b('a'), b('1')));
    const watch = await armed('a');
    await write((t) => t.set(b('b'), b('1')));
    await write((t) => t.set(b('a'), b('1')));
    await turns(3);
    assert.equal(watch.fired(), false);
    await write((t) => t.set(b('a'), b('2')));
    await turns(3);
    assert.equal(watch.fired(), true);
  });

  it('it compares with the read version of its transaction: a change in between is seen', async () => {
    const t = db.begin({});
    const watch = t.watch(b('a'));
    await t.readVersion();
    await write((other) => other.set(b('a'), b('1')));
    await t.commit();
    await watch.changed;
  });

  it('it is in force only when its transaction has committed, and fails with it', async () => {
    const t = db.begin({});
    const watch = t.watch(b('a'));
    const failed = assert.rejects(watch.changed, failsWith(fdbCodes.notCommitted));
    await t.get(b('c'), 'serializable');
    t.set(b('d'), b('1'));
    await write((other) => other.set(b('c'), b('1')));
    await assert.rejects(t.commit(), failsWith(fdbCodes.notCommitted));
    await failed;
  });

  it('a cancelled watch ends with operation_cancelled (1101)', async () => {
    const t = db.begin({});
    const watch = t.watch(b('a'));
    const cancelled = assert.rejects(watch.changed, failsWith(fdbCodes.operationCancelled));
    await t.commit();
    watch.cancel();
    await cancelled;
  });
});

describe('developer guide, transactions with unknown results', () => {
  for (const [fate, value] of [
    ['unknown-applied', '1'],
    ['unknown-lost', undefined],
  ] as const) {
    it(`commit_unknown_result may or may not have happened: ${fate}`, async () => {
      double.faults.script.push(fate);
      const unknown = failsWith(fdbCodes.commitUnknownResult);
      await assert.rejects(
        write((t) => t.set(b('a'), b('1'))),
        unknown,
      );
      assert.equal(await valueOf('a'), value);
    });
  }

  it('a commit that timed out (1031) may still arrive', async () => {
    double.faults.script.push('timeout-late');
    const t = db.begin({});
    t.set(b('a'), b('1'));
    await assert.rejects(t.commit(), failsWith(fdbCodes.transactionTimedOut));
    assert.equal(await valueOf('a'), undefined);
    await turns();
    assert.equal(await valueOf('a'), '1');
  });
});

describe('C API, on_error and the timeout option', () => {
  it('on_error lets a retryable failure be tried again, from the start, and passes others on', async () => {
    const t = db.begin({});
    t.set(b('a'), b('1'));
    await t.onError(Object.assign(new Error('conflict'), { code: fdbCodes.notCommitted }));
    t.set(b('b'), b('1'));
    await t.commit();
    assert.deepEqual([await valueOf('a'), await valueOf('b')], [undefined, '1']);
    const large = Object.assign(new Error('large'), { code: fdbCodes.transactionTooLarge });
    await assert.rejects(t.onError(large), failsWith(fdbCodes.transactionTooLarge));
  });

  it('a timeout counts over the retries (API version 610 and later)', async () => {
    const t = db.begin({ timeoutMs: 1000 });
    time.advance(600);
    await t.onError(Object.assign(new Error('conflict'), { code: fdbCodes.notCommitted }));
    time.advance(600);
    const timedOut = failsWith(fdbCodes.transactionTimedOut);
    await assert.rejects(t.get(b('a'), 'snapshot'), timedOut);
  });
});

import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { encodeObject } from '../../src/apimachinery/object-encoding.ts';
import { createLogFollow } from '../../src/server/compose/log-follow.ts';
import { storeKey } from '../../src/storage/keys.ts';
import { encodeRecord } from '../../src/storage/record-codec.ts';
import { StorageError, revisionZero } from '../../src/storage/storage.ts';
import type { ChangePage, Revision, Storage } from '../../src/storage/storage.ts';
import { advanceUntil, createServers, hooked, turns } from '../support/servers/fdb-servers.ts';
import type { Hooks, Servers } from '../support/servers/fdb-servers.ts';
import { createWorld } from '../streams/harness.ts';

const key = storeKey({ group: '', resource: 'pods', namespace: 'n', name: 'a' });

const metadata = { name: 'a', namespace: 'n' };
const { bytes: object, metadataAt } = encodeObject({ apiVersion: 'v1', kind: 'Pod', metadata });
const record = { uid: 'u', labels: {}, fields: {}, metadataAt, object };
const value = encodeRecord(record, { key, state: 'live' });

async function put(storage: Storage): Promise<Revision> {
  const read = await storage.read(key);
  assert.equal(read.kind, 'ok');
  const found = read.kind === 'ok' ? read.value?.revision : undefined;
  const expect =
    found === undefined
      ? ({ kind: 'absent' } as const)
      : ({ kind: 'revision', revision: found } as const);
  const operation = { kind: 'delete' } as const;
  const written = { kind: 'put', state: 'live', value } as const;
  const [outcome] = await storage.commit([
    { key, expect, conditions: [], operation: found === undefined ? written : operation },
  ]);
  assert.equal(outcome?.kind, 'applied');
  return (outcome as { revision: Revision }).revision;
}

describe('a FoundationDB cluster that cannot be reached for a while', () => {
  let servers: Servers;
  beforeEach(async () => {
    await (servers as Servers | undefined)?.closeAll();
    servers = createServers();
  });
  after(() => servers.closeAll());

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      servers.time.advance(500);
      await turns(3);
    }
  }

  it('a follower that was reading goes on where it was, with nothing lost', async () => {
    const storage = await servers.open();
    const first = await put(storage);
    const stopping = new AbortController();
    const tail = storage.tail(revisionZero, stopping.signal)[Symbol.asyncIterator]();
    servers.double.faults.unreachable = true;
    const pages: ChangePage[] = [];
    let failure: unknown;
    void tail.next().then(
      (next) => pages.push(next.value as ChangePage),
      (error: unknown) => (failure = error),
    );
    await pass(60_000);
    assert.equal(failure, undefined);
    assert.equal(pages.length, 0);
    servers.double.faults.unreachable = false;
    await pass(15_000);
    assert.equal(failure, undefined);
    assert.deepEqual(
      pages[0]?.changes.map(({ revision }) => revision),
      [first],
    );
    stopping.abort();
  });

  it('a follower that is told to stop in the middle of it stops', async () => {
    const storage = await servers.open();
    const stopping = new AbortController();
    const tail = storage.tail(revisionZero, stopping.signal)[Symbol.asyncIterator]();
    await put(storage);
    servers.double.faults.unreachable = true;
    const next = tail.next();
    await pass(20_000);
    stopping.abort();
    assert.equal((await next).done, true, 'at once, while the cluster is silent');
    servers.double.faults.unreachable = false;
  });

  for (const [requestTimeoutMs, outageMs, ends] of [
    [3_000, 2_000, 'applied'],
    [3_000, 5_000, 'timeout'],
    [60_000, 40_000, 'applied'],
    [60_000, 70_000, 'timeout'],
  ] as const) {
    const seconds = `${outageMs / 1000} s of silence and requests of ${requestTimeoutMs / 1000} s`;
    it(`a read and a commit are tried for as long as a request may take: ${seconds}`, async () => {
      const storage = await servers.open({ requestTimeoutMs });
      const made = await put(storage);
      servers.double.faults.unreachable = true;
      const removal = {
        key,
        expect: { kind: 'revision', revision: made },
        conditions: [],
      } as const;
      const asked = [
        storage.read(key),
        storage.commit([{ ...removal, operation: { kind: 'delete' } }]),
      ] as const;
      const seen: string[] = [];
      for (const each of asked) {
        each.then(
          () => seen.push('applied'),
          (error: unknown) => seen.push(error instanceof StorageError ? error.code : String(error)),
        );
      }
      await pass(Math.min(outageMs, requestTimeoutMs) - 1_000);
      assert.deepEqual(seen, [], 'both are still tried');
      await pass(outageMs - Math.min(outageMs, requestTimeoutMs) + 1_000);
      servers.double.faults.unreachable = false;
      await pass(10_000);
      assert.deepEqual(seen, [ends, ends]);
    });
  }

  for (const [fate, code] of [
    ['conflict', 'timeout'],
    ['unknown-lost', 'unknown'],
  ] as const) {
    it(`a commit that may be tried again, but has no time left, is \`${code}\`: ${fate}`, async () => {
      const hooks: Hooks = {};
      const db = hooked(servers.double.connect(), hooks);
      const storage = await servers.open({ db, requestTimeoutMs: 3_000 });
      servers.double.faults.script.push(fate);
      hooks.afterFailure = async () => {
        await turns(1);
        servers.time.advance(3_001);
      };
      await assert.rejects(put(storage), { name: 'StorageError', code });
      assert.equal(servers.double.faults.struck.get(fate), 1);
    });
  }

  it('reads are refused in time, the server is not ready, and both are over when it is back', async () => {
    const storage = await servers.open();
    const { clock, timers } = servers.time;
    const world = await createWorld({ storage, deps: { clock, timers } });
    const logFollow = createLogFollow(world.streams, storage, timers);
    const answered = async <T>(answer: Promise<T>): Promise<T> => {
      await advanceUntil(servers.time, answer);
      return answer;
    };
    assert.equal(await answered(logFollow.isCurrent()), true);

    servers.double.faults.unreachable = true;
    for (let i = 0; i < 6; i += 1) {
      assert.equal(await answered(logFollow.isCurrent()), false);
      assert.ok(Number.isNaN(await answered(logFollow.storeRevision())));
      const read = world.streams.waitUntilCurrent();
      read.catch(() => undefined);
      await advanceUntil(servers.time, read);
      await assert.rejects(read, { name: 'StorageError' });
    }
    assert.deepEqual(world.fatal, [], 'the server goes on');
    assert.ok(world.streams.stats().lagMs > 0);

    servers.double.faults.unreachable = false;
    await pass(20_000);
    assert.deepEqual(world.fatal, []);
    assert.equal(await answered(logFollow.isCurrent()), true);
    const other = await answered(servers.open());
    const revision = await answered(put(other));
    await answered(world.streams.waitUntilCurrent());
    assert.ok(world.streams.revision >= revision);
    assert.equal(world.streams.stats().lagMs, 0);
    assert.deepEqual(world.fatal, []);
    await answered(world.stop());
  });
});

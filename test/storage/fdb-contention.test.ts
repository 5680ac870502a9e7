/** Writers of one record on several servers of a FoundationDB double: nobody starves. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Revision, Storage } from '../../src/storage/storage.ts';
import {
  absent,
  applied,
  commitOne,
  key,
  ok,
  put,
  textOf,
  written,
} from '../contract/storage-fixture.ts';
import { advanceUntil, createServers, hooked } from '../support/servers/fdb-servers.ts';
import type { Hooks, Servers } from '../support/servers/fdb-servers.ts';

const hot = key('hot');
const other = key('other');
/** Too low for any record. */
const never = 1n as Revision;

describe('a contended record', () => {
  let servers: Servers;
  let fast: Storage;
  let slow: Storage;
  const fastHooks: Hooks = {};
  let newest: Revision;
  beforeEach(async () => {
    servers = createServers();
    fast = await servers.open({ db: hooked(servers.double.connect(), fastHooks) });
    slow = await servers.open();
    newest = await commitOne(fast, put(hot, absent));
  });
  afterEach(() => servers.closeAll());

  /** The fast one knows what it wrote and writes again; false when it is not let through. */
  async function overtake(): Promise<boolean> {
    const [outcome] = await fast.commit([put(hot, written(newest), 'fast')]);
    if (outcome?.kind === 'applied') newest = outcome.revision;
    return outcome?.kind === 'applied';
  }

  /** The slow one reads, is overtaken, and tries. */
  async function trySlowly(): Promise<boolean> {
    const seen = ok(await slow.read(hot))?.revision as Revision;
    await overtake();
    const [outcome] = await slow.commit([put(hot, written(seen), 'slow')]);
    return outcome?.kind === 'applied';
  }

  it('is written by a server that is overtaken every time, after three losses', async () => {
    const won: boolean[] = [];
    for (let i = 0; i < 4; i += 1) won.push(await trySlowly());
    assert.deepEqual(won, [false, false, false, true]);
    newest = ok(await fast.read(hot))?.revision as Revision;
    assert.ok(await overtake(), 'its turn ended with its write');
  });

  it('is one record: whoever has its turn holds up no other', async () => {
    for (let i = 0; i < 3; i += 1) await trySlowly();
    const [refused, made] = await fast.commit([put(hot, written(newest)), put(other, absent)]);
    assert.equal(refused?.kind, 'conflict');
    applied(made);
  });

  it('is free again when its turn was not used in 200 ms', async () => {
    for (let i = 0; i < 3; i += 1) await trySlowly();
    assert.equal(await overtake(), false);
    servers.time.advance(201);
    assert.ok(await overtake());
  });

  it('is not asked for by who tries a name that is taken', async () => {
    for (let i = 0; i < 5; i += 1) {
      const [outcome] = await slow.commit([put(hot, absent, 'again')]);
      assert.equal(outcome?.kind, 'conflict');
    }
    assert.ok(await overtake());
  });

  it('is decided by what is stored, not by a turn, while an attempt may yet be applied', async () => {
    for (const fate of ['timeout-late', 'unknown-applied', 'unknown-lost'] as const) {
      servers.time.advance(1000);
      fastHooks.afterFailure = async () => {
        // Somebody else gets the turn while the fate of the attempt is open.
        for (let i = 0; i < 3; i += 1) await slow.commit([put(hot, written(never), 'slow')]);
      };
      servers.double.faults.script.push(fate);
      const writing = fast.commit([put(hot, written(newest), fate)]);
      await advanceUntil(servers.time, writing);
      newest = applied((await writing)[0]);
      const found = ok(await slow.read(hot));
      assert.equal(textOf(found), fate);
      assert.equal(found?.revision, newest);
    }
  });
});

/**
 * A state that is tested while it is changed, by servers of a FoundationDB double that commit at
 * one version: no prefix of the log shows the test behind the change.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { revisionZero } from '../../src/storage/storage.ts';
import type { Mutation, MutationOutcome, Revision, Storage } from '../../src/storage/storage.ts';
import {
  absent,
  allChanges,
  applied,
  commitOne,
  key,
  ok,
  put,
  remove,
  textOf,
  written,
} from '../contract/storage-fixture.ts';
import { createServers, hooked, sameVersion, turns } from '../support/servers/fdb-servers.ts';
import type { Hooks, Servers } from '../support/servers/fdb-servers.ts';

const space = key('space');
const other = key('other-space');
const content = key('content');
const whileLive = (of = space) => ({ conditions: [{ key: of, state: 'live' }] });

describe('a state that is tested while it is changed', () => {
  let servers: Servers;
  let stores: [Storage, Storage];
  let hooks: [Hooks, Hooks];
  let made: Revision;
  let otherMade: Revision;
  beforeEach(async () => {
    servers = createServers();
    hooks = [{}, {}];
    const open = (at: 0 | 1): Promise<Storage> =>
      servers.open({ db: hooked(servers.double.connect(), hooks[at]) });
    stores = [await open(0), await open(1)];
    made = await commitOne(stores[0], put(space, absent));
    otherMade = await commitOne(stores[0], put(other, absent));
  });
  afterEach(() => servers.closeAll());

  /** Both have read and decided before either commits; then one right behind the other. */
  async function atOnce(
    commits: readonly { readonly by: 0 | 1; readonly mutations: readonly Mutation[] }[],
  ): Promise<(readonly MutationOutcome[])[]> {
    const go: (() => void)[] = [];
    const answers = commits.map(({ by, mutations }, at) => {
      hooks[by].beforeCommit = () => new Promise((resolve) => (go[at] = resolve));
      return stores[by].commit(mutations);
    });
    await turns();
    assert.equal(go.length, commits.length, 'both are about to commit');
    for (const each of go) {
      each();
      await Promise.resolve();
    }
    return Promise.all(answers);
  }

  for (const tester of [0, 1] as const) {
    for (const [how, change] of [
      ['marked', () => put(space, written(made), 'marked', { state: 'finalizing' })],
      ['removed', () => remove(space, written(made))],
    ] as const) {
      it(`${how} by server ${1 - tester}, tested by ${tester}: the test comes first`, async () => {
        const [tested, changed] = await atOnce([
          { by: tester, mutations: [put(content, absent, 'v', whileLive())] },
          { by: tester === 0 ? 1 : 0, mutations: [change()] },
        ]);
        const [first, second] = [applied(tested?.[0]), applied(changed?.[0])];
        assert.ok(sameVersion(first, second), 'they are at one version');
        assert.ok(first < second);
        const log = await allChanges(stores[0], otherMade, 1);
        assert.deepEqual(
          log.map(({ key: name }) => name),
          [content, space],
        );
        // Whoever reads as of the change sees what was made on the state before it.
        const then = ok(await stores[1].read(content, second));
        assert.equal(textOf(then), 'v');
        assert.deepEqual(await allChanges(stores[1], second), []);
      });
    }
  }

  it('changed first: the other one finds it changed', async () => {
    const mark = put(space, written(made), 'marked', { state: 'finalizing' });
    const [changed, tested] = await atOnce([
      { by: 1, mutations: [mark] },
      { by: 0, mutations: [put(content, absent, 'v', whileLive())] },
    ]);
    applied(changed?.[0]);
    assert.equal(tested?.[0]?.kind, 'condition-failed');
  });

  it('two servers that each change what the other tests are at two versions', async () => {
    const mark = (of: typeof space, at: Revision): Mutation =>
      put(of, written(at), 'marked', { state: 'finalizing' });
    const [one, two] = await atOnce([
      { by: 1, mutations: [put(content, absent, 'v', whileLive(space)), mark(other, otherMade)] },
      { by: 0, mutations: [mark(space, made)] },
    ]);
    const revisions = [...(one ?? []), ...(two ?? [])].map(applied);
    assert.equal(new Set(revisions).size, 3);
    assert.ok(!sameVersion(revisions[1] as Revision, revisions[2] as Revision));
    const log = await allChanges(stores[0], otherMade);
    assert.deepEqual(
      log.map(({ revision }) => revision),
      revisions,
    );
  });

  it('changed to nothing new is an update like any other: it keeps the slot of its server', async () => {
    const revision = await commitOne(stores[1], put(space, written(made), 'again'));
    assert.equal(Number(revision >> 7n) & 31, 1);
    const marked = put(space, written(revision), 'marked', { state: 'finalizing' });
    assert.equal(Number((await commitOne(stores[1], marked)) >> 7n) & 31, 31);
  });

  it('beside a 32nd server: no revision is given twice, nor a test put behind the change', async () => {
    for (let i = 2; i < 31; i += 1) await servers.open();
    const lastHooks: Hooks = {};
    const last = await servers.open({ db: hooked(servers.double.connect(), lastHooks) });
    stores = [stores[0], last];
    hooks = [hooks[0], lastHooks];
    const marked = put(space, written(made), 'marked', { state: 'finalizing' });
    const [tested, changed] = await atOnce([
      { by: 1, mutations: [put(content, absent, 'v', whileLive())] },
      { by: 0, mutations: [marked] },
    ]);
    const revisions = [applied(tested?.[0]), applied(changed?.[0])] as const;
    assert.deepEqual(
      revisions.map((each) => Number(each >> 7n) & 31),
      [31, 31],
    );
    assert.ok(revisions[0] < revisions[1]);
    assert.ok(!sameVersion(...revisions));
  });
});

describe('a store whose conditions name some records only', () => {
  it('refuses a condition on another one, and orders no change of another one', async () => {
    const servers = createServers();
    const storage = await servers.open({ mayBeTested: (name) => name === space });
    const made = await commitOne(storage, put(content, absent));
    const conditions = [{ key: content, state: 'live' }];
    await assert.rejects(storage.commit([put(other, absent, 'v', { conditions })]), /tested/);
    const removed = await commitOne(storage, remove(content, written(made)));
    assert.equal(Number(removed >> 7n) & 31, 0);
    assert.equal((await allChanges(storage, revisionZero)).length, 2);
    await servers.closeAll();
  });
});

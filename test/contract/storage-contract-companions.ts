/** Storage contract: companions of a mutation are written with it, or neither is. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storageLimits } from '../../src/storage/storage.ts';
import type { Companion, Mutation, MutationOutcome, Storage } from '../../src/storage/storage.ts';
import { counterBytes, counterOf } from './companion-rules.ts';
import type { Counter } from './companion-rules.ts';
import {
  absent,
  allChanges,
  applied,
  commitOne,
  key,
  ok,
  put,
  rejectsWith,
  remove,
  textOf,
  written,
} from './storage-fixture.ts';
import type { StorageFixture } from './storage-fixture.ts';

const counterKey = key('counter');

function withCompanions(mutation: Mutation, ...companions: readonly Companion[]): Mutation {
  return { ...mutation, companions };
}

const claim = (name: string, owner: string): Companion => ({
  kind: 'claim',
  key: key(name),
  owner,
  state: 'live',
  value: counterBytes({ owner, n: 0, max: 0 }),
});
const release = (name: string, owner: string): Companion => ({
  kind: 'release',
  key: key(name),
  owner,
});
const add = (count: number, name = 'counter'): Companion => ({
  kind: 'amend',
  key: key(name),
  instruction: { add: count },
});
const mark = (name: string, state: string): Companion => ({
  kind: 'mark',
  key: key(name),
  state,
  value: counterBytes({ n: 0, max: 0 }),
});

async function counter(storage: Storage, name = 'counter'): Promise<Counter | undefined> {
  const record = ok(await storage.read(key(name)));
  return record && counterOf(record.value);
}

async function makeCounter(storage: Storage, max: number, name = 'counter'): Promise<void> {
  const text = Buffer.from(counterBytes({ n: 0, max })).toString();
  await commitOne(storage, put(key(name), absent, text));
}

const kinds = (outcomes: readonly MutationOutcome[]): readonly string[] =>
  outcomes.map((outcome) => (outcome.kind === 'companion-failed' ? outcome.code : outcome.kind));

export function companionTests(fixture: StorageFixture, get: () => Storage): void {
  describe('companions', () => {
    it('claim a record where none is, or their own, and fail where it is another’s', async () => {
      const storage = get();
      const outcomes = await storage.commit([
        withCompanions(put(key('a'), absent), claim('ip', 'a')),
        withCompanions(put(key('b'), absent), claim('ip', 'b')),
        withCompanions(put(key('c'), absent), claim('other', 'c')),
      ]);
      assert.deepEqual(kinds(outcomes), ['applied', 'taken', 'applied']);
      assert.equal((await counter(storage, 'ip'))?.owner, 'a');
      assert.equal(ok(await storage.read(key('b'))), undefined, 'the mutation is refused with it');
      const [again] = await storage.commit([
        withCompanions(put(key('d'), absent), claim('ip', 'a')),
      ]);
      applied(again);
      const [, failure] = outcomes;
      assert.ok(failure?.kind === 'companion-failed');
      assert.equal(failure.key, key('ip'));
    });

    it('release what is theirs, and nothing else', async () => {
      const storage = get();
      const first = await commitOne(
        storage,
        withCompanions(put(key('a'), absent), claim('ip', 'a')),
      );
      await commitOne(
        storage,
        withCompanions(put(key('b'), absent), release('ip', 'b'), release('none', 'b')),
      );
      assert.equal((await counter(storage, 'ip'))?.owner, 'a');
      const before = await storage.revision();
      await commitOne(
        storage,
        withCompanions(remove(key('a'), written(first)), release('ip', 'a')),
      );
      assert.equal(await counter(storage, 'ip'), undefined);
      assert.deepEqual(
        (await allChanges(storage, before)).map((each) => [each.kind, each.key]),
        [
          ['delete', key('a')],
          ['delete', key('ip')],
        ],
      );
    });

    it('mark a record, whatever is there, and conditions see it at once', async () => {
      const storage = get();
      const none = { conditions: [{ key: key('epoch'), state: undefined }] };
      const one = { conditions: [{ key: key('epoch'), state: 'one' }] };
      const outcomes = await storage.commit([
        put(key('a'), absent, 'v', none),
        withCompanions(put(key('b'), absent), mark('epoch', 'one')),
        put(key('c'), absent, 'v', none),
        put(key('d'), absent, 'v', one),
        withCompanions(put(key('e'), absent), mark('epoch', 'two')),
        put(key('f'), absent, 'v', one),
      ]);
      assert.deepEqual(kinds(outcomes), [
        'applied',
        'applied',
        'condition-failed',
        'applied',
        'applied',
        'condition-failed',
      ]);
      assert.equal(ok(await storage.read(key('epoch')))?.state, 'two');
    });

    it('amend a record as the rules say, up to what they allow', async () => {
      const storage = get();
      await makeCounter(storage, 3);
      const outcomes = await storage.commit(
        Array.from({ length: 5 }, (_, i) => withCompanions(put(key(`p${i}`), absent), add(1))),
      );
      assert.deepEqual(kinds(outcomes), ['applied', 'applied', 'applied', 'full', 'full']);
      assert.equal((await counter(storage))?.n, 3);
      assert.equal(ok(await storage.read(key('p3'))), undefined);
      const record = ok(await storage.read(counterKey));
      assert.equal(record?.state, 'live', 'the state of what is amended stays');
    });

    it('amend nothing where no record is, and make no change where the rules make none', async () => {
      const storage = get();
      await makeCounter(storage, 3);
      const before = await storage.revision();
      const look: Companion = { kind: 'amend', key: counterKey, instruction: {} };
      const outcomes = await storage.commit([
        withCompanions(put(key('a'), absent), add(1, 'missing')),
        withCompanions(put(key('b'), absent), look),
      ]);
      for (const each of outcomes) applied(each);
      assert.deepEqual(
        (await allChanges(storage, before)).map((each) => each.key),
        [key('a'), key('b')],
      );
    });

    it('are all written or none: one that fails leaves nothing of the others', async () => {
      const storage = get();
      await makeCounter(storage, 1);
      const before = await storage.revision();
      const outcomes = await storage.commit([
        withCompanions(
          put(key('a'), absent),
          claim('ip', 'a'),
          add(1),
          mark('epoch', 'x'),
          add(9, 'unknown'),
        ),
        withCompanions(put(key('b'), absent), claim('ip2', 'b'), mark('epoch', 'y'), add(1)),
        withCompanions(put(key('c'), absent), add(-1), claim('ip', 'c')),
      ]);
      assert.deepEqual(kinds(outcomes), ['applied', 'full', 'taken']);
      assert.equal((await counter(storage))?.n, 1);
      assert.equal(await counter(storage, 'ip2'), undefined);
      assert.equal(ok(await storage.read(key('epoch')))?.state, 'x');
      const changed = (await allChanges(storage, before)).map((each) => each.key);
      assert.deepEqual([...changed].sort(), ['a', 'counter', 'epoch', 'ip'].map(key));
    });

    it('go with a mutation that is refused for itself', async () => {
      const storage = get();
      await makeCounter(storage, 5);
      await commitOne(storage, put(key('a'), absent));
      const before = await storage.revision();
      const gate = { conditions: [{ key: key('none'), state: 'live' }] };
      const outcomes = await storage.commit([
        withCompanions(put(key('a'), absent), add(1), claim('ip', 'a')),
        withCompanions(put(key('b'), absent, 'v', gate), add(1)),
      ]);
      assert.deepEqual(kinds(outcomes), ['conflict', 'condition-failed']);
      assert.deepEqual(await allChanges(storage, before), []);
    });

    it('are changes of their own, behind that of their mutation, which readers of the past see', async () => {
      const storage = get();
      await makeCounter(storage, 9);
      const before = await storage.revision();
      const first = await commitOne(storage, withCompanions(put(key('a'), absent), add(2)));
      await commitOne(storage, withCompanions(put(key('b'), absent), add(3)));
      const changes = await allChanges(storage, before);
      assert.deepEqual(
        changes.map((each) => each.key),
        [key('a'), counterKey, key('b'), counterKey],
      );
      const [a, amended] = changes;
      assert.equal(a?.revision, first);
      assert.ok(amended !== undefined && amended.revision > first);
      assert.equal(counterOf(amended.record?.value ?? new Uint8Array(0)).n, 2);
      assert.equal(counterOf(amended.previous?.value ?? new Uint8Array(0)).n, 0);
      const then = ok(await storage.read(counterKey, amended.revision));
      assert.equal(counterOf(then?.value ?? new Uint8Array(0)).n, 2);
    });

    it('put a write that was decided on the amended record in conflict, in the same commit too', async () => {
      const storage = get();
      const text = Buffer.from(counterBytes({ n: 0, max: 9 })).toString();
      const start = await commitOne(storage, put(counterKey, absent, text));
      const [own, amended, after, stale] = await storage.commit([
        put(counterKey, written(start), text),
        withCompanions(put(key('a'), absent), add(1)),
        put(counterKey, { kind: 'after', index: 0 }, text),
        put(counterKey, written(start), text),
      ]);
      applied(own);
      applied(amended);
      assert.equal(after?.kind, 'conflict');
      assert.equal(stale?.kind, 'conflict');
      assert.equal((await counter(storage))?.n, 1);
      const found = ok(await storage.read(counterKey))?.revision;
      assert.equal(after.kind === 'conflict' && after.found, found, 'it tells what it found');
      await commitOne(storage, put(counterKey, written(found as NonNullable<typeof found>), text));
    });

    it('that are too many, or write a key twice, are refused before anything is written', async () => {
      const storage = get();
      const before = await storage.revision();
      const many = Array.from({ length: storageLimits.companionsMax + 1 }, (_, i) =>
        claim(`ip${i}`, 'a'),
      );
      for (const companions of [many, [add(1), add(1)], [add(1, 'a')]]) {
        await assert.rejects(
          storage.commit([withCompanions(put(key('a'), absent), ...companions)]),
          rejectsWith('too-large'),
        );
      }
      assert.deepEqual(await allChanges(storage, before), []);
    });

    it('of what cannot be read fail, and a release of it does not', async () => {
      const storage = get();
      await commitOne(storage, put(key('broken'), absent, 'not JSON'));
      const outcomes = await storage.commit([
        withCompanions(put(key('a'), absent), add(1, 'broken')),
        withCompanions(put(key('b'), absent), claim('broken', 'b')),
        withCompanions(put(key('c'), absent), release('broken', 'c')),
      ]);
      assert.deepEqual(kinds(outcomes), ['unreadable', 'unreadable', 'applied']);
      assert.equal(textOf(ok(await storage.read(key('broken')))), 'not JSON');
    });

    it('amend a record that is larger than what adapters keep inline', async () => {
      const storage = get();
      const owner = 'x'.repeat(100_000);
      const text = Buffer.from(counterBytes({ owner, n: 0, max: 9 })).toString();
      await commitOne(storage, put(counterKey, absent, text));
      await commitOne(storage, withCompanions(put(key('a'), absent), add(4)));
      await commitOne(storage, withCompanions(put(key('b'), absent), add(1)));
      assert.deepEqual(await counter(storage), { owner, n: 5, max: 9 });
    });

    it('of many concurrent commits never go over: of a hundred, ten are applied', async () => {
      const storage = get();
      await makeCounter(storage, 10);
      const second = await fixture.openSecond?.(storage);
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          (i % 2 === 0 ? storage : (second ?? storage)).commit([
            withCompanions(put(key(`p${i}`), absent), add(1), claim(`ip${i % 25}`, `p${i}`)),
          ]),
        ),
      );
      const won = outcomes.flat().filter(({ kind }) => kind === 'applied').length;
      assert.equal(won, 10);
      assert.equal((await counter(storage))?.n, 10);
      const owners = new Set<string>();
      for (let i = 0; i < 25; i += 1) {
        const { owner } = (await counter(storage, `ip${i}`)) ?? {};
        if (owner !== undefined) owners.add(owner);
      }
      assert.equal(owners.size, 10, 'each that was applied has its own');
    });
  });
}

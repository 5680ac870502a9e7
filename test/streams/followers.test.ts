/** Who follows the state inside the process and fails: told of, counted, begun anew. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { FollowerFailure } from '../../streams/followers.ts';
import { followResource } from '../../streams/follow-resource.ts';
import { createWorld, pods, services } from './harness.ts';
import type { World } from './harness.ts';

describe('followers', () => {
  let world: World;
  const failures: FollowerFailure[] = [];
  beforeEach(async () => {
    failures.length = 0;
    world = await createWorld({ deps: { onFollowerFailure: (each) => void failures.push(each) } });
  });
  afterEach(() => world.stop());

  const stateOf = (resource: typeof pods): string[] =>
    [...world.streams.snapshot(resource).entries(undefined)].map(({ name }) => name);
  const put = async (name: string, resource?: typeof pods): Promise<void> => {
    await world.put({ namespace: 'ns', name, ...(resource === undefined ? {} : { resource }) });
    await world.settle();
  };
  const failing = (): readonly boolean[] =>
    world.streams.followers.stats().map((stats) => stats.failing);

  /** Keeps the names of pods, and fails while told to. */
  function follower(): { names: Set<string>; states: number; poison: Set<string>; stop(): void } {
    const seen = { names: new Set<string>(), states: 0, poison: new Set<string>(), stop() {} };
    const take = (name: string): void => {
      if (seen.poison.has(name)) throw new Error(`cannot take ${name}`);
      seen.names.add(name);
    };
    seen.stop = world.streams.follow({
      name: 'test',
      onState() {
        seen.states += 1;
        seen.names.clear();
        for (const name of stateOf(pods)) take(name);
      },
      onChange(resource, type, { name }) {
        if (resource !== '/pods') return;
        if (type === 'DELETED') seen.names.delete(name);
        else take(name);
      },
    });
    return seen;
  }

  it('I26: a listener that throws begins anew from the state, later each time, and the others miss nothing', async () => {
    await put('before');
    const bad = follower();
    const good = follower();
    assert.deepEqual([...bad.names], ['before']);
    bad.poison.add('b');
    for (const name of ['a', 'b', 'c']) await put(name);
    assert.deepEqual([...good.names], ['before', 'a', 'b', 'c']);
    assert.ok(!bad.names.has('c'), 'it never goes on with a gap');
    assert.deepEqual(
      failures.map(({ name, error, failuresInARow }) => [name, String(error), failuresInARow]),
      [['test', 'Error: cannot take b', 1]],
    );
    const pauses = [failures[0]?.retryMs ?? 0];
    for (let n = 1; n < 12; n += 1) {
      world.time.advance(pauses[n - 1] as number);
      assert.equal(failures.length, n + 1);
      pauses.push(failures[n]?.retryMs ?? 0);
      assert.ok((pauses[n] as number) >= (pauses[n - 1] as number));
    }
    assert.equal(pauses.at(-1), 30_000);
    bad.poison.clear();
    await world.remove('ns', 'a');
    await world.settle();
    world.time.advance(30_000);
    await world.settle();
    assert.deepEqual([...bad.names], ['b', 'before', 'c'], 'as lists are ordered');
    await put('d');
    assert.deepEqual([...bad.names], ['b', 'before', 'c', 'd']);
    assert.equal(good.states, 1);
    bad.stop();
    good.stop();
    await put('e');
    assert.ok(!bad.names.has('e') && !good.names.has('e'));
  });

  it('I26: a follower of one resource that throws begins anew from the state', async () => {
    const names = new Set<string>();
    let broken = true;
    const take = (name: string): void => {
      if (broken && name === 'bad') throw new Error(name);
      names.add(name);
    };
    const following = followResource(world.streams, world.time.timers, pods, {
      name: 'pods',
      onState(snapshot) {
        names.clear();
        for (const { name } of snapshot.entries(undefined)) take(name);
      },
      onChange: (_namespace, name, entry) => void (entry === undefined ? 0 : take(name)),
    });
    for (const name of ['a', 'bad', 'c']) await put(name);
    assert.deepEqual([...names], ['a']);
    assert.equal(failures.length, 1);
    world.time.advance(100);
    assert.equal(failures.length, 2, 'the state cannot be taken either');
    broken = false;
    world.time.advance(200);
    await world.settle();
    assert.deepEqual([...names], ['a', 'bad', 'c']);
    await put('d');
    assert.deepEqual([...names], ['a', 'bad', 'c', 'd']);
    assert.equal(failures.length, 2);
    assert.equal(world.streams.stats().watchersCount, 1, 'the watch before has been closed');
    following.stop();
  });

  it('I26: three failures in a row count as failing, until it has taken such a change or was well for a while', async () => {
    let broken = true;
    world.streams.follow({
      name: 'changes',
      onState: () => Promise.resolve(),
      onChange(resource) {
        if (broken && resource === '/pods') throw new Error('no');
      },
    });
    const failThrice = async (): Promise<void> => {
      for (let n = 0; n < 3; n += 1) {
        assert.deepEqual(failing(), [false]);
        await put(`p${n}`);
        await put(`s${n}`, services);
        world.time.advance(100 * 2 ** n);
        await world.settle();
      }
      assert.deepEqual(failing(), [true]);
    };
    await failThrice();
    await put('other', services);
    assert.deepEqual(failing(), [true], 'a change of another kind shows nothing');
    broken = false;
    await put('p4');
    assert.deepEqual(failing(), [false]);
    broken = true;
    await failThrice();
    world.time.advance(5_000);
    assert.deepEqual(failing(), [false], 'nothing has failed for long enough');
    const [stats] = world.streams.followers.stats();
    assert.equal(stats?.failuresTotal, 6);
  });
});

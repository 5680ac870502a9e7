/** Who follows the state inside the process and fails: told of, counted, begun anew. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { followObjects } from '../../streams/followed-objects.ts';
import type { FollowerFailure } from '../../streams/followers.ts';
import { defer, filter, merge, of, throwError } from 'rxjs';
import type { Steps } from '../../src/stdx/stepwise.ts';
import type { Revision } from '../../src/storage/storage.ts';
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
    const events = world.streams.resourceEvents(pods);
    const subscription = world.streams.followers.follow('test', events, (event) => {
      if (event.type === 'RESET') {
        seen.states += 1;
        seen.names.clear();
        for (const { name } of event.snapshot.entries(undefined)) take(name);
      } else if (event.type === 'DELETED') seen.names.delete(event.entry.name);
      else take(event.entry.name);
    });
    seen.stop = () => subscription.unsubscribe();
    return seen;
  }

  it('I26: a follower that throws begins anew from the state, later each time, and the others miss nothing', async () => {
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

  it('I27: RESET shows the state of its step, and every change follows in the step that applies it', async () => {
    await put('a');
    const seen: string[] = [];
    const line = (type: string, names: readonly string[]): string => `${type} ${names.join()}`;
    const subscription = world.streams.resourceEvents(pods).subscribe((event) => {
      const shown = [...world.streams.snapshot(pods).entries(undefined)].map(({ name }) => name);
      if (event.type === 'RESET') {
        assert.equal(event.snapshot.revision, world.streams.revision);
        seen.push(line('RESET', shown));
        return;
      }
      assert.equal(event.entry.revision, world.streams.revision);
      seen.push(line(`${event.type} ${event.entry.name}:`, shown));
    });
    await put('b');
    await put('c', services);
    await put('a');
    await world.remove('ns', 'a');
    await world.settle();
    subscription.unsubscribe();
    await put('d');
    const expected = ['RESET a', 'ADDED b: a,b', 'MODIFIED a: a,b', 'DELETED a: b'];
    assert.deepEqual(seen, expected);
  });

  it('who follows changes of one type is shown RESET and no other', async () => {
    await put('a');
    const seen: string[] = [];
    const subscription = world.streams.resourceEvents(pods, 'DELETED').subscribe((event) => {
      seen.push(event.type === 'RESET' ? 'RESET' : `${event.type} ${event.entry.name}`);
    });
    await put('b');
    await put('a');
    await world.remove('ns', 'a');
    await world.settle();
    subscription.unsubscribe();
    await world.remove('ns', 'b');
    await world.settle();
    assert.deepEqual(seen, ['RESET', 'DELETED a']);
  });

  it('I27: resources that are merged advance together, in the order of the log', async () => {
    const seen: string[] = [];
    const changes = [services, pods].map((resource) =>
      world.streams.resourceEvents(resource).pipe(filter(({ type }) => type !== 'RESET')),
    );
    const follower = world.streams.followers.follow('both', merge(...changes), (event) => {
      if (event.type !== 'RESET') seen.push(`${event.resource} ${event.entry.name}`);
    });
    await Promise.all([
      world.put({ namespace: 'ns', name: '1' }),
      world.put({ namespace: 'ns', name: '2', resource: services }),
      world.put({ namespace: 'ns', name: '3' }),
      world.put({ namespace: 'ns', name: '4', resource: services }),
    ]);
    await world.settle();
    const log = await world.storage.changes(0n as Revision, { limit: 10, previous: false });
    assert.equal(log.kind, 'ok');
    const written = log.value.changes.map(({ key }) => key.replace('/ns/', ' '));
    assert.deepEqual(seen, written);
    follower.unsubscribe();
  });

  it('I26: what is kept of each object is that of all at first, then follows each, and begins anew', async () => {
    await put('a');
    const kept: string[] = [];
    let poison = '';
    const subscription = followObjects(world.streams, 'kept', pods, {
      clear: () => (kept.length = 0),
      set({ name }) {
        if (name === poison) throw new Error(`cannot take ${name}`);
        kept.push(`set ${name}`);
      },
      remove: ({ name }) => void kept.push(`removed ${name}`),
      complete: () => kept.push('complete'),
      changed: ({ name }) => kept.push(`changed ${name}`),
    });
    assert.deepEqual(kept.splice(0), ['set a', 'complete']);
    await put('b');
    await world.remove('ns', 'a');
    await world.settle();
    assert.deepEqual(kept, ['set b', 'changed b', 'removed a', 'changed a']);
    poison = 'c';
    await put('c');
    assert.equal(failures.length, 1);
    poison = '';
    world.time.advance(failures[0]?.retryMs ?? 0);
    assert.deepEqual(kept, ['set b', 'set c', 'complete']);
    subscription.unsubscribe();
    await put('d');
    assert.equal(kept.length, 3);
  });

  it('I26: what is kept of a large object is taken in steps, and what comes behind waits', async () => {
    await put('a');
    const kept: string[] = [];
    function* inSteps(what: string): Steps<void> {
      for (const step of [1, 2, 3]) {
        kept.push(`${what} ${step}`);
        world.time.advance(10);
        yield;
      }
    }
    const subscription = followObjects(world.streams, 'kept', pods, {
      clear: () => undefined,
      set: ({ name }) => (name === 'c' ? void kept.push(name) : inSteps(`set ${name}`)),
      remove: ({ name }) => inSteps(`removed ${name}`),
      complete: () => kept.push('complete'),
      changed: ({ name }) => kept.push(`changed ${name}`),
    });
    await world.streams.followers.settled();
    assert.deepEqual(kept.splice(0), ['set a 1', 'set a 2', 'set a 3', 'complete']);
    await Promise.all([put('b'), put('c'), world.remove('ns', 'a')]);
    await world.streams.followers.settled();
    await world.settle();
    await world.streams.followers.settled();
    const ofB = ['set b 1', 'set b 2', 'set b 3', 'changed b'];
    const ofA = ['removed a 1', 'removed a 2', 'removed a 3', 'changed a'];
    assert.deepEqual(kept, [...ofB, 'c', 'changed c', ...ofA]);
    assert.deepEqual(failures, []);
    subscription.unsubscribe();
  });

  /** Takes the state a name at a time, and fails at one that is told. */
  function steppedFollower(poison: Set<string>): string[] {
    const seen: string[] = [];
    const events = world.streams.resourceEvents(pods);
    const walk = function* (names: readonly string[]): Steps<void> {
      for (const name of names) {
        if (poison.has(name)) throw new Error(`cannot take ${name}`);
        seen.push(name);
        // As long as a step may take.
        world.time.advance(10);
        yield;
      }
    };
    world.streams.followers.follow('stepped', events, (event) => {
      if (event.type !== 'RESET') return void seen.push(`${event.type} ${event.entry.name}`);
      seen.length = 0;
      return walk([...event.snapshot.entries(undefined)].map(({ name }) => name));
    });
    return seen;
  }

  it('I26: a first state that is taken in steps ends before the changes that come meanwhile', async () => {
    for (const name of ['a', 'b', 'c']) await put(name);
    const seen = steppedFollower(new Set());
    assert.deepEqual(seen, ['a'], 'the rest waits for another turn');
    const settled = world.streams.followers.settled();
    await put('d');
    await settled;
    assert.deepEqual(seen, ['a', 'b', 'c', 'ADDED d']);
    await put('e');
    assert.equal(seen.at(-1), 'ADDED e');
    assert.deepEqual(failures, []);
  });

  it('I26: a step of the first state that throws begins it anew, and then in one step', async () => {
    for (const name of ['a', 'b', 'c']) await put(name);
    const poison = new Set(['c']);
    const seen = steppedFollower(poison);
    await world.streams.followers.settled();
    await world.settle();
    assert.deepEqual(
      failures.map(({ name, error, failuresInARow }) => [name, String(error), failuresInARow]),
      [['stepped', 'Error: cannot take c', 1]],
    );
    poison.clear();
    await put('d');
    world.time.advance(100);
    assert.deepEqual(seen, ['a', 'b', 'c', 'd'], 'nobody is shown a half of it');
    await put('e');
    assert.equal(seen.at(-1), 'ADDED e');
  });

  it('I26: what is stopped takes no more of its first state', async () => {
    for (const name of ['a', 'b', 'c']) await put(name);
    const seen = steppedFollower(new Set());
    world.streams.followers.stop();
    await world.streams.followers.settled();
    assert.deepEqual(seen, ['a']);
  });

  it('I26: what its events fail with counts as its failure, and it begins anew', async () => {
    let attempts = 0;
    const events = defer(() => {
      attempts += 1;
      return attempts < 3 ? throwError(() => new Error('unread')) : of(reset);
    });
    const reset = { type: 'RESET', resource: '/pods' } as const;
    const taken: string[] = [];
    world.streams.followers.follow('slow', events, ({ type }) => void taken.push(type));
    world.time.advance(100);
    world.time.advance(200);
    assert.deepEqual(taken, ['RESET']);
    assert.deepEqual(
      failures.map(({ failuresInARow, retryMs }) => [failuresInARow, retryMs]),
      [
        [1, 100],
        [2, 200],
      ],
    );
    assert.deepEqual(failing(), [false]);
  });

  it('I26: three failures in a row count as failing, until it has taken such a change or was well for a while', async () => {
    let broken = true;
    const events = merge(...[pods, services].map((each) => world.streams.resourceEvents(each)));
    world.streams.followers.follow('changes', events, (event) => {
      if (event.type === 'RESET') return;
      if (broken && event.resource === '/pods') throw new Error('no');
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

/** Resources whose records cannot be read yet: nothing of them is shown as whole, nothing else is
 * kept waiting, and they become whole by themselves, without a gap. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeRecord } from '../../src/storage/record-codec.ts';
import { storeKey } from '../../src/storage/keys.ts';
import { StorageError } from '../../src/storage/storage.ts';
import type { Revision, StoredRecord } from '../../src/storage/storage.ts';
import type { ResourceEvent } from '../../streams/streams.ts';
import type { StreamsDeps } from '../../streams/watch-cache.ts';
import { createWorld, pods, services, TestSink, turns, watchRequest } from './harness.ts';
import type { World } from './harness.ts';

const namespace = 'ns';

/** Pods are encrypted by the service whose name their names begin with. */
class Services {
  readonly away = new Set<string>();
  readonly lost = new Set<string>();
  asked = 0;
  #waiting: { readonly service: string; readonly done: () => void }[] = [];

  readonly ports: Pick<StreamsDeps, 'decodeRecord' | 'whenKeyThere'> = {
    decodeRecord: (stored) => {
      const service = serviceOf(stored);
      if (this.lost.has(service)) throw new StorageError('corrupt', 'nobody reads it');
      if (this.away.has(service)) throw new StorageError('away', `${service} is away`);
      return decodeRecord(stored);
    },
    whenKeyThere: (stored) => {
      const service = serviceOf(stored);
      if (!this.away.has(service)) return undefined;
      this.asked += 1;
      return new Promise((done) => this.#waiting.push({ service, done }));
    },
  };

  comesBack(service: string): void {
    this.away.delete(service);
    for (const { done, service: of } of this.#waiting) if (of === service) done();
    this.#waiting = this.#waiting.filter((each) => each.service !== service);
  }
}

function serviceOf({ key }: Pick<StoredRecord, 'key'>): string {
  const [, resource, , name = ''] = key.split('/');
  return resource === 'pods' ? (name.split('-')[0] ?? '') : '';
}

async function restarted(before: World, keys: Services): Promise<World> {
  await before.stop();
  const { model, storage } = before;
  return createWorld({ storage, model, deps: keys.ports });
}

function follow(world: World): ResourceEvent[] {
  const seen: ResourceEvent[] = [];
  world.streams.followers.follow('test', world.streams.resourceEvents(pods), (event) => {
    seen.push(event);
  });
  return seen;
}

const told = (events: readonly ResourceEvent[]): string[] =>
  events.map((event) =>
    event.type === 'RESET'
      ? `RESET ${event.snapshot.count(undefined)}`
      : `${event.type} ${event.entry.name}`,
  );

const codesOf = (sink: TestSink): number[] => sink.replay().errors.map(({ code = 0 }) => code);

const eventsAfter = (world: World, revision: Revision): readonly string[] =>
  world.model.eventsAfter(revision, watchRequest());

function watch(world: World, revision: Revision): TestSink {
  const sink = new TestSink();
  world.streams.watch(watchRequest({ start: { kind: 'after', revision } }), sink);
  return sink;
}

describe('records whose keys are away', () => {
  it('I38: others are served meanwhile, and the resource is whole when the keys are there', async () => {
    const keys = new Services();
    let world = await createWorld({ deps: keys.ports });
    const first = await world.put({ namespace, name: 'a-1' });
    await world.put({ namespace, name: 'a-2' });
    await world.put({ namespace, name: 's', resource: services });
    keys.away.add('a');
    world = await restarted(world, keys);
    const seen = follow(world);
    assert.equal(world.streams.isWaiting(pods), true);
    assert.equal(world.streams.isWaiting(services), false);
    assert.equal(world.streams.snapshot(services).count(undefined), 1);
    assert.equal(world.streams.snapshot(pods).unreadable.get('ns/a-1'), 'a is away');
    const refused = watch(world, first);
    const listing = new TestSink();
    const state = { kind: 'state', atLeast: undefined, mark: true } as const;
    world.streams.watch(watchRequest({ start: state }), listing);
    const ofServices = new TestSink();
    world.streams.watch(watchRequest({ resource: services }), ofServices);
    await world.settle();
    assert.deepEqual([codesOf(refused), codesOf(listing)], [[429], [429]]);
    await world.put({ namespace, name: 's2', resource: services });
    await world.settle();
    assert.equal(ofServices.frames.length, 1);
    keys.comesBack('a');
    await turns(20);
    assert.equal(world.streams.isWaiting(pods), false);
    assert.equal(world.streams.waitingCount, 0);
    assert.equal(world.streams.snapshot(pods).unreadable.size, 0);
    assert.deepEqual(told(seen), ['RESET 0', 'RESET 2']);
    const resumed = watch(world, first);
    await world.put({ namespace, name: 'a-1', payload: 'again' });
    await world.settle();
    assert.deepEqual(resumed.replay().events, eventsAfter(world, first));
    await world.stop();
  });

  it('I38: what is overwritten or deleted meanwhile is not read as it was', async () => {
    const keys = new Services();
    let world = await createWorld({ deps: keys.ports });
    const first = await world.put({ namespace, name: 'a-1' });
    for (const name of ['a-2', 'a-3', 'b-1']) await world.put({ namespace, name });
    keys.away.add('a');
    world = await restarted(world, keys);
    const seen = follow(world);
    await world.put({ namespace, name: 'b-1', payload: 'new' });
    await world.put({ namespace, name: 'a-1', payload: 'new' });
    await world.remove(namespace, 'a-2');
    await world.settle();
    assert.deepEqual(told(seen), ['RESET 1', 'MODIFIED b-1']);
    const at = world.streams.revision;
    keys.comesBack('a');
    await turns(20);
    await world.put({ namespace, name: 'a-4' });
    await world.settle();
    assert.deepEqual(told(seen).slice(2), ['RESET 3', 'ADDED a-4']);
    for (const revision of [first, at]) {
      const resumed = watch(world, revision);
      await world.settle();
      assert.deepEqual(resumed.replay().events, eventsAfter(world, revision));
    }
    const then = await world.streams.snapshotAt(pods, first);
    assert.ok(then.kind === 'ok' && then.snapshot.count(undefined) === 1);
    assert.equal(then.snapshot.unreadable.size, 0);
    await world.stop();
  });

  it('I38: the last one that is awaited may go by the log alone', async () => {
    const keys = new Services();
    let world = await createWorld({ deps: keys.ports });
    const first = await world.put({ namespace, name: 'a-1' });
    await world.put({ namespace, name: 'b-1' });
    keys.away.add('a');
    world = await restarted(world, keys);
    const seen = follow(world);
    await world.remove(namespace, 'a-1');
    await world.settle();
    assert.equal(world.streams.isWaiting(pods), false);
    assert.deepEqual(told(seen), ['RESET 1', 'RESET 1']);
    keys.away.delete('a');
    const resumed = watch(world, first);
    await world.settle();
    assert.deepEqual(resumed.replay().events, eventsAfter(world, first));
    await world.stop();
  });

  it('I38: a change that cannot be read yet ends watches, and none misses it', async () => {
    const keys = new Services();
    const world = await createWorld({ deps: keys.ports });
    const seen = follow(world);
    const first = await world.put({ namespace, name: 'b-1' });
    await world.settle();
    const live = watch(world, first);
    await world.settle();
    keys.away.add('a');
    await world.put({ namespace, name: 'a-1' });
    await world.put({ namespace, name: 'b-1', payload: 'after it' });
    await world.settle();
    assert.deepEqual(live.replay().events, []);
    assert.deepEqual(codesOf(live), [429]);
    assert.equal(live.ended, true);
    assert.equal(world.streams.isWaiting(pods), true);
    assert.equal(world.streams.unreadableEntries(pods).has('ns/a-1'), true);
    keys.comesBack('a');
    await turns(20);
    const resumed = watch(world, first);
    await world.settle();
    assert.deepEqual(resumed.replay().events, eventsAfter(world, first));
    assert.deepEqual(told(seen), ['RESET 0', 'ADDED b-1', 'MODIFIED b-1', 'RESET 2']);
    await world.stop();
  });

  it('I38: of two services each brings its own, and what nobody reads is not awaited', async () => {
    const keys = new Services();
    let world = await createWorld({ deps: keys.ports });
    for (const name of ['a-1', 'a-2', 'b-1', 'b-2', 'c-1']) await world.put({ namespace, name });
    for (const name of ['a', 'b', 'c']) keys.away.add(name);
    world = await restarted(world, keys);
    await turns(5);
    keys.comesBack('b');
    await turns(20);
    assert.equal(world.streams.snapshot(pods).count(undefined), 0, 'nobody has said so');
    world.time.advance(5_000);
    await turns(20);
    assert.equal(world.streams.snapshot(pods).count(undefined), 2);
    assert.equal(world.streams.isWaiting(pods), true);
    keys.lost.add('c');
    keys.comesBack('c');
    keys.comesBack('a');
    await turns(30);
    assert.equal(world.streams.isWaiting(pods), false);
    const snapshot = world.streams.snapshot(pods);
    assert.equal(snapshot.count(undefined), 4);
    assert.equal(snapshot.unreadable.get('ns/c-1'), 'nobody reads it');
    await world.stop();
  });

  it('I38: a stop waits for no key', async () => {
    const keys = new Services();
    let world = await createWorld({ deps: keys.ports });
    await world.put({ namespace, name: 'a-1' });
    keys.away.add('a');
    world = await restarted(world, keys);
    await turns(5);
    assert.equal(keys.asked, 1);
    await world.stop();
    assert.equal(world.streams.isWaiting(pods), true);
    assert.equal(world.time.pendingCount, 0);
  });

  it('I17 I38: no earlier state is shown from before something could be read', async () => {
    const keys = new Services();
    let world = await createWorld({ deps: keys.ports });
    await world.put({ namespace, name: 'a-1' });
    keys.lost.add('a');
    world = await restarted(world, keys);
    const between = await world.put({ namespace, name: 'b-1' });
    keys.lost.delete('a');
    await world.put({ namespace, name: 'a-1', payload: 'new' });
    await world.settle();
    keys.lost.add('a');
    const then = await world.streams.snapshotAt(pods, between);
    assert.ok(then.kind === 'ok');
    assert.equal(then.snapshot.unreadable.size, 1, 'it is not taken for absent');
    const key = storeKey({ ...pods, namespace, name: 'a-1' });
    assert.equal((await world.storage.read(key)).kind, 'ok');
    await world.stop();
  });
});

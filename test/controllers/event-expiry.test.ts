/** Events expire by the time of their last write, also after a restart; manual time throughout. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Controller } from '../../src/controllers/controller.ts';
import { createEventExpiry, eventExpiryLimits } from '../../src/controllers/event-expiry.ts';
import { createObject } from '../../src/registry/create.ts';
import { updateObject } from '../../src/registry/update.ts';
import { createSharedStore, kindOf, turns } from '../support/servers/shared-store.ts';
import type { RegistryServer, SharedStore } from '../support/servers/shared-store.ts';

const ttlMs = 60_000;
const { lateMs } = eventExpiryLimits;
const namespace = 'default';

function eventObject(name: string, count: number) {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: { kind: 'Pod', namespace, name: 'p' },
    count,
  };
}

describe('events', () => {
  let store: SharedStore;
  let server: RegistryServer;
  const started: Controller[] = [];
  const errors: unknown[] = [];

  beforeEach(async () => {
    store = await createSharedStore();
    server = await store.join();
  });
  afterEach(async () => {
    for (const controller of started.splice(0)) await controller.stop();
    await store.stop();
    assert.deepEqual(errors.splice(0), []);
  });

  /** Timers of the controllers that have been set and have not come. */
  let timersSet = 0;

  function expire(by = server): Controller {
    const { registry } = by;
    const timers = {
      ...by.timers,
      after(delayMs: number, callback: () => void) {
        timersSet += 1;
        const timer = by.timers.after(delayMs, () => {
          timersSet -= 1;
          callback();
        });
        return timer;
      },
    };
    const onError = (error: unknown): void => void errors.push(error);
    const controller = createEventExpiry({ registry, timers, ttlMs, onError });
    started.push(controller);
    controller.start();
    return controller;
  }

  const kind = () => kindOf(server, '', 'events');

  async function create(name: string): Promise<void> {
    const target = { kind: kind(), namespace };
    const made = await createObject(server.registry, target, eventObject(name, 1), {
      dryRun: false,
    });
    assert.equal(made.kind, 'ok');
    await turns();
  }

  async function update(name: string, count: number): Promise<void> {
    const target = { kind: kind(), namespace, name };
    const options = { dryRun: false, manager: 'same' };
    const next = eventObject(name, count);
    const done = await updateObject(server.registry, target, next, undefined, options);
    assert.equal(done.kind, 'ok');
    await turns();
  }

  const names = (): readonly string[] =>
    [...server.registry.streams.snapshot({ group: '', resource: 'events' }).entries(namespace)].map(
      ({ name }) => name,
    );

  it('live their time and go soon after it, by a deletion that watchers see', async () => {
    expire();
    const seen: string[] = [];
    const { streams } = server.registry;
    const events = streams.resourceEvents({ group: '', resource: 'events' });
    streams.followers.follow('test', events, (event) => {
      if (event.type !== 'RESET') seen.push(`${event.type} ${event.entry.name}`);
    });
    await create('a');
    await store.pass(ttlMs / 2);
    await create('b');
    await store.pass(ttlMs / 2 - 1000);
    assert.deepEqual(names(), ['a', 'b']);
    await store.pass(1000 + lateMs);
    assert.deepEqual(names(), ['b']);
    await store.pass(ttlMs / 2);
    assert.deepEqual(names(), []);
    assert.deepEqual(seen, ['ADDED a', 'ADDED b', 'DELETED a', 'DELETED b']);
  });

  it('live on from each write', async () => {
    expire();
    await create('kept');
    await create('gone');
    for (let count = 2; count < 8; count += 1) {
      await store.pass(ttlMs / 2);
      await update('kept', count);
    }
    assert.deepEqual(names(), ['kept']);
    await store.pass(ttlMs + lateMs);
    assert.deepEqual(names(), []);
  });

  it('go by the same time when whoever removes them was started again', async () => {
    const first = expire();
    await create('a');
    await store.pass(ttlMs / 2);
    await first.stop();
    await create('b');
    await store.pass(ttlMs / 4);
    expire();
    await store.pass(ttlMs / 4 - 1000);
    assert.deepEqual(names(), ['a', 'b']);
    await store.pass(1000 + lateMs);
    assert.deepEqual(names(), ['b']);
    await store.pass(ttlMs / 2 + lateMs);
    assert.deepEqual(names(), []);
  });

  it('that were written while nobody looked live on from what is certain', async () => {
    await create('old');
    await store.pass(ttlMs / 2);
    // The write leaves no time in the object: the second has the same manager and fields.
    await update('old', 2);
    await create('between');
    await update('old', 3);
    await store.pass(ttlMs / 4);
    expire();
    await store.pass(ttlMs / 2);
    assert.deepEqual(names(), ['between', 'old']);
    await store.pass(ttlMs / 4 + lateMs);
    assert.deepEqual(names(), []);
  });

  it('live as long when somebody sets the wall clock, ahead or back', async () => {
    expire();
    const day = 24 * 3_600_000;
    for (const byMs of [365 * day, -2 * 365 * day]) {
      await create('a');
      store.time.setWall(byMs);
      await create('b');
      await store.pass(ttlMs - 1000);
      assert.deepEqual(names(), ['a', 'b']);
      await store.pass(1000 + 2 * lateMs);
      assert.deepEqual(names(), []);
    }
  });

  it('are removed by another server when they were made through this one', async () => {
    const other = await store.join();
    expire(other);
    await create('a');
    await store.pass(ttlMs + lateMs + 1000);
    assert.deepEqual(names(), []);
  });

  it('are saved by a write at the last moment', async () => {
    expire();
    await create('a');
    // The one that sweeps no longer sees the log: what it would delete has been written since.
    const other = await store.join();
    await store.pass(ttlMs - 1000);
    server.log.pause();
    const target = { kind: kind(), namespace, name: 'a' };
    const next = eventObject('a', 2);
    const written = updateObject(other.registry, target, next, undefined, { dryRun: false });
    await turns();
    assert.equal((await written).kind, 'ok');
    await store.pass(1000 + 2 * lateMs);
    server.log.resume();
    await turns();
    assert.deepEqual(names(), ['a']);
    await store.pass(ttlMs + lateMs);
    assert.deepEqual(names(), []);
  });

  it('do not keep a timer running when there are none', async () => {
    timersSet = 0;
    expire();
    assert.equal(timersSet, 0);
    for (let i = 0; i < 50; i += 1) await create(`e${i}`);
    assert.equal(timersSet, 1);
    await store.pass(ttlMs + lateMs);
    assert.deepEqual(names(), []);
    assert.equal(timersSet, 0);
  });
});

/** Rests: where events pile up for many watchers, what comes next shares a write. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultStreamLimits } from '../../streams/limits.ts';
import type { StreamLimits } from '../../streams/limits.ts';
import { createWorld, everything, putMany, TestSink, turns, watchRequest } from './harness.ts';
import type { World } from './harness.ts';

const { restEventsMin, restWritesMin } = defaultStreamLimits;
const restMs = 8;
/** More than a pass and all before it need. */
const enough = 30;

interface Audience {
  readonly world: World;
  readonly sinks: readonly TestSink[];
  /** Writes and events that every one of them has got since it was asked last. */
  got(): readonly [writes: number, events: number];
}

async function audience(count: number, limits: Partial<StreamLimits> = {}): Promise<Audience> {
  const world = await createWorld({ limits: { restMs, ...limits } });
  const start = { kind: 'after', revision: world.streams.revision } as const;
  const sinks = Array.from({ length: count }, () => new TestSink());
  for (const sink of sinks) world.streams.watch(watchRequest({ start }), sink);
  await turns(enough);
  let before: readonly [number, number] = [0, 0];
  const got = (): readonly [number, number] => {
    const totals = sinks.map((sink) => `${sink.writes} ${sink.replay().events.length}`);
    assert.equal(new Set(totals).size, 1, 'all have got the same');
    const [writes = NaN, events = NaN] = (totals[0] as string).split(' ').map(Number);
    const since = [writes - before[0], events - before[1]] as const;
    before = [writes, events];
    return since;
  };
  return { world, sinks, got };
}

/** In one pass: they are written before the next turn. */
async function together(world: World, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, i) => `together-${i}`);
  await Promise.all(names.map((name) => world.put({ namespace: 'ns', name })));
  await turns(enough);
}

describe('rests', () => {
  it('I33: what comes soon behind a crowded pass shares a write, when the rest is over', async () => {
    const { got, world } = await audience(restWritesMin);
    await together(world, restEventsMin);
    assert.deepEqual(got(), [1, restEventsMin]);
    for (const round of [1, 2]) {
      await putMany(world, restEventsMin);
      await turns(enough);
      assert.deepEqual(got(), [0, 0], `round ${round}: nothing is written in the rest`);
      world.time.advance(restMs);
      await turns(enough);
      assert.deepEqual(got(), [1, restEventsMin]);
    }
    await world.stop();
  });

  it('I33: what comes when the rest is over, or behind a lone event, does not wait', async () => {
    const { got, world } = await audience(restWritesMin);
    await together(world, restEventsMin);
    world.time.advance(restMs);
    for (let i = 0; i < 3; i += 1) {
      await putMany(world, 1);
      await turns(enough);
    }
    assert.deepEqual(got(), [4, restEventsMin + 3]);
    await world.stop();
  });

  it('I33: few watchers, or few events for each, never wait', async () => {
    const crowds = [
      [restWritesMin - 1, restEventsMin],
      [restWritesMin, restEventsMin - 1],
    ] as const;
    for (const [watchers, events] of crowds) {
      const { got, world } = await audience(watchers);
      await together(world, events);
      await putMany(world, 1);
      await turns(enough);
      assert.deepEqual(got(), [2, events + 1]);
      await world.stop();
    }
  });

  it('I33: more bytes than may wait end the rest', async () => {
    const payload = 'x'.repeat(300);
    const { got, world } = await audience(restWritesMin, { freshBytesMax: 4_000 });
    await together(world, restEventsMin);
    got();
    await putMany(world, 4, payload);
    await turns(enough);
    assert.deepEqual(got(), [0, 0]);
    await putMany(world, 8, payload);
    await turns(enough);
    const [writes, events] = got();
    assert.ok(writes > 0 && events > 0);
    await world.stop();
  });

  it('I33: what a write had no room for does not wait', async () => {
    const { got, world } = await audience(restWritesMin, { liveChunkBytes: 1_500 });
    await together(world, restEventsMin * 5);
    const [writes, events] = got();
    assert.ok(writes > 1);
    assert.equal(events, restEventsMin * 5);
    await world.stop();
  });

  it('I33: nobody rests where the limit is 0', async () => {
    const { got, world } = await audience(restWritesMin, { restMs: 0 });
    await together(world, restEventsMin);
    await putMany(world, 1);
    await turns(enough);
    assert.deepEqual(got(), [2, restEventsMin + 1]);
    await world.stop();
  });

  it('I33: another selection of the same objects does not wait', async () => {
    const { got, world } = await audience(restWritesMin);
    await together(world, restEventsMin);
    got();
    const other = new TestSink();
    const start = { kind: 'after', revision: world.streams.revision } as const;
    const predicate = { ...everything, id: 'all' };
    world.streams.watch(watchRequest({ start, predicate }), other);
    await turns(enough);
    await putMany(world, 1);
    await turns(enough);
    assert.equal(other.replay().events.length, 1);
    assert.deepEqual(got(), [0, 0]);
    await world.stop();
  });
});

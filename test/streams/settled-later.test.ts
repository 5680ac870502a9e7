/** Sinks that settle a write in the next turn: few of their writes are made in a turn. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemTimers } from '../../src/stdx/clock.ts';
import type { EventEncoder } from '../../streams/streams.ts';
import type { StreamLimits } from '../../streams/limits.ts';
import { createWorld, encoder, putMany, TestSink, turns, watchRequest } from './harness.ts';
import type { World } from './harness.ts';

class LaterSink extends TestSink {
  override settlesLater = true;
}

interface Audience {
  readonly world: World;
  readonly sinks: readonly TestSink[];
  /** Writes to those that settle later and to the others, in each turn that had any. */
  readonly written: readonly (readonly [later: number, others: number])[];
  /** A change, and so many turns, in each of which others have the event loop. */
  hearOne(turnsCount: number, othersMs?: (turn: number) => number): Promise<void>;
}

/** `writeMs`: what a write takes. */
async function audience(
  make: readonly (typeof TestSink)[],
  limits: Partial<StreamLimits>,
  writeMs = 0,
): Promise<Audience> {
  const world = await createWorld({ limits });
  const start = { kind: 'after', revision: world.streams.revision } as const;
  const written: [number, number][] = [];
  let inTurn: [number, number] = [0, 0];
  const sinks = make.map((Sink) => {
    const sink = new Sink();
    const write = sink.write.bind(sink);
    sink.write = (chunk) => {
      inTurn[sink instanceof LaterSink ? 0 : 1] += 1;
      world.time.advance(writeMs);
      return write(chunk);
    };
    world.streams.watch(watchRequest({ start }), sink);
    return sink;
  });
  const endTurn = (): void => {
    if (inTurn[0] + inTurn[1] > 0) written.push(inTurn);
    inTurn = [0, 0];
  };
  const hearOne: Audience['hearOne'] = async (turnsCount, othersMs = () => 0) => {
    await putMany(world, 1);
    for (let i = 0; i < turnsCount; i += 1) {
      endTurn();
      const ms = othersMs(i);
      if (ms > 0) systemTimers.nextTurn(() => world.time.advance(ms));
      await turns(1);
    }
  };
  return { world, sinks, written, hearOne };
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('sinks that settle later', () => {
  it('I35: few of their writes are made in a turn, and all come through', async () => {
    const made = await audience(times(35, LaterSink), { turnUnsettledMax: 10 });
    const { hearOne, sinks, world, written } = made;
    await hearOne(20);
    assert.deepEqual(
      written.map(([later]) => later),
      [10, 10, 10, 5],
    );
    for (const sink of sinks) assert.equal(sink.replay().events.length, 1);
    await world.stop();
  });

  it('I35: writes that are settled at once do not count among them', async () => {
    const kinds = [...times(10, LaterSink), ...times(50, TestSink), ...times(5, LaterSink)];
    const { hearOne, world, written } = await audience(kinds, { turnUnsettledMax: 10 });
    await hearOne(20);
    assert.deepEqual(written, [
      [10, 50],
      [5, 0],
    ]);
    await world.stop();
  });

  it('I35: while others have the event loop, a turn writes on for as long as they had it', async () => {
    const othersMs = 30;
    const limits = { turnUnsettledMax: 10, turnWritesMs: 100, turnPumpMs: 0 };
    const { hearOne, sinks, world, written } = await audience(times(150, LaterSink), limits, 1);
    await hearOne(40, () => othersMs);
    const [first, second, third = 0] = written.map(([later]) => later);
    assert.deepEqual([first, second], [10, 10], 'nobody is known to have had it twice');
    assert.ok(third >= othersMs && third < 2 * othersMs, `${third}`);
    for (const sink of sinks) assert.equal(sink.replay().events.length, 1);
    await world.stop();
  });

  it('I35: others who had the event loop once do not change that', async () => {
    const limits = { turnUnsettledMax: 10, turnWritesMs: 100, turnPumpMs: 0 };
    const { hearOne, world, written } = await audience(times(80, LaterSink), limits, 1);
    await hearOne(40, (i) => (i % 2 === 0 ? 50 : 0));
    assert.deepEqual(written, times(8, [10, 0]));
    await world.stop();
  });

  it('I35: others who have the event loop for long do not make a turn longer than its slice', async () => {
    const limits = { turnUnsettledMax: 10, turnWritesMs: 40, turnPumpMs: 0 };
    const { hearOne, world, written } = await audience(times(300, LaterSink), limits, 1);
    await hearOne(40, () => 1_000);
    const most = Math.max(...written.map(([later]) => later));
    assert.ok(most >= 40 && most < 80, `${most}`);
    await world.stop();
  });

  it('I35 I10: a burst larger than the ring is encoded once, however many turns a pass takes', async () => {
    let made = 0;
    const counting: EventEncoder = {
      ...encoder,
      event: (type, entry) => ((made += 1), encoder.event(type, entry)),
    };
    const limits = { framesMax: 8, freshBytesMax: 500, holdTurnsMax: 2 };
    const few = { turnUnsettledMax: 4, turnWritesMax: 64 };
    const world = await createWorld({ limits: { ...limits, ...few } });
    const start = { kind: 'after', revision: world.streams.revision } as const;
    const sinks = times(60, LaterSink).map((Sink) => new Sink());
    for (const sink of sinks) {
      world.streams.watch(watchRequest({ encoder: counting, start }), sink);
    }
    const names = Array.from({ length: 100 }, (_, i) => `p${i}`);
    await Promise.all(names.map((name) => world.put({ namespace: 'ns', name })));
    await world.settle();
    await turns(1_000);
    for (const sink of sinks) assert.equal(sink.replay().events.length, 100);
    assert.equal(made, 100);
    await world.stop();
  });
});

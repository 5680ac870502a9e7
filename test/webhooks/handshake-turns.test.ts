/** Handshakes with other servers: a few are read from in one turn, and nobody is forgotten. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createHandshakeTurns, handshakeTurnLimits } from '../../src/webhooks/handshake-turns.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const { atOnceMax, placeMs } = handshakeTurnLimits;

function started(count: number, atFirst = count) {
  const time = manualTime();
  const turns = createHandshakeTurns(time.timers);
  const reading = new Set<number>();
  const begun = new Set<number>();
  const all = Array.from({ length: count }, (_, at) => ({
    read(on: boolean) {
      if (on) reading.add(at);
      else reading.delete(at);
      if (on) begun.add(at);
    },
  }));
  const add = (at: number): void => turns.add(all[at] as (typeof all)[number]);
  const first = all.slice(0, atFirst);
  for (const each of first) turns.add(each);
  const over = (at: number): void => {
    reading.delete(at);
    turns.over(all[at] as (typeof all)[number]);
  };
  return { add, begun, over, reading, time };
}

describe('handshakes', () => {
  it('30 at once: as many as may are read from, and the next only in the turn behind', async () => {
    const { begun, over, reading } = started(30);
    let done = 0;
    while (done < 30) {
      assert.ok(reading.size <= atOnceMax);
      const now = [...reading];
      const before = begun.size;
      for (const at of now) over(at);
      assert.equal(begun.size, before, 'nobody begins in this turn');
      done += now.length;
      await setImmediate();
    }
    assert.equal(begun.size, 30);
  });

  // Before, each connection that ended could begin the next one, a thousand in one turn.
  it('one that comes in the turn in which another ends begins in the turn behind', async () => {
    const { add, begun, over } = started(20, atOnceMax);
    for (let at = 0; at < 10; at += 1) {
      over(at);
      add(atOnceMax + at);
    }
    assert.equal(begun.size, atOnceMax);
    await setImmediate();
    assert.equal(begun.size, 2 * atOnceMax);
  });

  it('those who send nothing make room for others, and are read from again', async () => {
    const { begun, reading, time } = started(3 * atOnceMax);
    const first = [...reading];
    assert.equal(first.length, atOnceMax);
    for (let turn = 1; turn <= 2; turn += 1) {
      time.advance(placeMs);
      await setImmediate();
      assert.equal(reading.size, atOnceMax);
    }
    assert.equal(begun.size, 3 * atOnceMax);
    time.advance(placeMs);
    await setImmediate();
    assert.deepEqual([...reading].sort(), first.sort());
  });

  it('alone they keep their places', () => {
    const { reading, time } = started(atOnceMax);
    time.advance(10 * placeMs);
    assert.equal(reading.size, atOnceMax);
    assert.equal(time.pendingCount, 0);
  });
});

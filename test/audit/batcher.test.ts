/** Batches of audit events: what is held, what is refused, how many are under way. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batcherLimits, createBatcher } from '../../src/audit/batcher.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function held(settings: { bufferEventsMax?: number; batchEventsMax?: number } = {}) {
  const time = manualTime();
  const delivered: (readonly string[])[] = [];
  const ends: (() => void)[] = [];
  const batcher = createBatcher(
    {
      bufferEventsMax: 1000,
      batchEventsMax: 1,
      waitMsMax: 0,
      throttle: undefined,
      ...settings,
    },
    {
      clock: time.clock,
      timers: time.timers,
      deliver: (lines) => {
        delivered.push(lines);
        return new Promise((resolve) => ends.push(() => resolve(undefined)));
      },
    },
  );
  return { batcher, delivered, ends };
}

describe('a batcher', () => {
  it(`has ${batcherLimits.deliveriesMax} batches under way at most, and goes on when one ends`, async () => {
    const { batcher, delivered, ends } = held();
    for (let i = 0; i < batcherLimits.deliveriesMax + 3; i += 1) assert.ok(batcher.add(`${i}`));
    await turn();
    assert.equal(delivered.length, batcherLimits.deliveriesMax);
    ends[0]?.();
    await turn();
    assert.deepEqual(delivered.at(-1), [`${batcherLimits.deliveriesMax}`]);
  });

  it('refuses what is more than its events, and takes events again when there is room', async () => {
    const { batcher, ends } = held({ bufferEventsMax: 2 });
    const { deliveriesMax } = batcherLimits;
    for (let i = 0; i < deliveriesMax; i += 1) {
      batcher.add(`${i}`);
      await turn();
    }
    assert.ok(batcher.add('a') && batcher.add('b'));
    assert.ok(!batcher.add('c'));
    ends[0]?.();
    await turn();
    assert.ok(batcher.add('d'));
  });

  it('refuses what is more than its bytes', async () => {
    const { batcher } = held();
    const { bufferBytesMax, deliveriesMax } = batcherLimits;
    for (let i = 0; i < deliveriesMax; i += 1) {
      batcher.add(`${i}`);
      await turn();
    }
    assert.ok(batcher.add('x'.repeat(bufferBytesMax - 1)));
    assert.ok(!batcher.add('ü'));
    assert.ok(batcher.add('u'));
  });
});

/** What can grow, and that it does not beyond its limit. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import type { Revision } from '../../src/storage/storage.ts';
import { FrameRing } from '../../streams/frame-ring.ts';
import { Progress } from '../../streams/freshness.ts';
import { History } from '../../streams/history.ts';
import { defaultStreamLimits } from '../../streams/limits.ts';
import { createEntryMaker, ResourceChange } from '../../streams/resource-change.ts';

const limits = {
  ...defaultStreamLimits,
  framesMax: 10,
  frameBytesBase: 1_000,
  frameBytesPerLagging: 100,
  frameBytesMax: 1_300,
  frameBytesTotalMax: 1_500,
  frameBytesMin: 200,
  liveChunkBytes: 300,
  historyChangesMax: 5,
  historyBytesMax: 1_000,
};

function frame(seq: number, size: number) {
  return { seq, revision: BigInt(seq) as Revision, bytes: Buffer.alloc(size, seq) };
}

describe('bounds', () => {
  it('C1 I12: a frame ring stays within its count and bytes, and keeps the newest frame', () => {
    const budget = { bytes: 0 };
    const ring = new FrameRing(0, limits, budget);
    for (let seq = 1; seq <= 100; seq += 1) {
      ring.push(frame(seq, seq % 10 === 0 ? 400 : 20), 0);
      assert.ok(ring.bytes <= 1_000);
      assert.equal(budget.bytes, ring.bytes);
    }
    assert.equal(ring.head - ring.floor, 10);
    ring.push(frame(101, 5_000), 0);
    assert.equal(ring.bytes, 5_000);
    assert.equal(ring.floor, 100);
    assert.equal(ring.after(99), undefined);
    assert.equal(ring.after(100)?.bytes.length, 5_000);
    ring.clear();
    assert.equal(budget.bytes, 0);
    assert.equal(ring.floor, 101);
    for (let seq = 102; seq <= 120; seq += 1) ring.push(frame(seq, 200), 2);
    assert.equal(ring.bytes, 1_200);
    for (let seq = 121; seq <= 140; seq += 1) ring.push(frame(seq, 130), 1_000);
    assert.equal(ring.bytes, 1_300);
  });

  it('C1 I12: rings that are too much together shrink, each as it gets its next frame', () => {
    const budget = { bytes: 0 };
    const rings = [1, 2, 3].map(() => new FrameRing(0, limits, budget));
    for (let seq = 1; seq <= 30; seq += 1) {
      for (const ring of rings) ring.push(frame(seq, 100), 9);
      assert.ok(budget.bytes <= 1_500 + 100);
    }
  });

  it('C1 I10: a chunk is whole frames up to its bytes, the same buffer for the same position', () => {
    const ring = new FrameRing(0, limits, { bytes: 0 });
    for (let seq = 1; seq <= 5; seq += 1) ring.push(frame(seq, 120), 0);
    const chunk = ring.after(1);
    assert.equal(chunk?.framesCount, 2);
    assert.equal(chunk.seq, 3);
    assert.equal(ring.after(1), chunk);
    assert.deepEqual([...chunk.bytes], [...Buffer.alloc(120, 2), ...Buffer.alloc(120, 3)]);
    const single = frame(6, 120);
    ring.push(single, 0);
    assert.equal(ring.after(5)?.bytes, single.bytes);
  });

  it('C1: a history stays within its count and bytes, and says what it no longer covers', () => {
    const maker = createEntryMaker(
      ({ value }) => ({ uid: '', labels: {}, fields: {}, metadataAt: 0, object: value }),
      (object) => object,
    );
    const history = new History(0n as Revision, limits);
    for (let seq = 1; seq <= 40; seq += 1) {
      const revision = BigInt(seq * 10) as Revision;
      const bytes = Buffer.alloc(seq === 30 ? 2_000 : 100);
      const meta = { namespace: '', name: 'x', labels: {}, fields: {} };
      const entry = { ...meta, revision, bytes, metadataAt: 0, stampBytes: 0 };
      const parts = { revision, type: 'ADDED', entry, previous: undefined } as const;
      history.append(new ResourceChange(seq, parts, maker));
      assert.ok(history.lastSeq - history.floorSeq <= (seq === 30 ? 1 : 5));
    }
    assert.equal(history.floorSeq, 35);
    assert.equal(history.covers(350n as Revision), true);
    assert.equal(history.covers(349n as Revision), false);
    assert.equal(history.seqAt(355n as Revision), 35);
    assert.equal(history.at(36).seq, 36);
  });

  it('C1: who stops waiting for a revision is not kept', () => {
    const progress = new Progress({
      ask: () => Promise.resolve(0n as Revision),
      clock: systemClock,
      timers: systemTimers,
      currentWaitMs: 1000,
    });
    const calls: number[] = [];
    const callOff = progress.when(5n as Revision, () => calls.push(1));
    progress.when(6n as Revision, () => calls.push(2));
    callOff();
    assert.equal(progress.waitingCount, 1);
    progress.advance(6n as Revision);
    progress.wake();
    assert.deepEqual(calls, [2]);
    assert.equal(progress.waitingCount, 0);
  });
});

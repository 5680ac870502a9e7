/** More keys than may wait (src/controllers/work-queue.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createQueueMeters } from '../../src/controllers/queue-meters.ts';
import { createWorkQueue } from '../../src/controllers/work-queue.ts';
import type { WorkQueueDeps } from '../../src/controllers/work-queue.ts';
import { systemTimers } from '../../src/stdx/clock.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

/** As in the limits there: so many wait at most, and so many beside what is tried again. */
const [waitingMax, roomMax] = [100_000, 50_000];

const nextTurn = () => new Promise<void>((resolve) => void systemTimers.nextTurn(resolve));

function queueOver(deps: Pick<WorkQueueDeps, 'all' | 'work'>) {
  const time = manualTime();
  const queue = createWorkQueue({
    timers: time.timers,
    meter: createQueueMeters(time.clock).meterOf('many'),
    monotonicMs: () => time.clock.monotonicMs(),
    prepare: () => Promise.resolve(),
    pause: () => Promise.resolve(),
    onError: (_key, error) => assert.fail(String(error)),
    ...deps,
  });
  return { queue, time };
}

/** Over how many items of Maps the work walks. */
function walkedItems(work: () => void): number {
  const walk = Object.getPrototypeOf(new Map().keys()) as Iterator<unknown>;
  const { next } = walk;
  let walked = 0;
  walk.next = function (this: Iterator<unknown>) {
    walked += 1;
    return next.call(this);
  };
  try {
    work();
  } finally {
    walk.next = next;
  }
  return walked;
}

describe('a queue of keys that overflows', () => {
  const keysOf = (prefix: string) =>
    Array.from({ length: waitingMax + 2_500 }, (_, at) => `${prefix}${at}`);

  it('works on every key, those that found no place when there is room again', async () => {
    const known = new Set(keysOf('a'));
    const done = new Set<string>();
    const { queue } = queueOver({
      all: () => known,
      work: (key) => Promise.resolve(done.add(key).size > 0),
    });
    for (const key of known) queue.add(key);
    assert.equal(queue.waitingCount, waitingMax);
    queue.start();
    await nextTurn();
    assert.equal(done.size, known.size);
    assert.equal(queue.waitingCount, 0);
    await queue.stop();
  });

  it('works on those that found no place while the others were looked for', async () => {
    const known = new Set(keysOf('a'));
    const done = new Set<string>();
    const { queue } = queueOver({
      all: () => known,
      work(key) {
        done.add(key);
        // Half of the first ones have been worked on: they are being looked for.
        if (done.size === waitingMax - roomMax + 100) {
          for (const late of keysOf('b')) {
            known.add(late);
            queue.add(late);
          }
        }
        return Promise.resolve(true);
      },
    });
    for (const key of known) queue.add(key);
    queue.start();
    await nextTurn();
    assert.equal(done.size, known.size);
    assert.ok(done.has(`b${waitingMax + 2_499}`));
    await queue.stop();
  });

  it('keeps places for what changes, however much is to be tried again', async () => {
    const failing = keysOf('a').slice(0, roomMax + 10_000);
    let isStuck = false;
    const never = new Promise<boolean>(() => undefined);
    const { queue, time } = queueOver({
      all: () => assert.fail(),
      work: () => (isStuck ? never : Promise.resolve(false)),
    });
    for (const key of failing) queue.add(key);
    queue.start();
    await nextTurn();
    assert.equal(queue.waitingCount, 0);
    isStuck = true;
    for (let ticks = 0; ticks < 100; ticks += 1) time.advance(50);
    await nextTurn();
    assert.ok(queue.waitingCount > roomMax - 1_000 && queue.waitingCount <= roomMax + 1_000);
    const before = queue.waitingCount;
    queue.add('new');
    assert.equal(queue.waitingCount, before + 1);
  });

  it('tries again all that is to be tried again, though not at once', async () => {
    const failing = keysOf('a').slice(0, 5_000);
    const attempts = new Map<string, number>();
    const { queue, time } = queueOver({
      all: () => assert.fail(),
      work(key) {
        const count = (attempts.get(key) ?? 0) + 1;
        attempts.set(key, count);
        return Promise.resolve(count > 1);
      },
    });
    for (const key of failing) queue.add(key);
    queue.start();
    await nextTurn();
    for (let ticks = 0; ticks < 20; ticks += 1) {
      time.advance(50);
      await nextTurn();
    }
    assert.deepEqual([...new Set(attempts.values())], [2]);
    assert.equal(attempts.size, failing.length);
    await queue.stop();
  });

  it('looks at what is due, and not at what waits for its time', async () => {
    const failing = keysOf('a').slice(0, 20_000);
    const { queue, time } = queueOver({
      all: () => assert.fail(),
      work: () => Promise.resolve(false),
    });
    for (const key of failing) queue.add(key);
    queue.start();
    await nextTurn();
    for (let ticks = 0; ticks < 60; ticks += 1) {
      time.advance(50);
      await nextTurn();
    }
    // Each has been tried some times, and waits for seconds now.
    const walked = walkedItems(() => time.advance(50));
    assert.ok(walked < 100, `${walked}`);
    await queue.stop();
  });
});

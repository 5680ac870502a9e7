/** A controller that is made of one function for each key (src/controllers/key-queue.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKeyQueue } from '../../src/controllers/key-queue.ts';
import { createQueueMeters } from '../../src/controllers/queue-meters.ts';
import type { Streams } from '../../streams/streams.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Its work goes on until it is told that it has ended. */
function queueOf(atOnceMax: number | undefined) {
  const time = manualTime();
  const running = new Map<string, (error?: Error) => void>();
  const begun: string[] = [];
  const queue = createKeyQueue({
    name: 'test',
    streams: {} as Streams,
    turns: { pause: () => Promise.resolve() },
    timers: time.timers,
    queues: createQueueMeters(time.clock),
    sources: [],
    atOnceMax,
    work(key) {
      assert.ok(!running.has(key), 'a key is in hand once');
      begun.push(key);
      return new Promise((resolve, reject) => {
        running.set(key, (error) => {
          running.delete(key);
          if (error === undefined) resolve();
          else reject(error);
        });
      });
    },
    onError: () => undefined,
  });
  const end = async (key: string, error?: Error): Promise<void> => {
    running.get(key)?.(error);
    await settled();
  };
  return { begun, end, queue, running, time };
}

describe('a queue of keys', () => {
  it('works on as many at a time as it may, and goes on as each of them ends', async () => {
    const { begun, end, queue, running } = queueOf(2);
    for (const key of ['a', 'b', 'c', 'd']) queue.enqueue(key);
    await settled();
    assert.deepEqual([...running.keys()], ['a', 'b']);
    await end('b');
    assert.deepEqual([...running.keys()], ['a', 'c']);
    await end('c');
    await end('a');
    await end('d');
    assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
  });

  it('works on one after the other where nothing is said', async () => {
    const { begun, end, queue } = queueOf(undefined);
    for (const key of ['a', 'b']) queue.enqueue(key);
    await settled();
    assert.deepEqual(begun, ['a']);
    await end('a');
    assert.deepEqual(begun, ['a', 'b']);
    await end('b');
  });

  it('works on a key once more that came again while it was in hand, and never twice at once', async () => {
    const { begun, end, queue } = queueOf(4);
    queue.enqueue('a');
    await settled();
    for (const key of ['a', 'a', 'b', 'c']) queue.enqueue(key);
    await settled();
    assert.deepEqual(begun, ['a', 'b', 'c']);
    await end('b');
    await end('c');
    assert.deepEqual(begun, ['a', 'b', 'c']);
    await end('a');
    assert.deepEqual(begun, ['a', 'b', 'c', 'a']);
    await end('a');
    queue.enqueue('d');
    await settled();
    assert.deepEqual(begun, ['a', 'b', 'c', 'a', 'd']);
    await end('d');
  });

  it('tries again what failed while others go on, and waits at its end for all in hand', async () => {
    const { begun, end, queue, time } = queueOf(2);
    for (const key of ['a', 'b', 'c']) queue.enqueue(key);
    await settled();
    await end('a', new Error('no'));
    time.advance(100);
    await end('b');
    assert.deepEqual(begun, ['a', 'b', 'c', 'a']);
    let stopped = false;
    const stopping = queue.stop().then(() => (stopped = true));
    await end('c');
    assert.equal(stopped, false);
    await end('a');
    await stopping;
    assert.equal(stopped, true);
  });
});

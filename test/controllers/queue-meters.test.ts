/** What the queues of controllers say of themselves (src/controllers/queue-meters.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createQueueMeters } from '../../src/controllers/queue-meters.ts';
import { createWorkQueue } from '../../src/controllers/work-queue.ts';
import { systemTimers } from '../../src/stdx/clock.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { startTestServer } from '../support/servers/test-server.ts';

const settled = () => new Promise<void>((resolve) => void systemTimers.nextTurn(resolve));

describe('meters of queues', () => {
  const time = manualTime();
  const queues = createQueueMeters(time.clock);

  const only = () => {
    const [stats, ...others] = queues.stats();
    assert.ok(stats !== undefined && others.length === 0);
    return stats;
  };

  it('a key waits once however often it is added, and its wait and its work are timed', () => {
    const meter = queues.meterOf('cleaner');
    meter.added('a');
    meter.added('a');
    meter.added('b');
    assert.equal(only().addsTotal, 2);
    assert.equal(only().depth, 2);
    time.advance(2_000);
    const ended = meter.began('a');
    time.advance(500);
    const running = only();
    assert.deepEqual(
      [running.depth, running.unfinishedSeconds, running.longestRunningSeconds],
      [1, 0.5, 0.5],
    );
    assert.equal(running.waitSeconds.sum, 2);
    ended();
    assert.deepEqual([only().unfinishedSeconds, only().longestRunningSeconds], [0, 0]);
    assert.equal(only().workSeconds.sum, 0.5);
  });

  it('a queue that is made anew goes on counting, and nothing waits in it', () => {
    queues.meterOf('cleaner');
    assert.deepEqual([only().addsTotal, only().depth], [2, 0]);
  });

  it('work that fails counts as a retry, and the key is added again', async () => {
    let attempts = 0;
    const queue = createWorkQueue({
      timers: time.timers,
      meter: queues.meterOf('cleaner'),
      monotonicMs: () => time.clock.monotonicMs(),
      prepare: () => Promise.resolve(),
      pause: () => Promise.resolve(),
      work: () => Promise.resolve((attempts += 1) > 1),
      all: () => assert.fail(),
      onError: (_key, error) => assert.fail(String(error)),
    });
    queue.start();
    queue.add('c');
    await settled();
    time.advance(1_000);
    await settled();
    assert.equal(attempts, 2);
    assert.deepEqual([only().addsTotal, only().retriesTotal, only().depth], [4, 1, 0]);
    await queue.stop();
  });

  it('the metrics page shows them by the name of their controller', async () => {
    const server = await startTestServer({});
    try {
      const { text } = await server.request('GET', '/metrics');
      for (const type of ['adds_total counter', 'depth gauge', 'queue_duration_seconds histogram'])
        assert.ok(text.includes(`# TYPE workqueue_${type}`), type);
      assert.match(text, /^workqueue_depth\{name="garbage-collector"\} \d+$/m);
      assert.match(text, /^workqueue_work_duration_seconds_count\{name="namespace-/m);
    } finally {
      await server.remove();
    }
  });
});

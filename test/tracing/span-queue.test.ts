/** Steps wait for their collector in a bounded queue, and no request waits for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { SpanQueue } from '../../src/tracing/span-queue.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

type Done = Parameters<SpanExporter['export']>[1];

function world() {
  const time = manualTime();
  const batches: { readonly count: number; readonly done: Done }[] = [];
  const said: (string | undefined)[] = [];
  const exporter = {
    export: (spans: readonly ReadableSpan[], done: Done) => {
      batches.push({ count: spans.length, done });
    },
    shutdown: () => Promise.resolve(),
  };
  const queue = new SpanQueue(exporter, time.timers, (problem) => said.push(problem));
  const add = (count: number): void => {
    for (let i = 0; i < count; i += 1) queue.onEnd({} as ReadableSpan);
  };
  const counts = (): number[] => batches.map(({ count }) => count);
  return { time, queue, batches, said, add, counts };
}

test('a few steps go together after a while', () => {
  const { add, counts, queue, time } = world();
  add(3);
  assert.deepEqual(counts(), []);
  time.advance(1_000);
  assert.deepEqual(counts(), [3]);
  assert.deepEqual(queue.counts(), { sent: 0, failed: 0, dropped: 0, waiting: 0 });
});

test('a full batch goes in the next turn, and the next one behind it', () => {
  const { add, batches, counts, queue, time } = world();
  add(100);
  assert.deepEqual(counts(), []);
  time.advance(0);
  assert.deepEqual(counts(), [64]);
  time.advance(10_000);
  assert.deepEqual(counts(), [64], 'one at a time');
  batches[0]?.done({ code: 0 });
  time.advance(0);
  assert.deepEqual(counts(), [64, 36]);
  assert.equal(queue.counts().sent, 64);
});

test('what comes while too many wait is dropped; what the collector refuses is lost', () => {
  const { add, batches, queue, said, time } = world();
  add(5_000);
  time.advance(0);
  batches[0]?.done({ code: 1, error: new Error('no') });
  assert.deepEqual(queue.counts(), { sent: 0, failed: 64, dropped: 904, waiting: 4_032 });
  time.advance(0);
  batches[1]?.done({ code: 0 });
  assert.deepEqual(said, ['no', undefined]);
});

test('at the end what waits is sent, for as long as the time lasts', async () => {
  const { add, batches, queue, time } = world();
  add(2);
  let isOver = false;
  const ending = queue.shutdown().then(() => (isOver = true));
  time.advance(0);
  assert.equal(batches.length, 1);
  batches[0]?.done({ code: 0 });
  await ending;
  assert.ok(isOver);
  assert.equal(time.pendingCount, 0);
});

test('at the end a collector that does not answer is not waited for', async () => {
  const { add, queue, time } = world();
  add(2);
  const ending = queue.shutdown();
  time.advance(2_000);
  await ending;
});

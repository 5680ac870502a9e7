import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditMode } from '../../src/audit/backend.ts';
import { batcherLimits } from '../../src/audit/batcher.ts';
import { createWebhookBackend, webhookBackendLimits } from '../../src/audit/webhook-backend.ts';
import type { WebhookBackendDeps } from '../../src/audit/webhook-backend.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import type { Step } from '../../src/stdx/turns.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

interface List {
  readonly kind: string;
  readonly apiVersion: string;
  readonly items: readonly number[];
}

const batch = { bufferEventsMax: 10, batchEventsMax: 4, waitMsMax: 1000, throttle: undefined };

function webhook(mode: AuditMode, given: Partial<WebhookBackendDeps> = {}) {
  const time = manualTime();
  const state = {
    lists: [] as List[],
    triesCount: 0,
    /** `hang`: no answer before it is closed. */
    behaves: 'well' as 'well' | 'fails' | 'hangs',
    problems: [] as string[],
    hanging: [] as (() => void)[],
  };
  const backend = createWebhookBackend({
    post(body) {
      state.triesCount += 1;
      if (state.behaves === 'fails') return Promise.reject(new Error('answered with status 503'));
      if (state.behaves === 'hangs') {
        return new Promise((_, reject) => {
          state.hanging.push(() => reject(new Error('closed')));
        });
      }
      state.lists.push(JSON.parse(Buffer.concat(body).toString()) as List);
      return Promise.resolve();
    },
    close: () => {
      state.behaves = 'fails';
      for (const end of state.hanging.splice(0)) end();
    },
    mode,
    batch,
    sizes: undefined,
    truncatedMark: 'audit.k8s.io/truncated',
    apiVersion: 'audit.k8s.io/v1',
    firstPauseMs: 100,
    clock: time.clock,
    timers: time.timers,
    prng: seededPrng(1),
    turns: createTurns(time),
    onProblem: (error) => state.problems.push((error as Error).message),
    ...given,
  });
  const send = (at: number) => backend.write({ fields: {}, json: String(at) });
  /** In mode batch everything is taken. */
  const write = (...numbers: readonly number[]): void => {
    for (const at of numbers) assert.equal(send(at), true);
  };
  const items = () => state.lists.map((list) => list.items);
  return { backend, state, time, send, write, items };
}

const turns = async (): Promise<void> => {
  for (let at = 0; at < 10; at += 1) await nextTurn();
};

describe('audit webhook', () => {
  it('batch: a full batch goes at once, a part of one when its first event has waited', async () => {
    const { items, state, time, write } = webhook('batch');
    write(1, 2, 3, 4, 5);
    assert.deepEqual(items(), [], 'not in the same turn');
    await turns();
    assert.deepEqual(items(), [[1, 2, 3, 4]]);
    time.advance(999);
    await turns();
    assert.equal(items().length, 1);
    time.advance(1);
    await turns();
    assert.deepEqual(items(), [[1, 2, 3, 4], [5]]);
    const [list] = state.lists;
    assert.deepEqual(list, {
      kind: 'EventList',
      apiVersion: 'audit.k8s.io/v1',
      metadata: {},
      items: [1, 2, 3, 4],
    });
  });

  it('batch: long events come into the list one in a turn, and not as one piece', async () => {
    const steps: Step[] = [];
    const posted: (readonly Uint8Array[])[] = [];
    const { backend } = webhook('batch', {
      turns: { run: (step) => void steps.push(step) },
      post: (body) => Promise.resolve(void posted.push(body)),
    });
    const events = [1, 2, 3, 4].map((at) => `"${String(at).repeat(300_000)}"`);
    for (const json of events) void backend.write({ fields: {}, json });
    await turns();
    let stepsCount = 0;
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
      assert.deepEqual(posted, [], 'it is not whole yet');
      if (step(() => true)) steps.unshift(step);
      stepsCount += 1;
    }
    await turns();
    assert.ok(stepsCount >= 3, `${stepsCount}`);
    const [parts = []] = posted;
    assert.ok(parts.every(({ length }) => length <= 300_002));
    const { items } = JSON.parse(Buffer.concat(parts).toString()) as { items: string[] };
    assert.deepEqual(
      items.map((item) => JSON.stringify(item)),
      events,
    );
  });

  it('batch: a throttle spreads what is more than its burst', async () => {
    const throttle = { perSecond: 2, burst: 1 };
    const { items, time, write } = webhook('batch', { batch: { ...batch, throttle } });
    write(1, 2, 3, 4, 5, 6, 7, 8);
    await turns();
    assert.deepEqual(items(), [[1, 2, 3, 4]]);
    time.advance(499);
    await turns();
    assert.equal(items().length, 1);
    time.advance(1);
    await turns();
    assert.deepEqual(items()[1], [5, 6, 7, 8]);
  });

  it('batch: what a dead webhook does not take is tried five times, then lost and counted', async () => {
    const { backend, state, time, write } = webhook('batch');
    state.behaves = 'fails';
    write(1, 2, 3, 4);
    const pauses: number[] = [];
    for (let tries = 1; tries < webhookBackendLimits.triesMax; tries += 1) {
      await turns();
      assert.equal(state.triesCount, tries);
      assert.equal(backend.lostTotal, 0);
      let ms = 0;
      while (state.triesCount === tries) {
        time.advance(1);
        ms += 1;
        await nextTurn();
      }
      pauses.push(ms);
    }
    await turns();
    assert.equal(backend.lostTotal, 4);
    assert.deepEqual(state.problems, ['answered with status 503'], 'the first of a row');
    for (const [at, ms] of pauses.entries()) {
      const least = 100 * webhookBackendLimits.pauseFactor ** at;
      assert.ok(ms >= least && ms <= least * 1.2 + 2, `pause ${at}: ${ms}`);
    }
    state.behaves = 'well';
    write(5, 6, 7, 8);
    await turns();
    assert.deepEqual(state.lists.at(-1)?.items, [5, 6, 7, 8]);
    assert.equal(backend.lostTotal, 4);
  });

  it('batch: while it hangs a bounded number is held, and requests are never refused', async () => {
    const { backend, state, write } = webhook('batch');
    state.behaves = 'hangs';
    const underWay = batcherLimits.deliveriesMax * batch.batchEventsMax;
    for (let at = 0; at < underWay; at += 1) {
      write(at);
      await nextTurn();
    }
    await turns();
    for (let at = 0; at < batch.bufferEventsMax + 3; at += 1) write(at);
    assert.equal(backend.lostTotal, 3);
    assert.deepEqual(state.problems, ['the buffer of audit events is full']);
    assert.equal(state.triesCount, batcherLimits.deliveriesMax);
  });

  it('batch: a stop delivers what is held, without waiting for batches or the throttle', async () => {
    const throttle = { perSecond: 1, burst: 1 };
    const { backend, items, write } = webhook('batch', { batch: { ...batch, throttle } });
    write(1, 2, 3, 4, 5, 6);
    await backend.stop();
    assert.deepEqual(items(), [
      [1, 2, 3, 4],
      [5, 6],
    ]);
    assert.equal(backend.lostTotal, 0);
  });

  it('batch: a stop ends in time though nothing is taken, and all of it is counted', async () => {
    const { backend, state, time, write } = webhook('batch');
    state.behaves = 'hangs';
    write(1, 2, 3, 4, 5, 6);
    await turns();
    const stopped = backend.stop();
    time.advance(webhookBackendLimits.flushMsMax);
    await stopped;
    assert.equal(backend.lostTotal, 6);
  });

  it('batch: a stop wakes a list that waits for its next try, which is its last', async () => {
    const { backend, items, state, write } = webhook('batch');
    state.behaves = 'fails';
    write(1, 2, 3, 4);
    await turns();
    state.behaves = 'well';
    await backend.stop();
    assert.deepEqual(items(), [[1, 2, 3, 4]]);
    assert.equal(state.triesCount, 2);
  });

  for (const mode of ['blocking', 'blocking-strict'] as const) {
    it(`${mode}: a stop waits for events under way, as long as it may`, async () => {
      const { backend, items, send, state, time } = webhook(mode);
      let take: () => void = () => undefined;
      const slow = webhook(mode, {
        post: () => new Promise((resolve) => (take = resolve)),
        close: () => assert.equal(taken, true, 'what is under way is not cut'),
      });
      let taken = false;
      const sent = slow.send(1);
      const stopped = slow.backend.stop();
      await turns();
      taken = true;
      take();
      assert.equal(await sent, true);
      await stopped;
      assert.equal(slow.backend.lostTotal, 0);

      state.behaves = 'hangs';
      const never = send(2);
      const ended = backend.stop();
      await turns();
      time.advance(webhookBackendLimits.flushMsMax);
      await ended;
      assert.equal(await never, mode === 'blocking');
      assert.deepEqual([items(), backend.lostTotal], [[], 1]);
    });
  }

  for (const [mode, after] of [
    ['blocking', true],
    ['blocking-strict', false],
  ] as const) {
    it(`${mode}: a request waits for its event, in all not above the bound, then ${after}`, async () => {
      const { backend, items, state, time, send } = webhook(mode, { firstPauseMs: 10_000 });
      assert.equal(await send(1), true);
      assert.deepEqual(items(), [[1]]);
      state.behaves = 'fails';
      const started = time.clock.nowMs();
      let known: boolean | undefined;
      void Promise.resolve(send(2)).then((taken) => (known = taken));
      while (known === undefined) {
        await turns();
        time.advance(500);
      }
      assert.equal(known, after);
      assert.equal(backend.lostTotal, 1);
      assert.ok(state.triesCount > 2, 'it was tried again');
      assert.ok(time.clock.nowMs() - started <= webhookBackendLimits.blockingMsMax + 500);
    });
  }
});

/**
 * A whole server with HTTP whose store, or log, can be made to stand still, on manual time.
 *
 * Requests travel in real turns of the event loop, waiting is on manual time: `answered` moves that
 * on until an answer is there.
 */
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { completeConfig, optionTable } from '../../../src/server/config/options.ts';
import type { RawOptions } from '../../../src/server/config/options.ts';
import { startServer } from '../../../src/server/compose/server.ts';
import { createMemoryStorage } from '../../../src/storage/memory/memory-storage.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { manualTime } from '../doubles/manual-time.ts';
import type { ManualTime } from '../doubles/manual-time.ts';
import { pausableTail } from '../doubles/pausable-tail.ts';
import type { PausableTail } from '../doubles/pausable-tail.ts';
import { openAccess } from './open-access.ts';
import { apiClient } from './test-server.ts';
import type { ApiClient, TestOptions } from './test-server.ts';
import { testDirectories } from '../data/test-directories.ts';

export interface SlowServer extends ApiClient {
  readonly time: ManualTime;
  readonly log: PausableTail;
  /** Behind the server's back; stays open when the server stops. */
  readonly store: Storage;
  /** Nothing that is asked of the store is answered while this is true; then all of it is. */
  unreachable: boolean;
  /** Questions for the newest revision that were asked since the store became unreachable. */
  readonly questionsCount: number;
  /** Waits for it on manual time; and how much of that passed. */
  answered<T>(answer: Promise<T>): Promise<{ readonly value: T; readonly tookMs: number }>;
  /** Tells it to stop, and leaves the store and the log as they are. */
  beginStop(): void;
  stop(): Promise<void>;
}

const stepMs = 50;

/** `storeOf` makes the store on the server's time; a store in memory where nothing is said. */
export async function startSlowServer(
  options: TestOptions = {},
  storeOf: (time: ManualTime) => Storage | Promise<Storage> = ({ clock }) =>
    createMemoryStorage({ clock }),
): Promise<SlowServer> {
  const directories = testDirectories('sluice-slow');
  const dataDir = directories.make();
  const defaults = Object.fromEntries(optionTable.map((spec) => [spec.flag, spec.default]));
  const raw = {
    ...defaults,
    store: 'memory',
    identity: 'kubernetes',
    ...openAccess,
    ...options,
  } as RawOptions;
  const time = manualTime();
  const store = await storeOf(time);
  const reach = reachable(store);
  const log = pausableTail(reach.storage);
  const fatal: unknown[] = [];
  const quiet = { error: ignore, warn: ignore, info: ignore, debug: ignore };
  const running = await startServer(completeConfig({ ...raw, 'data-dir': dataDir }), {
    log: quiet,
    onFatal: (error) => fatal.push(error),
    clock: time.clock,
    timers: time.timers,
    worker: {
      number: 1,
      ports: { http: 0, secure: undefined, tokens: undefined },
      storage: log.storage,
    },
  });
  const client = apiClient(running.url);
  const answered: SlowServer['answered'] = async (answer) => {
    const startMs = time.clock.nowMs();
    let settled = false;
    const done = (): void => void (settled = true);
    answer.then(done, done);
    while (!settled) {
      // Enough turns for a request to come and its answer to go, before any time passes.
      for (let i = 0; i < 40 && !settled; i += 1) await nextTurn();
      if (!settled) time.advance(stepMs);
    }
    return { value: await answer, tookMs: time.clock.nowMs() - startMs };
  };
  let stopped: Promise<void> | undefined;
  const beginStop = (): void => void (stopped ??= running.stop());
  return {
    ...client,
    time,
    store,
    log,
    get unreachable() {
      return reach.closed;
    },
    set unreachable(closed) {
      reach.closed = closed;
    },
    get questionsCount() {
      return reach.questionsCount;
    },
    answered,
    beginStop,
    async stop() {
      reach.closed = false;
      log.resume();
      beginStop();
      await answered(stopped as Promise<void>);
      client.close();
      await directories.removeAll();
      assert.deepEqual(fatal, [], 'the server did not go on');
    },
  };
}

const ignore = (): void => undefined;

function reachable(inner: Storage): {
  readonly storage: Storage;
  closed: boolean;
  questionsCount: number;
} {
  let gate: Promise<void> = Promise.resolve();
  let open: (() => void) | undefined;
  const through =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await gate;
      return call(...args);
    };
  const hands = {
    questionsCount: 0,
    get closed() {
      return open !== undefined;
    },
    set closed(closed: boolean) {
      open?.();
      open = undefined;
      hands.questionsCount = 0;
      if (closed) gate = new Promise((resolve) => (open = resolve));
    },
  };
  const revision = through(inner.revision);
  return Object.assign(hands, {
    storage: {
      ...inner,
      read: through(inner.read),
      scan: through(inner.scan),
      commit: through(inner.commit),
      changes: through(inner.changes),
      close: () => Promise.resolve(),
      revision() {
        hands.questionsCount += 1;
        return revision();
      },
    },
  });
}

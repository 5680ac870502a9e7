/**
 * A controller made from one function that reconciles the object of a key.
 *
 *   events ─▶ keys waiting (a set) ─▶ work(key), so many at a time ─▶ done
 *                  ▲                        │ failed, or refused
 *                  └──── later, with backoff ┘
 *
 * Work looks at what is there, so it may run twice and after a restart; every key is worked on at
 * the start. One after the other, each write would wait for a commit of its own.
 *
 * Invariant: a key is worked on by one at a time; what is added meanwhile is worked on after that.
 * Bounds: keys waiting are at most as many as there are objects, and are worked on in turns with
 * everybody else; retries from `retryMinMs` to `retryMaxMs` apart.
 */
import { Subscription } from 'rxjs';
import type { GroupResource } from '../apimachinery/schema.ts';
import type { TimerHandle, Timers } from '../stdx/clock.ts';
import { inSteps } from '../stdx/in-steps.ts';
import { KeyLine } from '../stdx/key-line.ts';
import { SplitMap } from '../stdx/split-map.ts';
import type { Turns } from '../stdx/turns.ts';
import { followObjects } from '../../streams/followed-objects.ts';
import type { Entry, Streams } from '../../streams/streams.ts';
import type { Controller } from './controller.ts';
import type { QueueMeters } from './queue-meters.ts';

/** For work whose keys have nothing to do with each other. */
export const keysAtOnce = 32;

const keyQueueTimes = { retryMinMs: 100, retryMaxMs: 30_000 } as const;

export interface Source {
  readonly resource: GroupResource;
  /** Which keys an object's change concerns; it may be gone. Read in steps. */
  readonly keysOf: (namespace: string, name: string) => Iterable<string>;
}

export interface KeyQueueOptions {
  /** Of the controller: for the log, metrics and health. */
  readonly name: string;
  readonly streams: Streams;
  readonly turns: Pick<Turns, 'pause'>;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  readonly sources: readonly Source[];
  /** Keys that are worked on at a time; absent: one. */
  readonly atOnceMax?: number | undefined;
  /** A throw is tried again. */
  readonly work: (key: string) => Promise<void>;
  readonly onError: (key: string, error: unknown) => void;
}

export interface KeyQueue extends Controller {
  enqueue(key: string): void;
}

export function createKeyQueue(options: KeyQueueOptions): KeyQueue {
  const { timers, turns } = options;
  const meter = options.queues.meterOf(options.name);
  const waiting = new KeyLine();
  const following = new Subscription();
  const inHand = new Set<string>();
  const working = new Set<Promise<void>>();
  let stopped = false;
  let workersCount = 0;

  const enqueue = (key: string): void => {
    if (stopped) return;
    waiting.add(key);
    meter.added(key);
    if (workersCount === (options.atOnceMax ?? 1)) return;
    workersCount += 1;
    const run: Promise<void> = worker().finally(() => working.delete(run));
    working.add(run);
  };
  const retries = createRetries(timers, enqueue);
  /** What is in hand waits for who has it, who looks here again. */
  const take = (): string | undefined => {
    for (let looks = Math.min(waiting.size, inHand.size + 1); looks > 0; looks -= 1) {
      const key = waiting.take();
      if (key === undefined || !inHand.has(key)) return key;
      waiting.add(key);
    }
    return undefined;
  };
  const worker = async (): Promise<void> => {
    // Let everything that came in this turn be seen first.
    await Promise.resolve();
    for (let key = take(); key !== undefined; key = take()) {
      inHand.add(key);
      // Most keys cost little and wait for nothing: all of them together would be one long turn.
      await turns.pause();
      if (stopped) break;
      await workOn(key);
      inHand.delete(key);
    }
    workersCount -= 1;
  };
  const workOn = async (key: string): Promise<void> => {
    const ended = meter.began(key);
    try {
      await options.work(key);
      retries.forget(key);
    } catch (error) {
      options.onError(key, error);
      if (!stopped) {
        meter.retried();
        retries.retry(key);
      }
    } finally {
      ended();
    }
  };
  return {
    enqueue,
    start: () => following.add(followSources(options, enqueue)),
    async stop() {
      stopped = true;
      following.unsubscribe();
      retries.stop();
      await Promise.all(working);
    },
  };
}

/** All objects that are there at first, then each that changes. */
function followSources(
  { name, sources, streams }: KeyQueueOptions,
  enqueue: (key: string) => void,
): Subscription {
  const following = new Subscription();
  const added = (key: string): undefined => void enqueue(key);
  for (const { keysOf, resource } of sources) {
    const look = ({ name: of, namespace }: Entry) => inSteps(keysOf(namespace, of), added);
    const keeper = { clear: () => undefined, set: look, remove: look };
    following.add(followObjects(streams, name, resource, keeper));
  }
  return following;
}

/** Keys whose work has failed, each with the time that it waits. */
function createRetries(timers: Timers, enqueue: (key: string) => void) {
  const { retryMaxMs, retryMinMs } = keyQueueTimes;
  const retries = new SplitMap<{ readonly timer: TimerHandle; readonly delayMs: number }>();
  return {
    retry(key: string): void {
      const before = retries.get(key);
      before?.timer.cancel();
      const delayMs = Math.min((before?.delayMs ?? retryMinMs / 2) * 2, retryMaxMs);
      retries.set(key, { timer: timers.after(delayMs, () => enqueue(key)), delayMs });
    },
    forget(key: string): void {
      retries.get(key)?.timer.cancel();
      retries.delete(key);
    },
    stop(): void {
      for (const key of retries.keys()) retries.get(key)?.timer.cancel();
    },
  };
}

/**
 * Audit events as lists that are posted to a webhook.
 *
 * Elsewhere: where the webhook is, and HTTP (src/webhooks).
 *
 *     try ▶ pause ▶ try ▶ a pause half as long again ▶ ... `triesMax` tries ▶ lost
 *
 * Policy: every failure is tried again, whatever it was: a webhook that is being mended answers
 * nonsense for a while. Bounds: a try takes `tryMsMax`; a request in a blocking mode waits
 * `blockingMsMax` with all its tries; at the end of the server events are given `flushMsMax`, and
 * after its beginning each list one try more. What is not delivered then is lost and counted.
 */
import type { Clock, TimerHandle, Timers } from '../stdx/clock.ts';
import type { Prng } from '../stdx/prng.ts';
import { randomBelow } from '../stdx/prng.ts';
import { startedAtOnce } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import type { AuditBackend, AuditMode } from './backend.ts';
import { createLossCounter } from './backend.ts';
import { batchParts } from './batch-parts.ts';
import { createBatcher } from './batcher.ts';
import type { BatchSettings } from './batcher.ts';
import { truncateEvent } from './event-size.ts';
import type { SizeLimits } from './event-size.ts';

export const webhookBackendLimits = {
  triesMax: 5,
  pauseFactor: 1.5,
  /** Pauses are up to this much longer, so that servers do not come back together. */
  jitter: 0.2,
  tryMsMax: 30_000,
  blockingMsMax: 30_000,
  flushMsMax: 4_000,
} as const;

export interface WebhookBackendDeps {
  /** Posts a document; rejects when it was not taken, or not within the time. */
  readonly post: (body: readonly Uint8Array[], timeoutMs: number) => Promise<void>;
  /** Ends what is under way. */
  readonly close: () => void;
  readonly mode: AuditMode;
  readonly batch: BatchSettings;
  readonly sizes: SizeLimits | undefined;
  readonly truncatedMark: string;
  /** Of the list. */
  readonly apiVersion: string;
  readonly firstPauseMs: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly prng: Prng;
  readonly turns: Pick<Turns, 'run'>;
  readonly onProblem: (error: unknown) => void;
}

export function createWebhookBackend(deps: WebhookBackendDeps): AuditBackend {
  const { clock, mode, sizes, timers } = deps;
  const { blockingMsMax, flushMsMax, triesMax, tryMsMax } = webhookBackendLimits;
  const losses = createLossCounter(deps.onProblem);
  const pauses = createPauses(timers);
  /** Of requests that wait for it; a stop waits with them. */
  const underWay = new Set<Promise<boolean>>();

  async function delivered(lines: readonly string[], msMax: number): Promise<boolean> {
    const endMs = clock.monotonicMs() + msMax;
    const made = startedAtOnce(deps.turns, eventList(deps.apiVersion, lines));
    const body = made instanceof Promise ? await made : made;
    let pauseMs = deps.firstPauseMs;
    for (let tries = 1; ; tries += 1) {
      const last = pauses.over || tries >= triesMax;
      try {
        const leftMs = Math.min(tryMsMax, endMs - clock.monotonicMs());
        await deps.post(body, Math.max(1, leftMs));
        losses.kept();
        return true;
      } catch (error) {
        if (last || clock.monotonicMs() + pauseMs >= endMs) {
          losses.lost(lines.length, error);
          return false;
        }
      }
      await pauses.pause(jittered(pauseMs, deps.prng));
      pauseMs *= webhookBackendLimits.pauseFactor;
    }
  }

  const batcher = createBatcher(deps.batch, {
    deliver: async (lines) => void (await delivered(lines, Number.POSITIVE_INFINITY)),
    clock,
    timers,
    batchBytesMax: sizes?.batchBytesMax,
  });
  return {
    plugin: 'webhook',
    get lostTotal() {
      return losses.total;
    },
    write(event) {
      const kept = sizes === undefined ? event : truncateEvent(event, sizes, deps.truncatedMark);
      if (kept === undefined) {
        losses.lost(1, new Error('an audit event is too large without its bodies, too'));
        return mode !== 'blocking-strict';
      }
      if (mode === 'batch') {
        const isAdded = batcher.add(kept.json);
        if (!isAdded) losses.lost(1, new Error('the buffer of audit events is full'));
        return true;
      }
      const known = amongThese(underWay, delivered([kept.json], blockingMsMax));
      return mode === 'blocking' ? known.then(() => true) : known;
    },
    async stop() {
      const flush = timers.after(flushMsMax, () => {
        const left = batcher.abandon();
        if (left > 0) losses.lost(left, new Error('the webhook was not there at the end'));
        deps.close();
      });
      pauses.end();
      await batcher.stop();
      await Promise.all(underWay);
      flush.cancel();
      deps.close();
    },
  };
}

/** Keeps the promise in the set until it is settled, and returns it. */
function amongThese<T>(these: Set<Promise<T>>, promise: Promise<T>): Promise<T> {
  these.add(promise);
  void promise.finally(() => these.delete(promise));
  return promise;
}

/** The events are JSON already. Part by part, as it is sent. */
function* eventList(apiVersion: string, lines: readonly string[]): Steps<readonly Uint8Array[]> {
  const head = `"kind":"EventList","apiVersion":${JSON.stringify(apiVersion)},"metadata":{}`;
  const parts: Uint8Array[] = [Buffer.from(`{${head},"items":[`)];
  for (const some of batchParts(lines)) {
    if (parts.length > 1) {
      parts.push(Buffer.from(','));
      yield;
    }
    parts.push(Buffer.from(some.join(',')));
  }
  parts.push(Buffer.from(']}'));
  return parts;
}

function jittered(ms: number, prng: Prng): number {
  return ms + (ms * webhookBackendLimits.jitter * randomBelow(prng, 1000)) / 1000;
}

/** Pauses that end at once when there is no more time for them. */
function createPauses(timers: Timers) {
  const sleeping = new Map<() => void, TimerHandle>();
  let over = false;
  return {
    get over() {
      return over;
    },
    pause(ms: number): Promise<void> {
      if (over) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          sleeping.delete(wake);
          resolve();
        };
        sleeping.set(wake, timers.after(ms, wake));
      });
    },
    end(): void {
      over = true;
      for (const [wake, timer] of sleeping) {
        timer.cancel();
        wake();
      }
    },
  };
}

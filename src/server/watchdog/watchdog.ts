/**
 * Ends the process when it was told to end and cannot, because a turn of the event loop never ends
 * or because something that it waits for never comes.
 *
 *     SIGTERM ─▶ this loop: stops in its order              exit code 0
 *             ─▶ a thread of its own: `limitMs` later       exit code 1, and a line that says why
 *
 * Invariant: nothing here runs in the loop that may be stuck (watchdog-thread.ts).
 */
import { Worker } from 'node:worker_threads';
import type { CompletedConfig } from '../config/options.ts';

/** Beside what the flags give a stop: closing the store, the last lines of the log. */
const stopGraceMs = 5_000;

export interface WatchdogOrder {
  /** From the signal to the end. */
  readonly limitMs: number;
  readonly logLevel: CompletedConfig['logLevel'];
}

/** For as long as the process lives. */
export function startWatchdog(config: CompletedConfig): void {
  const order: WatchdogOrder = { limitMs: limitMs(config), logLevel: config.logLevel };
  const thread = new Worker(new URL('./watchdog-thread.js', import.meta.url), {
    workerData: order,
    // It holds a timer, no data.
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
}

/** A primary ends behind its workers. */
function limitMs(config: CompletedConfig): number {
  return stopTimeMs(config) + (config.workers > 1 ? stopGraceMs : 0);
}

/** What a stop of one process may take in all. */
export function stopTimeMs({ shutdownDelayMs, shutdownTimeoutMs }: CompletedConfig): number {
  return shutdownDelayMs + shutdownTimeoutMs + stopGraceMs;
}

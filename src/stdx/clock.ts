/**
 * Time and timers as ports. Nothing outside this file reads the clock or sets a timer, so a test
 * (or a simulation) decides what time it is.
 *
 * Wall time (`nowMs`) is for time stamps that people and other machines read. Durations are taken
 * from `monotonicMs`, which never goes back.
 */
export interface Clock {
  /** Milliseconds since the epoch, wall clock. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start; never decreases. Fractions are meaningful. */
  monotonicMs(): number;
}

export interface ProcessorClock {
  /** Milliseconds of processor time from an arbitrary start; never decreases. Of this thread, or
   * where the engine does not tell them apart, of all threads of the process together. A system
   * call. */
  processorMs(): number;
}

export interface TimerHandle {
  /** Idempotent. After it returns the callback will not run. */
  cancel(): void;
}

export interface Timers {
  /** Runs `callback` once, not before `delayMs` has passed, however long that is. It does not keep
   * the process alive, unless `keepsAlive` says that somebody waits for it. */
  after(delayMs: number, callback: () => void, keepsAlive?: boolean): TimerHandle;
  /** Runs `callback` in the next turn of the event loop, after pending I/O has been seen. */
  nextTurn(callback: () => void): TimerHandle;
}

interface ProcessTimes {
  cpuUsage(): NodeJS.CpuUsage;
  /** Of newer versions. */
  threadCpuUsage?(): NodeJS.CpuUsage;
}

export const systemClock: Clock & ProcessorClock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  processorMs() {
    const times: ProcessTimes = process;
    const { system, user } = times.threadCpuUsage?.() ?? times.cpuUsage();
    return (system + user) / 1_000;
  },
};

/** 25 days: the engine takes a longer delay for one of a millisecond. */
const longestDelayMs = 2 ** 31 - 1;

export const systemTimers: Timers = {
  after(delayMs, callback, keepsAlive = false) {
    let timer: NodeJS.Timeout;
    const set = (leftMs: number): void => {
      timer =
        leftMs > longestDelayMs
          ? setTimeout(() => set(leftMs - longestDelayMs), longestDelayMs)
          : setTimeout(callback, leftMs);
      if (!keepsAlive) timer.unref();
    };
    set(delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
  nextTurn(callback) {
    const immediate = setImmediate(callback);
    return { cancel: () => clearImmediate(immediate) };
  },
};

/** Calls back in this turn of the event loop, when everything that waited for settled promises has
 * gone on, and what waited for that. */
export function whenSettled(callback: () => void): void {
  // The engine empties both of its queues one after the other; only from the first is the second
  // reached behind it.
  queueMicrotask(() => process.nextTick(callback));
}

/** Resolves after `delayMs`. Not for long-lived code: it cannot be cancelled. */
export function sleep(timers: Timers, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    timers.after(delayMs, resolve);
  });
}

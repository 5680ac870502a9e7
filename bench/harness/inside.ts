/**
 * Loaded into every measured process ahead of its own code: answers the bench over the process's
 * message channel, so that the production code needs no hooks for being measured.
 *
 * Bounds: it does nothing until asked; its channel does not keep a server alive.
 */
import cluster from 'node:cluster';
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';

export interface InsideRequest {
  readonly id: number;
  readonly request: unknown;
}

export interface InsideReply {
  readonly id: number;
  readonly result: unknown;
}

/** A turn of the event loop. */
export interface Turn {
  /** Milliseconds of the main thread's processor time. */
  readonly ms: number;
  /** When it ran: microseconds of the clock that profiles have, too. */
  readonly fromUs: number;
  readonly toUs: number;
}

type Known =
  | { readonly kind: 'gc' }
  | { readonly kind: 'young-bytes' }
  | { readonly kind: 'turns-start' }
  | { readonly kind: 'turns-stop' }
  | { readonly kind: 'pauses-start' }
  | { readonly kind: 'pauses-stop' }
  | { readonly kind: 'profile-start' }
  | { readonly kind: 'profile-stop'; readonly file: string };

/** 200 us: fine enough to see a function, coarse enough not to be seen itself. */
const SAMPLE_INTERVAL_US = 200;

type Answer = (request: unknown) => unknown;
let own: Answer = () => {
  throw new Error('this process answers no questions of its own');
};

/** A floor answers further requests with this, and lives for as long as it may be asked. */
export function answerWith(answer: Answer): void {
  own = answer;
  process.channel?.ref();
}

let session: inspector.Session | undefined;
let turns: ReturnType<typeof startTurns> | undefined;
let pauses: ReturnType<typeof startPauses> | undefined;

/** Pauses of the garbage collector, in milliseconds each. */
function startPauses(): { stop(): readonly number[] } {
  const seen: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.push(duration);
  });
  observer.observe({ entryTypes: ['gc'] });
  return {
    stop() {
      observer.disconnect();
      return seen;
    },
  };
}

const nowUs = (): number => Number(process.hrtime.bigint() / 1000n);

/** The longest turn of the event loop since then. A loop that has nothing to do rests as it does
 * without being measured. */
function startTurns(): { stop(): Turn } {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const line = Buffer.alloc(64);
  const usedMs = (): number => {
    // The kernel writes down what the thread has used until now; it would at its next tick (4 ms).
    process.cpuUsage();
    const bytes = readSync(file, line, 0, line.length, 0);
    return Number.parseInt(line.toString('latin1', 0, bytes), 10) / 1e6;
  };
  let isStopped = false;
  let last = usedMs();
  let lastUs = nowUs();
  let longest: Turn = { ms: 0, fromUs: lastUs, toUs: lastUs };
  const turn = (): void => {
    if (isStopped) return;
    const now = usedMs();
    const toUs = nowUs();
    if (now - last > longest.ms) longest = { ms: now - last, fromUs: lastUs, toUs };
    last = now;
    lastUs = toUs;
    setImmediate(turn).unref();
  };
  setImmediate(turn).unref();
  return {
    stop() {
      isStopped = true;
      closeSync(file);
      return longest;
    },
  };
}

/** Resident memory of the young generation: it grows with the rate of allocation, not with what
 * is held, and is kept. */
function youngBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => name.startsWith('new_'))
    .reduce((sum, { physical_space_size: bytes }) => sum + bytes, 0);
}

async function answer(request: Known): Promise<unknown> {
  switch (request.kind) {
    case 'gc':
      globalThis.gc?.();
      // What finalizers let go of is freed by the second one.
      await new Promise((resolve) => setTimeout(resolve, 100));
      globalThis.gc?.();
      return undefined;
    case 'young-bytes':
      return youngBytes();
    case 'turns-start':
      turns = startTurns();
      return undefined;
    case 'turns-stop':
      return turns?.stop();
    case 'pauses-start':
      pauses = startPauses();
      return undefined;
    case 'pauses-stop':
      return pauses?.stop();
    case 'profile-start':
      session = new inspector.Session();
      session.connect();
      session.post('Profiler.enable');
      session.post('Profiler.setSamplingInterval', { interval: SAMPLE_INTERVAL_US });
      session.post('Profiler.start');
      return undefined;
    case 'profile-stop':
      session?.post('Profiler.stop', (error, stopped) => {
        if (error === null) writeFileSync(request.file, JSON.stringify(stopped.profile));
      });
      session?.disconnect();
      return undefined;
    default:
      return own(request);
  }
}

// In a worker of a measured server the channel is the server's own.
if (process.send !== undefined && !cluster.isWorker) {
  process.on('message', (message: InsideRequest) => {
    void answer(message.request as Known).then((result) => {
      process.send?.({ id: message.id, result } satisfies InsideReply);
    });
  });
  // A bench that was killed leaves nothing behind.
  process.on('disconnect', () => process.exit());
  process.channel?.unref();
}

/**
 * The worker processes: started, replaced when they end, stopped together.
 *
 *   start    the first one alone (what is wrong with the flags is said once), then the others
 *   ended    unasked: another one takes its place, at once or after a growing pause
 *   stop     all are told to stop and may finish their work; those that do not end are killed
 *
 * Invariants: as many workers as asked for, or one on its way for each that is missing; a worker
 * that never gets ready when the fleet starts ends the start, later it is tried again.
 * Bounds: `fleetLimits`.
 */
import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import type { Duplex } from 'node:stream';
import type { Clock, TimerHandle, Timers } from '../../stdx/clock.ts';
import type { Log } from '../compose/log.ts';
import type { WorkerPorts } from '../compose/server.ts';
import { StartStopped, WorkerFailed } from '../known-failures.ts';
import { storeChannelFd } from './worker-messages.ts';
import type { ToPrimary, ToWorker, WorkerReady } from './worker-messages.ts';

const fleetLimits = {
  /** Pause before a worker is replaced; doubled for each one in a row that did not last. */
  restartPauseMinMs: 50,
  restartPauseMaxMs: 10_000,
  /** One that lived this long did last. */
  lastingMs: 10_000,
  /** One that is not ready by then is killed: the largest store should be loaded in this time. */
  startMaxMs: 5 * 60_000,
} as const;

export interface FleetOptions {
  readonly count: number;
  readonly ports: WorkerPorts;
  readonly log: Log;
  readonly clock: Clock;
  readonly timers: Timers;
  /** A worker's end of the pipe to the store. */
  readonly serve: (stream: Duplex) => void;
}

export interface Fleet {
  /** Resolves when every worker serves. Rejects with WorkerFailed. */
  start(): Promise<WorkerReady>;
  /** Resolves when every worker has ended. Those that have not after `timeoutMs` are killed. */
  stop(timeoutMs: number): Promise<void>;
}

export function createFleet(options: FleetOptions): Fleet {
  return new WorkerFleet(options);
}

class WorkerFleet implements Fleet {
  readonly #options: FleetOptions;
  readonly #running = new Map<number, Worker>();
  readonly #pauses = new Map<number, TimerHandle>();
  #stopping = false;
  #onEmpty: (() => void) | undefined;

  constructor(options: FleetOptions) {
    this.#options = options;
    // The kernel hands out connections: a worker that stands still takes none of a shared handle.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
    });
  }

  async start(): Promise<WorkerReady> {
    const first = await this.#launch(1, true);
    if (this.#stopping) throw new StartStopped();
    const others = Array.from({ length: this.#options.count - 1 }, (_, i) => this.#launch(i + 2));
    await Promise.all(others);
    for (const number of this.#running.keys()) this.#keep(number, 0);
    return first;
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#stopping = true;
    for (const pause of this.#pauses.values()) pause.cancel();
    if (this.#running.size === 0) return;
    const timer = this.#options.timers.after(timeoutMs, () => {
      this.#options.log.warn({ workers: [...this.#running.keys()] }, 'workers have to be killed');
      for (const worker of this.#running.values()) worker.process.kill('SIGKILL');
    });
    const empty = new Promise<void>((resolve) => (this.#onEmpty = resolve));
    for (const worker of this.#running.values()) tell(worker, { kind: 'stop' });
    await empty;
    timer.cancel();
  }

  /** Replaces the worker when it ends, and its successors. `failures`: in a row before it. */
  #keep(number: number, failures: number): void {
    const worker = this.#running.get(number);
    if (worker === undefined) {
      this.#replace(number, failures + 1);
      return;
    }
    const { clock, log } = this.#options;
    const sinceMs = clock.monotonicMs();
    worker.once('exit', (code, signal) => {
      if (this.#stopping) return;
      const pid = worker.process.pid;
      log.warn({ worker: number, pid, code, signal }, 'a worker ended; another takes its place');
      const lasted = clock.monotonicMs() - sinceMs >= fleetLimits.lastingMs;
      this.#replace(number, lasted ? 0 : failures + 1);
    });
  }

  #replace(number: number, failures: number): void {
    const { restartPauseMinMs, restartPauseMaxMs } = fleetLimits;
    const pauseMs = Math.min(restartPauseMaxMs, restartPauseMinMs * 2 ** Math.min(failures, 16));
    const pause = this.#options.timers.after(pauseMs, () => {
      this.#pauses.delete(number);
      this.#launch(number).then(
        () => {
          const pid = this.#running.get(number)?.process.pid;
          this.#options.log.info({ worker: number, pid }, 'the new worker serves');
        },
        () => undefined,
      );
      this.#keep(number, failures);
    });
    this.#pauses.set(number, pause);
  }

  /** Rejects with WorkerFailed. */
  #launch(number: number, isFirst = false): Promise<WorkerReady> {
    const { ports, timers } = this.#options;
    const worker = cluster.fork();
    this.#running.set(number, worker);
    this.#options.serve(worker.process.stdio[storeChannelFd] as Duplex);
    const late = timers.after(fleetLimits.startMaxMs, () => worker.process.kill('SIGKILL'));
    return new Promise((resolve, reject) => {
      worker.on('message', (message: ToPrimary) => {
        if (message.kind === 'online') {
          tell(worker, { kind: 'begin', worker: number, ports, isFirst });
          return;
        }
        late.cancel();
        resolve(message);
      });
      worker.once('exit', (code) => {
        late.cancel();
        if (this.#running.get(number) === worker) this.#running.delete(number);
        if (this.#running.size === 0) this.#onEmpty?.();
        reject(this.#stopping ? new StartStopped() : new WorkerFailed(code));
      });
      // A message to a process that has just ended: its exit tells.
      worker.on('error', () => undefined);
    });
  }
}

function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}

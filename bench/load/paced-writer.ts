/**
 * A writer that sends at fixed times, whether or not the answers have come, in a thread of its own:
 * so that the time of an answer is the time it came, not the time the reading of a thousand
 * watches let it be seen.
 *
 * Clock: monotonicMs of this file is the same in every thread.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { connectMany } from './http-client.ts';
import type { ClientConnection } from './http-client.ts';

export interface WriterPlan {
  readonly port: number;
  /** Over TLS. */
  readonly secure?: boolean | undefined;
  readonly intervalMs: number;
  readonly requests: readonly Uint8Array[];
}

export interface WriteTimes {
  /** By index of the request, in ms of monotonicMs; 0 while it has not happened. A request counts
   * as sent when it was due. */
  readonly sentMs: Float64Array;
  /** When it was really handed to its socket. */
  readonly handedMs: Float64Array;
  readonly answeredMs: Float64Array;
}

export interface PacedWriter extends WriteTimes {
  /** Resolves when everything was answered 200. */
  readonly done: Promise<void>;
}

const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

export function monotonicMs(): number {
  return performance.now() + offsetMs;
}

const CONNECTIONS = 64;

export function startPacedWriter(plan: WriterPlan): PacedWriter {
  const bytes = plan.requests.length * Float64Array.BYTES_PER_ELEMENT;
  const times: WriteTimes = {
    sentMs: new Float64Array(new SharedArrayBuffer(bytes)),
    handedMs: new Float64Array(new SharedArrayBuffer(bytes)),
    answeredMs: new Float64Array(new SharedArrayBuffer(bytes)),
  };
  const worker = new Worker(new URL(import.meta.url), { workerData: { plan, times } });
  const done = new Promise<void>((resolve, reject) => {
    worker.on('error', reject);
    worker.on('message', () => resolve());
  });
  return { ...times, done };
}

async function write(
  { port, secure = false, intervalMs, requests }: WriterPlan,
  times: WriteTimes,
): Promise<void> {
  const connections = await connectMany(port, CONNECTIONS, secure);
  const idle = [...connections];
  const begin = monotonicMs();
  let sent = 0;
  let answered = 0;
  await new Promise<void>((resolve, reject) => {
    const send = (index: number, connection: ClientConnection): void => {
      connection.send(requests[index] as Buffer, (status) => {
        times.answeredMs[index] = monotonicMs();
        if (status !== 200) return reject(new Error(`a write was answered ${status}`));
        idle.push(connection);
        answered += 1;
        if (answered === requests.length) resolve();
        else sendDue();
      });
    };
    const sendDue = (): void => {
      for (; sent < requests.length && monotonicMs() >= begin + sent * intervalMs; sent += 1) {
        const connection = idle.pop();
        // The next answer goes on from here; the wait counts, because the due time is kept.
        if (connection === undefined) return;
        times.sentMs[sent] = begin + sent * intervalMs;
        times.handedMs[sent] = monotonicMs();
        send(sent, connection);
      }
    };
    const tick = (): void => {
      sendDue();
      const due = begin + sent * intervalMs - monotonicMs();
      if (sent < requests.length) setTimeout(tick, Math.max(1, due));
    };
    tick();
  });
  for (const connection of connections) connection.close();
}

if (!isMainThread) {
  const { plan, times } = workerData as { readonly plan: WriterPlan; readonly times: WriteTimes };
  await write(plan, times);
  parentPort?.postMessage('done');
}

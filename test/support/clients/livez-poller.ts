/**
 * Asks for /livez again and again from a thread of its own, so that what is measured is the server
 * and not the test that loads it.
 */
import { Agent } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { statusOf } from './http-client.ts';

export interface LivezReport {
  readonly count: number;
  readonly failed: number;
  readonly longestMs: number;
}

export interface LivezPoller {
  /** What was seen since the last report. */
  report(): Promise<LivezReport>;
  stop(): Promise<number>;
}

const pauseMs = 20;

export function pollLivez(port: number): LivezPoller {
  const worker = new Worker(import.meta.filename, { workerData: { port } });
  return {
    report: () =>
      new Promise((resolve) => {
        worker.once('message', resolve);
        worker.postMessage('report');
      }),
    stop: () => worker.terminate(),
  };
}

async function poll(port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let seen = { count: 0, failed: 0, longestMs: 0 };
  parentPort?.on('message', () => {
    parentPort?.postMessage(seen);
    seen = { count: 0, failed: 0, longestMs: 0 };
  });
  for (;;) {
    const begin = performance.now();
    const answered = (await statusOf(url, '/livez', { agent })) === 200;
    const tookMs = performance.now() - begin;
    seen = {
      count: seen.count + 1,
      failed: seen.failed + (answered ? 0 : 1),
      longestMs: Math.max(seen.longestMs, tookMs),
    };
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

if (!isMainThread && parentPort !== null) {
  void poll((workerData as { readonly port: number }).port);
}

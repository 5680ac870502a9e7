/**
 * Asks for /livez again and again from a thread of its own, so that what is measured is the server
 * and not the test that loads it.
 */
import http from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

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

function ask(port: number, agent: http.Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', port, path: '/livez', agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200));
    });
    request.on('error', () => resolve(false));
  });
}

async function poll(port: number): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let seen = { count: 0, failed: 0, longestMs: 0 };
  parentPort?.on('message', () => {
    parentPort?.postMessage(seen);
    seen = { count: 0, failed: 0, longestMs: 0 };
  });
  for (;;) {
    const begin = performance.now();
    const answered = await ask(port, agent);
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

/**
 * The executable as users run it, in a process of its own: for restarts, signals and real clients.
 *
 * The compiled program stands next to the compiled tests (dist/src, dist/test); the ready line is
 * read from its standard output.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { openAccessFlags } from './open-access.ts';

export interface ChildServer {
  readonly url: string;
  readonly port: number;
  readonly kubeconfig: string;
  readonly readyLine: string;
  readonly process: ChildProcess;
  /** Sends the signal and resolves with the exit code, or with the signal that ended it. */
  stop(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

const entry = path.resolve('dist/src/server/main.js');

const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** Rejects with what the program said when it ends before it is ready. */
export function startChildServer(flags: readonly string[]): Promise<ChildServer> {
  const child = spawn(
    process.execPath,
    [entry, 'serve', '--log-level=warn', ...openAccessFlags, ...flags],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on('exit', (code, signal) => {
      living.delete(child);
      resolve(code ?? signal);
    });
  });
  living.add(child);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  return new Promise((resolve, reject) => {
    void exited.then((code) => reject(new Error(`the server ended (${code}): ${said}`)));
    createInterface({ input: child.stdout }).once('line', (readyLine) => {
      // A test that fails half-way neither waits for its server nor leaves it behind.
      for (const handle of [child, child.stdout, child.stderr] as { unref?(): void }[]) {
        handle.unref?.();
      }
      const url = /url=(\S+)/.exec(readyLine)?.[1] ?? '';
      resolve({
        url,
        port: Number(new URL(url).port),
        kubeconfig: /kubeconfig=(.+)$/.exec(readyLine)?.[1] ?? '',
        readyLine,
        process: child,
        stop(signal) {
          child.ref();
          child.kill(signal);
          return exited;
        },
      });
    });
  });
}

/**
 * A port nobody listens on, for a server that is to come back to it: a port that the system chose
 * for a listener (`--http-port=0`) is not taken over from its lingering connections.
 */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

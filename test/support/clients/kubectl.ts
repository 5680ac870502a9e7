/**
 * A kubectl of one release as a child process. What it is not: a client of its own; the program must
 * be installed, and tests that find none are skipped.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `kubectl.<release>` stands beside the program that `kubectl` is a link to. */
export function findKubectl(release: string): string | undefined {
  try {
    const found = execFileSync('which', ['kubectl'], { encoding: 'utf8' }).trim();
    const own = path.join(path.dirname(realpathSync(found)), `kubectl.${release}`);
    return existsSync(own) ? own : undefined;
  } catch {
    return undefined;
  }
}

/** Milliseconds after which a kubectl that does not end is ended: then its code is not 0. */
const runMsMax = 300_000;

/** `home` is where it keeps what it has learnt of the server. */
export function runKubectl(
  program: string,
  { home, kubeconfig }: { readonly home: string; readonly kubeconfig: string },
  args: readonly string[],
  input = '',
  more: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  const env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: kubeconfig, ...more };
  return new Promise((resolve) => {
    const options = { env, timeout: runMsMax, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
    // One that ends before it has read all of it says why by its code and its texts.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

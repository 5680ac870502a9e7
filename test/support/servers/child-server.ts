/**
 * A server process as users start it, for real clients: told by its flags alone, known by its URL
 * and the kubeconfig that it has written.
 *
 * What it is not: another way to start one. That, and what becomes of the process, is
 * server-process.ts.
 */
import { openAccessFlags } from './open-access.ts';
import { launch, readyLineOf } from './server-process.ts';

export interface ChildServer {
  readonly url: string;
  readonly port: number;
  readonly kubeconfig: string;
  readonly readyLine: string;
  /** Sends the signal and resolves with the exit code, or with the signal that ended it. */
  stop(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** Rejects with what the program said when it ends before it is ready. */
export async function startChildServer(
  flags: readonly string[],
  access: readonly string[] = openAccessFlags,
): Promise<ChildServer> {
  const args = ['serve', '--log-level=warn', ...access, ...flags];
  const { child, ended } = launch(args, undefined);
  const readyLine = await readyLineOf(child, ended);
  const url = / url=(\S+)/.exec(readyLine)?.[1] ?? '';
  return {
    url,
    port: Number(new URL(url).port),
    kubeconfig: /kubeconfig=(.+)$/.exec(readyLine)?.[1] ?? '',
    readyLine,
    async stop(signal) {
      child.kill(signal);
      const { code, signal: by } = await ended;
      return code ?? by;
    },
  };
}

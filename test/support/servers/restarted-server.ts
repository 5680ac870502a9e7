/**
 * A server process over TLS only that can be ended and comes back as it was, on the same port and
 * the same data, and kubeconfigs for one who may do everything.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startChildServer } from './child-server.ts';
import type { ChildServer } from './child-server.ts';
import { kubeconfigFor } from '../data/kubeconfig.ts';
import { testDirectories } from '../data/test-directories.ts';
import { freePort } from './free-port.ts';

/** By which the one who may do everything is known. */
export type Credential = 'certificate' | 'token';

export interface RestartedServer {
  current: ChildServer;
  /** Ends it by this signal and starts it again as it was. */
  restart(signal: NodeJS.Signals): Promise<void>;
  kubeconfigOf(credential: Credential): Promise<string>;
  remove(): Promise<void>;
}

export async function startRestartedServer(
  flags: readonly string[] = [],
): Promise<RestartedServer> {
  const directories = testDirectories('sluice-restarted');
  const dataDir = directories.make();
  const tokenFile = path.join(dataDir, 'tokens.csv');
  await writeFile(tokenFile, 'token-of-root,root,uid-0,system:masters\n');
  const port = await freePort();
  const start = (): Promise<ChildServer> =>
    startChildServer([
      `--secure-port=${port}`,
      '--http-port=off',
      '--authorization-mode=Node,RBAC',
      '--anonymous-auth=',
      '--identity=kubernetes',
      `--token-auth-file=${tokenFile}`,
      `--data-dir=${dataDir}`,
      ...flags,
    ]);
  const running: RestartedServer = {
    current: await start(),
    async restart(signal) {
      await running.current.stop(signal);
      running.current = await start();
    },
    async kubeconfigOf(credential) {
      const own = running.current.kubeconfig;
      if (credential === 'certificate') return own;
      const file = path.join(dataDir, 'token.kubeconfig');
      await writeFile(file, withToken(await readFile(own, 'utf8'), running.current.url));
      return file;
    },
    async remove() {
      await running.current.stop('SIGTERM');
      await directories.removeAll();
    },
  };
  return running;
}

function withToken(kubeconfig: string, server: string): string {
  const caData = /certificate-authority-data: *(\S+)/.exec(kubeconfig)?.[1];
  const cluster = { server, 'certificate-authority-data': caData };
  return kubeconfigFor(cluster, { token: 'token-of-root' });
}

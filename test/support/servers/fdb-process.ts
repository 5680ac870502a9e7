/**
 * A cluster of one fdbserver process of a test's own: started, killed and started again.
 *
 * It listens on a free port of 127.0.0.1 and keeps its data in a directory it is given.
 */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findProgramDirectory } from './fdb-programs.ts';
import { freePort } from './free-port.ts';

export interface FdbProcess {
  readonly clusterFile: string;
  /** kill -9; resolves when it is dead. */
  kill(): Promise<void>;
  /** SIGSTOP: from now on it is silent, and its sockets stay open. kill() works all the same. */
  freeze(): void;
  /** Over the same data. Resolves when the database can be used. */
  start(): Promise<void>;
}

const cliTimeoutMs = 30_000;
const triesMax = 120;

/** The directory of fdbserver and fdbcli: FDB_BIN, or one of PATH. */
export function findFdbServer(): string | undefined {
  return findProgramDirectory(['fdbserver', 'fdbcli']);
}

/** A new, empty database in `directory`. */
export async function startFdb(programs: string, directory: string): Promise<FdbProcess> {
  const clusterFile = path.join(directory, 'fdb.cluster');
  const address = `127.0.0.1:${await freePort()}`;
  for (const name of ['data', 'log']) mkdirSync(path.join(directory, name), { recursive: true });
  writeFileSync(clusterFile, `test:test@${address}\n`);
  let child: ChildProcess | undefined;
  const end = (): void => void child?.kill('SIGKILL');
  process.once('exit', end);

  const cli = (command: string): Promise<string> =>
    new Promise((resolve) => {
      const args = ['-C', clusterFile, '--timeout', '10', '--exec', command];
      execFile(path.join(programs, 'fdbcli'), args, { timeout: cliTimeoutMs }, (_, out, err) =>
        resolve(out + err),
      );
    });
  const until = async (command: string, pattern: RegExp): Promise<void> => {
    let said = '';
    for (let i = 0; i < triesMax; i += 1) {
      said = await cli(command);
      if (pattern.test(said)) return;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    throw new Error(`fdbcli ${command}: ${said}`);
  };
  const launch = (): void => {
    const at = (name: string): string => path.join(directory, name);
    const args = ['-p', address, '-C', clusterFile, '-d', at('data'), '-L', at('log')];
    child = spawn(path.join(programs, 'fdbserver'), args, { stdio: 'ignore' });
  };

  launch();
  await until('configure new single ssd', /Database created|already exists/);
  await until('status minimal', /is available/);
  return {
    clusterFile,
    kill() {
      const dying = child as ChildProcess;
      const dead = new Promise<void>((resolve) => dying.once('close', () => resolve()));
      dying.kill('SIGKILL');
      return dead;
    },
    freeze: () => void child?.kill('SIGSTOP'),
    async start() {
      launch();
      await until('status minimal', /is available/);
    },
  };
}

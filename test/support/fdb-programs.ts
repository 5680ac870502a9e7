/**
 * FoundationDB's own programs, for tests on a real cluster: fdbbackup, fdbrestore, backup_agent.
 *
 * They are one executable that looks at the name it is called by. It is looked for in the directory
 * FDB_BIN, then in PATH.
 */
import { execFile, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

export interface FdbPrograms {
  /** Resolves with what it printed; rejects with that when it fails. */
  run(name: 'fdbbackup' | 'fdbrestore', args: readonly string[]): Promise<string>;
  /** Does the work of backups and restores until it is stopped. */
  startAgent(clusterFile: string): { stop(): Promise<void> };
}

const timeoutMs = 180_000;

/** Undefined where the executable is not installed. */
export function findFdbPrograms(): FdbPrograms | undefined {
  const directories = [process.env.FDB_BIN, ...(process.env.PATH ?? '').split(path.delimiter)];
  const executable = directories
    .filter((directory) => directory !== undefined && directory !== '')
    .map((directory) => path.join(directory as string, 'fdbbackup'))
    .find(isExecutable);
  if (executable === undefined) return undefined;
  return {
    run: (argv0, args) =>
      new Promise((resolve, reject) => {
        const options = { argv0, timeout: timeoutMs };
        execFile(executable, args, options, (error, stdout, stderr) => {
          if (error === null) resolve(stdout);
          else
            reject(new Error(`${argv0} ${args.join(' ')}: ${stdout}${stderr}`, { cause: error }));
        });
      }),
    startAgent(clusterFile) {
      const options = { argv0: 'backup_agent', stdio: 'ignore' } as const;
      const child = spawn(executable, ['-C', clusterFile], options);
      const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
      process.once('exit', () => child.kill('SIGKILL'));
      return {
        stop() {
          child.kill('SIGKILL');
          return ended;
        },
      };
    },
  };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

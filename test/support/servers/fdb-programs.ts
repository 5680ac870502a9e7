/**
 * FoundationDB's own programs, for tests on a real cluster: fdbbackup, fdbrestore, backup_agent.
 *
 * They are one executable under three names, in one directory: FDB_BIN, or the one in PATH.
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

const names = ['fdbbackup', 'fdbrestore', 'backup_agent'] as const;

/** Undefined where they are not installed. */
export function findFdbPrograms(): FdbPrograms | undefined {
  const directory = findProgramDirectory(names);
  if (directory === undefined) return undefined;
  return {
    run: (name, args) =>
      new Promise((resolve, reject) => {
        execFile(
          path.join(directory, name),
          args,
          { timeout: timeoutMs },
          (error, stdout, stderr) => {
            if (error === null) resolve(stdout);
            else
              reject(new Error(`${name} ${args.join(' ')}: ${stdout}${stderr}`, { cause: error }));
          },
        );
      }),
    startAgent(clusterFile) {
      const agent = path.join(directory, 'backup_agent');
      const child = spawn(agent, ['-C', clusterFile], { stdio: 'ignore' });
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

/** The directory that has all of these programs. */
export function findProgramDirectory(wanted: readonly string[]): string | undefined {
  return [process.env.FDB_BIN, ...(process.env.PATH ?? '').split(path.delimiter)]
    .filter((each) => each !== undefined && each !== '')
    .find((each) => wanted.every((name) => isExecutable(path.join(each as string, name))));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

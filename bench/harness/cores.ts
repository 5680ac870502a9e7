/**
 * Which core the measured server runs on, and which one the load.
 *
 * What it is not: a promise of quiet cores. Other work on the machine is measured instead
 * (usage.ts) and shown beside every figure.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Cores {
  /** Undefined: not pinned. */
  readonly server: number | undefined;
  readonly load: number | undefined;
  /** For the report. */
  readonly note: string;
}

/** Pins this process, which makes the load, and says where the server belongs. */
export function takeCores(): Cores {
  const [server, load] = allowedCores();
  if (server === undefined || load === undefined) return unpinned('fewer than two cores');
  const pinned = spawnSync('taskset', ['-a', '-c', '-p', String(load), String(process.pid)]);
  if (pinned.error !== undefined) return unpinned('taskset (util-linux) is not installed');
  if (pinned.status !== 0) return unpinned(`taskset refused: ${pinned.stderr.toString().trim()}`);
  return { server, load, note: `server on core ${server}, load on core ${load}` };
}

/** The command that runs `command` on `core`. */
export function onCore(core: number | undefined, command: readonly string[]): readonly string[] {
  return core === undefined ? command : ['taskset', '-c', String(core), ...command];
}

function unpinned(why: string): Cores {
  return { server: undefined, load: undefined, note: `NOT PINNED: ${why}` };
}

function allowedCores(): number[] {
  let text = '';
  try {
    text = readFileSync('/proc/self/status', 'utf8');
  } catch {
    return [];
  }
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(text)?.[1] ?? '';
  return list.split(',').flatMap((range) => {
    const [first = NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

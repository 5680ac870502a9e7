/**
 * A real server in a real process: started, watched, killed and started again.
 *
 * What it is not: a client. It knows the ready line, signals, exit codes and /proc.
 *
 * The executable is the built one under the working directory (dist/bin/sluice.js). Every
 * process that a test leaves behind is killed when the test process ends.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after } from 'node:test';
import { openAccessFlags } from './open-access.ts';

const executable = path.resolve('dist/bin/sluice.js');
/** Guards against waiting for ever, not promises about time. */
const readyTimeoutMs = 180_000;
const endTimeoutMs = 120_000;
/** Text kept of each output; the end of it matters. */
const outputKeptChars = 64 * 1024;

const living = new Set<ChildProcess>();
const killAll = (): void => {
  for (const child of living) child.kill('SIGKILL');
};
// A test that failed has not stopped its server; without this its file would never end.
after(killAll);
process.on('exit', killAll);

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ServerMemory {
  readonly rssBytes: number;
  /** Of it, what is not a view of a file: without the pages of the store that happen to be read. */
  readonly anonymousBytes: number;
  /** Highest resident size since the start, or since resetPeak(). */
  readonly peakBytes: number;
}

export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  /** NaN: it has none. */
  readonly securePort: number;
  readonly readyLine: string;
  /** Resolves when the process has ended, however that came. */
  readonly ended: Promise<ProcessEnd>;
  signal(signal: NodeJS.Signals): void;
  /** kill -9, resolves when it is dead. */
  kill(): Promise<void>;
  /** SIGTERM, resolves with how it ended. */
  stop(): Promise<ProcessEnd>;
  memory(): ServerMemory;
  /** False where the system does not let us. */
  resetPeak(): boolean;
  /** Processor time used so far, user and system, in milliseconds. */
  cpuMs(): number;
}

export interface ServerCommand {
  readonly dataDir: string;
  readonly flags?: readonly string[] | undefined;
  /** A shell line to run before the server in the same shell, such as `ulimit -f 100`. */
  readonly before?: string | undefined;
  /** Of node itself. */
  readonly nodeFlags?: readonly string[] | undefined;
  /** Another node than the one that runs the test. */
  readonly node?: string | undefined;
}

/** Starts a server on a free port, unless the flags name one; resolves at its ready line.
 * Rejects with what it wrote when it ends before. */
export async function startServer(command: ServerCommand): Promise<ServerProcess> {
  const { child, ended } = launch(
    serveArguments(command),
    command.before,
    command.nodeFlags,
    command.node,
  );
  const readyLine = await readyLineOf(child, ended);
  const port = Number(/ (?:url|http)=http:\/\/[^ ]+:(\d+) /.exec(readyLine)?.[1]);
  const securePort = Number(/ url=https:\/\/[^ ]+:(\d+) /.exec(readyLine)?.[1]);
  const pid = child.pid as number;
  return {
    pid,
    port,
    securePort,
    readyLine,
    ended,
    signal: (signal) => void child.kill(signal),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    memory: () => memoryOf(pid),
    resetPeak() {
      try {
        writeFileSync(`/proc/${pid}/clear_refs`, '5');
        return true;
      } catch {
        return false;
      }
    },
    cpuMs: () => cpuMsOf(pid),
  };
}

/** Runs the executable with these arguments until it ends by itself, at most `timeoutMs`. */
export async function runToEnd(
  args: readonly string[],
  timeoutMs = endTimeoutMs,
): Promise<ProcessEnd> {
  const { child, ended } = launch(args, undefined);
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const end = await ended;
  clearTimeout(timer);
  return end;
}

export function serveArguments({ dataDir, flags = [] }: ServerCommand): string[] {
  const port = flags.some((flag) => flag.startsWith('--http-port')) ? [] : ['--http-port=0'];
  return ['serve', `--data-dir=${dataDir}`, ...openAccessFlags, ...port, ...flags];
}

/** The program with these arguments, and what becomes of it. */
export function launch(
  args: readonly string[],
  before: string | undefined,
  nodeFlags: readonly string[] = [],
  node: string = process.execPath,
) {
  const options = { stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
  const child =
    before === undefined
      ? spawn(node, [...nodeFlags, executable, ...args], options)
      : spawn(
          '/bin/sh',
          ['-c', `${before}; exec "$@"`, 'sh', node, ...nodeFlags, executable, ...args],
          options,
        );
  living.add(child);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text) => (stdout = (stdout + String(text)).slice(-outputKeptChars)));
  child.stderr.on('data', (text) => (stderr = (stderr + String(text)).slice(-outputKeptChars)));
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.on('close', (code, signal) => {
      living.delete(child);
      resolve({ code, signal, stdout, stderr });
    });
  });
  return { child, ended };
}

/** Rejects with what it wrote when it ends before it is ready. */
export async function readyLineOf(
  child: ChildProcess,
  ended: Promise<ProcessEnd>,
): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const ready = new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (piece) => {
      text += String(piece);
      const line = /^sluice is ready: .*$/m.exec(text);
      if (line !== null && text.includes('\n', line.index)) resolve(line[0]);
    });
    timer = setTimeout(() => reject(new Error('the server did not get ready')), readyTimeoutMs);
  });
  const failed = ended.then(({ code, signal, stderr }) => {
    throw new Error(`the server ended before it was ready: ${code ?? signal}: ${stderr}`);
  });
  try {
    return await Promise.race([ready, failed]);
  } finally {
    clearTimeout(timer);
    failed.catch(() => undefined);
  }
}

function memoryOf(pid: number): ServerMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return {
    rssBytes: of('VmRSS'),
    anonymousBytes: of('RssAnon'),
    peakBytes: of('VmHWM'),
  };
}

/** Ticks are 10 ms on every Linux this runs on. */
function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

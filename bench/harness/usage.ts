/**
 * What was used of the machine between two moments: wall time, the server's and the load's CPU
 * time, and what others took of the server's core.
 *
 * Resolution: where the kernel keeps no schedstat, CPU time comes in ticks of 10 ms, and what
 * others took always does: measure a second or more.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ: fixed at 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
/** Ticks say nothing of a shorter time. */
const OTHER_SECONDS_MIN = 0.3;

export interface Usage {
  readonly seconds: number;
  /** CPU seconds of the measured process, all threads, user and system. */
  readonly serverCpuSeconds: number;
  /** Share of one core that the load generator used, 0 to 1 (its main thread is one). */
  readonly loadCpuShare: number;
  /** Share of the server's core that neither was used by the server nor idle; undefined when
   * the server is not pinned, or it was too short a time to tell. Includes interrupts, so it is
   * not 0 on a quiet machine. */
  readonly otherShare: number | undefined;
}

/** Starts to measure; the function it gives ends the measurement. The processes that the measured
 * one has started count as its own. */
export function measureUsage(pid: number, serverCore: number | undefined): () => Usage {
  const pids = treeOf(pid);
  const cpuSeconds = (): number => pids.reduce((sum, each) => sum + cpuSecondsOf(each), 0);
  const wall = performance.now();
  const server = cpuSeconds();
  const load = process.cpuUsage();
  const core = busySecondsOf(serverCore);
  return () => {
    const seconds = (performance.now() - wall) / 1000;
    const { user, system } = process.cpuUsage(load);
    const serverCpuSeconds = cpuSeconds() - server;
    const busy = core === undefined ? undefined : (busySecondsOf(serverCore) ?? 0) - core;
    return {
      seconds,
      serverCpuSeconds,
      loadCpuShare: (user + system) / 1e6 / seconds,
      otherShare:
        busy === undefined || seconds < OTHER_SECONDS_MIN
          ? undefined
          : Math.max(0, busy - serverCpuSeconds) / seconds,
    };
  };
}

function cpuSecondsOf(pid: number): number {
  return scheduledSecondsOf(pid) ?? tickedSecondsOf(pid);
}

/** Exact, where the kernel keeps it: the sum over threads that still run, which all of ours do. */
function scheduledSecondsOf(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    let nanoseconds = 0;
    for (const thread of threads) {
      const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
      nanoseconds += Number(text.split(' ', 1)[0]);
    }
    return nanoseconds / 1e9;
  } catch {
    return undefined;
  }
}

function tickedSecondsOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is a name in parentheses that may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** A process and those that it has started. */
export function treeOf(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid)];
}

function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    // Not every kernel tells; the bench of workers says so when there are none.
    return [];
  }
}

export function residentBytesOf(pid: number): number {
  return statusBytes(pid, /^VmRSS:\s*(\d+) kB/m);
}

/** Without the mapped store, which is the kernel's to take back. */
export function anonymousBytesOf(pid: number): number {
  return statusBytes(pid, /^RssAnon:\s*(\d+) kB/m);
}

function statusBytes(pid: number, line: RegExp): number {
  return Number(line.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** Since it began, of all threads that still run. */
export function processorSecondsOf(pid: number): number {
  return cpuSecondsOf(pid);
}

function busySecondsOf(core: number | undefined): number | undefined {
  if (core === undefined) return undefined;
  const line = new RegExp(`^cpu${core} (.*)$`, 'm').exec(readFileSync('/proc/stat', 'utf8'))?.[1];
  if (line === undefined) return undefined;
  // user nice system idle iowait irq softirq steal
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line
    .split(' ')
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

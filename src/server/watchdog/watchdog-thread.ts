/**
 * The thread behind watchdog.ts.
 *
 * A turn that does not end is broken into by way of the inspector, which reaches running code; what
 * cannot be broken into (the engine itself, a library) is killed by the system: exit code 137.
 *
 * Signals reach JavaScript in the main thread alone, whose loop may be stuck. Node's own handle for
 * them works in any thread; there is no documented way to it. Without it a stuck process is the
 * service manager's to kill, as before.
 */
import { Session } from 'node:inspector';
import { constants } from 'node:os';
import { workerData } from 'node:worker_threads';
import { systemTimers } from '../../stdx/clock.ts';
import { createLog } from '../compose/log.ts';
import type { WatchdogOrder } from './watchdog.ts';

/** From breaking into the turn to killing the process. */
const breakMs = 1_000;

interface SignalHandle {
  onsignal: () => void;
  start(signal: number): number;
  unref(): void;
}

const order = workerData as WatchdogOrder;
const log = createLog(order.logLevel);
let told = false;

for (const signal of [constants.signals.SIGTERM, constants.signals.SIGINT]) {
  const handle = signalHandle();
  if (handle === undefined) break;
  handle.onsignal = () => {
    if (told) return;
    told = true;
    systemTimers.after(order.limitMs, endProcess);
  };
  handle.start(signal);
}

/** Undefined: this version of Node has none. */
function signalHandle(): SignalHandle | undefined {
  process.noDeprecation = true;
  const { binding } = process as { readonly binding?: (name: string) => unknown };
  try {
    const { Signal } = binding?.('signal_wrap') as { readonly Signal: new () => SignalHandle };
    return new Signal();
  } catch {
    return undefined;
  }
}

function endProcess(): void {
  const why =
    'it was told to end and has not: a turn does not end, or what is waited for never comes';
  log.error({ limitMs: order.limitMs }, why);
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: 'process.exit(1)' });
  systemTimers.after(breakMs, () => process.kill(process.pid, 'SIGKILL'));
}

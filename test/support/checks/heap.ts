/** What a process holds, measured after its collector has run. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Twice: what the first run frees may have held more. */
export function collectGarbage(): void {
  collect();
  collect();
}

/** Of objects and texts alone: buffers are given back when the engine finds time for it. */
export function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

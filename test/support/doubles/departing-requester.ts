/** A requester whose departure the test decides. */
import { AbortCallbacks } from '../../../src/stdx/requester.ts';
import type { Requester } from '../../../src/stdx/requester.ts';

export interface DepartingRequester extends Requester {
  go(): void;
  /** Those who wait to be told. */
  readonly waiting: number;
}

export function departingRequester(): DepartingRequester {
  const callbacks = new AbortCallbacks();
  const waiting = new Set<() => void>();
  let closed = false;
  return {
    get closed() {
      return closed;
    },
    get waiting() {
      return waiting.size;
    },
    onAbort(callback) {
      if (closed) return callback();
      waiting.add(callback);
      callbacks.add(callback);
    },
    offAbort(callback) {
      waiting.delete(callback);
      callbacks.remove(callback);
    },
    go() {
      closed = true;
      callbacks.call();
      waiting.clear();
    },
  };
}

/**
 * One tail at the client: pages that came, until they are taken, and what goes back as credit.
 *
 * Elsewhere: the following of the log: pages come as the server sends them (tail-server.ts).
 *
 * Invariants: pages are given in the order they came; credit is given for what has been taken and
 * worked on, that is, when the next page is asked for.
 * Bounds: what waits here is within the server's window (tail-server.ts).
 */
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import type { ChangePage, StorageError } from '../storage.ts';
import { tailWindow } from './tail-server.ts';
import { decodePage } from './wire.ts';
import type { Credit } from './wire.ts';

/** Credit is sent when this share of the window has been taken: one in so many. */
const creditShare = 4;

export interface TailInbox {
  push(payload: Uint8Array): void;
  fail(error: StorageError): void;
  /** The next page; undefined when the signal aborted. Rejects with what fail() was given. */
  next(): Promise<ChangePage | undefined>;
}

export function createTailInbox(
  signal: AbortSignal,
  sendCredit: (taken: Credit) => void,
): TailInbox {
  const waiting = new RingBuffer<Uint8Array>();
  let failure: StorageError | undefined;
  let wake: (() => void) | undefined;
  let taken = 0;
  let takenBytes = 0;

  const wakeUp = (): void => {
    wake?.();
    wake = undefined;
  };
  signal.addEventListener('abort', wakeUp, { once: true });

  function giveCredit(): void {
    const due =
      taken * creditShare >= tailWindow.pagesMax || takenBytes * creditShare >= tailWindow.bytesMax;
    if (!due) return;
    sendCredit({ pages: taken, bytes: takenBytes });
    taken = 0;
    takenBytes = 0;
  }

  return {
    push(payload) {
      waiting.push(payload);
      wakeUp();
    },
    fail(error) {
      failure ??= error;
      wakeUp();
    },
    async next() {
      giveCredit();
      for (;;) {
        if (signal.aborted) return undefined;
        if (failure !== undefined) throw failure;
        if (waiting.length > 0) {
          const payload = waiting.shift();
          taken += 1;
          takenBytes += payload.byteLength;
          return decodePage(payload);
        }
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

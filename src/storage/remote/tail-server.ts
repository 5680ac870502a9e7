/**
 * One client's tail, at the server: sends pages while the client has room for them.
 *
 *   sent but not taken  ≤ window        the client says what it has taken (credit)
 *
 * Invariants: pages are sent in order from `after`, without a gap or a repeat; past the window
 * nothing is sent or kept for the client, it goes on from its revision when it has room again,
 * and is told `compacted` when the log no longer reaches back that far.
 * Bounds: `tailWindow`, exceeded by at most one page.
 */
import { StorageError } from '../storage.ts';
import type { AtRevision, Revision } from '../storage.ts';
import type { TailFeed } from './tail-feed.ts';
import type { Credit } from './wire.ts';

/** What may be on its way to one client. */
export const tailWindow = {
  pagesMax: 256,
  bytesMax: 8 * 1024 * 1024,
} as const;

export interface ServedTail {
  credit(taken: Credit): void;
  stop(): void;
}

export interface TailReceiver {
  page(payload: Uint8Array): void;
  /** Last call. StorageError. */
  failed(error: unknown): void;
}

export function serveTail(feed: TailFeed, start: Revision, receiver: TailReceiver): ServedTail {
  const stopping = new AbortController();
  const { signal } = stopping;
  let pages = 0;
  let bytes = 0;
  let onRoom: (() => void) | undefined;

  const hasRoom = (): boolean => pages < tailWindow.pagesMax && bytes < tailWindow.bytesMax;

  function room(): Promise<void> {
    if (hasRoom() || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => (onRoom = resolve));
  }

  async function run(): Promise<void> {
    let after = start;
    refuseCompacted(await feed.start(after), after);
    for (;;) {
      await room();
      const seen = feed.count;
      if (signal.aborted) return;
      if (feed.failed !== undefined) throw feed.failed;
      const page = await feed.page(after);
      if (signal.aborted) return;
      refuseCompacted(page, after);
      if (page.kind !== 'ok' || page.value === undefined) {
        await feed.wait(seen, signal);
        continue;
      }
      after = page.value.through;
      pages += 1;
      bytes += page.value.payload.byteLength;
      receiver.page(page.value.payload);
    }
  }

  run().catch((error: unknown) => {
    if (!signal.aborted) receiver.failed(error);
  });
  return {
    credit(taken) {
      pages -= taken.pages;
      bytes -= taken.bytes;
      if (!hasRoom()) return;
      onRoom?.();
      onRoom = undefined;
    },
    stop() {
      stopping.abort();
      onRoom?.();
    },
  };
}

function refuseCompacted(read: AtRevision<unknown>, after: Revision): void {
  if (read.kind !== 'compacted') return;
  throw new StorageError(
    'compacted',
    `the log after ${after} is gone: it starts after ${read.compactRevision}`,
  );
}

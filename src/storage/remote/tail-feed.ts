/**
 * One read of the log for all clients: pages are read and encoded once, and kept while followers
 * are likely to want them.
 *
 *   kept   [ a ─▶ b ][ b ─▶ c ][ c ─▶ d ]      each page begins where the one before ended
 *                                      └ newest
 *
 * A follower at a, b or c takes the kept page that begins there; one that is further behind (it
 * was stopped, or starts in the past) reads the log itself, but never past `newest`, so that it
 * comes out exactly at the end of a page.
 *
 * A follower holds a revision.
 *
 * Bounds: `feedLimits`; the oldest pages are dropped first.
 */
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import { storageLimits } from '../storage.ts';
import type { AtRevision, Revision, Storage } from '../storage.ts';
import { createCommitSignal } from '../tail.ts';
import { encodePage } from './wire.ts';

const feedLimits = {
  keptPagesMax: 1024,
  keptBytesMax: 16 * 1024 * 1024,
} as const;

export interface EncodedPage {
  readonly through: Revision;
  /** wire.ts: a page. */
  readonly payload: Uint8Array;
}

export interface TailFeed {
  /** Whether a follower may start here: history reaches back that far. A kept page may outlive
   * the history it came from, which is as well for who follows already, but no place to start. */
  start(after: Revision): Promise<AtRevision<unknown>>;
  /** What follows `after`. Undefined: nothing yet; wait for more. */
  page(after: Revision): Promise<AtRevision<EncodedPage | undefined>>;
  /** Resolves when there is more than at `seen` (a count from `count`), or the feed has failed. */
  wait(seen: number, signal: AbortSignal): Promise<void>;
  readonly count: number;
  /** Why the log is no longer followed. */
  readonly failed: Error | undefined;
  stop(): Promise<void>;
}

interface KeptPage extends EncodedPage {
  readonly after: Revision;
}

export function createTailFeed(
  storage: Pick<Storage, 'tail' | 'changes'>,
  start: Revision,
  onFailed: (error: Error) => void,
): TailFeed {
  const stopping = new AbortController();
  const pages = createCommitSignal();
  const kept = createKeptPages();
  let newest = start;
  let failed: Error | undefined;

  async function follow(): Promise<void> {
    try {
      for await (const page of storage.tail(start, stopping.signal)) {
        kept.add({ after: newest, through: page.through, payload: encodePage(page) });
        newest = page.through;
        pages.notify();
      }
    } catch (error) {
      failed = error instanceof Error ? error : new Error(String(error));
      onFailed(failed);
    }
    pages.notify();
  }

  async function fromLog(after: Revision): Promise<AtRevision<EncodedPage | undefined>> {
    const limit = storageLimits.tailChangesMax;
    const until = newest;
    const read = await storage.changes(after, { limit, previous: false });
    if (read.kind !== 'ok') return read;
    const changes = read.value.changes.filter(({ revision }) => revision <= until);
    const isCut = read.value.through > until;
    const through = isCut ? until : read.value.through;
    return { kind: 'ok', value: { through, payload: encodePage({ changes, through }) } };
  }

  const following = follow();
  return {
    start: (after) => storage.changes(after, { limit: 1, previous: false }),
    async page(after) {
      const found = kept.startingAt(after);
      if (found !== undefined) return { kind: 'ok', value: found };
      // Also for who has seen a revision that has not arrived here yet.
      return after >= newest ? { kind: 'ok', value: undefined } : fromLog(after);
    },
    wait: (seen, signal) => pages.wait(seen, signal),
    get count() {
      return pages.count;
    },
    get failed() {
      return failed;
    },
    async stop() {
      stopping.abort();
      await following;
    },
  };
}

/** The newest pages, by where they begin. */
function createKeptPages() {
  const pages = new RingBuffer<KeptPage>();
  const byStart = new Map<Revision, KeptPage>();
  let bytes = 0;
  return {
    startingAt: (after: Revision): KeptPage | undefined => byStart.get(after),
    add(page: KeptPage): void {
      pages.push(page);
      byStart.set(page.after, page);
      bytes += page.payload.byteLength;
      const { keptPagesMax, keptBytesMax } = feedLimits;
      // The newest always stays: somebody is about to take it.
      while (pages.length > 1 && (pages.length > keptPagesMax || bytes > keptBytesMax)) {
        const dropped = pages.shift();
        byStart.delete(dropped.after);
        bytes -= dropped.payload.byteLength;
      }
    },
  };
}

/**
 * A start that cannot end: what it still has to load does not fit into the engine's heap. It is
 * ended with a line that says what to give. The engine would collect ever more often for minutes,
 * and then end the process by a signal.
 *
 *     each collection of the whole heap ─▶ what is left on it ─▶ for a record, so far
 *                                                             ─▶ for all that are still to come
 *
 * Invariant: only what a collection has left counts, for between two of them a heap may be full of
 * what is not needed.
 */
import { PerformanceObserver, constants } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { OptionsError } from '../config/option-values.ts';

const mib = 1024 ** 2;

const heapWatchLimits = {
  /** Of the records: before that nothing is foretold. */
  readShareMin: 0.1,
  /** Of what is foretold: it may come to less. */
  foretoldShare: 0.85,
  /** Of what the old generation may have, when it has that much already. */
  fullShare: 0.95,
  /** The engine's own, where no flag says otherwise. */
  youngHalfBytes: 16 * mib,
} as const;

export interface HeapProgress {
  /** Of the old generation, behind a collection: when the first record was loaded, and now. */
  readonly startBytes: number;
  readonly liveBytes: number;
  readonly loaded: number;
  readonly records: number;
  /** What the old generation may have. */
  readonly limitBytes: number;
}

/** How much it would take to load all of it, where that is more than there may be. */
export function heapBytesWanted(progress: HeapProgress): number | undefined {
  const { liveBytes, limitBytes, loaded, records, startBytes } = progress;
  const { foretoldShare, fullShare, readShareMin } = heapWatchLimits;
  const each = Math.max(0, liveBytes - startBytes) / Math.max(1, loaded);
  const wanted = startBytes + each * Math.max(records, loaded);
  if (liveBytes > limitBytes * fullShare) return Math.max(wanted, liveBytes);
  if (loaded < records * readShareMin) return undefined;
  return wanted * foretoldShare > limitBytes ? wanted : undefined;
}

export interface HeapWatch {
  /** @throws OptionsError: the rest does not fit. */
  loaded(records: number): void;
  end(): void;
}

export function watchHeap(records: number): HeapWatch {
  const limitBytes = oldBytesMax();
  const startBytes = oldBytes();
  let loaded = 0;
  let liveBytes: number | undefined;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as readonly Collection[]) {
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) liveBytes = oldBytes();
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return {
    loaded(more) {
      loaded += more;
      if (liveBytes === undefined) return;
      const progress = { startBytes, liveBytes, loaded, records, limitBytes };
      liveBytes = undefined;
      const wanted = heapBytesWanted(progress);
      if (wanted !== undefined) throw doesNotFit(Math.max(records, loaded), wanted, limitBytes);
    },
    end: () => observer.disconnect(),
  };
}

interface Collection {
  readonly detail: { readonly kind: number };
}

function doesNotFit(records: number, wanted: number, limitBytes: number): OptionsError {
  const inMib = (bytes: number): string => `${Math.ceil(bytes / mib)} MiB`;
  return new OptionsError(
    `the objects of the store, ${records} or more, do not fit into the engine's heap:` +
      ` they take about ${inMib(wanted)}, and it may have ${inMib(limitBytes)}: start with` +
      ` NODE_OPTIONS=--max-old-space-size=${Math.ceil((wanted * 1.2) / mib)} or more`,
  );
}

function oldBytes(): number {
  let bytes = 0;
  for (const { space_name, space_used_size } of getHeapSpaceStatistics()) {
    if (!space_name.startsWith('new_')) bytes += space_used_size;
  }
  return bytes;
}

/** The limit that the engine tells includes three halves of the young generation. */
function oldBytesMax(): number {
  const flags = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
  const [, half] = /--max[-_]semi[-_]space[-_]size=(\d+)/.exec(flags) ?? [];
  const halfBytes = half === undefined ? heapWatchLimits.youngHalfBytes : Number(half) * mib;
  return getHeapStatistics().heap_size_limit - 3 * halfBytes;
}

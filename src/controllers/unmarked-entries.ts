/** Objects that are not being deleted yet. */
import type { Entry } from '../../streams/streams.ts';
import { metadataOf } from './garbage-collector-graph.ts';

/** Between two pauses: many may be marked already. */
const lookedAtOnceMax = 64;
const bytesAtOnceMax = 64 * 1024;

export function isMarked(entry: Entry): boolean {
  return metadataOf(entry).deletionTimestamp !== undefined;
}

/** Undefined among them is a pause. They end where `isStopped`: a controller that is stopped begins
 * no more of its work. */
export function* unmarkedEntries(
  entries: Iterable<Entry>,
  isStopped: () => boolean,
): Generator<Entry | undefined, void> {
  let looked = 0;
  let bytes = 0;
  for (const entry of entries) {
    if (isStopped()) return;
    if (!isMarked(entry)) yield entry;
    looked += 1;
    bytes += entry.bytes.length;
    if (looked < lookedAtOnceMax && bytes < bytesAtOnceMax) continue;
    looked = 0;
    bytes = 0;
    yield undefined;
  }
}

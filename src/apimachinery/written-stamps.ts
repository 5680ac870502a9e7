/**
 * The bytes of a written object with its resourceVersion. The answer to the request and the watch
 * caches need them at about the same time: whoever asks first makes them, the other takes them.
 *
 * Invariants: what is returned is what stampResourceVersion() makes; the caches keep it, so nobody
 * may write into it.
 * Bound: `waitingMax` objects of at most `sharedBytesMax` wait for the second who asks. Policy: an
 * older one is forgotten, and made again.
 */
import { stampResourceVersion } from './object-encoding.ts';
import type { Allocate } from '../stdx/blocks.ts';

/** More than one commit has: one side may be through with a commit before the other begins. */
const waitingMax = 1024;
const sharedBytesMax = 4 * 1024;

/** Indexed by revision modulo `waitingMax`. Three lists: a write makes no object for them. */
const sources = new Array<Uint8Array | undefined>(waitingMax).fill(undefined);
const revisions = new Float64Array(waitingMax);
const results = new Array<Uint8Array | undefined>(waitingMax).fill(undefined);

/** `bytes`: the same array for both who ask. `allocate`: the caller wants memory of its own, and
 * shares nothing. */
export function stampWritten(
  bytes: Uint8Array,
  metadataAt: number,
  revision: bigint,
  allocate?: Allocate,
): Uint8Array {
  if (allocate !== undefined || bytes.length > sharedBytesMax) {
    return stampResourceVersion(bytes, metadataAt, revision, allocate);
  }
  const number = Number(revision);
  const at = number % waitingMax;
  if (sources[at] === bytes && revisions[at] === number) {
    const made = results[at] as Uint8Array;
    sources[at] = undefined;
    results[at] = undefined;
    return made;
  }
  const made = stampResourceVersion(bytes, metadataAt, revision);
  sources[at] = bytes;
  revisions[at] = number;
  results[at] = made;
  return made;
}

/**
 * The bytes of a written object with its resourceVersion. The answer to the request and the watch
 * caches need them at about the same time: whoever asks first makes them, the other takes them.
 *
 * Invariants: what is returned is what stampResourceVersion() makes; the caches keep it, so nobody
 * may write into it.
 * Bounds: `waitingMax` objects of at most `ringBytesMax` wait for the second who asks. Policy: an
 * older one is forgotten, and made again. One of at least `largeBytesMin` waits as long as somebody
 * keeps what it was made of: the collector pays for each piece of memory that large.
 */
import { stampResourceVersion } from './object-encoding.ts';
import type { Allocate } from '../stdx/blocks.ts';

/** More than one commit has: one side may be through with a commit before the other begins. */
const waitingMax = 1024;
const ringBytesMax = 4 * 1024;
const largeBytesMin = 64 * 1024;

/** Indexed by revision modulo `waitingMax`. Three lists: a write makes no object for them. */
const sources = new Array<Uint8Array | undefined>(waitingMax).fill(undefined);
const revisions = new Float64Array(waitingMax);
const results = new Array<Uint8Array | undefined>(waitingMax).fill(undefined);

const large = new WeakMap<Uint8Array, { readonly revision: bigint; readonly made: Uint8Array }>();

/** `bytes`: the same array for both who ask. `allocate`: the caller wants memory of its own, and
 * shares nothing. */
export function stampWritten(
  bytes: Uint8Array,
  metadataAt: number,
  revision: bigint,
  allocate?: Allocate,
): Uint8Array {
  if (allocate !== undefined) return stampResourceVersion(bytes, metadataAt, revision, allocate);
  if (bytes.length >= largeBytesMin) return stampLarge(bytes, metadataAt, revision);
  if (bytes.length > ringBytesMax) return stampResourceVersion(bytes, metadataAt, revision);
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

function stampLarge(bytes: Uint8Array, metadataAt: number, revision: bigint): Uint8Array {
  const waiting = large.get(bytes);
  large.delete(bytes);
  if (waiting?.revision === revision) return waiting.made;
  const made = stampResourceVersion(bytes, metadataAt, revision);
  large.set(bytes, { revision, made });
  return made;
}

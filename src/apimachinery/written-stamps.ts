/**
 * The bytes of a write under its revision, which two want at about the same time: the answer to the
 * request and the caches. Whoever comes first makes them, the other takes them.
 *
 * Invariants: what is given is what stampResourceVersion() makes; the caches keep it, so nobody
 * writes into it. Bound: `waitingMax` objects of at most `sharedBytesMax` wait for the other who
 * wants them; an older one is forgotten, and made again.
 */
import { stampResourceVersion } from './object-encoding.ts';
import type { Allocate } from '../stdx/blocks.ts';

/** More than one commit has, for the one may be through with it before the other begins. */
const waitingMax = 1024;
const sharedBytesMax = 4 * 1024;

/** By revision; three lists, because they are written for each write. */
const sources = new Array<Uint8Array | undefined>(waitingMax).fill(undefined);
const revisions = new Float64Array(waitingMax);
const results = new Array<Uint8Array | undefined>(waitingMax).fill(undefined);

/** `bytes`: the very same ones for both. `allocate`: as one who shares with nobody. */
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

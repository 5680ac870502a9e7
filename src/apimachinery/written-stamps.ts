/**
 * The bytes of a written object with its resourceVersion. The answer to the request and the watch
 * caches need them at about the same time. A large one is made by whoever asks first, and the other
 * takes it: the collector pays for each piece of memory that large. Smaller ones are made twice:
 * the answer's lie in a pool, for they are soon gone, and the caches say where theirs lie.
 *
 * Invariants: what is returned is what stampResourceVersion() makes; who keeps it shares it, so
 * nobody may write into it.
 * Bounds: a large one waits for the second who asks as long as somebody keeps what it was made of.
 */
import { stampResourceVersion } from './object-encoding.ts';
import { pooledMemory } from '../stdx/blocks.ts';
import type { Allocate } from '../stdx/blocks.ts';

const largeBytesMin = 64 * 1024;

const large = new WeakMap<Uint8Array, { readonly revision: bigint; readonly made: Uint8Array }>();

/** `bytes`: of a large object the same array for both who ask. `allocate`: where the bytes of a
 * smaller one lie; absent: in a pool, for an answer. */
export function stampWritten(
  bytes: Uint8Array,
  metadataAt: number,
  revision: bigint,
  allocate: Allocate = pooledMemory,
): Uint8Array {
  if (bytes.length >= largeBytesMin) return stampLarge(bytes, metadataAt, revision);
  return stampResourceVersion(bytes, metadataAt, revision, allocate);
}

function stampLarge(bytes: Uint8Array, metadataAt: number, revision: bigint): Uint8Array {
  const waiting = large.get(bytes);
  large.delete(bytes);
  if (waiting?.revision === revision) return waiting.made;
  const made = stampResourceVersion(bytes, metadataAt, revision);
  large.set(bytes, { revision, made });
  return made;
}

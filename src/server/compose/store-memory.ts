/**
 * Whether a store fits into the memory that this process may have: one that does not is said in a
 * line as soon as its size is known. Its server would read for minutes, and then be ended by the
 * engine or by the system, neither of which names the store.
 *
 * Policy: a warning and not a refusal, for what objects take is an estimate (measured: a million
 * ConfigMaps of 1 KB), a low one, so that a store that fits is never warned of.
 */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Log } from './log.ts';

const estimates = {
  /** Of the engine's heap: what an object takes in the caches' indexes. Its JSON lies outside. */
  heapBytesPerObject: 300,
  /** Of the engine's heap: the young generation, and what there is without objects. */
  heapBytes: 128 * 1024 * 1024,
  /** Of the process, without objects. */
  processBytes: 96 * 1024 * 1024,
} as const;

export interface StoreSize {
  readonly records: number;
  /** Of their keys and values, at least. */
  readonly bytes: number;
}

export interface MemoryRoom {
  /** What the engine's heap may grow to. */
  readonly heapBytes: number;
  /** What the machine, or the container, has for all processes. */
  readonly systemBytes: number;
}

export function memoryRoom(): MemoryRoom {
  // Without a limit it is 0 or larger than any machine.
  const limit = process.constrainedMemory() || Infinity;
  const systemBytes = Math.min(totalmem(), limit);
  return { heapBytes: getHeapStatistics().heap_size_limit, systemBytes };
}

/** `servers`: processes that have all objects in memory. */
export function warnOfMemory(log: Log, size: StoreSize, room: MemoryRoom, servers: number): void {
  const { records } = size;
  const indexBytes = records * estimates.heapBytesPerObject;
  const heapBytes = estimates.heapBytes + indexBytes;
  if (heapBytes > room.heapBytes) {
    const fields = { records, needsMib: mib(heapBytes), limitMib: mib(room.heapBytes) };
    const remedy = 'raise --max-old-space-size in NODE_OPTIONS';
    log.warn({ ...fields, remedy }, "the store's objects do not fit into the engine's heap");
  }
  const allBytes = servers * (estimates.processBytes + indexBytes + size.bytes);
  if (allBytes > room.systemBytes) {
    const fields = { records, servers, needsMib: mib(allBytes), limitMib: mib(room.systemBytes) };
    const remedy = 'give the machine or the container more memory';
    log.warn({ ...fields, remedy }, "the store's objects do not fit into the memory there is");
  }
}

function mib(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}

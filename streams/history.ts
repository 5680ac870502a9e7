/**
 * The recent changes of one resource, in order, bounded by count and bytes.
 *
 *      log ───────────────┤ floor                      last
 *                         └──[ seq floor+1 ... seq last ]──▶ appended by the watch cache
 *
 * The complete history is the log in the store; this is the part in memory. Older changes are read
 * from the log.
 *
 * Invariants: seqs are consecutive; the ring holds every change of the resource with revision
 * > floorRevision and none other.
 */
import { RingBuffer } from '../src/stdx/ring-buffer.ts';
import type { Revision } from '../src/storage/storage.ts';
import type { StreamLimits } from './limits.ts';
import type { ResourceChange } from './resource-change.ts';

export class History {
  readonly #limits: StreamLimits;
  readonly #ring = new RingBuffer<ResourceChange>();
  #bytes = 0;
  #floorSeq = 0;
  #floorRevision: Revision;

  constructor(start: Revision, limits: StreamLimits) {
    this.#floorRevision = start;
    this.#limits = limits;
  }

  /** Changes with seq <= this are not here. */
  get floorSeq(): number {
    return this.#floorSeq;
  }

  get lastSeq(): number {
    return this.#floorSeq + this.#ring.length;
  }

  /** Whether everything after `revision` is here. */
  covers(revision: Revision): boolean {
    return revision >= this.#floorRevision;
  }

  /** The seq of the newest change at or before `revision`, which the history must cover. */
  seqAt(revision: Revision): number {
    return this.#floorSeq + this.#ring.partition((change) => change.revision <= revision);
  }

  /** floorSeq < seq <= lastSeq. */
  at(seq: number): ResourceChange {
    return this.#ring.at(seq - this.#floorSeq - 1);
  }

  /** Forgets all: what comes is after this revision, or of it. */
  beginAt(revision: Revision): void {
    this.#floorSeq = this.lastSeq;
    this.#floorRevision = revision;
    this.#ring.clear();
    this.#bytes = 0;
  }

  append(change: ResourceChange): void {
    this.#ring.push(change);
    this.#bytes += weight(change);
    const { historyChangesMax, historyBytesMax } = this.#limits;
    while (
      this.#ring.length > historyChangesMax ||
      (this.#bytes > historyBytesMax && this.#ring.length > 1)
    ) {
      const dropped = this.#ring.shift();
      this.#bytes -= weight(dropped);
      this.#floorSeq = dropped.seq;
      this.#floorRevision = dropped.revision;
    }
  }
}

/** An upper bound: the previous state is often the state of an earlier change. */
function weight(change: ResourceChange): number {
  return change.entry.bytes.length + (change.previous?.bytes.length ?? 0);
}

/**
 * Changes that are applied and not with all groups yet: reads see them, live watches come to.
 *
 *      applied ─▶ [ oldest: on its way ][ ........ ][ newest ]      one at a time, in order
 *                        └─▶ its groups, a few in each turn
 *
 * A change goes to the groups that were there when it was applied: who comes later has it in the
 * state.
 *
 * Bounds: `outstandingMax` and `outstandingBytesMax`; above them the log reader waits.
 */
import { RingBuffer } from '../src/stdx/ring-buffer.ts';
import type { Revision } from '../src/storage/storage.ts';
import type { StagedWrite } from '../src/storage/write-stages.ts';
import type { Delivery } from './delivery.ts';
import type { StreamLimits } from './limits.ts';
import type { ResourceChange } from './resource-change.ts';
import type { RouteWalk } from './routes.ts';
import type { ResourceStream } from './watch-group.ts';

export interface OutstandingChange {
  readonly stream: ResourceStream;
  readonly change: ResourceChange;
  readonly walk: RouteWalk;
  readonly write: StagedWrite;
}

export class Outstanding {
  readonly #limits: StreamLimits;
  readonly #delivery: Delivery;
  readonly #changes = new RingBuffer<OutstandingChange>();
  #bytes = 0;
  /** The oldest is on its way. */
  #isBegun = false;

  constructor(limits: StreamLimits, delivery: Delivery) {
    this.#limits = limits;
    this.#delivery = delivery;
  }

  get count(): number {
    return this.#changes.length;
  }

  get isFull(): boolean {
    const { outstandingBytesMax, outstandingMax } = this.#limits;
    return this.#changes.length >= outstandingMax || this.#bytes >= outstandingBytesMax;
  }

  /** Everything up to here is with all groups. */
  routed(applied: Revision): Revision {
    if (this.#changes.length === 0) return applied;
    return (this.#changes.at(0).change.revision - 1n) as Revision;
  }

  add(change: OutstandingChange): void {
    this.#changes.push(change);
    this.#bytes += weight(change);
  }

  /** Until `isOver`, or live watchers are too far behind. */
  handOut(isOver: () => boolean): void {
    const delivery = this.#delivery;
    while (this.#changes.length > 0 && !delivery.pressed) {
      const oldest = this.#changes.at(0);
      if (!this.#isBegun) delivery.stage(oldest.write);
      this.#isBegun = true;
      if (!oldest.walk.run(isOver)) return delivery.hold();
      this.#isBegun = false;
      this.#changes.shift();
      this.#bytes -= weight(oldest);
      oldest.stream.routedSeq = oldest.change.seq;
      delivery.unstage();
      if (isOver()) return;
    }
  }
}

function weight({ change: { entry, previous } }: OutstandingChange): number {
  return entry.bytes.length + (previous?.bytes.length ?? 0);
}

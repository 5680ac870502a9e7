/**
 * Answers that were handed over but not yet taken by their readers: counts their bytes, and ends
 * those whose readers take nothing.
 *
 * What watches have to say is bounded by streams/. No answer has a timer of its own: one scan looks
 * at all of them, in slices.
 *
 * Invariants: a reader who takes something between two looks is not cut; a stream that has nothing
 * to say is not cut, however long. An entry is cut up to one scan after its time.
 * Bounds: `bytesMax` in all. Above three quarters of it, readers who have taken nothing for
 * `graceMs` are cut, the longest stalled first, until half of it is free.
 */
import type { Clock, Timers } from '../stdx/clock.ts';
import { lookInSlices } from '../stdx/look-in-slices.ts';
import { SlotSet } from '../stdx/slot-set.ts';
import type { Slot } from '../stdx/slot-set.ts';

const graceMs = 2_000;
/** Between two scans: under pressure, and at most without. */
const hurriedScanMs = 500;
const scanMsMax = 30_000;

/** An answer that is being sent. */
export interface StallableResponse {
  /** Since when nothing has been taken of what there is to take; `nowMs` when that is not so. */
  stalledSinceMs(nowMs: number): number;
  cut(): void;
}

export interface UnreadLimits {
  readonly bytesMax: number;
  readonly idleTimeoutMs: number;
}

type Entry = Slot<StallableResponse>;

interface Stalled {
  readonly slot: Entry;
  readonly sinceMs: number;
}

export class StalledResponses {
  readonly #limits: UnreadLimits;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #entries = new SlotSet<StallableResponse>();
  #scanning = false;
  #waiting: { readonly dueMs: number; readonly cancel: () => void } | undefined;
  heldBytes = 0;
  cutCount = 0;

  constructor(limits: UnreadLimits, clock: Clock, timers: Timers) {
    this.#limits = limits;
    this.#clock = clock;
    this.#timers = timers;
  }

  nowMs(): number {
    return this.#clock.monotonicMs();
  }

  add(slot: Slot<StallableResponse>): void {
    this.#entries.add(slot);
    this.#arm();
  }

  remove(slot: Slot<StallableResponse>): void {
    this.#entries.remove(slot);
  }

  /** Whether this many more bytes may wait for their reader. */
  hasRoom(bytes: number): boolean {
    return this.heldBytes + bytes <= this.#limits.bytesMax;
  }

  hold(bytes: number): void {
    this.heldBytes += bytes;
    if (this.#isPressed()) this.#arm();
  }

  release(bytes: number): void {
    this.heldBytes -= bytes;
  }

  #isPressed(): boolean {
    return this.heldBytes > (this.#limits.bytesMax * 3) / 4;
  }

  #arm(): void {
    if (this.#scanning || this.#entries.size === 0) return;
    const calmMs = Math.min(scanMsMax, Math.max(hurriedScanMs, this.#limits.idleTimeoutMs / 4));
    const afterMs = this.#isPressed() ? hurriedScanMs : calmMs;
    const dueMs = this.nowMs() + afterMs;
    if (this.#waiting !== undefined) {
      if (this.#waiting.dueMs <= dueMs) return;
      this.#waiting.cancel();
    }
    const timer = this.#timers.after(afterMs, () => {
      this.#waiting = undefined;
      this.#scanning = true;
      this.#scan();
    });
    this.#waiting = { dueMs, cancel: () => timer.cancel() };
  }

  #scan(): void {
    const stalled: Stalled[] = [];
    const look = (slot: Entry, nowMs: number): boolean => {
      if (slot.at < 0) return false;
      const sinceMs = slot.item.stalledSinceMs(nowMs);
      if (nowMs - sinceMs >= this.#limits.idleTimeoutMs) {
        this.#cut(slot);
        return true;
      }
      if (nowMs - sinceMs >= graceMs) stalled.push({ slot, sinceMs });
      return false;
    };
    const deps = { clock: this.#clock, timers: this.#timers };
    lookInSlices(deps, this.#entries.slots(), look, () => {
      stalled.sort((a, b) => a.sinceMs - b.sinceMs);
      this.#relieve(this.#isPressed() ? stalled : []);
    });
  }

  #relieve(stalled: readonly Stalled[]): void {
    const look = ({ sinceMs, slot }: Stalled, nowMs: number): boolean => {
      if (this.heldBytes <= this.#limits.bytesMax / 2) return false;
      // It may have ended, or have taken something, while others were cut.
      if (slot.at < 0 || slot.item.stalledSinceMs(nowMs) !== sinceMs) return false;
      this.#cut(slot);
      return true;
    };
    const deps = { clock: this.#clock, timers: this.#timers };
    lookInSlices(deps, stalled, look, () => {
      this.#scanning = false;
      this.#arm();
    });
  }

  #cut({ item }: Entry): void {
    this.cutCount += 1;
    item.cut();
  }
}

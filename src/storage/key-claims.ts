/**
 * Which mutations must wait for which: the keys that commits under way, or waiting, have claimed.
 *
 * Not a lock: preconditions decide, inside the transaction. Claims only keep the commits of one
 * writer that touch a common key in the order in which they were asked for, and from disturbing
 * each other.
 *
 * Two mutations clash when one writes what the other writes or tests, companions included. Tests
 * alone do not clash: all creations in a namespace test that it is live.
 *
 * Bounds: as many keys as the mutations claimed have.
 */
import type { Companion, Condition, StoreKey } from './storage.ts';

/** Of a mutation, or of what will become one. */
export interface Touch {
  readonly key: StoreKey;
  readonly conditions: readonly Condition[];
  readonly companions?: readonly Companion[] | undefined;
}

export interface KeyClaims {
  claim(touch: Touch): void;
  /** Of what was claimed. */
  release(touch: Touch): void;
  clashesWith(touch: Touch): boolean;
}

export function createKeyClaims(): KeyClaims {
  const written = new Map<StoreKey, number>();
  const tested = new Map<StoreKey, number>();
  const note = ({ key, conditions, companions = [] }: Touch, by: 1 | -1): void => {
    count(written, key, by);
    for (const condition of conditions) count(tested, condition.key, by);
    for (const companion of companions) count(written, companion.key, by);
  };
  return {
    claim(touch) {
      note(touch, 1);
    },
    release(touch) {
      note(touch, -1);
    },
    clashesWith({ key, conditions, companions }) {
      if (written.size === 0) return false;
      return (
        written.has(key) ||
        tested.has(key) ||
        conditions.some((other) => written.has(other.key)) ||
        companions?.some((other) => written.has(other.key) || tested.has(other.key)) === true
      );
    },
  };
}

function count(counts: Map<StoreKey, number>, key: StoreKey, by: 1 | -1): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}

/**
 * Chunks of missed events that were made in this turn of the event loop: where many watches of a
 * group have missed the same, they are mostly at a few positions, and the first one at each makes
 * the chunk for all who have their step in this turn. One that is alone in its group has nobody to
 * share with: its chunk is not kept, for memory that is free at once is used again.
 *
 * Bounds: `chunksMax` chunks; all are forgotten in the next turn.
 */
import { onceATurn } from '../src/stdx/once-a-turn.ts';
import type { Timers } from '../src/stdx/clock.ts';
import { chunkOfHistory } from './chunks.ts';
import type { Chunk, Events } from './chunks.ts';
import type { StreamLimits } from './limits.ts';
import type { Position } from './position.ts';

const chunksMax = 64;

export interface SharedEvents extends Events {
  /** Watches that have them. */
  readonly watchersCount: number;
}

/** Makes a chunk from the history, which must reach back to `from.seq`. */
export type MissedChunks = (events: SharedEvents, from: Position) => Chunk;

export function createMissedChunks(
  timers: Pick<Timers, 'nextTurn'>,
  limits: StreamLimits,
): MissedChunks {
  const made = new Map<Events, Map<number, Chunk>>();
  let count = 0;
  const forget = (): void => {
    made.clear();
    count = 0;
  };
  const forgetNextTurn = onceATurn(timers, forget);
  return (events, from) => {
    if (events.watchersCount < 2) return chunkOfHistory(events, from, limits);
    const known = made.get(events)?.get(from.seq);
    if (known !== undefined) return known;
    const chunk = chunkOfHistory(events, from, limits);
    // One that brings nothing says how far this watch is, not another one at the same change.
    if (chunk.seq === from.seq) return chunk;
    if (count >= chunksMax) forget();
    const ofGroup = made.get(events) ?? new Map<number, Chunk>();
    made.set(events, ofGroup.set(from.seq, chunk));
    count += 1;
    forgetNextTurn();
    return chunk;
  };
}

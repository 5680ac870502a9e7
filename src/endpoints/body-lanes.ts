/**
 * Large bodies that come together are read one after the other: what has been read of fifty at once
 * is more than the collector moves in a turn.
 *
 *     lane   one format, sizes within a factor of four:   [ read ] ◀ waits ◀ waits
 *
 * Lanes go on beside each other, so a body waits for none that takes much longer than itself.
 *
 * Bound: a lane for each format and power of four; who waits is bounded by the bodies there are.
 */
import type { BodyFormat } from '../apimachinery/negotiation.ts';
import { createLimiter } from '../stdx/limiter.ts';
import type { Limiter } from '../stdx/limiter.ts';

/** The lane of such a body. */
export type BodyLanes = (format: BodyFormat, bytes: number) => Limiter;

export function createBodyLanes(): BodyLanes {
  const lanes = new Map<string, Limiter>();
  return (format, bytes) => {
    const name = `${format} ${Math.floor(Math.log2(bytes) / 2)}`;
    const known = lanes.get(name);
    if (known !== undefined) return known;
    const lane = createLimiter(1);
    lanes.set(name, lane);
    return lane;
  };
}

/**
 * A walk over what may be many, with pauses between its parts in which others have their turns.
 *
 * Elsewhere: work that is written in steps (stepwise.ts). A walk of the streams has slices.ts.
 */
import type { Turns } from './turns.ts';

/** Of work between two pauses. */
const partMs = 1;
/** What an item counts for beside its bytes: it is decoded, as a rule. */
const itemMs = 0.01;
const bytesOfMs = 64 * 1024;

/** The items one by one; those that have bytes count for them. */
export async function* paced<T extends object>(
  turns: Pick<Turns, 'pause'>,
  items: Iterable<T>,
): AsyncGenerator<T, void> {
  let ms = 0;
  for (const item of items) {
    ms += itemMs + bytesIn(item) / bytesOfMs;
    if (ms >= partMs) {
      await turns.pause(ms);
      ms = 0;
    }
    yield item;
  }
}

function bytesIn(item: object): number {
  return 'bytes' in item && item.bytes instanceof Uint8Array ? item.bytes.length : 0;
}

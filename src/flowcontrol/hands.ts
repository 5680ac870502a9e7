/**
 * Which queues a flow may use: a hand of them, dealt by its name. Two flows seldom have the same
 * hand, so one that fills its queues leaves others a queue to go to (shuffle sharding).
 *
 * The name is hashed with a secret of this process: nobody can look for names that are dealt the
 * hand of another.
 *
 * Invariants: the cards of a hand differ, rise, and are below the number of queues; one dealer
 * deals the same name the same hand. Bound: `handSizeMax` cards, as validation has it.
 */
import { createHmac } from 'node:crypto';

/** A hash has so many words. Validation allows 15: a hand takes 60 bits at most. */
const handSizeMax = 16;

const wordBytes = 4;

/** Numbers of queues. */
export type Deal = (flow: string) => readonly number[];

export function createDealer(queues: number, handSize: number, secret: string): Deal {
  const cards = Math.min(handSize, queues, handSizeMax);
  return (flow) => {
    const words = createHmac('sha512', secret).update(flow).digest();
    const hand: number[] = [];
    for (let dealt = 0; dealt < cards; dealt += 1) {
      const part = words.readUInt32LE(dealt * wordBytes) / 2 ** 32;
      // Among the queues that are left, counted without those that are in the hand.
      let card = Math.floor(part * (queues - dealt));
      let at = 0;
      for (; at < hand.length && card >= (hand[at] as number); at += 1) card += 1;
      hand.splice(at, 0, card);
    }
    return hand;
  };
}

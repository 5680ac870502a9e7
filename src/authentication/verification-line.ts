/**
 * Signatures of tokens are verified a few at a time. Whoever knows the address of a server can have
 * it verify, and the threads that do so also commit what others write.
 *
 *     signature ─▶ a place is free ─▶ is verified
 *               ─▶ it waits behind those of its network; networks take turns ─▶ is verified
 *               ─▶ nobody's turn within `waitMaxMs`, or the line is full     ─▶ is not looked at
 *               ─▶ who asked has gone                                        ─▶ is not looked at
 *
 * One key is one turn: a token that is tried with many stands in line for each.
 *
 * Bounds: `placesMax` signatures at a time, `waitingMax` in line.
 */
import type { Timers } from '../stdx/clock.ts';
import { networkOf } from '../stdx/network-of.ts';
import type { Requester } from '../stdx/requester.ts';
import type { TokenBearer } from './authenticator.ts';
import type { InLine } from './jwt-verify.ts';
import { createWaitingLine } from './waiting-line.ts';
import type { Asking } from './waiting-line.ts';

export const verificationLineLimits = {
  /** Of the four threads that node has for this: a commit or a file finds one. */
  placesMax: 2,
  waitingMax: 4096,
  waitMaxMs: 10_000,
} as const;

export interface VerificationLine {
  /** Undefined: it was not looked at. */
  verify<T>(asking: Asking, verification: () => Promise<T>): Promise<T | undefined>;
}

export function createVerificationLine(timers: Timers): VerificationLine {
  const { placesMax } = verificationLineLimits;
  const line = createWaitingLine(timers, verificationLineLimits);
  let underWay = 0;
  const run = async <T>(verification: () => Promise<T>): Promise<T> => {
    underWay += 1;
    try {
      return await verification();
    } finally {
      underWay -= 1;
      line.beginNext(() => underWay < placesMax);
    }
  };
  return {
    verify(asking, verification) {
      if (underWay < placesMax) return run(verification);
      return line.wait(asking, () => run(verification));
    },
  };
}

/** In the turn of whoever shows the token. */
export function inLineOf(
  line: VerificationLine,
  bearer: TokenBearer | undefined,
  requester: Requester | undefined,
): InLine {
  return (verification) => {
    const network = networkOf(bearer?.remoteAddress ?? '');
    return line.verify({ network, requester }, verification);
  };
}

/**
 * Rest between pieces of the same work: after each of them `factor` times as long as it took, so
 * that work which is asked for without end takes a bounded share of the time.
 *
 * Invariant: a short piece does not end the rest that a long one has earned.
 */
import type { Clock } from './clock.ts';

export interface Rest {
  /** Work begins; what is returned says that it has ended. */
  began(): () => void;
  /** How long there is still to rest; 0: no more. */
  leftMs(): number;
}

/** `maxMs`: of one rest. */
export function createRest(clock: Pick<Clock, 'monotonicMs'>, factor: number, maxMs: number): Rest {
  let untilMs = -Infinity;
  return {
    began() {
      const beganMs = clock.monotonicMs();
      return () => {
        const nowMs = clock.monotonicMs();
        untilMs = Math.max(untilMs, nowMs + Math.min(factor * (nowMs - beganMs), maxMs));
      };
    },
    leftMs: () => Math.max(0, Math.ceil(untilMs - clock.monotonicMs())),
  };
}

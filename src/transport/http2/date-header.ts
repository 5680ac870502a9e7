/** The Date header of answers, made once a second (RFC 9110, 6.6.1). */
import type { Clock } from '../../stdx/clock.ts';

export function createDate(clock: Pick<Clock, 'nowMs'>): () => string {
  let second = -1;
  let text = '';
  return () => {
    const now = Math.floor(clock.nowMs() / 1_000);
    if (now !== second) {
      second = now;
      text = new Date(now * 1_000).toUTCString();
    }
    return text;
  };
}

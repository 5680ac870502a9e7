/**
 * Lets at most `max` tasks run at once; the others wait in line, first come, first served.
 *
 * Bounds: the line is as long as its callers make it; they bound themselves.
 */
import { RingBuffer } from './ring-buffer.ts';

export type Limiter = <T>(task: () => Promise<T>) => Promise<T>;

export function createLimiter(max: number): Limiter {
  const line = new RingBuffer<() => void>();
  let running = 0;
  return async (task) => {
    // A task that ends hands its place over, so nobody can slip in between.
    if (running < max) running += 1;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      return await task();
    } finally {
      if (line.length === 0) running -= 1;
      else line.shift()();
    }
  };
}

/** A storage whose log can be made to stand still for one follower, while everything else works. */
import type { Storage } from '../../../src/storage/storage.ts';

export interface PausableTail {
  readonly storage: Storage;
  pause(): void;
  resume(): void;
}

export function pausableTail(inner: Storage): PausableTail {
  let gate = Promise.resolve();
  let open: (() => void) | undefined;
  return {
    storage: {
      ...inner,
      async *tail(after, signal) {
        const aborted = new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve());
        });
        for await (const page of inner.tail(after, signal)) {
          await Promise.race([gate, aborted]);
          if (signal.aborted) return;
          yield page;
        }
      },
    },
    pause() {
      if (open === undefined) gate = new Promise((resolve) => (open = resolve));
    },
    resume() {
      open?.();
      open = undefined;
    },
  };
}

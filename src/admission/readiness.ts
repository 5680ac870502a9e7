/**
 * Whether the stored admission configurations are in force. Until those are that were stored when
 * the server started, nothing is written that one of them might refuse; neither while there is one
 * that cannot be read.
 *
 * Bound: a write waits `readyWaitMs` for the start and is then refused with `notReady`, as in the
 * reference. It does not wait for configurations that cannot be read: somebody has to repair or
 * delete them, which is exempt from admission.
 */
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { Timers } from '../stdx/clock.ts';

const readyWaitMs = 10_000;

/** Why the write is refused: a 403. */
const notReady = 'not yet ready to handle request';

/** The same of what nobody can read. */
export function unreadable(what: string): string {
  return `${notReady}: ${what} cannot be read`;
}

export interface Readiness {
  /** What was stored at the start is in force. */
  readonly isReady: boolean;
  /** Resolves when it is. */
  readonly whenReady: Promise<void>;
  /** Why everything is refused that could be matched; undefined: it is not. */
  refusal(): string | undefined;
}

export interface SettableReadiness extends Readiness {
  setReady(): void;
}

/** `lost`: what is stored, cannot be read, and has nothing in force in its place. */
export function createReadiness(lost: () => string | undefined): SettableReadiness {
  let isReady = false;
  let resolve = (): void => undefined;
  const whenReady = new Promise<void>((done) => (resolve = done));
  return {
    get isReady() {
      return isReady;
    },
    whenReady,
    refusal() {
      if (!isReady) return notReady;
      const what = lost();
      return what && unreadable(what);
    },
    setReady() {
      isReady = true;
      resolve();
    },
  };
}

/** A stored object, read when it is its turn. */
export interface StoredConfiguration {
  readonly name: string;
  /** @throws anything, where nobody can tell what it says. */
  read(): ApiObject;
}

/** Resolves when it is ready, or has been waited for long enough; undefined: it is. */
export function untilReady(
  { isReady, whenReady }: Readiness,
  timers: Pick<Timers, 'after'>,
): Promise<void> | undefined {
  if (isReady) return undefined;
  return new Promise((resolve) => {
    const timer = timers.after(readyWaitMs, resolve);
    void whenReady.then(() => {
      timer.cancel();
      resolve();
    });
  });
}

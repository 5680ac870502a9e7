/**
 * Who has asked for a piece of work, and may go before it is done: the one sign of departure, which
 * goes along with a request to wherever something else than this process is waited for.
 *
 *     the client goes ─▶ its exchange ─▶ calls to webhooks are cut, lines and queues are left,
 *                                        waits for revisions and answers of others end
 *
 * Contract: an exchange is the requester of its request. Whoever begins to wait asks `closed` first
 * or is called back at once, and takes its callback away when it has what it waits for. What is cut
 * has failed: the request ends as one whose time is over (504), which nobody reads but the counts
 * and the audit event, and its seat is given back. Work that several share has a requester of its
 * own, which goes with the last of them. What has been handed to the store goes on, and its answer
 * is dropped. Absent: the server itself asks, and stays.
 *
 * Invariant: where nobody waits nothing is made. Bound: as many callbacks as waits at a time.
 */
import type { Timers } from './clock.ts';
import type { Trace } from './trace.ts';

export interface Requester {
  /** It has gone, or has its answer: nobody waits any more. */
  readonly closed: boolean;
  /** Called once when it goes without its answer; at once if it has. */
  onAbort(callback: () => void): void;
  /** It is not called any more. */
  offAbort(callback: () => void): void;
  /** The trace that the work is a part of. Absent: none; so for work that several share. */
  readonly trace?: Trace | undefined;
}

/** Those who are to be told; nearly always one. */
export class AbortCallbacks {
  #first: (() => void) | undefined;
  #others: Set<() => void> | undefined;

  add(callback: () => void): void {
    if (this.#first === undefined) this.#first = callback;
    else (this.#others ??= new Set()).add(callback);
  }

  remove(callback: () => void): void {
    if (this.#first === callback) this.#first = undefined;
    else this.#others?.delete(callback);
  }

  /** Each once; one that is removed meanwhile is not called. */
  call(): void {
    const first = this.#first;
    this.#first = undefined;
    first?.();
    for (const callback of this.#others ?? []) callback();
    this.#others = undefined;
  }
}

/** Resolves after `delayMs`, or when the requester goes. */
export function sleepFor(
  requester: Requester | undefined,
  timers: Pick<Timers, 'after'>,
  delayMs: number,
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      requester?.offAbort(end);
      resolve();
    };
    const timer = timers.after(delayMs, end);
    requester?.onAbort(end);
  });
}

/** In place of a result that nobody waits for any more. */
export const nothing = (): undefined => undefined;

/** What the work comes to, or `gone` when its requester goes before; the work is not told. */
export function unlessGone<T, G>(
  requester: Requester | undefined,
  work: Promise<T>,
  gone: () => G,
): Promise<T | G> {
  if (requester === undefined) return work;
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve(gone());
    work.then(
      (value) => {
        requester.offAbort(leave);
        resolve(value);
      },
      (error: unknown) => {
        requester.offAbort(leave);
        reject(error);
      },
    );
    requester.onAbort(leave);
  });
}

/** One that goes when it is told to. */
export class LeavingRequester implements Requester {
  readonly #callbacks = new AbortCallbacks();
  closed = false;

  onAbort(callback: () => void): void {
    if (this.closed) callback();
    else this.#callbacks.add(callback);
  }

  offAbort(callback: () => void): void {
    this.#callbacks.remove(callback);
  }

  leave(): void {
    this.closed = true;
    this.#callbacks.call();
  }
}

/** Of work that several wait for: it goes with the last of them. */
export class SharedRequester extends LeavingRequester {
  #count = 0;

  /** For one more, who may go. */
  wait<T>(requester: Requester | undefined, work: Promise<T>, gone: () => T): Promise<T> {
    this.#count += 1;
    return unlessGone(requester, work, () => {
      this.#count -= 1;
      if (this.#count === 0) this.leave();
      return gone();
    });
  }
}

interface Shared<T> {
  readonly requester: SharedRequester;
  readonly work: Promise<T>;
}

/** Work that is begun once for all who ask for it, by name, while it is under way. */
export class SharedWork<T> {
  readonly #running = new Map<string, Shared<T>>();

  /** `gone`: what it comes to for one who goes. */
  ask(
    name: string,
    requester: Requester | undefined,
    begin: (requester: Requester) => Promise<T>,
    gone: () => T,
  ): Promise<T> {
    const running = this.#running.get(name);
    // What has been cut is asked for anew.
    const shared = running?.requester.closed === false ? running : this.#begin(name, begin);
    return shared.requester.wait(requester, shared.work, gone);
  }

  #begin(name: string, begin: (requester: Requester) => Promise<T>): Shared<T> {
    const requester = new SharedRequester();
    const shared: Shared<T> = {
      requester,
      work: begin(requester).finally(() => {
        if (this.#running.get(name) === shared) this.#running.delete(name);
      }),
    };
    this.#running.set(name, shared);
    return shared;
  }
}

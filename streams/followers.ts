/**
 * Followers of resources inside the process (controllers, indexes of authorizers). A follower that
 * fails is subscribed again, from the whole state.
 *
 *     events ─▶ RESET ─▶ take ─▶ change ─▶ take ...
 *       ▲                  └── throws ─▶ logged, counted ─┐
 *       └──── retryMinMs × 2^n, up to retryMaxMs ◀────────┘
 *
 * The first state may be all that the store holds, and one object may be large. A follower may take
 * both in steps: the later steps have turns like everybody else's, and events that come meanwhile
 * wait for the last one. After a failure all steps are done at once: in a pause, whoever asks the
 * follower would be told of half a state.
 *
 * Invariants: a follower that has failed gets no change before it has started again from the whole
 * state, so it never continues with a gap. Failures count as consecutive until it has taken in a
 * change of the resource on which it failed, or has run without failure for `steadyMs`. Followers
 * fail independently. Bound: names are constants in the code, so the number of totals is fixed.
 */
import { Observable, retry, Subject, takeUntil } from 'rxjs';
import type { Subscription } from 'rxjs';
import type { Clock, TimerHandle, Timers } from '../src/stdx/clock.ts';
import { finished, runStepwise } from '../src/stdx/stepwise.ts';
import type { Steps } from '../src/stdx/stepwise.ts';
import { createTurns, wholeTurnMs } from '../src/stdx/turns.ts';
import type { Turns } from '../src/stdx/turns.ts';

const followerLimits = {
  /** Policy: the pause doubles with every failure in a row. */
  retryMinMs: 100,
  retryMaxMs: 30_000,
  /** After this long without a failure, earlier failures are forgotten. */
  steadyMs: 5_000,
  /** After this many consecutive failures /readyz fails. */
  failuresMax: 3,
} as const;

/** A ResourceEvent, or what somebody makes of several. */
interface FollowedEvent {
  /** 'RESET', or what the change did. */
  readonly type: string;
  readonly resource: string;
}

export interface FollowerFailure {
  readonly name: string;
  readonly error: unknown;
  readonly failuresInARow: number;
  readonly retryMs: number;
}

export interface FollowerStats {
  readonly name: string;
  readonly failuresTotal: number;
  /** Too many consecutive failures: its state may be out of date for long. */
  readonly failing: boolean;
}

export interface FollowersDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Must not throw. */
  readonly onFailure: (failure: FollowerFailure) => void;
}

/** Takes an event in. What it returns is the rest of the work, where that is much. */
type Take<E> = (event: E) => Steps<void> | undefined | void;

export class Followers {
  readonly #deps: FollowersDeps;
  readonly #turns: Turns;
  readonly #walks = new Set<Promise<void>>();
  readonly #followers = new Set<Follower>();
  readonly #totals = new Map<string, number>();
  readonly #stopped = new Subject<void>();

  constructor(deps: FollowersDeps) {
    this.#deps = deps;
    this.#turns = createTurns(deps);
  }

  /** Hands each event to `take`. When `take` throws, or the events fail, it subscribes again after
   * a pause; so the events must begin with RESET, which voids all earlier ones. `take` must be
   * quick, or return its work in steps: the first one is done at once. `name` is for
   * the log, metrics and health checks; several followers may share one. */
  follow<E extends FollowedEvent>(
    name: string,
    events: Observable<E>,
    take: Take<E>,
  ): Subscription {
    if (!this.#totals.has(name)) this.#totals.set(name, 0);
    const { onFailure, timers } = this.#deps;
    const follower = new Follower(name, {
      timers,
      walk: (rest, isStopped) => this.#walk(rest, isStopped),
      onFailure: (failure) => {
        this.#totals.set(name, (this.#totals.get(name) ?? 0) + 1);
        onFailure(failure);
      },
    });
    this.#followers.add(follower);
    const subscription = follower
      .taken(events, take)
      .pipe(retry({ delay: (error: unknown) => follower.failed(error) }), takeUntil(this.#stopped))
      .subscribe();
    subscription.add(() => {
      this.#followers.delete(follower);
      follower.stop();
    });
    return subscription;
  }

  /** Resolves when nobody is taking something in steps: the first state has been taken by all. */
  async settled(): Promise<void> {
    while (this.#walks.size > 0) await Promise.all(this.#walks);
  }

  /** By name; followers with the same name are counted together. */
  stats(): readonly FollowerStats[] {
    const failing = new Set<string>();
    for (const each of this.#followers) if (each.isFailing) failing.add(each.name);
    return [...this.#totals].map(([name, failuresTotal]) => ({
      name,
      failuresTotal,
      failing: failing.has(name),
    }));
  }

  /** Ends all subscriptions. */
  stop(): void {
    this.#stopped.next();
  }

  async #walk(rest: Steps<void>, isStopped: () => boolean): Promise<void> {
    // What has been followed takes its own share of this turn.
    const turn = this.#turns.pause(wholeTurnMs);
    const walk = turn.then(() => runStepwise(this.#turns, rest, isStopped));
    const ended = walk.catch(() => undefined);
    this.#walks.add(ended);
    void ended.then(() => this.#walks.delete(ended));
    await walk;
  }
}

interface FollowerDeps extends Pick<FollowersDeps, 'timers' | 'onFailure'> {
  readonly walk: (rest: Steps<void>, isStopped: () => boolean) => Promise<void>;
}

/** What one follower takes, and its failures. */
class Follower {
  readonly name: string;
  readonly #deps: FollowerDeps;
  #failures = 0;
  /** The resource of the change on which it failed; undefined: it failed at the start. */
  #failedOn: string | undefined;
  /** What it is taking. */
  #taking: string | undefined;
  #steady: TimerHandle | undefined;

  constructor(name: string, deps: FollowerDeps) {
    this.name = name;
    this.#deps = deps;
  }

  get isFailing(): boolean {
    return this.#failures >= followerLimits.failuresMax;
  }

  /** Takes each of the events; emits nothing, and fails with what that throws. */
  taken<E extends FollowedEvent>(events: Observable<E>, take: Take<E>): Observable<never> {
    return new Observable((subscriber) => {
      /** What has come while something was being taken in steps. */
      let waiting: E[] | undefined;
      const next = (event: E): void => {
        if (subscriber.closed) return;
        if (waiting !== undefined) {
          waiting.push(event);
          return;
        }
        try {
          begun(this.#take(event, take));
        } catch (error) {
          subscriber.error(error);
        }
      };
      const begun = (rest: Steps<void> | undefined): void => {
        if (rest === undefined) return;
        waiting = [];
        const goOn = (): void => {
          const come = waiting ?? [];
          waiting = undefined;
          for (const event of come) next(event);
        };
        const fail = (error: unknown): void => subscriber.error(error);
        this.#deps.walk(rest, () => subscriber.closed).then(goOn, fail);
      };
      const error = (cause: unknown): void => subscriber.error(cause);
      subscriber.add(events.subscribe({ next, error }));
    });
  }

  /** What is left to be done in turns. */
  #take<E extends FollowedEvent>(event: E, take: Take<E>): Steps<void> | undefined {
    this.#taking = event.type === 'RESET' ? undefined : event.resource;
    const work = take(event) ?? undefined;
    if (work !== undefined && this.#failures > 0) finished(work);
    const isLong = work !== undefined && this.#failures === 0 && work.next().done !== true;
    const taken = this.#taking;
    this.#taking = undefined;
    if (this.#failures > 0) {
      if (taken === this.#failedOn) this.#recover();
      else if (event.type === 'RESET') this.#recoverIfSteady();
    }
    return isLong ? work : undefined;
  }

  /** Emits when it is time to subscribe again. */
  failed(error: unknown): Observable<void> {
    const { onFailure, timers } = this.#deps;
    const { retryMaxMs, retryMinMs } = followerLimits;
    this.#steady?.cancel();
    this.#failedOn = this.#taking;
    this.#taking = undefined;
    const retryMs = Math.min(retryMinMs * 2 ** Math.min(this.#failures, 20), retryMaxMs);
    this.#failures += 1;
    onFailure({ name: this.name, error, failuresInARow: this.#failures, retryMs });
    return new Observable((subscriber) => {
      const timer = timers.after(retryMs, () => subscriber.next());
      return () => timer.cancel();
    });
  }

  stop(): void {
    this.#steady?.cancel();
  }

  #recoverIfSteady(): void {
    const { timers } = this.#deps;
    this.#steady?.cancel();
    this.#steady = timers.after(followerLimits.steadyMs, () => this.#recover());
  }

  #recover(): void {
    this.#steady?.cancel();
    this.#failures = 0;
    this.#failedOn = undefined;
  }
}

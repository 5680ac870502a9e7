/**
 * Followers of resources inside the process (controllers, indexes of authorizers). A follower that
 * fails is subscribed again, from the whole state.
 *
 *     events ─▶ RESET ─▶ take ─▶ change ─▶ take ...
 *       ▲                  └── throws ─▶ logged, counted ─┐
 *       └──── retryMinMs × 2^n, up to retryMaxMs ◀────────┘
 *
 * Invariants: a follower that has failed gets no change before it has started again from the whole
 * state, so it never continues with a gap. Failures count as consecutive until it has taken in a
 * change of the resource on which it failed, or has run without failure for `steadyMs`. Followers
 * fail independently. Bound: names are constants in the code, so the number of totals is fixed.
 */
import { Observable, retry, Subject, takeUntil, tap } from 'rxjs';
import type { Subscription } from 'rxjs';
import type { TimerHandle, Timers } from '../src/stdx/clock.ts';

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
  readonly timers: Timers;
  /** Must not throw. */
  readonly onFailure: (failure: FollowerFailure) => void;
}

export class Followers {
  readonly #deps: FollowersDeps;
  readonly #followers = new Set<Follower>();
  readonly #totals = new Map<string, number>();
  readonly #stopped = new Subject<void>();

  constructor(deps: FollowersDeps) {
    this.#deps = deps;
  }

  /** Hands each event to `take`. When `take` throws, or the events fail, it subscribes again after
   * a pause; so the events must begin with RESET, which voids all earlier ones. `take` must be
   * quick. `name` is for the log, metrics and health checks; several followers may share one. */
  follow<E extends FollowedEvent>(
    name: string,
    events: Observable<E>,
    take: (event: E) => void,
  ): Subscription {
    if (!this.#totals.has(name)) this.#totals.set(name, 0);
    const { onFailure, timers } = this.#deps;
    const follower = new Follower(name, {
      timers,
      onFailure: (failure) => {
        this.#totals.set(name, (this.#totals.get(name) ?? 0) + 1);
        onFailure(failure);
      },
    });
    this.#followers.add(follower);
    const subscription = events
      .pipe(
        tap((event) => follower.take(event, take)),
        retry({ delay: (error: unknown) => follower.failed(error) }),
        takeUntil(this.#stopped),
      )
      .subscribe();
    subscription.add(() => {
      this.#followers.delete(follower);
      follower.stop();
    });
    return subscription;
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
}

/** The failures of one follower. */
class Follower {
  readonly name: string;
  readonly #deps: FollowersDeps;
  #failures = 0;
  /** The resource of the change on which it failed; undefined: it failed at the start. */
  #failedOn: string | undefined;
  /** What it is taking. */
  #taking: string | undefined;
  #steady: TimerHandle | undefined;

  constructor(name: string, deps: FollowersDeps) {
    this.name = name;
    this.#deps = deps;
  }

  get isFailing(): boolean {
    return this.#failures >= followerLimits.failuresMax;
  }

  take<E extends FollowedEvent>(event: E, take: (event: E) => void): void {
    this.#taking = event.type === 'RESET' ? undefined : event.resource;
    take(event);
    const taken = this.#taking;
    this.#taking = undefined;
    if (this.#failures === 0) return;
    if (taken === this.#failedOn) this.#recover();
    else if (event.type === 'RESET') this.#recoverIfSteady();
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

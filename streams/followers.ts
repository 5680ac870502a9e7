/**
 * Who follows resources inside the process (controllers, indexes of authorizers), kept going:
 * whoever fails begins anew.
 *
 *     events ─▶ RESET ─▶ take ─▶ change ─▶ take ...
 *       ▲                  └── throws ─▶ told, counted ─┐
 *       └──── retryMinMs × 2^n, up to retryMaxMs ◀──────┘
 *
 * What it is not: where events come from (`Streams.resourceEvents`).
 *
 * Invariants: who has failed hears of no change until it has begun anew, from the whole state, so
 * it never goes on with a gap. Its failures are in a row until it has taken a change of the
 * resource on which it failed, or has been well for `steadyMs`. A failure of one is nothing to the
 * others. Bound: names are written in the code; so are their totals.
 */
import { Observable, retry, Subject, takeUntil, tap } from 'rxjs';
import type { Subscription } from 'rxjs';
import type { TimerHandle, Timers } from '../src/stdx/clock.ts';

const followerLimits = {
  /** Policy: the pause doubles with every failure in a row. */
  retryMinMs: 100,
  retryMaxMs: 30_000,
  /** After so long without a failure what was wrong counts as over. */
  steadyMs: 5_000,
  /** So many failures in a row, and the server says that it is not ready. */
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
  /** Too many failures in a row: what it keeps may be out of date for long. */
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

  /** Hands each event to `take`. When that throws, or the events fail, they are subscribed to
   * anew a while later, so they must begin with RESET, which says that what was told before is
   * void. `take` must be quick. `name`: for the log, metrics and health; several may share one. */
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

  /** By name; several of one name are one. */
  stats(): readonly FollowerStats[] {
    const failing = new Set<string>();
    for (const each of this.#followers) if (each.isFailing) failing.add(each.name);
    return [...this.#totals].map(([name, failuresTotal]) => ({
      name,
      failuresTotal,
      failing: failing.has(name),
    }));
  }

  /** Nobody hears of anything any more. */
  stop(): void {
    this.#stopped.next();
  }
}

/** The failures of one follower. */
class Follower {
  readonly name: string;
  readonly #deps: FollowersDeps;
  #failures = 0;
  /** Of what resource the change was on which it failed; undefined: it failed to begin. */
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

  /** Emits when it is time to begin anew. */
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

/**
 * What follows the state inside the process, kept going: whoever fails is begun anew.
 *
 *     begin ─▶ live ── a change ─▶ taken
 *       ▲        └── throws ─▶ told, counted ─┐
 *       └──── retryMinMs × 2^n, up to retryMaxMs ◀─┘
 *
 * What it is not: how changes come (hub.ts, follow-resource.ts).
 *
 * Invariants: who has failed hears of no change until it has been begun anew, from the whole state,
 * so it never goes on with a gap. Its failures are in a row until it has taken a change of the kind
 * on which it failed, or has been well for `steadyMs`. A failure of one is nothing to the others.
 * Bound: names are written in the code; so are their totals.
 */
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
  readonly #followed = new Set<Followed>();
  readonly #totals = new Map<string, number>();

  constructor(deps: FollowersDeps) {
    this.#deps = deps;
  }

  /** `begin` reads the state anew and forgets what it was told before; it may go on in later turns.
   * It is first run by the returned `begin`. */
  add(name: string, begin: () => void | Promise<void>): Followed {
    if (!this.#totals.has(name)) this.#totals.set(name, 0);
    const { onFailure, timers } = this.#deps;
    const followed = new Followed(name, {
      timers,
      begin,
      onFailure: (failure) => {
        this.#totals.set(name, (this.#totals.get(name) ?? 0) + 1);
        onFailure(failure);
      },
      onStopped: () => void this.#followed.delete(followed),
    });
    this.#followed.add(followed);
    return followed;
  }

  /** By name; several of one name are one. */
  stats(): readonly FollowerStats[] {
    const failing = new Set<string>();
    for (const each of this.#followed) if (each.isFailing) failing.add(each.name);
    return [...this.#totals].map(([name, failuresTotal]) => ({
      name,
      failuresTotal,
      failing: failing.has(name),
    }));
  }

  stop(): void {
    for (const each of [...this.#followed]) each.stop();
  }
}

interface FollowedDeps extends FollowersDeps {
  readonly begin: () => void | Promise<void>;
  readonly onStopped: () => void;
}

/** One follower. Whoever hands it changes asks `isLive` first. */
export class Followed {
  readonly name: string;
  /** False: it has failed, or has been stopped, and is told nothing. */
  isLive = false;
  readonly #deps: FollowedDeps;
  #failures = 0;
  /** Of what the change was on which it failed; undefined: it failed to begin. */
  #failedOn: string | undefined;
  #run = 0;
  #timer: TimerHandle | undefined;
  #stopped = false;

  constructor(name: string, deps: FollowedDeps) {
    this.name = name;
    this.#deps = deps;
  }

  get isFailing(): boolean {
    return this.#failures >= followerLimits.failuresMax;
  }

  /** From the whole state; also of one that is live, where that is called for. Never throws. */
  begin(): void {
    if (this.#stopped) return;
    this.#timer?.cancel();
    this.isLive = true;
    this.#run += 1;
    const run = this.#run;
    try {
      const going = this.#deps.begin();
      if (going === undefined) this.#begun(run);
      else void this.#settle(run, going);
    } catch (error) {
      this.failed(error, undefined);
    }
  }

  /** It has taken a change of this kind. */
  took(kind: string): void {
    if (this.#failures > 0 && kind === this.#failedOn) this.#recover();
  }

  /** It has thrown, at a change of this kind or (undefined) when it began. */
  failed(error: unknown, kind: string | undefined): void {
    if (this.#stopped) return;
    const { retryMaxMs, retryMinMs } = followerLimits;
    this.isLive = false;
    this.#run += 1;
    this.#failedOn = kind;
    const retryMs = Math.min(retryMinMs * 2 ** Math.min(this.#failures, 20), retryMaxMs);
    this.#failures += 1;
    this.#timer?.cancel();
    this.#timer = this.#deps.timers.after(retryMs, () => this.begin());
    const { name } = this;
    this.#deps.onFailure({ name, error, failuresInARow: this.#failures, retryMs });
  }

  stop(): void {
    this.#stopped = true;
    this.isLive = false;
    this.#run += 1;
    this.#timer?.cancel();
    this.#deps.onStopped();
  }

  async #settle(run: number, going: Promise<void>): Promise<void> {
    try {
      await going;
      this.#begun(run);
    } catch (error) {
      // Of an older run: that one has been told already.
      if (run === this.#run) this.failed(error, undefined);
    }
  }

  #begun(run: number): void {
    if (run !== this.#run || this.#failures === 0) return;
    if (this.#failedOn === undefined) return this.#recover();
    this.#timer = this.#deps.timers.after(followerLimits.steadyMs, () => this.#recover());
  }

  #recover(): void {
    this.#timer?.cancel();
    this.#failures = 0;
    this.#failedOn = undefined;
  }
}

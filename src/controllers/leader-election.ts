/**
 * Leader election: of all servers over one store, the one that holds a Lease runs the controllers.
 *
 *   candidate ── lease free, or unchanged for its duration ──▶ writes itself in ──▶ term begins
 *       ▲                                                                             │ renews
 *       └──── controllers stopped ◀── term ends: not renewed in time, taken, stop ────┘
 *
 *   0 s            10 s                  15 s
 *   ├─ renewed ─────┤ last write decided  ├ another may take it, by its own observation
 *
 * It keeps servers from doing the same work, and is no lock: that no write comes late is ensured by
 * the fence (fenced-registry.ts) and, for what that leaves, by the precondition of the write.
 *
 * Invariants
 *  - The Lease is written by resourceVersion only, so of two that try one wins.
 *  - A candidate never compares another server's clock with its own: it measures on its own
 *    monotonic clock how long it has seen the Lease unchanged.
 *  - A term lasts `renewDeadlineMs` from the moment before its last renewal was sent, by whichever
 *    of the own clocks has run further: neither a stopped process nor a suspended machine extends
 *    it, and it is over before anybody else may take the Lease. The fence looks at that at each
 *    write, whether timers run or not.
 *  - A new term begins only when the controllers of the last one have ended.
 *  - Every step is taken on what this server's own cache shows: one that no longer follows the log
 *    neither takes the Lease nor keeps it.
 *
 * Deleting the Lease by hand frees it at once, as with any election of this kind.
 *
 * Bounds: one attempt at a time; stop() waits at most `releaseWaitMs` for the release.
 */
import type { KindInfo } from '../apimachinery/scheme.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import { createObject } from '../registry/create.ts';
import type { RegistryDeps, Result, WriteResult } from '../registry/registry.ts';
import { updateObject } from '../registry/update.ts';
import type { Clock, TimerHandle, Timers } from '../stdx/clock.ts';
import { sleep } from '../stdx/clock.ts';
import { randomBelow } from '../stdx/prng.ts';
import type { Revision } from '../storage/storage.ts';
import type { Controller } from './controller.ts';
import { fencedRegistry } from './fenced-registry.ts';
import { cachedLease, leaseOf, leaseTime } from './lease-object.ts';
import type { Lease } from './lease-object.ts';

const leaderElectionTimes = {
  /** Others wait this long after the last change they saw. */
  leaseDurationMs: 15_000,
  /** A term that was not renewed for this long is over. */
  renewDeadlineMs: 10_000,
  /** Between two attempts; a candidate adds up to `retryJitterMs`. */
  retryPeriodMs: 2_000,
  retryJitterMs: 2_400,
  releaseWaitMs: 2_000,
} as const;

export interface LeaderElectionDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly kind: KindInfo;
  /** Of the Lease; it lies in the system namespace. */
  readonly leaseName: string;
  /** Of this process; no other one, before or after, has the same. */
  readonly holder: string;
  /** What runs during a term, made anew for each. Writes through the registry it is given. */
  readonly lead: (registry: RegistryDeps) => Controller;
  readonly onChange: (leading: boolean, why: string) => void;
  readonly onError: (error: unknown) => void;
}

export interface LeaderElection extends Controller {
  readonly leading: boolean;
  /** Who holds the Lease, as far as this candidate can see; undefined: nobody. */
  leader(): string | undefined;
  readonly termsTotal: number;
}

/** A moment on both clocks. */
interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

interface Term {
  /** Just before its last renewal was sent. */
  renewed: Moment;
  over: boolean;
  readonly controller: Controller;
  expiry: TimerHandle | undefined;
}

export function createLeaderElection(deps: LeaderElectionDeps): LeaderElection {
  return new Election(deps);
}

class Election implements LeaderElection {
  readonly #deps: LeaderElectionDeps;
  readonly #clock: Clock;
  #term: Term | undefined;
  /** The controllers of the last term, while they stop. */
  #ending: Promise<void> | undefined;
  /** What the cache showed last, and since when, on the monotonic clock. */
  #seen: { readonly revision: Revision; readonly sinceMs: number } | undefined;
  /** The last of our own writes. */
  #written: Lease | undefined;
  #attempt: Promise<void> = Promise.resolve();
  #next: TimerHandle | undefined;
  #stopped = false;
  #termsTotal = 0;

  constructor(deps: LeaderElectionDeps) {
    this.#deps = deps;
    this.#clock = deps.registry.clock;
  }

  get leading(): boolean {
    return this.#term !== undefined && this.#isValid(this.#term);
  }

  leader(): string | undefined {
    if (this.leading) return this.#deps.holder;
    const found = this.#observe();
    return this.#isFree(found) ? undefined : found?.spec.holderIdentity;
  }

  get termsTotal(): number {
    return this.#termsTotal;
  }

  start(): void {
    this.#attempt = this.#run();
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#next?.cancel();
    this.#endTerm('the server stops');
    await this.#ending;
    const release = this.#attempt.then(() => this.#release()).catch(this.#deps.onError);
    await Promise.race([release, sleep(this.#deps.timers, leaderElectionTimes.releaseWaitMs)]);
  }

  async #run(): Promise<void> {
    try {
      await this.#step();
    } catch (error) {
      this.#deps.onError(error);
    }
    if (this.#stopped) return;
    const { retryJitterMs, retryPeriodMs } = leaderElectionTimes;
    const leading = this.#term !== undefined;
    const jitterMs = leading ? 0 : randomBelow(this.#deps.registry.prng, retryJitterMs + 1);
    this.#next = this.#deps.timers.after(retryPeriodMs + jitterMs, () => {
      this.#attempt = this.#run();
    });
  }

  /** One look at the Lease, and at most one write of it. */
  async #step(): Promise<void> {
    const found = this.#observe();
    // Our own last write has not come back through the log yet: the cache is no ground to act on.
    if (this.#deps.registry.streams.revision < (this.#written?.revision ?? 0n)) return;
    if (this.#term === undefined) {
      if (this.#ending === undefined && this.#isFree(found)) await this.#claim(found);
    } else if (found?.spec.holderIdentity === this.#deps.holder) {
      await this.#claim(found);
    } else {
      const other = found?.spec.holderIdentity ?? '';
      this.#endTerm(other === '' ? 'the lease was taken away' : `the lease went to ${other}`);
    }
  }

  #observe(): Lease | undefined {
    const { kind, leaseName, registry } = this.#deps;
    const found = cachedLease(registry, kind, this.#namespace, leaseName);
    if (found === undefined) this.#seen = undefined;
    else if (this.#seen?.revision !== found.revision) {
      this.#seen = { revision: found.revision, sinceMs: this.#clock.monotonicMs() };
    }
    return found;
  }

  #isFree(found: Lease | undefined): boolean {
    if (found === undefined || this.#seen === undefined) return true;
    const { holderIdentity, leaseDurationSeconds } = found.spec;
    if (holderIdentity === '' || holderIdentity === this.#deps.holder) return true;
    const durationMs =
      leaseDurationSeconds === undefined
        ? leaderElectionTimes.leaseDurationMs
        : leaseDurationSeconds * 1000;
    return this.#clock.monotonicMs() - this.#seen.sinceMs >= durationMs;
  }

  /** Takes or renews. Who comes second is told so by the write, and looks again later. */
  async #claim(found: Lease | undefined): Promise<void> {
    const before = this.#now();
    const written = await this.#write(found, this.#claimSpec(found));
    if (written === undefined) return;
    this.#written = written;
    const late = this.#elapsedMs(before) >= leaderElectionTimes.renewDeadlineMs;
    if (late || this.#stopped) return;
    if (this.#term !== undefined) this.#renew(this.#term, before);
    else if (this.#ending === undefined) this.#beginTerm(before);
  }

  #claimSpec(found: Lease | undefined): JsonObject {
    const now = leaseTime(this.#clock.nowMs());
    const { holder } = this.#deps;
    const own = found?.spec.holderIdentity === holder ? found.spec : undefined;
    const transitions = found === undefined ? 0 : found.spec.leaseTransitions + 1;
    return {
      holderIdentity: holder,
      leaseDurationSeconds: leaderElectionTimes.leaseDurationMs / 1000,
      acquireTime: own?.acquireTime ?? now,
      renewTime: now,
      leaseTransitions: own?.leaseTransitions ?? transitions,
    };
  }

  /** Undefined: somebody else was faster. */
  async #write(found: Lease | undefined, spec: JsonObject): Promise<Lease | undefined> {
    const { kind, leaseName: name, registry } = this.#deps;
    const target = { kind, namespace: this.#namespace, name };
    const fresh: ApiObject = {
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata: { name, namespace: this.#namespace },
    };
    const options = { dryRun: false };
    const result: Result<WriteResult> =
      found === undefined
        ? await createObject(registry, target, { ...fresh, spec }, options)
        : await updateObject(registry, target, { ...found.object, spec }, undefined, options);
    if (result.kind === 'ok') return leaseOf(result.value.bytes, result.value.revision);
    if (!outrun.has(result.error.reason)) throw result.error;
    return undefined;
  }

  #beginTerm(renewed: Moment): void {
    const { lead, registry } = this.#deps;
    const term: Term = {
      renewed,
      over: false,
      controller: lead(fencedRegistry(registry, () => this.#isValid(term))),
      expiry: undefined,
    };
    this.#term = term;
    this.#termsTotal += 1;
    this.#renew(term, renewed);
    this.#deps.onChange(true, 'the lease was acquired');
    term.controller.start();
  }

  #renew(term: Term, renewed: Moment): void {
    term.renewed = renewed;
    term.expiry?.cancel();
    const leftMs = leaderElectionTimes.renewDeadlineMs - this.#elapsedMs(renewed);
    term.expiry = this.#deps.timers.after(Math.max(0, leftMs), () => {
      if (this.#term === term) this.#endTerm('the lease could not be renewed in time');
    });
  }

  #endTerm(why: string): void {
    const term = this.#term;
    if (term === undefined) return;
    this.#term = undefined;
    term.over = true;
    term.expiry?.cancel();
    const ending = term.controller
      .stop()
      .catch(this.#deps.onError)
      .finally(() => {
        if (this.#ending === ending) this.#ending = undefined;
      });
    this.#ending = ending;
    this.#deps.onChange(false, why);
  }

  /** Gives the Lease up, if the last write of it was ours: the next one need not wait. */
  async #release(): Promise<void> {
    const held = this.#written;
    if (held === undefined || held.spec.holderIdentity !== this.#deps.holder) return;
    const now = leaseTime(this.#clock.nowMs());
    await this.#write(held, {
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: held.spec.leaseTransitions,
    });
  }

  get #namespace(): string {
    return this.#deps.registry.identity.namespaces.system;
  }

  #now(): Moment {
    return { monotonicMs: this.#clock.monotonicMs(), wallMs: this.#clock.nowMs() };
  }

  /** By the clock that has run further: too much ends a term early, too little would extend it. */
  #elapsedMs(since: Moment): number {
    const { monotonicMs, wallMs } = this.#now();
    return Math.max(monotonicMs - since.monotonicMs, wallMs - since.wallMs);
  }

  #isValid(term: Term): boolean {
    return !term.over && this.#elapsedMs(term.renewed) < leaderElectionTimes.renewDeadlineMs;
  }
}

/** Refusals that say: another writer was there first. */
const outrun: ReadonlySet<string> = new Set([
  StatusReason.conflict,
  StatusReason.alreadyExists,
  StatusReason.notFound,
]);

/**
 * A cache of verified tokens: saves the signature check (or the webhook call) the next time.
 *
 *     digest of the token ──▶ what it says, good until a moment
 *
 * Whatever can change while a token is good (accounts, objects) is looked at again by the caller.
 *
 * Invariants: tokens are not kept, only digests of them; nothing is answered past its moment, nor
 * past `ttlMs` after it was put in, nor for longer than was left until its moment then: a wall
 * clock that is set back makes nothing good for longer. Bounds: `entriesMax`, `charsMax`; the
 * longest in it go first.
 */
import type { Clock } from '../stdx/clock.ts';
import { secretDigest } from './constant-time.ts';

export interface TokenCacheOptions {
  readonly clock: Clock;
  readonly entriesMax: number;
  readonly ttlMs: number;
  /** Of all values together, as `set` is told; absent: they are small. */
  readonly charsMax?: number | undefined;
}

interface Kept<T> {
  readonly value: T;
  /** By the wall clock; the other by the clock that is never set. */
  readonly untilMs: number;
  readonly keptUntilMs: number;
  readonly chars: number;
}

export class TokenCache<T> {
  readonly #options: TokenCacheOptions;
  /** In order of arrival. */
  readonly #kept = new Map<string, Kept<T>>();
  #chars = 0;

  constructor(options: TokenCacheOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** `scope`: what else the value depends on. */
  get(token: string, scope = ''): T | undefined {
    const key = secretDigest(token) + scope;
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    const { clock } = this.#options;
    const isGood = found.untilMs > clock.nowMs() && found.keptUntilMs > clock.monotonicMs();
    if (isGood) return found.value;
    this.#forget(key);
    return undefined;
  }

  /** `untilMs`: wall clock after which it must not be used. `chars`: how large the value is. */
  set(token: string, value: T, untilMs = Infinity, scope = '', chars = 0): void {
    const { charsMax = Infinity, clock, entriesMax, ttlMs } = this.#options;
    const key = secretDigest(token) + scope;
    this.#forget(key);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < entriesMax && this.#chars + chars <= charsMax) break;
      this.#forget(oldest);
    }
    this.#chars += chars;
    const keptUntilMs = clock.monotonicMs() + Math.min(ttlMs, untilMs - clock.nowMs());
    this.#kept.set(key, { value, untilMs, keptUntilMs, chars });
  }

  #forget(key: string): void {
    this.#chars -= this.#kept.get(key)?.chars ?? 0;
    this.#kept.delete(key);
  }
}

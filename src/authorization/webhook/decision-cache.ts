/**
 * Decisions that a webhook has made, each for its time (spec 2, section 2.1: authorizedTTL and
 * unauthorizedTTL).
 *
 * Bounds: `entriesMax` decisions, the one not used for longest goes first; a question longer than
 * `keyLengthMax` is not kept.
 */
import type { Clock } from '../../stdx/clock.ts';
import type { Decision } from '../authorizer.ts';

const decisionCacheLimits = { entriesMax: 8192, keyLengthMax: 10_000 } as const;

export interface DecisionCache {
  get(key: string): Decision | undefined;
  set(key: string, decision: Decision, ttlMs: number): void;
  readonly size: number;
}

export function createDecisionCache(clock: Clock): DecisionCache {
  const entries = new Map<string, { readonly decision: Decision; readonly untilMs: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (entry.untilMs <= clock.monotonicMs()) return undefined;
      // To the end of the order: used last.
      entries.set(key, entry);
      return entry.decision;
    },
    set(key, decision, ttlMs) {
      if (ttlMs <= 0 || key.length > decisionCacheLimits.keyLengthMax) return;
      entries.delete(key);
      const [oldest] = entries.keys();
      if (entries.size >= decisionCacheLimits.entriesMax && oldest !== undefined) {
        entries.delete(oldest);
      }
      entries.set(key, { decision, untilMs: clock.monotonicMs() + ttlMs });
    },
    get size() {
      return entries.size;
    },
  };
}

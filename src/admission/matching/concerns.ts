/**
 * Whether stored configurations (policies, or webhooks) have a part in a write, and the wait for
 * those that were stored when the server started.
 *
 * Elsewhere: which of them match, and what they say (policies/, webhooks/).
 *
 * Invariants: what is exempt concerns nobody. While nothing is known, or something cannot be read,
 * every other write concerns them, because it is refused then.
 */
import type { Scheme } from '../../apimachinery/scheme.ts';
import type { Timers } from '../../stdx/clock.ts';
import type { AdmissionPlugin, AdmissionTarget } from '../admission.ts';
import { untilReady } from '../readiness.ts';
import type { Readiness } from '../readiness.ts';
import { shapeOf } from './matched-review.ts';
import { mayConcern } from './named-match-index.ts';
import type { MatchSource } from './named-match-index.ts';

/** What a plugin has its configurations from. */
export interface ConfiguredSource<out T> extends MatchSource<T> {
  /** Nothing is in force that could match anything. */
  readonly isEmpty: boolean;
  readonly readiness: Readiness;
  /** Resolves when all that has come is in force; undefined: it is. */
  settled(): Promise<void> | undefined;
}

export function concernsOf(
  source: ConfiguredSource<unknown>,
  isExempt: (target: AdmissionTarget) => boolean,
  { scheme, timers }: { readonly scheme: Scheme; readonly timers: Pick<Timers, 'after'> },
): Required<Pick<AdmissionPlugin, 'concerns' | 'current'>> {
  return {
    concerns(_user, target) {
      if (isExempt(target)) return false;
      if (source.readiness.refusal() !== undefined) return true;
      if (source.isEmpty) return false;
      const { generation } = scheme;
      return target.operations.some((operation) =>
        mayConcern(source, shapeOf(scheme, target, operation), generation),
      );
    },
    current: () => untilReady(source.readiness, timers),
  };
}

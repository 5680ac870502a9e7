/**
 * Histograms of how long admission takes, for each plugin and each phase. The metrics page shows
 * them under the reference's names.
 *
 * Bounds: one histogram for each combination of plugin, operation, phase and outcome that occurs.
 */
import type { AdmissionOperation } from '../apimachinery/admission-data.ts';
import type { Clock } from '../stdx/clock.ts';
import { Histogram } from '../stdx/histogram.ts';

/** Seconds; those of the reference. */
const bounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

export interface AdmissionLabels {
  /** Of the plugin; '': of the whole phase. */
  readonly name: string;
  readonly type: 'admit' | 'validate';
  readonly operation: AdmissionOperation;
  readonly rejected: 'true' | 'false';
}

export interface AdmissionTimes {
  nowMs(): number;
  observe(labels: AdmissionLabels, startedMs: number): void;
  read(): Iterable<readonly [AdmissionLabels, Histogram]>;
}

export function createAdmissionTimes(clock: Pick<Clock, 'monotonicMs'>): AdmissionTimes {
  const seen = new Map<string, readonly [AdmissionLabels, Histogram]>();
  return {
    nowMs: () => clock.monotonicMs(),
    observe(labels, startedMs) {
      const { name, operation, rejected, type } = labels;
      const key = `${name} ${type} ${operation} ${rejected}`;
      let found = seen.get(key);
      if (found === undefined) {
        found = [labels, new Histogram(bounds)];
        seen.set(key, found);
      }
      found[1].observe((clock.monotonicMs() - startedMs) / 1000);
    },
    read: () => seen.values(),
  };
}

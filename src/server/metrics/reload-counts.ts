/**
 * How often a configuration file was read again, and when: as the reference counts it.
 */
import type { Clock } from '../../stdx/clock.ts';
import type { LabelledSeries } from './metrics.ts';

/** As in the names of the series. */
export type ReloadedSubject = 'authentication' | 'encryption';

type Outcome = 'success' | 'failure';

export interface ReloadCounts {
  readonly series: readonly LabelledSeries[];
  note(status: Outcome): void;
}

export function createReloadCounts(what: ReloadedSubject, clock: Clock): ReloadCounts {
  const counts = new Map<Outcome, { readonly count: number; readonly atMs: number }>();
  const prefix = `apiserver_${what}_config_controller_automatic_reload`;
  const read = (value: (noted: { count: number; atMs: number }) => number) => () =>
    [...counts].map(([status, noted]) => ({ labels: { status }, value: value(noted) }));
  return {
    series: [
      {
        ofServer: true,
        name: `${prefix}s_total`,
        help: `Readings of the changed ${what} configuration.`,
        read: read(({ count }) => count),
      },
      {
        ofServer: true,
        name: `${prefix}_last_timestamp_seconds`,
        help: 'When it was read last.',
        read: read(({ atMs }) => atMs / 1000),
      },
    ],
    note(status) {
      const count = (counts.get(status)?.count ?? 0) + 1;
      counts.set(status, { count, atMs: clock.nowMs() });
    },
  };
}

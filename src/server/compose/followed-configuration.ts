/**
 * A configuration file that is read again when it changes: what is done about a good one and about
 * one that is wrong, and how both are counted.
 *
 * Invariant: one that is wrong changes nothing, is logged and counted.
 */
import type { Clock, Timers } from '../../stdx/clock.ts';
import { followFiles } from '../../stdx/followed-files.ts';
import type { FollowedFile } from '../../stdx/followed-files.ts';
import type { MetricSeries } from '../metrics/metrics.ts';
import { createReloadCounts } from '../metrics/reload-counts.ts';
import type { ReloadedSubject } from '../metrics/reload-counts.ts';
import type { Log } from './log.ts';

export interface FollowDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

export interface FollowedConfiguration {
  readonly series: readonly MetricSeries[];
  stop(): void;
}

/** `take` puts a changed file in force as a whole, or throws. It resolves with false, and has
 * changed nothing, where `isStopped` said so on the way. */
export function followConfiguration(
  what: ReloadedSubject,
  file: FollowedFile,
  take: (bytes: Uint8Array, isStopped: () => boolean) => Promise<boolean>,
  { clock, log, timers }: FollowDeps,
): FollowedConfiguration {
  const reloads = createReloadCounts(what, clock);
  const failed = (error: unknown): void => {
    reloads.note('failure');
    log.error({ err: error }, `the changed ${what} configuration is not in force`);
  };
  let isStopped = false;
  const following = followFiles({
    files: [file],
    timers,
    async onChange([bytes]) {
      try {
        if (!(await take(bytes as Uint8Array, () => isStopped))) return;
        reloads.note('success');
        log.info({}, `the ${what} configuration was read again`);
      } catch (error) {
        failed(error);
      }
    },
    onError: failed,
  });
  return {
    series: reloads.series,
    stop() {
      isStopped = true;
      following.stop();
    },
  };
}

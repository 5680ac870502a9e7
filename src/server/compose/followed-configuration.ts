/**
 * A configuration file that is read again when it changes: what is done about a good one and about
 * one that is wrong, and how both are counted.
 *
 * Invariant: one that is wrong changes nothing, is logged and counted. So does one that cannot be
 * put in force yet; it is tried again every minute, and logged when the reason is another.
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

/** The file is good, and what it asks for is not there yet. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
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
        if (error instanceof NotYet) throw error;
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

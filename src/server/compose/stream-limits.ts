/** The limits of watches in this server: what its flags and its cores make of the defaults. */
import { defaultStreamLimits } from '../../../streams/limits.ts';
import type { StreamLimits } from '../../../streams/limits.ts';
import type { CompletedConfig } from '../config/options.ts';

/** Workers that wait for each other's core deliver a tenth more with it, and no later: what they
 * wait for is the core. Where each has its own it would make crowded events late. */
const sharedCoreRestMs = 8;

/** A read waits no longer than a request may take. A cluster of stores is asked for a whole page of
 * the log: its parts would be round trips, and none of it is read in a turn of this process. */
export function streamLimits(
  {
    requestTimeoutMs,
    store,
    workers,
  }: Pick<CompletedConfig, 'requestTimeoutMs' | 'store' | 'workers'>,
  cores: number,
): StreamLimits {
  const { currentWaitMs, freshnessWaitMs, logPageChanges, logReadChanges } = defaultStreamLimits;
  return {
    ...defaultStreamLimits,
    currentWaitMs: Math.min(currentWaitMs, requestTimeoutMs),
    freshnessWaitMs: Math.min(freshnessWaitMs, requestTimeoutMs),
    logReadChanges: store === 'fdb' ? logPageChanges : logReadChanges,
    restMs: workers > 1 && workers > cores ? sharedCoreRestMs : 0,
  };
}

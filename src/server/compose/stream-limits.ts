/** The limits of watches in this server: what its flags and its cores make of the defaults. */
import { defaultStreamLimits } from '../../../streams/limits.ts';
import type { StreamLimits } from '../../../streams/limits.ts';
import type { CompletedConfig } from '../config/options.ts';

/** Workers that wait for each other's core deliver a tenth more with it, and no later: what they
 * wait for is the core. Where each has its own it would make crowded events late. */
const sharedCoreRestMs = 8;

/** A read waits no longer than a request may take. */
export function streamLimits(
  { requestTimeoutMs, workers }: Pick<CompletedConfig, 'requestTimeoutMs' | 'workers'>,
  cores: number,
): StreamLimits {
  const { currentWaitMs, freshnessWaitMs } = defaultStreamLimits;
  return {
    ...defaultStreamLimits,
    currentWaitMs: Math.min(currentWaitMs, requestTimeoutMs),
    freshnessWaitMs: Math.min(freshnessWaitMs, requestTimeoutMs),
    restMs: workers > 1 && workers > cores ? sharedCoreRestMs : 0,
  };
}

/**
 * The authentication configuration in force: read at the start, and again when its file changes
 * (spec 2, sections 2.1 and 5.3).
 *
 * Invariants: a file that is wrong when it is read again changes nothing, is logged and counted; a
 * new configuration takes effect as a whole, in the last of the steps in which it is read. Requests
 * in flight keep the configuration that authenticated them.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import type { JsonValue } from '../../apimachinery/unstructured.ts';
import type { AnonymousRule } from '../../authentication/union.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { followFiles } from '../../stdx/followed-files.ts';
import { runStepwise } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { AccessConfig } from '../config/access-options.ts';
import { configurationOf } from './authentication.ts';
import type { AuthenticationFiles, UsedConfiguration } from './authentication.ts';
import type { Log } from './log.ts';
import type { LabelledSeries } from '../metrics/metrics.ts';
import { createReloadCounts } from '../metrics/reload-counts.ts';

export interface FollowAuthenticationDeps {
  readonly identity: Identity;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** @throws OptionsError; then nothing has changed. */
  readonly trustIssuers: (jwt: readonly JsonValue[]) => Steps<void>;
  /** A large file is read in turns with everybody else. */
  readonly turns: Pick<Turns, 'run'>;
}

export interface FollowedAuthentication {
  readonly anonymous: () => AnonymousRule;
  readonly series: readonly LabelledSeries[];
  stop(): void;
}

export function followAuthentication(
  access: AccessConfig,
  { anonymous: first, configuration }: AuthenticationFiles,
  deps: FollowAuthenticationDeps,
): FollowedAuthentication {
  let anonymous = first;
  if (configuration === undefined) {
    return { anonymous: () => anonymous, series: [], stop: () => undefined };
  }
  const { log, timers } = deps;
  const reloads = createReloadCounts('authentication', deps.clock);
  const failed = (error: unknown): void => {
    reloads.note('failure');
    log.error({ err: error }, 'the changed authentication configuration is not in force');
  };
  let isStopped = false;
  function* taken(bytes: Uint8Array): Steps<UsedConfiguration> {
    const next = yield* configurationOf(access, bytes, deps.identity);
    yield* deps.trustIssuers(next.jwt);
    anonymous = next.anonymous;
    return next;
  }
  const following = followFiles({
    files: [configuration],
    timers,
    async onChange([bytes]) {
      try {
        const next = await runStepwise(deps.turns, taken(bytes as Uint8Array), () => isStopped);
        if (next === undefined) return;
        reloads.note('success');
        log.info({}, 'the authentication configuration was read again');
      } catch (error) {
        failed(error);
      }
    },
    onError: failed,
  });
  return {
    anonymous: () => anonymous,
    series: reloads.series,
    stop() {
      isStopped = true;
      following.stop();
    },
  };
}

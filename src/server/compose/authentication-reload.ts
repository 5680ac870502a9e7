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
import { runStepwise } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { AccessConfig } from '../config/access-options.ts';
import { configurationOf } from './authentication.ts';
import type { AuthenticationFiles, UsedConfiguration } from './authentication.ts';
import { followConfiguration } from './followed-configuration.ts';
import type { FollowDeps, FollowedConfiguration } from './followed-configuration.ts';

export interface FollowAuthenticationDeps extends FollowDeps {
  readonly identity: Identity;
  /** @throws OptionsError; then nothing has changed. */
  readonly trustIssuers: (jwt: readonly JsonValue[]) => Steps<void>;
  /** A large file is read in turns with everybody else. */
  readonly turns: Pick<Turns, 'run'>;
}

export interface FollowedAuthentication extends FollowedConfiguration {
  readonly anonymous: () => AnonymousRule;
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
  function* taken(bytes: Uint8Array): Steps<UsedConfiguration> {
    const next = yield* configurationOf(access, bytes, deps.identity);
    yield* deps.trustIssuers(next.jwt);
    anonymous = next.anonymous;
    return next;
  }
  const take = async (bytes: Uint8Array, isStopped: () => boolean): Promise<boolean> =>
    (await runStepwise(deps.turns, taken(bytes), isStopped)) !== undefined;
  const following = followConfiguration('authentication', configuration, take, deps);
  return { anonymous: () => anonymous, ...following };
}

/**
 * The authorizers as the flags say, in their order (spec 2, section 5.5).
 *
 * What it is not: a decision. It makes the authorizers and hands them to their union.
 */
import { alwaysAllow, alwaysDeny } from '../authorization/always.ts';
import type { AccessChecker } from '../authorization/authorizer.ts';
import { createUnion } from '../authorization/union.ts';
import type { AccessConfig } from './access-options.ts';
import type { Log } from './log.ts';

export function createAuthorization({ authorizationModes }: AccessConfig, log: Log): AccessChecker {
  const members = authorizationModes.flatMap((mode) => {
    if (mode === 'AlwaysAllow') return [alwaysAllow];
    return mode === 'AlwaysDeny' ? [alwaysDeny] : [];
  });
  return createUnion({
    members: () => members,
    onDecision: () => undefined,
    onError: ({ name }, error) => log.error({ err: error, authorizer: name }, 'it failed'),
  });
}

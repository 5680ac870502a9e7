/**
 * TokenReview: whose token is this, and what is it good for?
 *
 * A token that is no good is an answer, not an error; the reason is not returned.
 *
 * Invariants: a token is good for the audiences that were asked for and it has, at least one; where
 * none are, the server's own are asked for. One that knows no audiences is good for these. The
 * answer always says for which.
 */
import { part, texts } from '../../apimachinery/members.ts';
import { newBadRequest } from '../../apimachinery/status-error.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { wellKnownGroups } from '../../apimachinery/user-info.ts';
import { commonAudiences } from '../../apimachinery/audiences.ts';
import type { Authentication } from '../../authentication/authenticator.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import type { Requester } from '../../stdx/requester.ts';
import { userInfoJson } from '../../apimachinery/user-info-json.ts';
import { ok, refused } from '../../registry/registry.ts';
import type { ReviewAnswerer } from '../request.ts';
import { unlookedCredentials } from '../unlooked-credentials.ts';

export interface TokenReviewDeps {
  readonly authenticate: (
    token: string,
    audiences: readonly string[],
    requester: Requester,
  ) => Authentication | Promise<Authentication>;
  /** The server's own. */
  readonly audiences: readonly string[];
}

export function tokenReviewAnswerer(deps: TokenReviewDeps): ReviewAnswerer {
  return async (review, { exchange }) => {
    const spec = part(review, 'spec');
    const { token } = spec;
    if (typeof token !== 'string' || token === '') {
      return refused(newBadRequest('token is required for TokenReview in authentication'));
    }
    const asked = texts(spec, 'audiences');
    const answer = await deps.authenticate(token, asked, exchange);
    if (answer.kind === 'rejected' && answer.unlooked === true) {
      return refused(unlookedCredentials());
    }
    return ok({ ...review, status: statusOf(deps, answer, asked) });
  };
}

/** Without `authenticated`: what is false is not said. */
const unknownToken: JsonObject = { user: {}, error: 'invalid bearer token' };

function statusOf(
  { audiences: own }: TokenReviewDeps,
  answer: Authentication,
  asked: readonly string[],
): JsonObject {
  if (answer.kind !== 'authenticated') return unknownToken;
  const wanted = asked.length === 0 ? own : asked;
  const audiences = commonAudiences(wanted, answer.audiences ?? own);
  if (audiences.length === 0) return unknownToken;
  return { authenticated: true, user: userInfoJson(withGroup(answer.user)), audiences };
}

/** As the user is seen in requests. */
function withGroup(user: UserInfo): UserInfo {
  const { authenticated } = wellKnownGroups;
  const has = user.groups.includes(authenticated);
  return has ? user : { ...user, groups: [...user.groups, authenticated] };
}

/**
 * What tokens add to the server: token reviews and requests, the issuer's documents, and which
 * objects have a timer.
 */
import type { ExpiryOf } from '../../../actors/token-timer.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import type { TokenAuthenticator } from '../../authentication/authenticator.ts';
import { authenticateToken } from '../../authentication/bearer.ts';
import { bootstrapExpiry } from '../../authentication/bootstrap-token.ts';
import type { PlainDocument } from '../../endpoints/plain-paths.ts';
import type { ReviewAnswerers } from '../../endpoints/request.ts';
import { tokenRequestAnswerer } from '../../endpoints/reviews/token-request.ts';
import { tokenReviewAnswerer } from '../../endpoints/reviews/token-review.ts';
import type { TokenReviewDeps } from '../../endpoints/reviews/token-review.ts';
import type { Clock } from '../../stdx/clock.ts';
import type { TokenParts } from './token-methods.ts';

/** `methods`: all that know tokens. */
export function tokenReviews(
  { audiences, issuer, objects }: TokenParts,
  methods: readonly TokenAuthenticator[],
  { labelDomain }: Identity,
  clock: Clock,
): ReviewAnswerers {
  const authenticate: TokenReviewDeps['authenticate'] = (token, asked, requester) =>
    authenticateToken(methods, token, asked, undefined, requester);
  return new Map([
    ['TokenReview', tokenReviewAnswerer({ authenticate, audiences })],
    ['TokenRequest', tokenRequestAnswerer({ issuer, objects, clock }, labelDomain)],
  ]);
}

/** The issuer's configuration and keys: whoever wants to verify tokens elsewhere reads them. */
export function issuerDocuments(
  tokens: TokenParts,
  address: () => string | undefined,
): ReadonlyMap<string, PlainDocument> {
  const configuration: PlainDocument = {
    contentType: 'application/json',
    read: () => {
      const known = address();
      return Promise.resolve(known === undefined ? undefined : tokens.discoveryDocument(known));
    },
  };
  const keys: PlainDocument = {
    contentType: 'application/jwk-set+json',
    read: () => tokens.jwks,
  };
  return new Map([
    ['/.well-known/openid-configuration', configuration],
    ['/openid/v1/jwks', keys],
  ]);
}

/** Bootstrap tokens, by their secrets. */
export function expiryOf(identity: Identity): ExpiryOf {
  return ({ group, resource }, object) =>
    group === '' && resource === 'secrets' ? bootstrapExpiry(identity, object) : undefined;
}

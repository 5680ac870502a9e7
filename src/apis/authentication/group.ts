/** The API group authentication: reviews that answer who a caller is. */
import type { GroupDefinition } from '../kind-definition.ts';
import { selfSubjectReviews, tokenReviews } from './reviews.ts';

const descriptions = `
authentication.TokenReview Asks who a token belongs to.
authentication.TokenReviewSpec The question.
  token The token.
  audiences Whom it must be for; the server by default.
authentication.TokenReviewStatus The answer.
  authenticated Whether it belongs to anybody.
  user Whom it belongs to.
  audiences For whom it is, of those that were asked for.
  error Why it could not be told.
authentication.SelfSubjectReview Asks who is asking.
`;

export const authenticationGroup: GroupDefinition = {
  group: 'authentication.{domain}',
  types: 'authentication',
  priority: 17_700,
  versions: { v1: { priority: 15 }, v1beta1: { priority: 9 }, v1alpha1: { priority: 1 } },
  kinds: [selfSubjectReviews, tokenReviews],
  descriptions: descriptions,
};

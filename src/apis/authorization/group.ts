/** The API group authorization: reviews that answer what somebody may do. */
import type { GroupDefinition } from '../kind-definition.ts';
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from './reviews.ts';

const descriptions = `
authorization.SubjectAccessReview Asks whether somebody may do something.
authorization.SelfSubjectAccessReview Asks whether the caller may do something.
authorization.LocalSubjectAccessReview Asks whether somebody may do something in one namespace.
authorization.SelfSubjectRulesReview Asks what the caller may do in a namespace.
authorization.SubjectAccessReviewStatus The answer.
  allowed It may be done.
  denied It was refused outright; nobody else was asked.
  reason Why, for people.
  evaluationError What went wrong meanwhile; the answer stands all the same.
authorization.ResourceAttributes What is to be done with which object.
  namespace The namespace; empty for none, or for all.
  verb The verb.
  group The group; * for all.
  version The version; * for all.
  resource The resource; * for all.
  subresource The subresource.
  name The object; empty for all.
`;

export const authorizationGroup: GroupDefinition = {
  group: 'authorization.{domain}',
  types: 'authorization',
  priority: 17_600,
  versions: { v1: { priority: 15, introduced: 6 }, v1beta1: { priority: 9 } },
  kinds: [
    localSubjectAccessReviews,
    selfSubjectAccessReviews,
    selfSubjectRulesReviews,
    subjectAccessReviews,
  ],
  descriptions: descriptions,
};

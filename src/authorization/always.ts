/** The two authorizers that do not look at the request (spec 2, section 5.5). */
import type { Authorizer, RuleResolver } from './authorizer.ts';

export interface ListingAuthorizer extends Authorizer, RuleResolver {}

const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] };

export const alwaysAllow: ListingAuthorizer = {
  name: 'AlwaysAllow',
  authorize: () => ({ kind: 'allow', reason: '' }),
  rulesFor: () => ({
    resourceRules: [everything],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
    evaluationError: '',
  }),
};

/** It has no opinion rather than to deny, so that others behind it may still allow. */
export const alwaysDeny: ListingAuthorizer = {
  name: 'AlwaysDeny',
  authorize: () => ({ kind: 'no-opinion', reason: 'Everything is forbidden.' }),
  rulesFor: () => ({
    resourceRules: [],
    nonResourceRules: [],
    incomplete: false,
    evaluationError: '',
  }),
};

/**
 * The authorization contract: may this user do this (spec 2, section 5.5).
 *
 * The handler chain makes the attributes.
 *
 *     attributes ▶ authorizer, authorizer, ... ▶ allow | deny    the first that says so decides
 *                                              ▶ 403             nobody has an opinion
 *
 * Invariants: a decision is a function of the attributes and of what the authorizer keeps from the
 * streams; it changes nothing. An authorizer that fails has no opinion, or denies where its
 * configuration says so; it never allows.
 */
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { Requester } from '../stdx/requester.ts';
import type { SelectorRequirements } from '../apimachinery/selectors/selector-requirements.ts';

export interface Attributes {
  readonly user: UserInfo;
  /** Lower case: create, get, list, watch, update, patch, delete, deletecollection, or a special
   * one (impersonate, bind, escalate, approve, sign ...). Of a non-resource request: the HTTP
   * method in lower case. */
  readonly verb: string;
  readonly isResourceRequest: boolean;
  /** Of the request, without the query. */
  readonly path: string;
  /** '' for cluster scope, or all namespaces. The rest is '' for non-resource requests. */
  readonly namespace: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
  /** '' for collections, and for a create without a name in the URL. For list and watch: the name
   * that a `metadata.name=` field selector names. */
  readonly name: string;
  /** Of list and watch: fields that the selector pins to one value (`spec.nodeName`). */
  readonly selectedFields?: ReadonlyMap<string, string> | undefined;
  /** Of list, watch and deletecollection: all that limits the request, read when it is asked for.
   * Absent: nothing does. */
  readonly selectors?: (() => SelectorRequirements) | undefined;
}

export interface Decision {
  readonly kind: 'allow' | 'deny' | 'no-opinion';
  /** For the caller's 403 and the audit log; holds no secret. */
  readonly reason: string;
  /** What went wrong on the way, if something did. For the server's log and for reviews. */
  readonly error?: string | undefined;
}

export interface Authorizer {
  /** RBAC, Node, ABAC, AlwaysAllow, AlwaysDeny, or the configured name of a webhook. */
  readonly name: string;
  /** `requester`: for whom; what is decided for one who goes is not kept. */
  authorize(attributes: Attributes, requester?: Requester): Decision | Promise<Decision>;
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** All that a user can do in a namespace, as far as it can be listed. */
/** Of a list of somebody's rules: writing more of them takes too long for one turn. Policy: the
 * rest is left out, and the list says that it is incomplete. */
export const userRulesMax = 4_000;

export const tooManyRules = 'there are more rules than a list of them may have';

export interface UserRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** An authorizer cannot list its rules (a webhook), or there are more than a list may have. */
  readonly incomplete: boolean;
  readonly evaluationError: string;
}

export interface RuleResolver {
  rulesFor(user: UserInfo, namespace: string): UserRules | Promise<UserRules>;
}

/** What handlers and registry hooks ask: the union of the configured authorizers. Anything but
 * allow is a refusal; reviews tell a denial from an absent opinion. */
export interface AccessChecker extends RuleResolver {
  /** Answers at once where no authorizer has to ask elsewhere: most requests then need no turn. */
  check(attributes: Attributes, requester?: Requester): Decision | Promise<Decision>;
}

export const noOpinion: Decision = { kind: 'no-opinion', reason: '' };

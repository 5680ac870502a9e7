/**
 * The documents of the webhook: SubjectAccessReview in `v1` or `v1beta1`, question and answer
 * (spec 2, sections 2.1 and 5.5).
 *
 * Invariants: pure. An answer in another version than asked for, without a status, or that both
 * allows and denies is malformed; one that does not say what it is counts as what was asked for.
 * Bound: `saidCharsMax` characters of each text, the rest is left out: they are kept with
 * decisions, sent to callers and written into audit events.
 */
import { text } from '../../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { Attributes, Decision } from '../authorizer.ts';
import { selectorMembers } from '../../apimachinery/selectors/selector-requirements.ts';

export const accessReviewVersions = ['v1', 'v1beta1'] as const;
export type AccessReviewVersion = (typeof accessReviewVersions)[number];

const kind = 'SubjectAccessReview';

const saidCharsMax = 4096;

function quoted(said: string): string {
  return said.length > saidCharsMax ? `${said.slice(0, saidCharsMax)}...` : said;
}

/** `group`: authorization.<domain>. */
export function accessReviewOf(
  attributes: Attributes,
  group: string,
  version: AccessReviewVersion,
): JsonObject {
  const { user } = attributes;
  const asked = attributes.isResourceRequest
    ? { resourceAttributes: resourceAttributesOf(attributes) }
    : { nonResourceAttributes: { path: attributes.path, verb: attributes.verb } };
  const groups = user.groups.length === 0 ? undefined : user.groups;
  const extra = Object.keys(user.extra).length === 0 ? undefined : user.extra;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: {},
    spec: {
      ...asked,
      user: user.name,
      ...present({ [version === 'v1' ? 'groups' : 'group']: groups, extra, uid: user.uid }),
    },
    status: { allowed: false },
  };
}

function resourceAttributesOf(attributes: Attributes): JsonObject {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name } = attributes;
  const fields = { namespace, verb, group: apiGroup, version: apiVersion };
  const what = present({ ...fields, resource, subresource, name });
  return { ...what, ...selectorMembers(attributes.selectors) };
}

function present(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}

export type AccessReviewAnswer =
  | { readonly kind: 'ok'; readonly decision: Decision }
  | { readonly kind: 'malformed'; readonly problem: string };

export function readAccessReview(
  answer: JsonObject,
  group: string,
  version: AccessReviewVersion,
): AccessReviewAnswer {
  const { apiVersion = `${group}/${version}`, kind: answered = kind } = answer;
  if (apiVersion !== `${group}/${version}` || answered !== kind) {
    return { kind: 'malformed', problem: `the answer is not a ${kind} of ${group}/${version}` };
  }
  const { status } = answer;
  if (!isJsonObject(status)) return { kind: 'malformed', problem: 'the answer has no status' };
  const { allowed, denied, evaluationError } = status;
  if (typeof allowed !== 'boolean') {
    return { kind: 'malformed', problem: 'status.allowed: not true or false' };
  }
  if (allowed && denied === true) {
    return { kind: 'malformed', problem: 'the answer both allows and denies' };
  }
  const decision = allowed ? 'allow' : denied === true ? 'deny' : 'no-opinion';
  const error = typeof evaluationError === 'string' && evaluationError !== '';
  return {
    kind: 'ok',
    decision: {
      kind: decision,
      reason: quoted(text(status, 'reason')),
      ...(error ? { error: quoted(evaluationError) } : {}),
    },
  };
}

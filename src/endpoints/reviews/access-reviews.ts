/**
 * The reviews of access: may I, may somebody, what may I, who am I (spec 2, sections 4.2, 4.3).
 *
 * It asks the same authorizers that stand before every request. Who may ask about others is decided
 * there, too: by the right to create these reviews.
 *
 * Invariants: nothing is stored. A review that asks two things, or none, is refused and decides
 * nothing. An error inside an authorizer is returned beside the answer.
 * Bounds: a list of rules has `userRulesMax` of them and `listedCharsMax` characters; policy: what
 * is beyond is left out, and the list says that it is incomplete. One of more than `charsAtOnce` is
 * written in a turn of its own.
 */
import { invalid } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { part, text, texts } from '../../apimachinery/members.ts';
import { newBadRequest, newInvalid } from '../../apimachinery/status-error.ts';
import { formatRfc3339 } from '../../apimachinery/time.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import { tooManyRules, userRulesMax } from '../../authorization/authorizer.ts';
import type { AccessChecker, Attributes } from '../../authorization/authorizer.ts';
import type { Clock } from '../../stdx/clock.ts';
import { wholeTurnMs } from '../../stdx/turns.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { Result } from '../../registry/registry.ts';
import { ok, refused } from '../../registry/registry.ts';
import type { ResourceRequest, ReviewAnswerer, ReviewAnswerers } from '../request.ts';
import { pinsOf, readReviewSelectors, selectorErrors } from './review-selectors.ts';
import type { ReviewSelectors } from './review-selectors.ts';

/** By kind. */
export function accessReviews(
  access: AccessChecker,
  turns: Pick<Turns, 'pause'>,
  clock: Pick<Clock, 'nowMs'>,
): ReviewAnswerers {
  return new Map<string, ReviewAnswerer>([
    [
      'SelfSubjectAccessReview',
      (review, request) => decide(access, review, request, request.user, []),
    ],
    [
      'SubjectAccessReview',
      (review, request) =>
        decide(access, review, request, subjectOf(review), subjectErrors(review)),
    ],
    [
      'LocalSubjectAccessReview',
      (review, request) => {
        const errors = [...subjectErrors(review), ...localErrors(review, request)];
        return decide(access, review, request, subjectOf(review), errors);
      },
    ],
    ['SelfSubjectRulesReview', (review, { user }) => listRules(access, turns, review, user)],
    [
      'SelfSubjectReview',
      (review, { user }) => {
        const metadata = { creationTimestamp: formatRfc3339(clock.nowMs()) };
        return ok(withStatus({ ...review, metadata }, whoAmI(user)));
      },
    ],
  ]);
}

async function decide(
  access: AccessChecker,
  review: ApiObject,
  { exchange }: ResourceRequest,
  user: UserInfo,
  problems: readonly FieldError[],
): Promise<Result<ApiObject>> {
  const errors = [...metadataErrors(review), ...problems, ...questionErrors(review)];
  if (errors.length > 0) return refused(newInvalid(groupOf(review), '', errors));
  const selectors = readReviewSelectors(part(specOf(review), 'resourceAttributes'));
  const asked = attributesOf(review, user, selectors);
  const { kind, reason, error } = await access.check(asked, exchange);
  const troubles = [...(error === undefined ? [] : [error]), ...selectors.leftOut];
  return ok(
    withStatus(review, {
      allowed: kind === 'allow',
      ...(kind === 'deny' ? { denied: true } : {}),
      ...(reason === '' ? {} : { reason }),
      ...(troubles.length === 0 ? {} : { evaluationError: troubles.join('; ') }),
    }),
  );
}

async function listRules(
  access: AccessChecker,
  turns: Pick<Turns, 'pause'>,
  review: ApiObject,
  user: UserInfo,
): Promise<Result<ApiObject>> {
  const namespace = text(specOf(review), 'namespace');
  if (namespace === '') return refused(newBadRequest('no namespace on request'));
  // Several reviews may have come together.
  await turns.pause(listingMs);
  const rules = await access.rulesFor(user, namespace);
  const room = { rules: userRulesMax, chars: listedCharsMax };
  const resourceRules = listed(rules.resourceRules, resourceLists, room);
  const nonResourceRules = listed(rules.nonResourceRules, ['nonResourceURLs'], room);
  if (listedCharsMax - room.chars > charsAtOnce) await turns.pause(wholeTurnMs);
  const isCut = room.rules < 0 || room.chars < 0;
  const errors = [rules.evaluationError, isCut ? tooManyRules : ''];
  // An authorizer that has left out some says so in the same words.
  const evaluationError = [...new Set(errors)].filter((text) => text !== '').join(', ');
  // The question is not repeated.
  return ok(
    withStatus(
      { ...review, metadata: {}, spec: {} },
      {
        resourceRules,
        nonResourceRules,
        incomplete: rules.incomplete || isCut,
        ...(evaluationError === '' ? {} : { evaluationError }),
      },
    ),
  );
}

/** What it takes to find and measure as many rules as there may be. */
const listingMs = 3;

/** Of the rules in an answer, with so many for each text of theirs. */
const listedCharsMax = 512 * 1024;
const textChars = 8;
/** The least review has some two hundred; several are answered in one turn. */
const charsAtOnce = 16 * 1024;

const resourceLists = ['apiGroups', 'resources', 'resourceNames'] as const;

/** Those that there is room for; below zero: there was none for all. Lists that are empty are not
 * shown, except `verbs`. */
function listed<Name extends string>(
  rules: readonly Readonly<Record<Name | 'verbs', readonly string[]>>[],
  names: readonly Name[],
  room: { rules: number; chars: number },
): JsonObject[] {
  const shown: JsonObject[] = [];
  for (const rule of rules) {
    const { verbs } = rule;
    const made: Record<string, readonly string[]> = { verbs };
    room.rules -= 1;
    room.chars -= charsOf(verbs);
    for (const name of names) {
      const list = rule[name];
      if (list.length === 0) continue;
      room.chars -= charsOf(list);
      made[name] = list;
    }
    if (room.rules < 0 || room.chars < 0) break;
    shown.push(made);
  }
  return shown;
}

function charsOf(texts: readonly string[]): number {
  let chars = 0;
  for (const text of texts) chars += text.length + textChars;
  return chars;
}

function whoAmI({ name, uid, groups, extra }: UserInfo): JsonObject {
  const userInfo = {
    username: name,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
  return { userInfo };
}

/** What the client sent as a status is dropped. */
function withStatus(review: ApiObject, status: JsonObject): ApiObject {
  const { status: _status, ...rest } = review;
  return { ...rest, status };
}

/** A refused review is not called by its kind. */
function groupOf({ apiVersion }: ApiObject): { group: string; kind: string } {
  return { group: apiVersion.split('/')[0] ?? '', kind: '' };
}

function specOf(review: ApiObject): JsonObject {
  return part(review, 'spec');
}

function metadataErrors({ metadata }: ApiObject): readonly FieldError[] {
  const { namespace: _namespace, managedFields: _owners, ...rest } = metadata;
  const set = Object.values(rest).some((value) => value !== undefined && value !== null);
  return set ? [invalid('metadata', metadata, 'must be empty')] : [];
}

function questionErrors(review: ApiObject): readonly FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = specOf(review);
  const [resource, path] = [isJsonObject(resourceAttributes), isJsonObject(nonResourceAttributes)];
  if (resource && path) {
    const why = 'cannot be specified in combination with resourceAttributes';
    return [invalid('spec.nonResourceAttributes', nonResourceAttributes, why)];
  }
  if (isJsonObject(resourceAttributes)) {
    return selectorErrors(resourceAttributes, 'spec.resourceAttributes');
  }
  if (path) return [];
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalid('spec.resourceAttributes', null, why)];
}

function subjectErrors(review: ApiObject): readonly FieldError[] {
  const { name, groups } = subjectOf(review);
  if (name !== '' || groups.length > 0) return [];
  return [invalid('spec.user', '', 'at least one of user or group must be specified')];
}

function localErrors(review: ApiObject, { resource }: ResourceRequest): readonly FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = specOf(review);
  if (isJsonObject(nonResourceAttributes)) {
    const why = 'disallowed on this kind of request';
    return [invalid('spec.nonResourceAttributes', nonResourceAttributes, why)];
  }
  if (!isJsonObject(resourceAttributes)) return [];
  const namespace = text(resourceAttributes, 'namespace');
  if (namespace === resource.namespace) return [];
  const why = 'must match metadata.namespace';
  return [invalid('spec.resourceAttributes.namespace', namespace, why)];
}

/** `group` is the name of the list in v1beta1. */
function subjectOf(review: ApiObject): UserInfo {
  const spec = specOf(review);
  const extra = part(spec, 'extra');
  return {
    name: text(spec, 'user'),
    uid: text(spec, 'uid'),
    groups: texts(spec, (spec['groups'] ?? undefined) === undefined ? 'group' : 'groups'),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, texts(extra, key)])),
  };
}

function attributesOf(review: ApiObject, user: UserInfo, selectors: ReviewSelectors): Attributes {
  const { resourceAttributes, nonResourceAttributes } = specOf(review);
  const asked = isJsonObject(resourceAttributes) ? resourceAttributes : {};
  const path = isJsonObject(nonResourceAttributes) ? nonResourceAttributes : {};
  const isResourceRequest = isJsonObject(resourceAttributes);
  return {
    user,
    verb: text(isResourceRequest ? asked : path, 'verb'),
    isResourceRequest,
    path: text(path, 'path'),
    namespace: text(asked, 'namespace'),
    apiGroup: text(asked, 'group'),
    // Webhooks are told that no version in particular is meant.
    apiVersion: text(asked, 'version') || (isResourceRequest ? '*' : ''),
    resource: text(asked, 'resource'),
    subresource: text(asked, 'subresource'),
    name: text(asked, 'name'),
    selectedFields: pinsOf(selectors.fields),
    selectors: () => selectors,
  };
}

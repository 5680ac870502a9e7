/**
 * CertificateSigningRequests: who may write which condition (spec 1, section 1.3).
 *
 *     create     spec; who asks is written into it by the server
 *     approval   conditions, all of them
 *     status     certificate and conditions, but Approved and Denied stay as they are
 *     main       metadata
 *
 * Invariants: the spec is what it was when it was made, and its request is signed by its own key;
 * a condition of type Approved, Denied or Failed is True and is not taken back;
 * Approved and Denied exclude each other; a certificate is issued once.
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../apimachinery/field-error.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import { formatRfc3339 } from '../../apimachinery/time.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import { readSigningRequest } from '../../pki/certificate-requests.ts';
import type { KindStrategy, SubresourceRules } from '../../registry/strategy.ts';
import type { Steps } from '../../stdx/stepwise.ts';

/** What replaces functions of the generic strategy. */
export function signingRequestStrategy(): Partial<KindStrategy> {
  return {
    prepareForCreate: withRequester,
    validateCreated: (request) => requestErrors(specOf(request)['request']),
    prepareForUpdate: (next, current) =>
      withPart(withPart(next, current, 'spec'), current, 'status'),
    prepareForStatusUpdate: (next, current, nowMs) =>
      withConditions(next, timed(decisionsKept(next, current), current, nowMs)),
    validateStatusUpdate: (next, current) => [
      ...conditionErrors(next, current),
      ...decisionErrors(next, current),
      ...certificateErrors(next, current),
    ],
  };
}

export const approvalRules: SubresourceRules = {
  prepare(next, current, nowMs) {
    const approved = withPart(withPart(next, current, 'spec'), current, 'status');
    return withConditions(approved, timed(conditionsOf(next), current, nowMs));
  },
  validate: conditionErrors,
};

function specOf(request: ApiObject): JsonObject {
  return part(request, 'spec');
}

/** Whatever the client says of itself is replaced by what is known of it. */
function withRequester(submitted: ApiObject, user?: UserInfo): ApiObject {
  const request = { ...submitted, status: {} };
  const { extra: _e, groups: _g, uid: _i, username: _n, ...asked } = specOf(request);
  if (user === undefined) return { ...request, spec: asked };
  const { extra, groups, name, uid } = user;
  const known: JsonObject = {
    username: name,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(Object.keys(extra).length === 0 ? {} : { extra: extraOf(extra) }),
  };
  return { ...request, spec: { ...asked, ...known } };
}

function extraOf(extra: UserInfo['extra']): JsonObject {
  return Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
}

function requestErrors(request: JsonValue | undefined): readonly FieldError[] {
  // What is missing, or no text, has been said.
  if (typeof request !== 'string' || request === '') return [];
  const read = readSigningRequest(Buffer.from(request, 'base64').toString('latin1'));
  return read.kind === 'ok' ? [] : [invalid('spec.request', request, read.problem)];
}

/** Reads what is asked for, in a step of its own: many that come together would be read in one
 * turn, a millisecond or two each. What it finds is kept for the validation. */
export function* readRequest(request: ApiObject): Steps<void> {
  requestErrors(specOf(request)['request']);
}

const decisions = ['Approved', 'Denied'] as const;

const lasting = [...decisions, 'Failed'] as const;

const path = 'status.conditions';

function withPart(next: ApiObject, current: ApiObject, name: string): ApiObject {
  const { [name]: _new, ...rest } = next;
  const value = current[name];
  return (value === undefined ? rest : { ...rest, [name]: value }) as ApiObject;
}

function conditionsOf(request: ApiObject): readonly JsonObject[] {
  return objects(part(request, 'status'), 'conditions');
}

function withConditions(request: ApiObject, conditions: readonly JsonObject[]): ApiObject {
  const status = part(request, 'status');
  const { conditions: _old, ...rest } = status;
  if (conditions.length === 0) {
    return request['status'] === undefined ? request : { ...request, status: rest };
  }
  return { ...request, status: { ...rest, conditions } };
}

function ofType(conditions: readonly JsonObject[], type: string): readonly JsonObject[] {
  return conditions.filter((condition) => condition['type'] === type);
}

/** As many of a decision as there were are those that there were, whatever the signer says of
 * them: only one more or less is refused. */
function decisionsKept(next: ApiObject, current: ApiObject): readonly JsonObject[] {
  const [wanted, old] = [conditionsOf(next), conditionsOf(current)];
  return decisions.reduce((conditions, type) => {
    const kept = ofType(old, type);
    if (ofType(conditions, type).length !== kept.length) return conditions;
    let at = 0;
    return conditions.map((each) => (each['type'] === type ? (kept[at++] ?? each) : each));
  }, wanted);
}

/** Conditions with the times that the client left out. */
function timed(
  conditions: readonly JsonObject[],
  current: ApiObject,
  nowMs: number,
): readonly JsonObject[] {
  const now = formatRfc3339(nowMs);
  const old = conditionsOf(current);
  return conditions.map((condition) => {
    const { type, status } = condition;
    const before = ofType(old, String(type)).find((each) => each['status'] === status);
    return {
      ...condition,
      lastUpdateTime: condition['lastUpdateTime'] ?? now,
      lastTransitionTime: condition['lastTransitionTime'] ?? before?.['lastTransitionTime'] ?? now,
    };
  });
}

function conditionErrors(next: ApiObject, current: ApiObject): readonly FieldError[] {
  const conditions = conditionsOf(next);
  const old = conditionsOf(current);
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  conditions.forEach((condition, index) => {
    const at = `${path}[${index}]`;
    const type = text(condition, 'type');
    if (type === '') errors.push(required(`${at}.type`));
    else if (seen.has(type)) errors.push(duplicate(`${at}.type`, type));
    errors.push(...statusErrors(condition['status'], type, `${at}.status`));
    seen.add(type);
    const other = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : '';
    if (other !== '' && seen.has(other)) {
      const why = 'Approved and Denied conditions are mutually exclusive';
      errors.push(invalid(`${at}.type`, type, why));
    }
  });
  for (const type of lasting) {
    if (ofType(conditions, type).length < ofType(old, type).length) {
      errors.push(forbidden(path, `updates may not remove a condition of type ${quote(type)}`));
    }
  }
  return errors;
}

function statusErrors(
  status: JsonValue | undefined,
  type: string,
  at: string,
): readonly FieldError[] {
  if (status === undefined || status === '') return [required(at)];
  const supported = lasting.some((each) => each === type) ? ['True'] : ['True', 'False', 'Unknown'];
  return supported.includes(String(status)) ? [] : [notSupported(at, status, supported)];
}

/** Whoever writes the status does not decide. What is missing has been said. */
function decisionErrors(next: ApiObject, current: ApiObject): readonly FieldError[] {
  const [wanted, old] = [conditionsOf(next), conditionsOf(current)];
  return decisions
    .filter((type) => ofType(wanted, type).length > ofType(old, type).length)
    .map((type) => forbidden(path, `updates may not add a condition of type ${quote(type)}`));
}

function certificateErrors(next: ApiObject, current: ApiObject): readonly FieldError[] {
  const old = certificateOf(current);
  if (old === '' || certificateOf(next) === old) return [];
  const why = 'updates may not modify existing certificate content';
  return [forbidden('status.certificate', why)];
}

function certificateOf({ status }: ApiObject): JsonValue {
  return (isJsonObject(status) ? status['certificate'] : undefined) ?? '';
}

/**
 * What stands in a request for a service account's token, checked and bound (spec 2, section 5.1):
 * from a TokenRequest to an order for the issuer, and back with the token in its status.
 *
 * Elsewhere: permission (authorization of serviceaccounts/token).
 *
 * Invariants: a token is bound to objects that exist, by uid; a pod must run as this account.
 * Bounds: 10 minutes to 2^32 seconds.
 */
import { invalid, tooLong } from '../apimachinery/field-error.ts';
import type { FieldError } from '../apimachinery/field-error.ts';
import { part, text } from '../apimachinery/members.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import {
  newAwaitedResource,
  newBadRequest,
  newConflict,
  newInvalid,
  newNotFound,
} from '../apimachinery/status-error.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import { formatRfc3339 } from '../apimachinery/time.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { Clock } from '../stdx/clock.ts';
import { lookup } from '../stdx/lookup.ts';
import { nodesResource, podsResource } from './object-reader.ts';
import { secretsResource, serviceAccountsResource } from './object-reader.ts';
import type { ObjectReader } from './object-reader.ts';
import type { ObjectRef } from './service-account-claims.ts';
import type { IssuedToken, TokenIssuer, TokenSpec } from './service-account-issuer.ts';
import type { AccountName } from './service-account-names.ts';

export interface TokenRequestDeps {
  readonly issuer: TokenIssuer;
  readonly objects: ObjectReader;
  readonly clock: Clock;
}

export interface AnsweredTokenRequest {
  readonly object: ApiObject;
  /** Undefined for a dry run. */
  readonly credentialId: string | undefined;
  /** Warnings for the caller. */
  readonly warning: string | undefined;
}

const secondsDefault = 3600;
const secondsMin = 600;
const secondsMax = 2 ** 32;

/** The request with the name of its account, and the audiences of this server where it names none:
 * what a token is made for. */
export function wholeTokenRequest(
  request: ApiObject,
  { name, namespace }: AccountName,
  own: readonly string[],
): ApiObject {
  const spec = part(request, 'spec');
  const { audiences } = spec;
  const named = Array.isArray(audiences) && audiences.length > 0 ? audiences : [...own];
  const metadata = {
    ...request.metadata,
    name: request.metadata.name || name,
    namespace: request.metadata.namespace || namespace,
  };
  return { ...request, metadata, spec: { ...spec, audiences: named } };
}

/** The request with its token; or why not. `request` is typed and of this account. */
export async function answerTokenRequest(
  deps: TokenRequestDeps,
  target: AccountName,
  request: ApiObject,
  dryRun: boolean,
): Promise<AnsweredTokenRequest | StatusError> {
  const spec = part(request, 'spec');
  const { name: asked = '', namespace: askedNamespace = '' } = request.metadata;
  if (asked !== '' && asked !== target.name) {
    const why = 'must match the service account name if specified';
    const errors = [invalid('metadata.name', asked, why)];
    return newInvalid(tokenRequestKind(request), target.name, errors);
  }
  if (askedNamespace !== '' && askedNamespace !== target.namespace) {
    return newBadRequest('the namespace of the object does not match the namespace on the request');
  }
  const seconds = spec['expirationSeconds'] ?? secondsDefault;
  const audiences = Array.isArray(spec['audiences']) ? spec['audiences'].map(String) : [];
  const errors = [...audienceErrors(audiences), ...secondsErrors(seconds)];
  if (errors.length > 0) return newInvalid(tokenRequestKind(request), '', errors);
  const account = await find(deps.objects, serviceAccountsResource, target.namespace, target.name);
  if (account === undefined) return newNotFound(serviceAccountsResource, target.name);
  const bound = await boundTo(deps.objects, target, spec['boundObjectRef']);
  if (bound instanceof StatusError) return bound;
  const order: TokenSpec = {
    namespace: target.namespace,
    account: { name: target.name, uid: account.metadata.uid ?? '' },
    boundTo: bound,
    audiences,
    expirationSeconds: seconds as number,
  };
  const issued = dryRun ? undefined : await deps.issuer.issue(order);
  return {
    object: answered(deps, request, order, issued),
    credentialId: issued?.credentialId,
    warning: shortened(deps.issuer, order),
  };
}

function shortened(
  { maxExpirationSeconds: max = Infinity }: TokenIssuer,
  { expirationSeconds: asked }: TokenSpec,
): string | undefined {
  if (asked <= max) return undefined;
  return `requested expiration of ${asked} seconds shortened to ${max} seconds`;
}

function tokenRequestKind({ apiVersion, kind }: ApiObject) {
  return { group: apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/'))), kind };
}

/** Characters of all audiences. Policy: more are refused; no header has room for such a token. */
const audienceCharsMax = 16 * 1024;

function audienceErrors(audiences: readonly string[]): readonly FieldError[] {
  // Each has two quotes and a comma in the token.
  const chars = audiences.reduce((sum, each) => sum + each.length + 3, 0);
  if (chars <= audienceCharsMax) return [];
  const detail = `must have at most ${audienceCharsMax} characters together`;
  return [{ ...tooLong('spec.audiences', audienceCharsMax), detail }];
}

function secondsErrors(seconds: unknown): readonly FieldError[] {
  const field = 'spec.expirationSeconds';
  const value = typeof seconds === 'number' || typeof seconds === 'bigint' ? seconds : null;
  if (value === null || value < secondsMin) {
    return [invalid(field, value, 'may not specify a duration less than 10 minutes')];
  }
  if (value > secondsMax) {
    return [invalid(field, value, 'may not specify a duration larger than 2^32 seconds')];
  }
  return [];
}

function answered(
  { clock, issuer }: TokenRequestDeps,
  request: ApiObject,
  { account, audiences, expirationSeconds, namespace }: TokenSpec,
  issued: IssuedToken | undefined,
): ApiObject {
  // The moment of the token itself: a second may have begun since.
  const nowMs = issued?.issuedMs ?? clock.nowMs();
  const expiresMs = issued?.expiresMs ?? nowMs + expirationSeconds * 1000;
  const spec = part(request, 'spec');
  return {
    ...request,
    metadata: { name: account.name, namespace, creationTimestamp: formatRfc3339(nowMs) },
    spec: {
      ...spec,
      audiences: audiences.length > 0 ? audiences : [...issuer.audiences],
      expirationSeconds: issued === undefined ? expirationSeconds : lasting(expiresMs, nowMs),
    },
    status: { token: issued?.token ?? '', expirationTimestamp: formatRfc3339(expiresMs) },
  };
}

/** What the server has made of what was asked for. */
function lasting(expiresMs: number, nowMs: number): number {
  return Math.floor(expiresMs / 1000) - Math.floor(nowMs / 1000);
}

/** An object that the cache does not have yet may have been made a moment ago. */
async function find(
  objects: ObjectReader,
  resource: GroupResource,
  namespace: string,
  name: string,
): Promise<ApiObject | undefined> {
  const found = objects.get(resource, namespace, name);
  if (found !== undefined) return found.object;
  await objects.current();
  return objects.get(resource, namespace, name)?.object;
}

const bindable: Readonly<Record<string, GroupResource>> = lookup({
  Pod: podsResource,
  Secret: secretsResource,
  Node: nodesResource,
});

/** Any version will do, and what is no group and version is of no group. */
function groupOf(apiVersion: string): string {
  const [group = '', version, ...more] = apiVersion.split('/');
  return version === undefined || more.length > 0 ? '' : group;
}

async function boundTo(
  objects: ObjectReader,
  target: AccountName,
  ref: JsonObject[string],
): Promise<TokenSpec['boundTo'] | StatusError> {
  if (!isJsonObject(ref)) return {};
  const [kind, apiVersion, name] = ['kind', 'apiVersion', 'name'].map((key) => text(ref, key));
  const resource = bindable[kind ?? ''];
  if (resource === undefined || groupOf(apiVersion ?? '') !== '') {
    return newBadRequest(`cannot bind token to object of type ${apiVersion}, Kind=${kind}`);
  }
  if (name === '') return newBadRequest('the bound object has no name');
  const where = resource === nodesResource ? '' : target.namespace;
  const object = await find(objects, resource, where, name ?? '');
  if (object === undefined) {
    const isUnread = objects.isWaiting(resource);
    return isUnread ? newAwaitedResource(resource) : newNotFound(resource, name ?? '');
  }
  const uid = object.metadata.uid ?? '';
  const asked = text(ref, 'uid');
  if (asked !== '' && asked !== uid) {
    const why =
      `the UID in the bound object reference (${asked}) does not match the UID in record. ` +
      'The object might have been deleted and then recreated';
    return newConflict({ group: '', resource: kind ?? '' }, name ?? '', why);
  }
  const bound: ObjectRef = { name: name ?? '', uid };
  if (resource === secretsResource) return { secret: bound };
  if (resource === nodesResource) return { node: bound };
  return boundToPod(objects, target, object, bound);
}

async function boundToPod(
  objects: ObjectReader,
  target: AccountName,
  object: ApiObject,
  pod: ObjectRef,
): Promise<TokenSpec['boundTo'] | StatusError> {
  const spec = part(object, 'spec');
  const account = text(spec, 'serviceAccountName') || 'default';
  if (account !== target.name) {
    return newBadRequest(
      `cannot bind token for serviceaccount "${target.name}" to pod running ` +
        'with different serviceaccount name.',
    );
  }
  const nodeName = text(spec, 'nodeName');
  if (nodeName === '') return { pod };
  const node = await find(objects, nodesResource, '', nodeName);
  // A pod may name a node that is not there (yet): then the token says its name only.
  return { pod, node: { name: nodeName, uid: node?.metadata.uid ?? '' } };
}

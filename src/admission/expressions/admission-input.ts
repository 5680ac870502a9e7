/**
 * The values of admission's variables for one request, shared by all expressions about it.
 *
 * Invariants: nothing is converted that no expression reads, and nothing is converted twice.
 */
import { AuthorizerValue, requestResourceValue } from '../../cel/library/authorizer-library.ts';
import type { DecisionSource } from '../../cel/library/authorizer-library.ts';
import { schemaValue } from '../../cel/schema/schema-value.ts';
import { adapt } from '../../cel/value.ts';
import type { Value } from '../../cel/value.ts';
import type { GroupVersionKind } from '../../apimachinery/schema.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import type { GroupVersionResource, MatchedAs, Operation } from '../matching/matching.ts';
import type { MatchRequest } from '../matching/matching.ts';
import { namespaceType, requestType } from './admission-context.ts';

/** As it is shown to this configuration: in the version that its rules named. */
export interface AdmissionInput {
  readonly object: ApiObject | JsonObject | undefined;
  readonly oldObject: ApiObject | undefined;
  readonly request: RequestInput;
  /** Undefined: the object is cluster-scoped. */
  readonly namespaceObject?: ApiObject | undefined;
}

export interface RequestInput {
  /** As which it was matched. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** As it came. */
  readonly requestKind: GroupVersionKind;
  readonly requestResource: GroupVersionResource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly operation: Operation;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** With apiVersion and kind. */
  readonly options: JsonObject | undefined;
}

/** `as`: as which it was matched. */
export function requestInput(
  { dryRun, options, user }: Pick<RequestInput, 'dryRun' | 'options' | 'user'>,
  { kind: requestKind, name, namespace, shape }: MatchRequest,
  as: MatchedAs,
): RequestInput {
  const { group, operation, resource, subresource, version } = shape;
  return {
    kind: as.kind,
    resource: as.resource,
    requestKind,
    requestResource: { group, version, resource },
    subresource,
    namespace,
    name,
    operation,
    user,
    dryRun,
    options,
  };
}

/** By the names of the variables. */
export type AdmissionBindings = {
  readonly object: Value;
  readonly oldObject: Value;
  readonly request: () => Value;
  readonly namespaceObject: (() => Value) | null;
  readonly authorizer?: () => Value;
  readonly 'authorizer.requestResource'?: () => Value;
};

/** Undefined authorizer: the context has none. */
export function admissionBindings(
  { namespaceObject, object, oldObject, request }: AdmissionInput,
  authorizer: DecisionSource | undefined,
): AdmissionBindings {
  const { group, resource } = request.requestResource;
  const { name, namespace, subresource } = request;
  return {
    object: valueOf(object),
    oldObject: valueOf(oldObject),
    request: once(() => schemaValue(requestData(request), requestType)),
    namespaceObject:
      namespaceObject === undefined
        ? null
        : once(() => schemaValue(namespaceData(namespaceObject), namespaceType)),
    ...(authorizer !== undefined && {
      authorizer: () => new AuthorizerValue(authorizer, undefined),
      'authorizer.requestResource': () =>
        requestResourceValue(authorizer, { group, resource, subresource, namespace, name }),
    }),
  };
}

export function valueOf(object: ApiObject | JsonObject | undefined): Value {
  return object === undefined ? null : adapt(object);
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** What has no value is not there, as in what webhooks are sent. */
export function requestData(request: RequestInput): JsonObject {
  const { dryRun, kind, name, namespace, operation, options, resource, subresource } = request;
  const { requestKind, requestResource, user } = request;
  return {
    kind: gvk(kind),
    resource: gvr(resource),
    ...unlessEmpty('subResource', subresource),
    requestKind: gvk(requestKind),
    requestResource: gvr(requestResource),
    ...unlessEmpty('requestSubResource', subresource),
    ...unlessEmpty('name', name),
    ...unlessEmpty('namespace', namespace),
    operation,
    userInfo: userData(user),
    dryRun,
    ...(options !== undefined && { options }),
  };
}

function userData({ extra, groups, name, uid }: UserInfo): JsonObject {
  return {
    ...unlessEmpty('username', name),
    ...unlessEmpty('uid', uid),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function unlessEmpty(name: string, value: string): JsonObject {
  return value === '' ? {} : { [name]: value };
}

function gvk({ group, kind, version }: GroupVersionKind): JsonObject {
  return { group, version, kind };
}

function gvr({ group, resource, version }: GroupVersionResource): JsonObject {
  return { group, version, resource };
}

/** What policies may know of a namespace. */
function namespaceData({ metadata, spec, status }: ApiObject): JsonObject {
  const { managedFields: _managed, ownerReferences: _owners, ...known } = metadata as JsonObject;
  return {
    metadata: known,
    ...(spec !== undefined && { spec }),
    ...(status !== undefined && { status }),
  };
}

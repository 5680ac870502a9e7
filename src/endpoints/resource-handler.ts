/**
 * From a resource request to its verb's handler: is the kind served, in this scope, with this verb?
 *
 * What it is not: access, which has been decided (filters/access.ts), or what a verb does
 * (handlers/).
 *
 * Invariants: an unknown group, version, resource or subresource is 404; a known one without the
 * verb is 405.
 */
import { newGenericNotFound, newMethodNotAllowed } from '../apimachinery/status-error.ts';
import type { KindInfo, Verb } from '../apimachinery/scheme.ts';
import { handleCreateOperation } from './handlers/create-operation.ts';
import { handleCreate } from './handlers/create.ts';
import { handleDeleteCollection } from './handlers/delete-collection.ts';
import { handleDelete } from './handlers/delete.ts';
import { handleGet } from './handlers/get.ts';
import { handleList } from './handlers/list.ts';
import { handlePatch } from './handlers/patch.ts';
import { handleUpdate } from './handlers/update.ts';
import { handleGetComputed, handleListComputed } from './handlers/view.ts';
import { handleWatch } from './handlers/watch.ts';
import type { ApiRequest, EndpointDeps, ResourceHandler, ResourceRequest } from './request.ts';
import type { ResourceInfo } from './request-info.ts';
import type { Sending } from './object-response.ts';
import { sendStatusError } from './status-response.ts';
import { deprecationWarning } from './warnings.ts';

const handlers: Readonly<Record<string, ResourceHandler>> = {
  get: handleGet,
  list: handleList,
  watch: handleWatch,
  create: handleCreate,
  update: handleUpdate,
  patch: handlePatch,
  delete: handleDelete,
  deletecollection: handleDeleteCollection,
};

/** Of kinds whose objects are worked out: there is nothing to change or to follow. */
const computedHandlers: Readonly<Record<string, ResourceHandler>> = {
  get: handleGetComputed,
  list: handleListComputed,
};

export function handleResource(
  deps: EndpointDeps,
  request: ApiRequest,
  resource: ResourceInfo,
): Sending {
  const { exchange, info } = request;
  const kind = deps.registry.scheme.findResource(
    resource.group,
    resource.version,
    resource.resource,
  );
  if (kind === undefined || !inScope(kind, resource)) {
    return void sendStatusError(exchange, newGenericNotFound());
  }
  const verbs = verbsAt(kind, resource);
  if (verbs === undefined) return void sendStatusError(exchange, newGenericNotFound());
  const handler = handlerOf(kind, resource, info.verb);
  if (handler === undefined || !verbs.includes(info.verb as Verb)) {
    return void sendStatusError(exchange, newMethodNotAllowed(kind, info.verb));
  }
  noteDeprecation(deps, request, kind, resource);
  const { query, user, warnings, auditAnnotations, beforeStream } = request;
  const asked: ResourceRequest = {
    exchange,
    info,
    query,
    user,
    warnings,
    auditAnnotations,
    beforeStream,
    resource,
    kind,
  };
  return handler(deps, asked);
}

function handlerOf(
  kind: KindInfo,
  { subresource }: ResourceInfo,
  verb: string,
): ResourceHandler | undefined {
  if (kind.computed === true) return computedHandlers[verb];
  const isOperation = kind.operation === true || subresource !== '';
  return verb === 'create' && isOperation ? handleCreateOperation : handlers[verb];
}

/** Whoever uses a deprecated version is told, counted and marked (spec 1, section 9, rule 6). */
function noteDeprecation(
  deps: EndpointDeps,
  request: ApiRequest,
  kind: KindInfo,
  { subresource }: ResourceInfo,
): void {
  const warning = deprecationWarning(kind, deps.release);
  if (warning === undefined) return;
  request.warnings.push(warning);
  const removedRelease = kind.removed === undefined ? '' : `1.${kind.removed}`;
  const { deprecated, removedRelease: removed } = deps.identity.annotations;
  request.auditAnnotations.set(deprecated, 'true');
  if (removedRelease !== '') request.auditAnnotations.set(removed, removedRelease);
  const { group, version, resource } = kind;
  deps.onDeprecatedUse({ group, version, resource, subresource, removedRelease });
}

/** A namespace stands in the path only of a namespaced kind; its objects always have one. */
function inScope(kind: KindInfo, resource: ResourceInfo): boolean {
  if (!kind.namespaced) return resource.namespace === '';
  return resource.name === '' || resource.namespace !== '';
}

/** The verbs of what the path names; undefined when there is no such subresource. */
function verbsAt(kind: KindInfo, resource: ResourceInfo): readonly Verb[] | undefined {
  if (resource.subresource !== '') {
    return kind.subresources.find((s) => s.name === resource.subresource)?.verbs;
  }
  const verbs = verbsOf(kind);
  if (resource.name !== '') return verbs.ofObject;
  const acrossNamespaces = kind.namespaced && resource.namespace === '';
  return acrossNamespaces ? verbs.acrossNamespaces : verbs.ofCollection;
}

interface PathVerbs {
  readonly ofObject: readonly Verb[];
  readonly ofCollection: readonly Verb[];
  readonly acrossNamespaces: readonly Verb[];
}

/** Worked out once for each kind: every request asks. */
const pathVerbs = new WeakMap<KindInfo, PathVerbs>();

function verbsOf(kind: KindInfo): PathVerbs {
  const known = pathVerbs.get(kind);
  if (known !== undefined) return known;
  const ofCollection = kind.verbs.filter((verb) => objectlessVerbs.has(verb));
  const made = {
    ofObject: kind.verbs.filter((verb) => !collectionVerbs.has(verb)),
    ofCollection,
    acrossNamespaces: ofCollection.filter((verb) => !changingVerbs.has(verb)),
  };
  pathVerbs.set(kind, made);
  return made;
}

const collectionVerbs: ReadonlySet<Verb> = new Set(['create', 'list', 'deletecollection']);
const objectlessVerbs: ReadonlySet<Verb> = new Set(['create', 'list', 'watch', 'deletecollection']);
/** Not offered over all namespaces at once. */
const changingVerbs: ReadonlySet<Verb> = new Set(['create', 'deletecollection']);

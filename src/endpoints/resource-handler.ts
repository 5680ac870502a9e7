/**
 * From a resource request to its verb's handler: is the kind served, in this scope, with this verb?
 *
 * Elsewhere: access, which has been decided before (filters/access.ts), and what a verb does
 * (handlers/).
 *
 * Invariants: an unknown group, version, resource or subresource is 404, and so is a path with no
 * verb at all; a known one without the verb is 405; one whose path leaves out the name or the
 * namespace that it needs is 400.
 */
import {
  newBadRequest,
  newDefinitionEnding,
  newGenericNotFound,
  newNotFound,
  newMethodNotAllowed,
} from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { KindInfo, SubresourceInfo, Verb } from '../apimachinery/scheme.ts';
import { lookup } from '../stdx/lookup.ts';
import { runToEnd } from '../stdx/stepwise.ts';
import type { Answer, ResourceHandler } from './answer.ts';
import { handleConnect } from './handlers/connect.ts';
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
import { unknownInGroup } from './other-identity.ts';
import type { ApiRequest, EndpointDeps, ResourceRequest } from './request.ts';
import type { ResourceInfo } from './request-info.ts';
import { deprecationWarning } from './warnings.ts';

const handlers: Readonly<Record<string, ResourceHandler>> = lookup({
  get: handleGet,
  list: handleList,
  watch: handleWatch,
  create: handleCreate,
  update: handleUpdate,
  patch: handlePatch,
  delete: handleDelete,
  deletecollection: handleDeleteCollection,
});

/** Verbs of computed kinds: their objects cannot be changed or watched. */
const computedHandlers: Readonly<Record<string, ResourceHandler>> = lookup({
  get: handleGetComputed,
  list: handleListComputed,
});

export function handleResource(
  deps: EndpointDeps,
  request: ApiRequest,
  resource: ResourceInfo,
): Promise<Answer> | Answer {
  const { exchange, info } = request;
  const kind = deps.registry.scheme.findResource(
    resource.group,
    resource.version,
    resource.resource,
  );
  if (kind === undefined || !inScope(kind, resource, info.verb)) {
    const { registry, identity } = deps;
    return unknownInGroup(identity, registry.scheme, resource.group);
  }
  const found = endpointOf(kind, resource);
  if (found === undefined) return unknownPart(kind, resource);
  // Of what is only ever posted no object can be named: there is no such path.
  if (found.verbs.length === 0) return newGenericNotFound();
  if (found.subresource !== undefined && resource.name === '') {
    return newBadRequest('name must be provided');
  }
  const handler = handlerOf(kind, found, info.verb);
  if (handler === undefined || !isOffered(found, request)) {
    return newMethodNotAllowed(kind, methodOrVerb(request));
  }
  if (lacksNamespace(resource, info.verb)) {
    return newBadRequest('Namespace parameter required.');
  }
  if (info.verb === 'create' && kind.custom?.isEnding() === true) return newDefinitionEnding(kind);
  noteDeprecation(deps, request, kind, resource);
  const { query, user, warnings, auditAnnotations, auditsBody } = request;
  const asked: ResourceRequest = {
    exchange,
    info,
    query,
    user,
    auditId: request.auditId,
    warnings,
    startMs: request.startMs,
    seat: request.seat,
    receivedMs: request.receivedMs,
    bodyBytes: request.bodyBytes,
    auditAnnotations,
    auditsBody,
    resource,
    kind,
  };
  const preparing = kind.custom?.prepare();
  if (preparing === undefined) return handler(deps, asked);
  const { turns } = deps.registry;
  return runToEnd(turns, preparing).then(() => handler(deps, asked));
}

function handlerOf(
  kind: KindInfo,
  { subresource }: Endpoint,
  verb: string,
): ResourceHandler | undefined {
  if (kind.computed === true) return computedHandlers[verb];
  if (subresource?.connects !== undefined) return handleConnect;
  const isOperation = kind.operation === true || subresource !== undefined;
  return verb === 'create' && isOperation ? handleCreateOperation : handlers[verb];
}

/** The older paths of watches are for reading, whatever their verb says. A proxy takes what the
 * program behind it may understand. */
function isOffered({ verbs, subresource }: Endpoint, { info, exchange }: ApiRequest): boolean {
  const { method } = exchange;
  if (info.resource?.prefix === 'watch' && method !== 'GET' && method !== 'HEAD') return false;
  if (subresource?.connects === 'below' && method === 'OPTIONS') return true;
  return verbs.includes(info.verb as Verb);
}

/** What a refusal calls the request: methods that are no verb by their own name. */
function methodOrVerb({ info, exchange }: ApiRequest): string {
  const { verb, resource } = info;
  return verb === '' || resource?.prefix !== undefined ? exchange.method.toLowerCase() : verb;
}

/** A collection is read across all namespaces in the empty one; nothing else is done there. */
function lacksNamespace(resource: ResourceInfo, verb: string): boolean {
  if (!resource.inNamespace || resource.namespace !== '') return false;
  return resource.name !== '' || (verb !== 'list' && verb !== 'watch');
}

/** Uses of a deprecated version get a warning, are counted, and are marked in the audit event (spec
 * 1, section 9, rule 6). */
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

/** A namespace stands in the path only of a namespaced kind; its objects always have one. All
 * namespaces of a custom type are a place for reads only: for anything else, as in the reference,
 * there is none. */
function inScope(kind: KindInfo, resource: ResourceInfo, verb: string): boolean {
  if (resource.prefix === 'proxy') return false;
  if (!kind.namespaced) return !resource.inNamespace;
  if (resource.inNamespace) return true;
  if (resource.name !== '' || resource.subresource !== '') return false;
  return kind.custom === undefined || verb === 'list' || verb === 'watch';
}

/** What a path names of a kind. */
interface Endpoint {
  readonly verbs: readonly Verb[];
  readonly subresource: SubresourceInfo | undefined;
}

/** Of a custom type the object is said not to be there, as in the reference. */
function unknownPart(kind: KindInfo, { name }: ResourceInfo): StatusError {
  return kind.custom === undefined ? newGenericNotFound() : newNotFound(kind, name);
}

/** Undefined when there is no such subresource, or nothing below it. */
function endpointOf(kind: KindInfo, resource: ResourceInfo): Endpoint | undefined {
  if (resource.subresource !== '') {
    const subresource = kind.subresources.find((s) => s.name === resource.subresource);
    if (subresource === undefined) return undefined;
    if (resource.subpath !== '' && subresource.connects !== 'below') return undefined;
    return { verbs: subresource.verbs, subresource };
  }
  if (resource.subpath !== '') return undefined;
  const verbs = verbsOf(kind);
  if (resource.name !== '') return verbs.ofObject;
  const acrossNamespaces = kind.namespaced && !resource.inNamespace;
  return acrossNamespaces ? verbs.acrossNamespaces : verbs.ofCollection;
}

interface PathVerbs {
  readonly ofObject: Endpoint;
  readonly ofCollection: Endpoint;
  readonly acrossNamespaces: Endpoint;
}

/** Worked out once for each kind: every request asks. */
const pathVerbs = new WeakMap<KindInfo, PathVerbs>();

function verbsOf(kind: KindInfo): PathVerbs {
  const known = pathVerbs.get(kind);
  if (known !== undefined) return known;
  const ofCollection = kind.verbs.filter((verb) => objectlessVerbs.has(verb));
  const made = {
    ofObject: whole(kind.verbs.filter((verb) => !collectionVerbs.has(verb))),
    ofCollection: whole(ofCollection),
    acrossNamespaces: whole(ofCollection.filter((verb) => !changingVerbs.has(verb))),
  };
  pathVerbs.set(kind, made);
  return made;
}

function whole(verbs: readonly Verb[]): Endpoint {
  return { verbs, subresource: undefined };
}

const collectionVerbs: ReadonlySet<Verb> = new Set(['create', 'list', 'deletecollection']);
const objectlessVerbs: ReadonlySet<Verb> = new Set(['create', 'list', 'watch', 'deletecollection']);
/** Not offered over all namespaces at once. */
const changingVerbs: ReadonlySet<Verb> = new Set(['create', 'deletecollection']);

/**
 * create, of what is done and not stored: POST to a subresource, or of an operation's kind
 * (spec 1, sections 1.3 and 4.1).
 *
 *     pods/<name>/binding, bindings     Binding: put the pod on a node
 *     pods/<name>/eviction              Eviction: delete the pod, if its budget allows it
 *     everything else                   a question: review.ts
 *
 * Invariant: what has been done is answered with 201 and a Status.
 */
import { encodeJson } from '../../apimachinery/codecs/json.ts';
import { parseDeleteOptions } from '../../apimachinery/delete-options.ts';
import { required } from '../../apimachinery/field-error.ts';
import {
  newBadRequest,
  newInvalid,
  StatusError,
  successStatus,
} from '../../apimachinery/status-error.ts';
import { statusType } from '../../apimachinery/typed/meta-types.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { ObjectTarget, Result } from '../../registry/registry.ts';
import { refused } from '../../registry/registry.ts';
import { bindPod } from '../../registry/subresources/binding.ts';
import { evictPod } from '../../registry/subresources/eviction.ts';
import { assert } from '../../stdx/assert.ts';
import { lookup } from '../../stdx/lookup.ts';
import { sendBody } from '../object-response.ts';
import { inFormat, negotiateRepresentation } from '../representation.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';
import { sendStatusError } from '../status-response.ts';
import { inRequestNamespace, readObject, submittedType } from '../submitted-object.ts';
import { readWriteOptions } from '../write-request.ts';
import type { NamedWriteOptions } from '../write-request.ts';
import { handleReview } from './review.ts';

/** What was posted, to which path. */
interface Posted {
  readonly request: ResourceRequest;
  readonly object: ApiObject;
  readonly options: NamedWriteOptions;
}

type Operation = (deps: EndpointDeps, posted: Posted) => Promise<Result<unknown>>;

/** By what stands in the path after the namespace, without a name. */
const operations: Readonly<Record<string, Operation>> = lookup({
  '/bindings': bindNamed,
  '/pods/binding': (deps, { request, object, options }) =>
    bindPod(deps.registry, podTarget(deps, request, request.resource.name), object, options),
  '/pods/eviction': evict,
});

export async function handleCreateOperation(
  deps: EndpointDeps,
  request: ResourceRequest,
): Promise<void> {
  const { exchange, kind, resource } = request;
  const path = [kind.storage.group, kind.storage.resource, resource.subresource];
  const operation = operations[path.filter((part, at) => at < 2 || part !== '').join('/')];
  if (operation === undefined) return handleReview(deps, request);
  const subresource = kind.subresources.find((s) => s.name === resource.subresource);
  const submitted = await readObject(deps, request, submittedType(kind, subresource));
  if (submitted.kind === 'refused') return sendStatusError(exchange, submitted.error);
  const representation = negotiateRepresentation(deps, request, { projections: true });
  if (representation.kind === 'refused') return sendStatusError(exchange, representation.error);
  const options = readWriteOptions(deps, request, 'CreateOptions');
  if (options.kind === 'refused') return sendStatusError(exchange, options.error);
  const object = inRequestNamespace(submitted.value, request);
  if (object.kind === 'refused') return sendStatusError(exchange, object.error);
  const { kind: what, metadata } = object.value;
  if (resource.name !== '' && metadata.name !== resource.name) {
    const problem = `name in URL does not match name in ${what} object`;
    return sendStatusError(exchange, newBadRequest(problem));
  }
  const done = await operation(deps, { request, object: object.value, options: options.value });
  if (done.kind === 'refused') return sendStatusError(exchange, done.error, request.warnings);
  const { negotiated, pretty } = representation.value;
  const status = encodeJson({ ...successStatus(), code: 201 });
  const body = inFormat(status, negotiated, pretty, statusType);
  return sendBody(deps, request, 201, negotiated.mediaType, body);
}

function podTarget(deps: EndpointDeps, request: ResourceRequest, name: string): ObjectTarget {
  const { kind, resource } = request;
  const { scheme } = deps.registry;
  const pods = kind.operation === true ? scheme.findResource('', 'v1', 'pods') : kind;
  assert(pods !== undefined, 'pods are served wherever they can be bound');
  return { kind: pods, namespace: resource.namespace, name };
}

/** The older form: the pod is named by the body alone. */
async function bindNamed(
  deps: EndpointDeps,
  { request, object, options }: Posted,
): Promise<Result<unknown>> {
  const name = object.metadata.name ?? '';
  if (name === '') {
    const errors = [required('metadata.name')];
    return refused(newInvalid({ group: '', kind: 'Binding' }, '', errors));
  }
  return bindPod(deps.registry, podTarget(deps, request, name), object, options);
}

async function evict(
  deps: EndpointDeps,
  { request, object, options }: Posted,
): Promise<Result<unknown>> {
  const body = isJsonObject(object['deleteOptions']) ? object['deleteOptions'] : {};
  const context = { metaGroup: deps.identity.groups.meta };
  // The options of the deletion are those of the body; the query has the options of the create.
  const parsed = parseDeleteOptions(new Map(), body, context);
  if (parsed instanceof StatusError) return refused(parsed);
  const target = podTarget(deps, request, request.resource.name);
  const dryRun = parsed.dryRun || options.dryRun;
  return evictPod(deps.registry, target, { ...parsed, dryRun }, options);
}

/**
 * get and list of a computed resource: its objects are worked out for this request and shown like
 * any others, in every encoding and projection (spec 1, sections 4.1 to 4.3).
 *
 *     EndpointDeps.views  ▶  the objects as they are now  ▶  selectors  ▶  the answer
 *
 * Each resource has its own view. Nothing here has a resourceVersion, so none is shown, and any
 * requested one is fulfilled.
 *
 * Invariant: the options are checked as those of any resource. Bound: a view has few objects, so
 * `limit` and `continue` change nothing: an answer is always the whole list.
 */
import { parseGetOptions } from '../../apimachinery/list-options.ts';
import { encodeObject } from '../../apimachinery/object-encoding.ts';
import { newNotFound, StatusError } from '../../apimachinery/status-error.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { assert } from '../../stdx/assert.ts';
import { revisionZero } from '../../storage/storage.ts';
import type { Entry } from '../../../streams/streams.ts';
import { listOptionsOf, selectedBy } from '../collection-query.ts';
import { listAnswer } from '../list-answer.ts';
import { negotiateRepresentation, renderObject } from '../representation.ts';
import { bodyAnswer } from '../answer.ts';
import type { Answer } from '../answer.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';

export async function handleGetComputed(
  deps: EndpointDeps,
  request: ResourceRequest,
): Promise<Answer> {
  const { kind, resource } = request;
  const negotiated = negotiateRepresentation(deps, request, { projections: true, holds: 'object' });
  if (negotiated.kind === 'refused') return negotiated.error;
  const options = parseGetOptions(request.query);
  if (options instanceof StatusError) return options;
  const entries = await entriesOf(deps, request);
  const found = entries.find(({ name }) => name === resource.name);
  if (found === undefined) {
    return newNotFound(kind, resource.name);
  }
  const representation = negotiated.value;
  const body = renderObject(deps, representation, found.bytes, '');
  return bodyAnswer(200, representation.negotiated.mediaType, body);
}

export async function handleListComputed(
  deps: EndpointDeps,
  request: ResourceRequest,
): Promise<Answer> {
  const { kind } = request;
  const representation = negotiateRepresentation(deps, request, {
    projections: true,
    holds: 'list',
  });
  if (representation.kind === 'refused') return representation.error;
  const options = listOptionsOf(deps, request.query);
  if (options instanceof StatusError) return options;
  const selected = selectedBy(kind, options);
  if (selected.kind === 'refused') return selected.error;
  const { predicate } = selected.value;
  const all = await entriesOf(deps, request);
  const shown = all.filter((entry) => predicate.matches(entry));
  return listAnswer(deps, request, representation.value, {
    entries: shown,
    count: shown.length,
    snapshot: undefined,
    extent: undefined,
    revision: undefined,
    continueAfter: undefined,
    remainingItemCount: undefined,
  });
}

async function entriesOf(deps: EndpointDeps, { kind }: ResourceRequest): Promise<readonly Entry[]> {
  const view = deps.views.get(`${kind.group}/${kind.resource}`);
  assert(view !== undefined, `somebody works out ${kind.resource}`);
  return (await view()).map(entryOf);
}

/** As selectors and answers see it. It has no revision, and nobody looks at the one given here. */
function entryOf(object: ApiObject): Entry {
  const { name = '', namespace = '', labels = {} } = object.metadata;
  const { bytes } = encodeObject(object);
  return { namespace, name, labels, fields: {}, revision: revisionZero, bytes };
}

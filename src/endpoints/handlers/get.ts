/** get: one object, or its status or scale (spec 1, sections 4.1 and 4.10). */
import { parseGetOptions } from '../../apimachinery/list-options.ts';
import { bytesAtOnceMax } from '../../apimachinery/object-cost.ts';
import { decodeSteps } from '../../apimachinery/object-encoding.ts';
import { newClientGone, StatusError } from '../../apimachinery/status-error.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { Consistency } from '../../registry/read.ts';
import { getObject } from '../../registry/read.ts';
import type { RequestedVersion } from '../../apimachinery/resource-version.ts';
import { missingReplicas, scaleOf } from '../../registry/scale.ts';
import { encodeVersioned } from '../../registry/versions.ts';
import { assert } from '../../stdx/assert.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Revision } from '../../storage/storage.ts';
import { objectInTurns } from '../object-in-turns.ts';
import { negotiateRepresentation, renderObject, shownSteps } from '../representation.ts';
import type { Representation } from '../representation.ts';
import { bodyAnswer, objectAnswer } from '../answer.ts';
import type { Answer } from '../answer.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';

export async function handleGet(deps: EndpointDeps, request: ResourceRequest): Promise<Answer> {
  const { kind, resource } = request;
  const scale = resource.subresource === 'scale';
  const representation = negotiateRepresentation(deps, request, {
    projections: true,
    holds: 'object',
  });
  if (representation.kind === 'refused') return representation.error;
  const options = parseGetOptions(request.query);
  if (options instanceof StatusError) return options;
  const target = { kind, namespace: resource.namespace, name: resource.name };
  const found = await getObject(
    deps.registry,
    target,
    notOlderThan(options.resourceVersion),
    request.exchange,
  );
  if (found.kind === 'refused') {
    return found.error;
  }
  if (!scale) return objectAnswer(200, representation.value, found.value);
  const subresource = kind.subresources.find((s) => s.name === 'scale');
  assert(subresource !== undefined && kind.scale !== undefined, 'the kind has a scale');
  const scaled = await scaledObject(deps, request, representation.value, found.value.bytes);
  if (scaled instanceof StatusError) return scaled;
  const missing = missingReplicas(scaled, kind);
  if (missing !== undefined) return missing;
  const object = scaleOf(scaled, kind.scale, subresource.kind);
  const { schema, table: printer } = subresource;
  const show = (own: Uint8Array): Uint8Array => own;
  const shown = { ...representation.value, schema, printer, show, showSteps: undefined };
  const version = object.metadata.resourceVersion ?? '';
  const body = renderObject(deps, shown, encodeVersioned(object), version);
  return bodyAnswer(200, shown.negotiated.mediaType, body);
}

/** Where the numbers lie is said of the stored version, but for kinds that users define. */
async function scaledObject(
  deps: EndpointDeps,
  { exchange, kind: { custom } }: ResourceRequest,
  representation: Representation,
  bytes: Uint8Array,
): Promise<ApiObject | StatusError> {
  const { convert } = representation;
  const converted =
    custom === undefined || convert === undefined ? [bytes] : await convert([bytes], exchange);
  if (converted instanceof StatusError) return converted;
  const [given = bytes] = converted;
  const steps = scaledSteps(custom === undefined ? undefined : representation, given);
  if (given.length <= bytesAtOnceMax) return finished(steps);
  const scaled = await objectInTurns(deps, exchange, given, steps);
  return scaled ?? newClientGone('its scale was read');
}

function* scaledSteps(shownAs: Representation | undefined, bytes: Uint8Array): Steps<ApiObject> {
  const shown = shownAs === undefined ? bytes : yield* shownSteps(shownAs, bytes);
  if (shown !== bytes) yield;
  return yield* decodeSteps(shown);
}

function notOlderThan(version: RequestedVersion): Exclude<Consistency, { kind: 'exact' }> {
  switch (version.kind) {
    case 'unset':
      return { kind: 'most-recent' };
    case 'any':
      return { kind: 'any' };
    case 'revision':
      return { kind: 'not-older-than', revision: version.revision as Revision };
  }
}

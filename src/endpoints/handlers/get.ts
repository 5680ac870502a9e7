/** get: one object, or its status or scale (spec 1, sections 4.1 and 4.10). */
import { parseGetOptions } from '../../apimachinery/list-options.ts';
import { bytesAtOnceMax, objectMs } from '../../apimachinery/object-cost.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import { StatusError } from '../../apimachinery/status-error.ts';
import type { Consistency } from '../../registry/read.ts';
import { getObject } from '../../registry/read.ts';
import type { RequestedVersion } from '../../apimachinery/resource-version.ts';
import { missingReplicas, scaleOf } from '../../registry/scale.ts';
import { encodeVersioned } from '../../registry/versions.ts';
import { assert } from '../../stdx/assert.ts';
import type { Revision } from '../../storage/storage.ts';
import { negotiateRepresentation, renderObject } from '../representation.ts';
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
  const found = await getObject(deps.registry, target, notOlderThan(options.resourceVersion));
  if (found.kind === 'refused') {
    return found.error;
  }
  if (!scale) return objectAnswer(200, representation.value, found.value);
  const subresource = kind.subresources.find((s) => s.name === 'scale');
  assert(subresource !== undefined && kind.scale !== undefined, 'the kind has a scale');
  const { turns } = deps.registry;
  const { bytes } = found.value;
  const isLarge = bytes.length > bytesAtOnceMax;
  if (isLarge) await turns.pause(objectMs(bytes));
  const shownScaled = await scaledBytes(kind, representation.value, bytes);
  if (shownScaled instanceof StatusError) return shownScaled;
  if (isLarge && shownScaled !== bytes) await turns.pause(objectMs(bytes));
  const scaled = decodeObject(shownScaled);
  const missing = missingReplicas(scaled, kind);
  if (missing !== undefined) return missing;
  const object = scaleOf(scaled, kind.scale, subresource.kind);
  const { schema, table: printer } = subresource;
  const shown = { ...representation.value, schema, printer, show: (own: Uint8Array) => own };
  const version = object.metadata.resourceVersion ?? '';
  const body = renderObject(deps, shown, encodeVersioned(object), version);
  return bodyAnswer(200, shown.negotiated.mediaType, body);
}

/** Where the numbers lie is said of the stored version, but for kinds that users define. */
async function scaledBytes(
  { custom }: ResourceRequest['kind'],
  { convert, show }: Representation,
  bytes: Uint8Array,
): Promise<Uint8Array | StatusError> {
  if (custom === undefined) return bytes;
  if (convert === undefined) return show(bytes);
  const converted = await convert([bytes]);
  return converted instanceof StatusError ? converted : (converted[0] ?? bytes);
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

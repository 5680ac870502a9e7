/** update: PUT of an object, its status or its scale (spec 1, section 4.4). */
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { updateScale } from '../../registry/scale.ts';
import { updateObject } from '../../registry/update.ts';
import { encodeVersioned } from '../../registry/versions.ts';
import { assert } from '../../stdx/assert.ts';
import { wholeTurnMs } from '../../stdx/turns.ts';
import { creationRefusalOf } from '../creation-permission.ts';
import type { Representation } from '../representation.ts';
import { inFormat, negotiateRepresentation } from '../representation.ts';
import { bodyAnswer, objectAnswer } from '../answer.ts';
import type { Answer } from '../answer.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';
import { atRequestTarget, readObject, submittedType } from '../submitted-object.ts';
import { readWriteOptions } from '../write-request.ts';
import type { NamedWriteOptions } from '../write-request.ts';

export async function handleUpdate(deps: EndpointDeps, request: ResourceRequest): Promise<Answer> {
  const { kind, resource } = request;
  const subresource = kind.subresources.find((s) => s.name === resource.subresource);
  const submitted = await readObject(deps, request, submittedType(kind, subresource));
  if (submitted.kind === 'refused') return submitted.error;
  const scale = resource.subresource === 'scale';
  const representation = negotiateRepresentation(deps, request, {
    projections: !scale,
    holds: 'object',
  });
  if (representation.kind === 'refused') return representation.error;
  const options = readWriteOptions(deps, request, 'UpdateOptions');
  if (options.kind === 'refused') return options.error;
  const object = atRequestTarget(submitted.value, request, 'named');
  if (object.kind === 'refused') return object.error;
  // The actor's decision has a turn for itself.
  if (options.value.inTurns) await deps.registry.turns.pause(wholeTurnMs);
  return scale
    ? putScale(deps, request, object.value, options.value, representation.value)
    : putObject(deps, request, object.value, options.value, representation.value);
}

async function putObject(
  deps: EndpointDeps,
  request: ResourceRequest,
  object: ApiObject,
  options: NamedWriteOptions,
  representation: Representation,
): Promise<Answer> {
  const { kind, resource } = request;
  const target = { kind, namespace: resource.namespace, name: resource.name };
  const subresource = resource.subresource === '' ? undefined : resource.subresource;
  const creationRefusal = kind.allowCreateOnUpdate
    ? await creationRefusalOf(deps, request)
    : undefined;
  const { dryRun, inTurns, manager, user } = options;
  const how = { dryRun, manager, user, request, creationRefusal, inTurns };
  const updated = await updateObject(deps.registry, target, object, subresource, how);
  if (updated.kind === 'refused') return updated.error;
  request.warnings.push(...updated.value.warnings);
  const status = updated.value.created ? 201 : 200;
  return objectAnswer(status, representation, updated.value);
}

async function putScale(
  deps: EndpointDeps,
  request: ResourceRequest,
  object: ApiObject,
  options: NamedWriteOptions,
  representation: Representation,
): Promise<Answer> {
  const { kind, resource } = request;
  const subresource = kind.subresources.find((s) => s.name === 'scale');
  assert(subresource !== undefined && kind.scale !== undefined, 'the kind has a scale');
  const target = { kind, namespace: resource.namespace, name: resource.name };
  const { schema } = subresource;
  const updated = await updateScale(deps.registry, target, object, options);
  if (updated.kind === 'refused') return updated.error;
  const { negotiated, pretty } = representation;
  const body = inFormat(encodeVersioned(updated.value.object), negotiated, pretty, schema);
  return bodyAnswer(200, negotiated.mediaType, body);
}

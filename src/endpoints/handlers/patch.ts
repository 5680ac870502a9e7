/**
 * patch: PATCH of an object, its status or its scale; the Content-Type says which kind of patch
 * (spec 1, section 4.4).
 *
 * Invariant: a body in a format that the kind does not take is 415 with the ones it takes.
 */
import { decodeJson } from '../../apimachinery/codecs/json.ts';
import type { SupportedType } from '../../apimachinery/negotiation.ts';
import { readJsonPatch } from '../../apimachinery/patch/json-patch.ts';
import { newBadRequest, newPatchTooLarge, StatusError } from '../../apimachinery/status-error.ts';
import type { ObjectSchema } from '../../apimachinery/typed/type-schema.ts';
import type { JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { WriteOptions } from '../../apimachinery/write-options.ts';
import { parseWriteOptions } from '../../apimachinery/write-options.ts';
import { patchObject, patchScale } from '../../registry/patch.ts';
import type { ObjectPatch } from '../../registry/patch.ts';
import type { ObjectTarget, Result } from '../../registry/registry.ts';
import { ok, refused } from '../../registry/registry.ts';
import { assert } from '../../stdx/assert.ts';
import { sendBody, sendObject } from '../object-response.ts';
import type { Representation } from '../representation.ts';
import { inFormat, negotiateRepresentation } from '../representation.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';
import { sendStatusError } from '../status-response.ts';
import { readBody } from '../submitted-object.ts';
import { encodeWithVersion } from './get.ts';

const jsonPatchType = 'application/json-patch+json';
const mergePatchType = 'application/merge-patch+json';
const strategicPatchType = 'application/strategic-merge-patch+json';

/** In the order in which a refusal lists them. */
function patchTypes(schema: ObjectSchema | undefined): readonly SupportedType[] {
  return schema === undefined ? generalTypes : typedTypes;
}

const json = (mediaType: string): SupportedType => ({ mediaType, format: 'json', streams: false });
const generalTypes = [json(jsonPatchType), json(mergePatchType)];
const typedTypes = [...generalTypes, json(strategicPatchType)];

export async function handlePatch(deps: EndpointDeps, request: ResourceRequest): Promise<void> {
  const { exchange, kind, resource } = request;
  const subresource = kind.subresources.find((s) => s.name === resource.subresource);
  const patch = await readPatch(deps, request, (subresource ?? kind).schema);
  if (patch.kind === 'refused') return sendStatusError(exchange, patch.error);
  const scale = resource.subresource === 'scale';
  const representation = negotiateRepresentation(deps, request, { projections: !scale });
  if (representation.kind === 'refused') return sendStatusError(exchange, representation.error);
  const options = parseWriteOptions(request.query, 'PatchOptions', {
    metaGroup: deps.identity.groups.meta,
  });
  if (options instanceof StatusError) return sendStatusError(exchange, options);
  const target = { kind, namespace: resource.namespace, name: resource.name };
  const sent: Sent = { target, patch: patch.value, options, representation: representation.value };
  return scale ? sendPatchedScale(deps, request, sent) : sendPatched(deps, request, sent);
}

interface Sent {
  readonly target: ObjectTarget;
  readonly patch: ObjectPatch;
  readonly options: WriteOptions;
  readonly representation: Representation;
}

async function readPatch(
  deps: EndpointDeps,
  request: ResourceRequest,
  schema: ObjectSchema | undefined,
): Promise<Result<ObjectPatch>> {
  const body = await readBody(deps, request, patchTypes(schema));
  if (body.kind === 'refused') return body;
  if (body.value === undefined) return refused(newBadRequest('a patch is required as the body'));
  const { bytes, type } = body.value;
  const decoded = decodeJson(bytes);
  if (decoded.kind === 'refused') return decoded;
  return type.mediaType === jsonPatchType
    ? jsonPatchOf(decoded.value)
    : mergePatchOf(decoded.value, type.mediaType === strategicPatchType ? schema : undefined);
}

function jsonPatchOf(body: JsonValue): Result<ObjectPatch> {
  const read = readJsonPatch(body);
  if (read.kind === 'ok') return ok({ kind: 'json', operations: read.operations });
  const { why, problem } = read;
  return refused(why === 'too-large' ? newPatchTooLarge(problem) : newBadRequest(problem));
}

function mergePatchOf(body: JsonValue, schema: ObjectSchema | undefined): Result<ObjectPatch> {
  if (!isJsonObject(body)) return refused(newBadRequest('a merge patch must be an object'));
  return ok(
    schema === undefined
      ? { kind: 'merge', patch: body }
      : { kind: 'strategic', patch: body, schema },
  );
}

async function sendPatched(
  deps: EndpointDeps,
  request: ResourceRequest,
  { target, patch, options, representation }: Sent,
): Promise<void> {
  const subresource = request.resource.subresource === 'status' ? 'status' : undefined;
  const patched = await patchObject(deps.registry, target, patch, subresource, options);
  if (patched.kind === 'refused') {
    return sendStatusError(request.exchange, patched.error, request.warnings);
  }
  request.warnings.push(...patched.value.warnings);
  return sendObject(deps, request, 200, representation, patched.value);
}

async function sendPatchedScale(
  deps: EndpointDeps,
  request: ResourceRequest,
  { target, patch, options, representation }: Sent,
): Promise<void> {
  const { kind } = request;
  const subresource = kind.subresources.find((s) => s.name === 'scale');
  assert(subresource !== undefined && kind.scale !== undefined, 'the kind has a scale');
  const patched = await patchScale(
    deps.registry,
    target,
    patch,
    kind.scale,
    subresource.kind,
    options,
  );
  if (patched.kind === 'refused') {
    return sendStatusError(request.exchange, patched.error, request.warnings);
  }
  const { negotiated, pretty } = representation;
  const body = inFormat(encodeWithVersion(patched.value), negotiated, pretty, subresource.schema);
  return sendBody(deps, request, 200, negotiated.mediaType, body);
}

/**
 * patch: PATCH of an object, its status or its scale; the Content-Type says which kind of patch
 * (spec 1, section 4.4).
 *
 * Invariant: a body in a format that the kind does not take is 415 with the ones it takes. An apply
 * names its manager; only an apply can be forced.
 */
import { decodeJson } from '../../apimachinery/codecs/json.ts';
import { decodeYaml } from '../../apimachinery/codecs/yaml.ts';
import { validatePatchOwner } from '../../apimachinery/fieldmanager/managers/manager-name.ts';
import type { SupportedType } from '../../apimachinery/negotiation.ts';
import { readJsonPatch } from '../../apimachinery/patch/json-patch.ts';
import { queryBoolean } from '../../apimachinery/query.ts';
import type { GroupVersionKind } from '../../apimachinery/schema.ts';
import { newBadRequest, newInvalid, newPatchTooLarge } from '../../apimachinery/status-error.ts';
import type { ObjectSchema } from '../../apimachinery/typed/type-schema.ts';
import type { ApiObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { applyObject, applyScale } from '../../registry/apply.ts';
import type { ApplyOptions } from '../../registry/apply.ts';
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
import { asObject, atRequestTarget, readBody } from '../submitted-object.ts';
import { readWriteOptions } from '../write-request.ts';
import { encodeWithVersion } from './get.ts';

const jsonPatchType = 'application/json-patch+json';
const mergePatchType = 'application/merge-patch+json';
const strategicPatchType = 'application/strategic-merge-patch+json';
const applyPatchType = 'application/apply-patch+yaml';

/** In the order in which a refusal lists them. */
function patchTypes(schema: ObjectSchema | undefined): readonly SupportedType[] {
  return schema === undefined ? generalTypes : typedTypes;
}

const json = (mediaType: string): SupportedType => ({ mediaType, format: 'json', streams: false });
const apply: SupportedType = { mediaType: applyPatchType, format: 'yaml', streams: false };
const generalTypes = [json(jsonPatchType), json(mergePatchType), apply];
const typedTypes = [json(jsonPatchType), json(mergePatchType), json(strategicPatchType), apply];

export async function handlePatch(deps: EndpointDeps, request: ResourceRequest): Promise<void> {
  const { exchange, kind, resource } = request;
  const subresource = kind.subresources.find((s) => s.name === resource.subresource);
  const change = await readChange(deps, request, subresource ?? kind, subresource?.kind ?? kind);
  if (change.kind === 'refused') return sendStatusError(exchange, change.error);
  const scale = resource.subresource === 'scale';
  const representation = negotiateRepresentation(deps, request, { projections: !scale });
  if (representation.kind === 'refused') return sendStatusError(exchange, representation.error);
  const options = readWriteOptions(deps, request, 'PatchOptions');
  if (options.kind === 'refused') return sendStatusError(exchange, options.error);
  const force = queryBoolean(request.query, 'force');
  const isApply = change.value.kind === 'apply';
  const errors = validatePatchOwner(isApply, options.value.fieldManager, force);
  if (errors.length > 0) {
    const group = deps.identity.groups.meta;
    return sendStatusError(exchange, newInvalid({ group, kind: 'PatchOptions' }, '', errors));
  }
  const sent: Sent = {
    target: { kind, namespace: resource.namespace, name: resource.name },
    change: change.value,
    options: { ...options.value, force: force ?? false },
    representation: representation.value,
  };
  return scale ? sendChangedScale(deps, request, sent) : sendChanged(deps, request, sent);
}

type Change = ObjectPatch | { readonly kind: 'apply'; readonly intent: ApiObject };

interface Sent {
  readonly target: ObjectTarget;
  readonly change: Change;
  readonly options: ApplyOptions;
  readonly representation: Representation;
}

async function readChange(
  deps: EndpointDeps,
  request: ResourceRequest,
  { schema }: { readonly schema?: ObjectSchema | undefined },
  expected: GroupVersionKind,
): Promise<Result<Change>> {
  const body = await readBody(deps, request, patchTypes(schema));
  if (body.kind === 'refused') return body;
  if (body.value === undefined) return refused(newBadRequest('a patch is required as the body'));
  const { bytes, type } = body.value;
  if (type.mediaType === applyPatchType) return intentOf(bytes, request, expected);
  const decoded = decodeJson(bytes);
  if (decoded.kind === 'refused') return decoded;
  return type.mediaType === jsonPatchType
    ? jsonPatchOf(decoded.value)
    : mergePatchOf(decoded.value, type.mediaType === strategicPatchType ? schema : undefined);
}

/** An intent is an object: it says what it is, and it is the one of the URL. */
function intentOf(
  bytes: Uint8Array,
  request: ResourceRequest,
  expected: GroupVersionKind,
): Result<Change> {
  const decoded = decodeYaml(bytes);
  if (decoded.kind === 'refused') return decoded;
  const document = decoded.value;
  if (!isJsonObject(document) || document['apiVersion'] === undefined) {
    return refused(newBadRequest('an apply patch is an object with apiVersion and kind'));
  }
  if (document['kind'] === undefined) {
    return refused(newBadRequest('an apply patch is an object with apiVersion and kind'));
  }
  const object = asObject(document, expected);
  if (object.kind === 'refused') return object;
  const placed = atRequestTarget(object.value, request);
  return placed.kind === 'refused' ? placed : ok({ kind: 'apply', intent: placed.value });
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

async function sendChanged(
  deps: EndpointDeps,
  request: ResourceRequest,
  { target, change, options, representation }: Sent,
): Promise<void> {
  const subresource = request.resource.subresource === 'status' ? 'status' : undefined;
  const { registry } = deps;
  const changed =
    change.kind === 'apply'
      ? await applyObject(registry, target, change.intent, subresource, options)
      : await patchObject(registry, target, change, subresource, options);
  if (changed.kind === 'refused') {
    return sendStatusError(request.exchange, changed.error, request.warnings);
  }
  request.warnings.push(...changed.value.warnings);
  const status = changed.value.created ? 201 : 200;
  return sendObject(deps, request, status, representation, changed.value);
}

async function sendChangedScale(
  deps: EndpointDeps,
  request: ResourceRequest,
  { target, change, options, representation }: Sent,
): Promise<void> {
  const { kind } = request;
  const subresource = kind.subresources.find((s) => s.name === 'scale');
  assert(subresource !== undefined && kind.scale !== undefined, 'the kind has a scale');
  const { registry } = deps;
  const changed =
    change.kind === 'apply'
      ? await applyScale(registry, target, change.intent, kind.scale, subresource.kind, options)
      : await patchScale(registry, target, change, kind.scale, subresource.kind, options);
  if (changed.kind === 'refused') {
    return sendStatusError(request.exchange, changed.error, request.warnings);
  }
  const { negotiated, pretty } = representation;
  const body = inFormat(encodeWithVersion(changed.value), negotiated, pretty, subresource.schema);
  return sendBody(deps, request, 200, negotiated.mediaType, body);
}

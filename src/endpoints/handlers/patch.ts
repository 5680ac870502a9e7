/**
 * patch: PATCH of an object, its status or its scale; the Content-Type says which kind of patch
 * (spec 1, section 4.4).
 *
 * Invariant: a body in a format that the kind does not take is 415 with the ones it takes. An apply
 * names its manager; only an apply can be forced.
 */
import { validatePatchOwner } from '../../apimachinery/fieldmanager/managers/manager-name.ts';
import { parseContentType } from '../../apimachinery/negotiation.ts';
import type { SupportedType } from '../../apimachinery/negotiation.ts';
import { readJsonPatch } from '../../apimachinery/patch/json-patch.ts';
import { patchLimits } from '../../apimachinery/patch/patch-result.ts';
import { queryBoolean, queryValue } from '../../apimachinery/query.ts';
import { quote } from '../../apimachinery/quote.ts';
import {
  newBadRequest,
  newTooLarge,
  newUnsupportedMediaType,
} from '../../apimachinery/status-error.ts';
import {
  conformedDocument,
  conformedSteps,
  duplicateFields,
  typedDocument,
} from '../../apimachinery/typed/field-validation.ts';
import type { Conformed } from '../../apimachinery/typed/conform.ts';
import type { DocumentType } from '../../apimachinery/typed/field-validation.ts';
import { withoutAddedMembers } from '../../apimachinery/typed/added-members.ts';
import type { ObjectSchema } from '../../apimachinery/typed/type-schema.ts';
import type { ApiObject, JsonValue, ObjectMeta } from '../../apimachinery/unstructured.ts';
import { isJsonObject, withMember } from '../../apimachinery/unstructured.ts';
import { fieldValidationOf } from '../../apimachinery/write-options.ts';
import { applyObject, applyScale } from '../../registry/apply.ts';
import type { ApplyOptions } from '../../registry/apply.ts';
import { patchObject, patchScale } from '../../registry/patch.ts';
import type { PatchOptions } from '../../registry/patch.ts';
import type { ObjectTarget, Result } from '../../registry/registry.ts';
import { ok, refused } from '../../registry/registry.ts';
import { encodeVersioned } from '../../registry/versions.ts';
import type { ObjectPatch } from '../../registry/write-command.ts';
import { assert } from '../../stdx/assert.ts';
import { runToEnd } from '../../stdx/stepwise.ts';
import { wholeTurnMs } from '../../stdx/turns.ts';
import { atOnceBytesMax, decodeBody } from '../body-decoding.ts';
import { creationRefusalOf } from '../creation-permission.ts';
import type { Representation } from '../representation.ts';
import { inFormat, negotiateRepresentation } from '../representation.ts';
import { bodyAnswer, objectAnswer } from '../answer.ts';
import type { Answer } from '../answer.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';
import {
  atRequestTarget,
  checkVersionAndKind,
  readBody,
  submittedType,
} from '../submitted-object.ts';
import { readWriteOptions } from '../write-request.ts';

const jsonPatchType = 'application/json-patch+json';
const mergePatchType = 'application/merge-patch+json';
const strategicPatchType = 'application/strategic-merge-patch+json';
const applyPatchType = 'application/apply-patch+yaml';

/** So many operations as are allowed, each with its three members, and one more. */
const patchValuesMax = 5 * patchLimits.operationsMax;

/** In the order in which a refusal lists them. */
function patchTypes(
  { features }: EndpointDeps,
  schema: ObjectSchema | undefined,
): readonly SupportedType[] {
  const types = schema === undefined ? generalTypes : typedTypes;
  return features.cbor ? [...types, applyCbor] : types;
}

const json = (mediaType: string): SupportedType => ({ mediaType, format: 'json', streams: false });
const apply: SupportedType = { mediaType: applyPatchType, format: 'yaml', streams: false };
const applyCbor: SupportedType = {
  mediaType: 'application/apply-patch+cbor',
  format: 'cbor',
  streams: false,
};
const generalTypes = [json(jsonPatchType), json(mergePatchType), apply];
const typedTypes = [json(jsonPatchType), json(mergePatchType), json(strategicPatchType), apply];

export async function handlePatch(deps: EndpointDeps, request: ResourceRequest): Promise<Answer> {
  const { kind, resource } = request;
  const subresource = kind.subresources.find((s) => s.name === resource.subresource);
  const type = submittedType(kind, subresource);
  const strategic = kind.custom === undefined ? type.schema : undefined;
  const body = await readPatchBody(deps, request, patchTypes(deps, strategic));
  if (body.kind === 'refused') return body.error;
  const scale = resource.subresource === 'scale';
  const representation = negotiateRepresentation(deps, request, {
    projections: !scale,
    holds: 'object',
  });
  if (representation.kind === 'refused') return representation.error;
  const force = queryBoolean(request.query, 'force');
  const named = queryValue(request.query, 'fieldManager') ?? '';
  const owner = validatePatchOwner(body.value.type.format !== 'json', named, force);
  const options = readWriteOptions(deps, request, 'PatchOptions', owner);
  if (options.kind === 'refused') return options.error;
  const change = await readChange(deps, request, type, body.value);
  if (change.kind === 'refused') return change.error;
  const { noticed } = change.value;
  const { dryRun, inTurns, manager, user, fieldValidation } = options.value;
  const requested: RequestedChange = {
    target: { kind, namespace: resource.namespace, name: resource.name },
    change: change.value,
    options: {
      dryRun,
      inTurns,
      manager,
      user,
      request,
      fieldValidation,
      force: force ?? false,
      noticed,
    },
    representation: representation.value,
  };
  // The actor's decision has a turn for itself.
  if (inTurns) await deps.registry.turns.pause(wholeTurnMs);
  return scale ? changeScale(deps, request, requested) : changeObject(deps, request, requested);
}

/** `noticed`: what is wrong with the text of the body (PatchReading). */
type Change = (ObjectPatch | { readonly kind: 'apply'; readonly intent: ApiObject }) & {
  readonly noticed: readonly string[];
};

interface RequestedChange {
  readonly target: ObjectTarget;
  readonly change: Change;
  readonly options: ApplyOptions & PatchOptions;
  readonly representation: Representation;
}

async function readChange(
  deps: EndpointDeps,
  request: ResourceRequest,
  expected: DocumentType,
  { bytes, type }: PatchBody,
): Promise<Result<Change>> {
  const { schema } = expected;
  if (bytes === undefined) return refused(newBadRequest('a patch is required as the body'));
  const findDuplicates = fieldValidationOf(request.query) !== 'Ignore';
  const isApply = type.format !== 'json';
  const reading = {
    findDuplicates,
    schemaOf: () => undefined,
    valuesMax: type.mediaType === jsonPatchType ? patchValuesMax : request.kind.bodyValuesMax,
  };
  const decoding = decodeBody(deps, request.exchange, bytes, type.format, reading);
  const decoded = decoding instanceof Promise ? await decoding : decoding;
  if (decoded.kind === 'refused') return decoded;
  const noticed = duplicateFields(decoded.duplicates ?? [], decoded.duplicatePlaces);
  if (isApply) {
    const large = request.bodyBytes > atOnceBytesMax && isJsonObject(decoded.value);
    const steps = large ? conformedSteps(decoded.value, intentType(expected), 'intent') : undefined;
    const conformed = steps && (await runToEnd(deps.registry.turns, steps));
    return intentOf(decoded.value, noticed, request, expected, conformed);
  }
  if (type.mediaType === jsonPatchType) return jsonPatchOf(decoded.value, noticed);
  const patch = decoded.value;
  if (!isJsonObject(patch)) return refused(newBadRequest('a merge patch must be an object'));
  return type.mediaType === strategicPatchType && schema !== undefined
    ? ok({ kind: 'strategic', patch, noticed })
    : ok({ kind: 'merge', patch, noticed });
}

interface PatchBody {
  /** Undefined: it is empty. */
  readonly bytes: Uint8Array | undefined;
  readonly type: SupportedType;
}

/** What a patch is, its type says, and nothing else: there is no type that it has by default. */
async function readPatchBody(
  deps: EndpointDeps,
  request: ResourceRequest,
  types: readonly SupportedType[],
): Promise<Result<PatchBody>> {
  const body = await readBody(deps, request, types);
  const contentType = request.exchange.header('content-type') ?? '';
  if (contentType.trim() === '') {
    return refused(newUnsupportedMediaType(types.map(({ mediaType }) => mediaType)));
  }
  const type = parseContentType(contentType, types);
  if (type.kind === 'refused') return type;
  if (body.kind === 'refused') return body;
  return ok({ bytes: body.value?.bytes, type: type.type });
}

/** An intent owns what it says: no defaults, and nothing that its type writes besides. */
function intentType(expected: DocumentType): DocumentType {
  return { ...expected, defaults: undefined, intent: true };
}

/** An intent is an object: it says what it is, and it is the one of the URL.
 * `large`: of a large one, which was conformed in steps. */
function intentOf(
  document: JsonValue,
  noticed: readonly string[],
  request: ResourceRequest,
  expected: DocumentType,
  large: Conformed | undefined,
): Result<Change> {
  const says = (field: string): boolean => isJsonObject(document) && (document[field] ?? '') !== '';
  if (!isJsonObject(document) || !says('apiVersion') || !says('kind')) {
    return refused(newBadRequest('an apply patch is an object with apiVersion and kind'));
  }
  const mismatch = checkVersionAndKind(document, expected);
  if (mismatch !== undefined) return refused(mismatch);
  const type = intentType(expected);
  const mode = fieldValidationOf(request.query);
  const conformed = large ?? conformedDocument(document, type, 'intent');
  const typed = typedDocument(document, type, mode, noticed, conformed);
  if (typed.kind === 'refused') return typed;
  request.warnings.push(...typed.warnings);
  const { apiVersion, kind } = typed.object;
  const metadata = asSaid(typed.object.metadata, document['metadata']);
  // The schema of a user adds nothing, and a null that it lets be is a value like others.
  const said =
    expected.custom === undefined ? withoutAddedMembers(typed.object, document) : typed.object;
  const intent: ApiObject = { ...said, apiVersion, kind, metadata };
  const placed = atRequestTarget(intent, request);
  if (placed.kind === 'refused') return placed;
  return ok({ kind: 'apply', intent: placed.value, noticed });
}

const ownedMetadata = ['annotations', 'finalizers', 'generateName', 'labels', 'ownerReferences'];

/** What is said to be null or empty is said, too, though no object is stored with it. */
function asSaid(read: ObjectMeta, given: JsonValue | undefined): ObjectMeta {
  if (!isJsonObject(given)) return read;
  const owners = given['managedFields'];
  let metadata = Array.isArray(owners) ? withMember(read, 'managedFields', owners) : read;
  for (const name of ownedMetadata) {
    const said = given[name];
    if (said === undefined || metadata[name] !== undefined) continue;
    metadata = withMember(metadata, name, said);
  }
  return metadata;
}

/** What is wrong with the text of a list of operations says that it is in there. */
function jsonPatchOf(body: JsonValue, duplicates: readonly string[]): Result<Change> {
  const read = readJsonPatch(body);
  if (read.kind === 'ok') {
    const unknown = read.unknownFields.map((path) => `unknown field ${quote(path)}`);
    const noticed = [...unknown, ...duplicates].map((problem) => `json patch ${problem}`);
    return ok({ kind: 'json', patch: read.patch, noticed });
  }
  const { why, problem } = read;
  return refused(why === 'too-large' ? newTooLarge(problem) : newBadRequest(problem));
}

async function changeObject(
  deps: EndpointDeps,
  request: ResourceRequest,
  { target, change, options, representation }: RequestedChange,
): Promise<Answer> {
  const { subresource: name } = request.resource;
  const subresource = name === '' ? undefined : name;
  const { registry } = deps;
  const changed =
    change.kind === 'apply'
      ? await applyObject(registry, target, change.intent, subresource, {
          dryRun: options.dryRun,
          manager: options.manager,
          user: options.user,
          request,
          force: options.force,
          inTurns: options.inTurns,
          creationRefusal: await creationRefusalOf(deps, request),
        })
      : await patchObject(registry, target, change, subresource, options);
  if (changed.kind === 'refused') return changed.error;
  request.warnings.push(...changed.value.warnings);
  const status = changed.value.created ? 201 : 200;
  return objectAnswer(status, representation, changed.value);
}

async function changeScale(
  deps: EndpointDeps,
  request: ResourceRequest,
  { target, change, options, representation }: RequestedChange,
): Promise<Answer> {
  const { kind } = request;
  const subresource = kind.subresources.find((s) => s.name === 'scale');
  assert(subresource !== undefined && kind.scale !== undefined, 'the kind has a scale');
  const { registry } = deps;
  const changed =
    change.kind === 'apply'
      ? await applyScale(registry, target, change.intent, options)
      : await patchScale(registry, target, change, options);
  if (changed.kind === 'refused') return changed.error;
  request.warnings.push(...changed.value.warnings);
  const { negotiated, pretty } = representation;
  const body = inFormat(
    encodeVersioned(changed.value.object),
    negotiated,
    pretty,
    subresource.schema,
  );
  return bodyAnswer(200, negotiated.mediaType, body);
}

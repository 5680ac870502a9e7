/**
 * patch: a JSON, merge or strategic merge patch of an object, its status or its scale
 * (spec 1, section 4.4).
 *
 * The patch is applied by the object's actor to its current state, so patches that race each other
 * all win; only a resourceVersion in the patch itself can conflict.
 *
 *     current (stored version) ▶ version of the request ▶ patch ▶ shape ▶ as an update from there
 *
 * Invariants: pure inside the decision, it may run again. The result obeys what an update obeys.
 */
import { isCredentialKind } from '../apimachinery/credential-kinds.ts';
import { newTypeMismatch, typeMismatch } from '../apimachinery/type-mismatch.ts';
import { jsonPatchSteps } from '../apimachinery/patch/json-patch.ts';
import { applyMergePatch } from '../apimachinery/patch/merge-patch.ts';
import type { Patched } from '../apimachinery/patch/patch-result.ts';
import { strategicMergeSteps } from '../apimachinery/patch/strategic-merge-patch.ts';
import { strategicSchemaOf } from '../apimachinery/patch/strategic-schema.ts';
import {
  nameMismatch,
  newBadRequest,
  newInvalidPatch,
  newOtherNamespace,
  newTooLarge,
} from '../apimachinery/status-error.ts';
import { parseGroupVersion } from '../apimachinery/schema.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import {
  conformedSteps,
  typedDocument,
  typedSteps,
} from '../apimachinery/typed/field-validation.ts';
import type { DocumentType, TypedDocument } from '../apimachinery/typed/field-validation.ts';
import type { ObjectSchema } from '../apimachinery/typed/type-schema.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import { isJsonObject, withMember } from '../apimachinery/unstructured.ts';
import type { CurrentObject } from '../../actors/actors.ts';
import { assert, unreachable } from '../stdx/assert.ts';
import { finished } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { WriteOptions } from './create.ts';
import { executeChange } from './execute-change.ts';
import type { Subresource } from './execute-change.ts';
import { withoutDuplicateOwners } from './object-metadata.ts';
import { missingVersion } from './preconditions.ts';
import type { ObjectTarget, RegistryDeps, Result, WriteResult } from './registry.ts';
import { refused } from './registry.ts';
import { decideScaleUpdate, executeScale, scaleToPatch, scaleTypeOf } from './scale.ts';
import type { WrittenScale } from './scale.ts';
import { produceUpdate, writerOf } from './update.ts';
import { withWarnings } from './production.ts';
import type { Production } from './production.ts';
import { atVersionOf } from './versions.ts';
import type {
  DecisionScope,
  ObjectPatch,
  PatchDecodeOptions,
  WriteBody,
  WriteInput,
} from './write-command.ts';

type PatchBody = Extract<WriteBody, { readonly patch: ObjectPatch }>;

export interface PatchOptions extends WriteOptions, PatchDecodeOptions {}

export function patchObject(
  deps: RegistryDeps,
  target: ObjectTarget,
  patch: ObjectPatch,
  subresource: Subresource,
  options: PatchOptions,
): Promise<Result<WriteResult>> {
  const { fieldValidation, noticed } = options;
  const body = { verb: 'patch', patch, fieldValidation, noticed } as const;
  return executeChange(deps, target, { body, options, subresource, mayCreate: false });
}

export function* decidePatch(
  scope: DecisionScope,
  target: ObjectTarget,
  body: PatchBody,
  input: WriteInput,
  current: CurrentObject,
): Steps<Production> {
  const { kind } = target;
  const document = withRevision(atVersionOf(current.object, kind), current);
  if (scope.inTurns) yield;
  const part = kind.subresources.find(({ name }) => name === input.subresource);
  const next = yield* patchedObject(scope, document, body, kind, part?.schema ?? kind.schema);
  if (next.kind === 'refused') return next;
  if (scope.inTurns) yield;
  // What is being committed has no version yet that a patch could have kept.
  const missing = current.revision === undefined ? undefined : missingVersion(target, next.object);
  if (missing !== undefined) return refused(missing);
  const { object, warnings: ofOwners } = withoutDuplicateOwners(next.object, 'patched');
  const { resourceVersion } = object.metadata;
  // Another uid is no other object that is meant, but a field that does not change.
  const expected = { uid: undefined, resourceVersion };
  const writer = writerOf(input);
  const production = yield* produceUpdate(scope, target, object, writer, current, expected);
  return withWarnings(production, [...next.warnings, ...ofOwners]);
}

export function patchScale(
  deps: RegistryDeps,
  target: ObjectTarget,
  patch: ObjectPatch,
  options: PatchOptions,
): Promise<Result<WrittenScale>> {
  const { fieldValidation, noticed } = options;
  const body = { verb: 'patch-scale', patch, fieldValidation, noticed } as const;
  return executeScale(deps, target, body, options);
}

export function decideScalePatch(
  scope: DecisionScope,
  target: ObjectTarget,
  body: PatchBody,
  input: WriteInput,
  current: CurrentObject,
): Production {
  const { type } = scaleTypeOf(target.kind);
  const document = scaleToPatch(withRevision(current.object, current), target.kind);
  const next = finished(patchedObject(scope, document, body, type, type.schema));
  if (next.kind === 'refused') return next;
  const production = decideScaleUpdate(scope, target, next.object, input, current);
  return withWarnings(production, next.warnings);
}

/** As clients see it: a patch may test the resourceVersion, or name the one it was made for. */
function withRevision(object: ApiObject, { revision }: CurrentObject): ApiObject {
  if (revision === undefined) return object;
  const metadata = withMember(object.metadata, 'resourceVersion', revision.toString());
  return { ...object, metadata };
}

function* patchedObject(
  { inTurns }: DecisionScope,
  document: ApiObject,
  { fieldValidation, noticed, patch }: PatchBody,
  type: DocumentType,
  schema: ObjectSchema | undefined,
): Steps<TypedDocument> {
  const applying = apply(document, patch, schema);
  const patched = inTurns ? yield* applying : finished(applying);
  if (inTurns) yield;
  if (patched.kind === 'refused') return refused(patchError(patched, patch, document));
  if (!isJsonObject(patched.value)) {
    return refused(newInvalidPatch('the result is not an object'));
  }
  const moved =
    identityChange(patched.value, document) ??
    kindChange(patched.value, document, type.custom !== undefined);
  if (moved !== undefined) return refused(moved);
  if (!inTurns) return typedDocument(patched.value, type, fieldValidation, noticed);
  const conformed = yield* conformedSteps(patched.value, type);
  return yield* typedSteps(patched.value, type, fieldValidation, noticed, conformed);
}

function* apply(
  document: ApiObject,
  patch: ObjectPatch,
  schema: ObjectSchema | undefined,
): Steps<Patched> {
  switch (patch.kind) {
    case 'json':
      return yield* jsonPatchSteps(document, patch.patch);
    case 'merge':
      return { kind: 'ok', value: applyMergePatch(document, patch.patch) };
    case 'strategic':
      assert(schema !== undefined, 'the fields of what is patched by its schema are known');
      return yield* strategicMergeSteps(document, patch.patch, strategicSchemaOf(schema));
    default:
      return unreachable(patch);
  }
}

/** The words of a strategic merge may stand where a credential was meant. */
const unquotedDirective = 'a directive of the patch is unknown, or not what it has to be';

function patchError(
  { why, problem: quoting }: Extract<Patched, { kind: 'refused' }>,
  patch: ObjectPatch,
  document: ApiObject,
): StatusError {
  const isQuoted = patch.kind === 'strategic' && why === 'malformed';
  const problem = isQuoted && isCredentialKind(document.kind) ? unquotedDirective : quoting;
  switch (why) {
    case 'malformed':
      return newBadRequest(problem);
    case 'inapplicable':
      return newInvalidPatch(problem);
    case 'too-large':
      return newTooLarge(problem);
    default:
      return unreachable(why);
  }
}

/** A patch changes an object; it does not make another one of it. */
function identityChange(patched: JsonObject, document: ApiObject): StatusError | undefined {
  const metadata = isJsonObject(patched['metadata']) ? patched['metadata'] : {};
  const { namespace = '', name = '' } = document.metadata;
  const given = metadata['namespace'] ?? '';
  if (given !== '' && namespace !== '' && given !== namespace) return newOtherNamespace();
  // A patch may have copied a credential into any of them.
  const quotes = !isCredentialKind(document.kind);
  const newName = metadata['name'] ?? '';
  const isOther = newName !== '' && newName !== name;
  return nameMismatch(isOther && !quotes ? null : newName, name);
}

/** Of a kind that users define, another kind or version is an invalid value of the object. */
function kindChange(
  patched: JsonObject,
  document: ApiObject,
  isCustom: boolean,
): StatusError | undefined {
  const mismatch = typeMismatch(patched, document);
  if (mismatch === undefined) return undefined;
  const { expected, field, found } = mismatch;
  if (isCustom) {
    const { group } = parseGroupVersion(document.apiVersion) ?? { group: '' };
    const object = { group, kind: document.kind, name: document.metadata.name ?? '' };
    return newTypeMismatch(object, mismatch, '');
  }
  const what = field === 'kind' ? 'kind' : 'API version';
  const shown = typeof found === 'string' ? found : 'not a text';
  const quoted = isCredentialKind(document.kind) ? '' : ` (${shown})`;
  return newBadRequest(`the ${what} of the patched object${quoted} does not match ${expected}`);
}

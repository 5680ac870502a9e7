/**
 * The scale subresource: a small object that shows, and sets, how many replicas another one wants
 * (spec 1, section 1.3). Where the numbers lie in the object is data of its kind (ScalePaths).
 *
 * Invariants: a Scale has the name, uid, resourceVersion and creationTimestamp of the object it
 * scales; a write through it changes only the replica count.
 */
import { invalid, required } from '../apimachinery/field-error.ts';
import type { FieldError } from '../apimachinery/field-error.ts';
import { objects, text, textMap, texts } from '../apimachinery/members.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { GroupVersionKind } from '../apimachinery/schema.ts';
import type { KindInfo, ScalePaths } from '../apimachinery/scheme.ts';
import { newBadRequest, newInternalError, newInvalid } from '../apimachinery/status-error.ts';
import { labelSelectorFromSpec } from '../apimachinery/selectors/label-selector.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import { bytesAtOnceMax, objectMs } from '../apimachinery/object-cost.ts';
import type { DocumentType } from '../apimachinery/typed/field-validation.ts';
import type { ApiObject, JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { CurrentObject } from '../../actors/actors.ts';
import { assert } from '../stdx/assert.ts';
import { ownMember } from '../stdx/lookup.ts';
import type { WriteOptions } from './create.ts';
import { changeOutcome } from './execute-change.ts';
import { withGeneration } from './object-metadata.ts';
import { preconditionConflict, preconditionsOf } from './preconditions.ts';
import type { ObjectTarget, RegistryDeps, Result } from './registry.ts';
import { ok, refused } from './registry.ts';
import { trackedUpdate, writerOf } from './update.ts';
import type { Production } from './production.ts';
import { withConversions } from './conversions.ts';
import { decidedVersionOf } from './versions.ts';
import type { DecisionScope, WriteBody, WriteInput } from './write-command.ts';
import { shownObject } from './written-object.ts';

/** The Scale of an object whose metadata carries its resourceVersion. */
export function scaleOf(object: ApiObject, paths: ScalePaths, scale: GroupVersionKind): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = selectorText(valueAt(object, paths.selector));
  return {
    kind: scale.kind,
    apiVersion: formatGroupVersion(scale),
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      creationTimestamp,
    },
    spec: replicas(valueAt(object, paths.specReplicas)),
    status: {
      replicas: integerOr(valueAt(object, paths.statusReplicas), 0),
      ...(selector === '' ? {} : { selector }),
    },
  };
}

/** Why there is no Scale to show: an object of a custom type may have no replica count. */
export function missingReplicas(object: ApiObject, kind: KindInfo): StatusError | undefined {
  const { custom, scale } = kind;
  if (custom === undefined || scale === undefined) return undefined;
  const { specReplicas } = scale;
  if (valueAt(object, specReplicas) !== undefined) return undefined;
  return newInternalError(`the spec replicas field ".${specReplicas.join('.')}" does not exist`);
}

/** What a patch of a Scale finds in the place of a count that is not there. */
const noCount = -(2 ** 31);

/** The Scale that a patch is made of: of an object without a count, with a mark in its place. */
export function scaleToPatch(object: ApiObject, kind: KindInfo): ApiObject {
  const { paths, type } = scaleTypeOf(kind);
  const scale = scaleOf(object, paths, type);
  if (missingReplicas(object, kind) === undefined) return scale;
  return { ...scale, spec: { replicas: noCount } };
}

export interface WrittenScale {
  readonly object: ApiObject;
  /** Texts for Warning headers. */
  readonly warnings: readonly string[];
}

export interface ScaleType {
  readonly paths: ScalePaths;
  /** Of the small object. */
  readonly type: DocumentType;
}

/** The scale of a kind that has one. */
export function scaleTypeOf({ scale: paths, subresources }: KindInfo): ScaleType {
  const found = subresources.find(({ name }) => name === 'scale');
  assert(paths !== undefined && found !== undefined, 'the kind has a scale');
  const { defaults, kind, schema } = found;
  const { group, version } = kind;
  return { paths, type: { group, version, kind: kind.kind, schema, defaults } };
}

export function updateScale(
  deps: RegistryDeps,
  target: ObjectTarget,
  submitted: ApiObject,
  options: WriteOptions,
): Promise<Result<WrittenScale>> {
  return executeScale(deps, target, { verb: 'update-scale', object: submitted }, options);
}

/** Writes the object that is scaled and answers with its Scale. */
export async function executeScale(
  deps: RegistryDeps,
  target: ObjectTarget,
  body: WriteBody,
  options: WriteOptions,
): Promise<Result<WrittenScale>> {
  const change = { body, options, subresource: 'scale', mayCreate: false };
  const result = await changeOutcome(deps, target, change);
  if (result.kind === 'refused') return result;
  const { kind } = target;
  const { paths, type } = scaleTypeOf(kind);
  const { bytes, warnings } = result.value;
  const written = shownObject(result.value);
  // A conversion reads all of it, and all writes of a commit go on together.
  const isConverted = kind.custom !== undefined && written.apiVersion !== formatGroupVersion(kind);
  if (isConverted && bytes.length > bytesAtOnceMax) await deps.turns.pause(objectMs(bytes));
  const show = (): Promise<Result<WrittenScale>> => {
    const object = scaleOf(decidedVersionOf(written, kind), paths, type);
    return Promise.resolve(ok({ object, warnings }));
  };
  return withConversions(kind, show, options.request?.exchange);
}

/** The scaled object after a write of its Scale. */
export function decideScaleUpdate(
  scope: DecisionScope,
  target: ObjectTarget,
  submitted: ApiObject,
  input: WriteInput,
  current: CurrentObject,
): Production {
  const { paths, type } = scaleTypeOf(target.kind);
  const spec = isJsonObject(submitted['spec']) ? submitted['spec'] : {};
  const wanted = spec['replicas'] ?? 0;
  if (wanted === noCount && target.kind.custom !== undefined) {
    const field = JSON.stringify(`.${paths.specReplicas.join('.')}`);
    return refused(newBadRequest(`the spec replicas field ${field} cannot be empty`));
  }
  // Of a kind that users define, validation says what the count may be.
  const errors = target.kind.custom === undefined ? replicaErrors(wanted) : [];
  if (errors.length > 0) return refused(newInvalid(type, target.name, errors));
  const conflict = preconditionConflict(preconditionsOf(submitted), current, target);
  if (conflict !== undefined) return refused(conflict);
  const changed = withReplicas(current.object, paths, wanted);
  const next = withGeneration(changed, current.object, target.kind);
  return trackedUpdate(scope, target, next, writerOf(input), current);
}

/** The object with its replica count set. */
export function withReplicas(object: ApiObject, paths: ScalePaths, wanted: JsonValue): ApiObject {
  return withValueAt(object, paths.specReplicas, wanted) as ApiObject;
}

function replicaErrors(value: JsonValue): FieldError[] {
  if (value === null) return [required('spec.replicas')];
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return [invalid('spec.replicas', value, 'must be an integer')];
  }
  if (value < 0) {
    return [invalid('spec.replicas', value, 'must be greater than or equal to 0')];
  }
  return [];
}

/** A count of 0 is left out, as of every number that its type lets be absent. */
function replicas(value: JsonValue | undefined): JsonObject {
  const count = integerOr(value, 1);
  return count === 0 ? {} : { replicas: count };
}

function integerOr(value: JsonValue | undefined, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

/** A label selector object, a plain map, or the text itself, as the selector text that clients list
 * with; '' for one that cannot be read. */
function selectorText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) return '';
  const isSelector = 'matchLabels' in value || 'matchExpressions' in value;
  const selector = labelSelectorFromSpec({
    matchLabels: isSelector ? textMap(value, 'matchLabels') : textMap({ value }, 'value'),
    matchExpressions: objects(value, 'matchExpressions').map((each) => ({
      key: text(each, 'key'),
      operator: text(each, 'operator'),
      values: texts(each, 'values'),
    })),
  });
  return 'text' in selector ? selector.text : '';
}

/** Undefined for a path without steps: there is no such field. */
function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  if (path.length === 0) return undefined;
  let value: JsonValue | undefined = object;
  for (const part of path) {
    if (!isJsonObject(value)) return undefined;
    value = ownMember(value, part);
  }
  return value;
}

function withValueAt(object: JsonObject, path: readonly string[], value: JsonValue): JsonObject {
  const [head, ...rest] = path;
  if (head === undefined) return object;
  if (rest.length === 0) return { ...object, [head]: value };
  const child = object[head];
  return { ...object, [head]: withValueAt(isJsonObject(child) ? child : {}, rest, value) };
}

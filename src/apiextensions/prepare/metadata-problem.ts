/**
 * What is wrong with the types in the metadata of a custom resource, or of one embedded in it, in
 * the words of the decoder that clients of the reference know.
 *
 *     json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string
 *
 * The reader of metadata (validation/meta-shape.ts) says whether there is something wrong; this is
 * asked afterwards.
 */
import { parseRfc3339 } from '../../apimachinery/time.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { lookup } from '../../stdx/lookup.ts';
import { goNumber, isGoInteger } from '../schema/go-text.ts';
import { timeProblem } from './time-problem.ts';

type Shape =
  | { readonly kind: 'scalar'; readonly json: 'string' | 'bool'; readonly name: string }
  | { readonly kind: 'integer'; readonly name: string }
  | { readonly kind: 'time' }
  | { readonly kind: 'any-object'; readonly name: string }
  | { readonly kind: 'map'; readonly name: string; readonly values: Shape }
  | { readonly kind: 'list'; readonly name: string; readonly items: Shape }
  | { readonly kind: 'struct'; readonly name: string; readonly fields: Fields };

type Fields = Readonly<Record<string, Shape | undefined>>;

const text: Shape = { kind: 'scalar', json: 'string', name: 'string' };
const uid: Shape = { kind: 'scalar', json: 'string', name: 'types.UID' };
const bool: Shape = { kind: 'scalar', json: 'bool', name: 'bool' };
const int64: Shape = { kind: 'integer', name: 'int64' };
const time: Shape = { kind: 'time' };
const texts: Shape = { kind: 'map', name: 'map[string]string', values: text };

const owner: Shape = {
  kind: 'struct',
  name: 'v1.OwnerReference',
  fields: lookup<Shape>({
    apiVersion: text,
    kind: text,
    name: text,
    uid,
    controller: bool,
    blockOwnerDeletion: bool,
  }),
};

const managed: Shape = {
  kind: 'struct',
  name: 'v1.ManagedFieldsEntry',
  fields: lookup<Shape>({
    manager: text,
    operation: { kind: 'scalar', json: 'string', name: 'v1.ManagedFieldsOperationType' },
    apiVersion: text,
    time,
    fieldsType: text,
    fieldsV1: { kind: 'any-object', name: 'v1.FieldsV1' },
    subresource: text,
  }),
};

const objectMeta: Shape = {
  kind: 'struct',
  name: 'v1.ObjectMeta',
  fields: lookup<Shape>({
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid,
    resourceVersion: text,
    generation: int64,
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: int64,
    labels: texts,
    annotations: texts,
    ownerReferences: { kind: 'list', name: '[]v1.OwnerReference', items: owner },
    finalizers: { kind: 'list', name: '[]string', items: text },
    managedFields: { kind: 'list', name: '[]v1.ManagedFieldsEntry', items: managed },
  }),
};

/** The first problem, in the order of the members' names; undefined: there is none. */
export function metadataProblem(metadata: JsonValue): string | undefined {
  return problemOf(metadata, objectMeta, '');
}

/** `path`: of fields, `labels`; empty at the top. */
function problemOf(value: JsonValue, shape: Shape, path: string): string | undefined {
  if (value === null) return undefined;
  switch (shape.kind) {
    case 'scalar':
      return typeof value === goTypes[shape.json] ? undefined : mismatch(value, shape.name, path);
    case 'integer': {
      const isNumber = typeof value === 'number' || typeof value === 'bigint';
      if (!isNumber) return mismatch(value, shape.name, path);
      return isGoInteger(value) ? undefined : mismatch(value, shape.name, path, goNumber(value));
    }
    case 'time':
      return wrongTime(value, path);
    case 'any-object':
      return isJsonObject(value) ? undefined : mismatch(value, shape.name, path);
    case 'list':
      if (!Array.isArray(value)) return mismatch(value, shape.name, path);
      return first(value as readonly JsonValue[], (item) => problemOf(item, shape.items, path));
    case 'map':
      if (!isJsonObject(value)) return mismatch(value, shape.name, path);
      return first(sorted(value), ([, item]) => problemOf(item ?? null, shape.values, path));
    case 'struct':
      if (!isJsonObject(value)) return mismatch(value, shape.name, path);
      return structProblem(value, shape.fields, path);
  }
}

const goTypes = { string: 'string', bool: 'boolean' } as const;

function structProblem(value: JsonObject, fields: Fields, path: string): string | undefined {
  return first(sorted(value), ([name, member]) => {
    const shape = fields[name];
    if (shape === undefined || member === undefined) return undefined;
    return problemOf(member, shape, path === '' ? name : `${path}.${name}`);
  });
}

function sorted(value: JsonObject): readonly (readonly [string, JsonValue | undefined])[] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

function first<T>(
  items: readonly T[],
  problem: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = problem(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function mismatch(value: JsonValue, type: string, path: string, shown?: string): string {
  const what = shown === undefined ? jsonKind(value) : `number ${shown}`;
  const where = path === '' ? 'value' : `struct field ${holderOf(path)}.${path}`;
  return `json: cannot unmarshal ${what} into Go ${where} of type ${type}`;
}

/** The innermost struct that has the field. */
function holderOf(path: string): string {
  const [outer, inner] = path.split('.');
  if (inner === undefined) return 'ObjectMeta';
  return outer === 'ownerReferences' ? 'OwnerReference' : 'ManagedFieldsEntry';
}

function jsonKind(value: JsonValue): string {
  if (typeof value === 'object') return Array.isArray(value) ? 'array' : 'object';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'bool' : 'number';
}

function wrongTime(value: JsonValue, path: string): string | undefined {
  if (typeof value !== 'string') return mismatch(value, 'string', path);
  if (parseRfc3339(value) !== undefined) return undefined;
  return timeProblem(value);
}

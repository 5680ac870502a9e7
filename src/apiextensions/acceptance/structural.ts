/**
 * Whether a schema is structural: every field and every list has one type, said outside of allOf,
 * anyOf, oneOf and not, which may then only narrow the values (spec 1, section 4.8).
 *
 * Elsewhere: the keywords that no schema may have (keywords.ts), defaults and rules.
 *
 * Invariants: the schema is plain JSON that nobody has validated yet; what has a wrong type reads
 * as absent. Errors are sorted by their texts. Found once for each schema. Bounds: linear in the
 * schema; `errorsMax` errors; a step looks at `nodesPerStep` nodes, or compiles one pattern.
 */
import { forbidden, formatFieldError, invalid, required } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { patternProblem } from '../schema/pattern.ts';
import { child } from './paths.ts';
import { isPlainScalar, nodesPerStep } from './plain-scalar.ts';

const errorsMax = 100;

type Level = 'root' | 'item' | 'field';

interface Found {
  readonly path: string;
  readonly errors: readonly FieldError[];
}

/** The errors with the path that they were asked for last. */
const known = new WeakMap<JsonObject, Found>();

function knownErrors(schema: JsonObject, path: string): readonly FieldError[] | undefined {
  const found = known.get(schema);
  if (found === undefined) return undefined;
  return found.errors.length === 0 || found.path === path ? found.errors : undefined;
}

/** `patterns`: 'unread' where they are too many, for which the definition is refused elsewhere. */
export function structuralErrors(
  schema: JsonObject,
  path: string,
  patterns: 'read' | 'unread' = 'read',
): readonly FieldError[] {
  return knownErrors(schema, path) ?? finished(structuralSteps(schema, path, patterns));
}

/** structuralErrors() in steps. */
export function* structuralSteps(
  schema: JsonObject,
  path: string,
  patterns: 'read' | 'unread' = 'read',
): Steps<readonly FieldError[]> {
  const found = knownErrors(schema, path);
  if (found !== undefined) return found;
  const walk: Walk = { errors: [], left: nodesPerStep, readsPatterns: patterns === 'read' };
  yield* checkSpine(schema, 'root', path, walk);
  yield;
  yield* checkComplete(schema, schema, path, path, walk);
  const texts = new Map(walk.errors.map((error) => [error, formatFieldError(error)]));
  const errors = walk.errors
    .sort((a, b) => ((texts.get(a) ?? '') < (texts.get(b) ?? '') ? -1 : 1))
    .slice(0, errorsMax);
  known.set(schema, { path, errors });
  return errors;
}

export function isStructural(schema: JsonObject): boolean {
  const { errors } = known.get(schema) ?? { errors: structuralErrors(schema, '') };
  return errors.length === 0;
}

interface Walk {
  readonly errors: FieldError[];
  /** Nodes that this step still looks at. */
  left: number;
  readonly readsPatterns: boolean;
}

/** Counts nodes that were looked at; true: the step is over. */
function endsStep(walk: Walk, nodes: number): boolean {
  walk.left -= nodes;
  if (walk.left > 0) return false;
  walk.left = nodesPerStep;
  return true;
}

function isTrue(schema: JsonObject, name: string): boolean {
  return schema[name] === true;
}

/** Undefined where it is absent, or no schema. */
export function schemaAt(schema: JsonObject | undefined, name: string): JsonObject | undefined {
  const value = schema?.[name];
  return isJsonObject(value) ? value : undefined;
}

function ownProperty(schema: JsonObject, name: string): JsonObject | undefined {
  const properties = part(schema, 'properties');
  return Object.hasOwn(properties, name) ? schemaAt(properties, name) : undefined;
}

function isGiven(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null;
}

const intOrString: JsonValue = [{ type: 'integer' }, { type: 'string' }];

function saysIntOrString(schema: JsonObject | undefined): boolean {
  return deepEqual(schema?.['anyOf'], intOrString);
}

function* checkSpine(schema: JsonObject, level: Level, path: string, walk: Walk): Steps<void> {
  const { errors } = walk;
  if (errors.length >= errorsMax) return;
  if (endsStep(walk, 1)) yield;
  const type = text(schema, 'type');
  const items = schemaAt(schema, 'items');
  if (type === 'array' && schema['items'] === undefined) {
    errors.push(required(child(path, 'items'), 'must be specified'));
  }
  if (items !== undefined && !isPlainScalar(items)) {
    yield* checkSpine(items, 'item', child(path, 'items'), walk);
  }
  const properties = part(schema, 'properties');
  for (const name of Object.keys(properties)) {
    const property = properties[name];
    if (!isJsonObject(property) || isPlainScalar(property)) continue;
    yield* checkSpine(property, 'field', child(path, `properties[${name}]`), walk);
  }
  const values = schema['additionalProperties'];
  if (isGiven(values)) {
    const field = child(path, 'additionalProperties');
    if (level === 'root') errors.push(forbidden(field, 'must not be used at the root'));
    if (isJsonObject(values)) yield* checkSpine(values, 'field', field, walk);
  }
  checkExtensions(schema, path, errors);
  const skipsFirstAllOf = saysIntOrString(firstOf(schema));
  yield* checkNarrowing(schema, saysIntOrString(schema), skipsFirstAllOf, path, walk);
  checkType(schema, type, level, path, errors);
  checkTypeMeta(schema, level, path, errors);
}

function firstOf(schema: JsonObject): JsonObject | undefined {
  return objects(schema, 'allOf')[0];
}

function checkExtensions(schema: JsonObject, path: string, errors: FieldError[]): void {
  if (!isTrue(schema, 'x-kubernetes-int-or-string')) return;
  const detail = 'must be false if x-kubernetes-int-or-string is true';
  for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource']) {
    if (isTrue(schema, name)) errors.push(invalid(child(path, name), true, detail));
  }
}

const emptyTypeDetails: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function checkType(
  schema: JsonObject,
  type: string,
  level: Level,
  path: string,
  errors: FieldError[],
): void {
  const field = child(path, 'type');
  const embedded = isTrue(schema, 'x-kubernetes-embedded-resource');
  const any =
    isTrue(schema, 'x-kubernetes-int-or-string') ||
    isTrue(schema, 'x-kubernetes-preserve-unknown-fields');
  if (embedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(field, detail) : invalid(field, type, detail));
  } else if (type === '' && !any) {
    errors.push(required(field, emptyTypeDetails[level]));
  }
  if (embedded && isGiven(schema['additionalProperties'])) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbidden(child(path, 'additionalProperties'), detail));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(field, type, 'must be object at the root'));
  }
}

function checkTypeMeta(schema: JsonObject, level: Level, path: string, errors: FieldError[]): void {
  const embedded = isTrue(schema, 'x-kubernetes-embedded-resource');
  const isResource = level === 'root' || embedded;
  for (const name of ['kind', 'apiVersion']) {
    const property = ownProperty(schema, name);
    if (property === undefined || !isResource || text(property, 'type') === 'string') continue;
    const field = child(path, `properties[${name}].type`);
    errors.push(invalid(field, text(property, 'type'), 'must be string'));
  }
  const metadata = ownProperty(schema, 'metadata');
  if (metadata !== undefined) {
    const field = child(path, 'properties[metadata]');
    if (isResource && text(metadata, 'type') !== 'object') {
      errors.push(invalid(`${field}.type`, text(metadata, 'type'), 'must be object'));
    }
    if (level === 'root' && saysMore(metadata)) {
      const detail =
        'must not specify anything other than name and generateName, ' +
        'but metadata is implicitly specified';
      errors.push(forbidden(field, detail));
    }
  }
  const properties = Object.keys(part(schema, 'properties')).length;
  if (embedded && !isTrue(schema, 'x-kubernetes-preserve-unknown-fields') && properties === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true ' +
      'without x-kubernetes-preserve-unknown-fields';
    errors.push(required(child(path, 'properties'), detail));
  }
}

/** Whether a schema of metadata says more than its type, and that there are names. */
function saysMore(metadata: JsonObject): boolean {
  const properties = Object.keys(part(metadata, 'properties'));
  const namesOnly = properties.every((name) => name === 'name' || name === 'generateName');
  return Object.entries(metadata).some(([name, value]) => {
    if (name === 'type' || name === 'default') return false;
    if (name === 'properties' && namesOnly) return false;
    return !isZero(value);
  });
}

function isZero(value: JsonValue | undefined): boolean {
  if (!isGiven(value) || value === '' || value === false) return true;
  return typeof value === 'object' && Object.keys(value ?? {}).length === 0;
}

/** What narrows the values of a schema: its alternatives, and its pattern. */
function* checkNarrowing(
  schema: JsonObject,
  skipsAnyOf: boolean,
  skipsFirstAllOf: boolean,
  path: string,
  walk: Walk,
): Steps<void> {
  if (!skipsAnyOf) {
    for (const [at, nested] of objects(schema, 'anyOf').entries()) {
      yield* checkNested(nested, false, child(path, `anyOf[${at}]`), walk);
    }
  }
  for (const [at, nested] of objects(schema, 'allOf').entries()) {
    yield* checkNested(nested, skipsFirstAllOf && at === 0, child(path, `allOf[${at}]`), walk);
  }
  for (const [at, nested] of objects(schema, 'oneOf').entries()) {
    yield* checkNested(nested, false, child(path, `oneOf[${at}]`), walk);
  }
  const not = schemaAt(schema, 'not');
  if (not !== undefined) yield* checkNested(not, false, child(path, 'not'), walk);
  const pattern = text(schema, 'pattern');
  if (pattern === '' || !walk.readsPatterns) return;
  const problem = patternProblem(pattern);
  if (endsStep(walk, nodesPerStep)) yield;
  if (problem !== undefined) {
    const detail = `must be a valid regular expression, but isn't: ${problem}`;
    walk.errors.push(invalid(child(path, 'pattern'), pattern, detail));
  }
}

/** What must not stand below a junctor, what it must be, and whether it does. */
const notNested: readonly (readonly [name: string, must: 'empty' | 'undefined' | 'false'])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
];

function* checkNested(
  schema: JsonObject,
  skipsAnyOf: boolean,
  path: string,
  walk: Walk,
): Steps<void> {
  const { errors } = walk;
  if (errors.length >= errorsMax) return;
  if (endsStep(walk, 1)) yield;
  yield* checkNarrowing(schema, skipsAnyOf, false, path, walk);
  const items = schemaAt(schema, 'items');
  if (items !== undefined) yield* checkNested(items, false, child(path, 'items'), walk);
  for (const [name, property] of Object.entries(part(schema, 'properties'))) {
    if (!isJsonObject(property)) continue;
    yield* checkNested(property, false, child(path, `properties[${name}]`), walk);
  }
  for (const [name, must] of notNested) {
    const value = schema[name];
    const isThere = must === 'undefined' ? isGiven(value) : !isZero(value);
    // `additionalProperties: false` is no schema at all.
    if (!isThere || (name === 'additionalProperties' && value === false)) continue;
    errors.push(forbidden(child(path, name), `must be ${must} to be structural`));
  }
  if (ownProperty(schema, 'metadata') !== undefined) {
    const detail = 'must not be specified in a nested context';
    errors.push(forbidden(child(path, 'properties[metadata]'), detail));
  }
}

/** Every field and list that an alternative speaks of is specified on the spine. */
function* checkComplete(
  narrowing: JsonObject,
  spine: JsonObject | undefined,
  spinePath: string,
  path: string,
  walk: Walk,
): Steps<void> {
  const not = schemaAt(narrowing, 'not');
  if (not !== undefined)
    yield* checkNestedComplete(not, spine, spinePath, child(path, 'not'), walk);
  for (const name of ['allOf', 'anyOf', 'oneOf']) {
    for (const [at, nested] of objects(narrowing, name).entries()) {
      yield* checkNestedComplete(nested, spine, spinePath, child(path, `${name}[${at}]`), walk);
    }
  }
}

function* checkNestedComplete(
  nested: JsonObject,
  spine: JsonObject | undefined,
  spinePath: string,
  path: string,
  walk: Walk,
): Steps<void> {
  const { errors } = walk;
  if (errors.length >= errorsMax) return;
  if (endsStep(walk, 1)) yield;
  if (spine === undefined) {
    errors.push(required(spinePath, `because it is defined in ${path}`));
    return;
  }
  yield* checkComplete(nested, spine, spinePath, path, walk);
  const items = schemaAt(nested, 'items');
  if (items !== undefined) {
    const below = schemaAt(spine, 'items');
    yield* checkNestedComplete(items, below, child(spinePath, 'items'), child(path, 'items'), walk);
  }
  for (const [name, property] of Object.entries(part(nested, 'properties'))) {
    if (!isJsonObject(property)) continue;
    const at = `properties[${name}]`;
    const below = ownProperty(spine, name);
    yield* checkNestedComplete(property, below, child(spinePath, at), child(path, at), walk);
  }
}

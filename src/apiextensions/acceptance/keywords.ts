/**
 * What the keywords of a schema must keep to, at every node, also in allOf and the like: keywords
 * that are not supported, types that are none, lists with keys, sets, and the form of rules.
 *
 * Elsewhere: structure (structural.ts), what defaults are (defaults.ts) and what rules say
 * (rules.ts).
 *
 * Found once for each schema and path. Bounds: linear in the schema; `errorsMax` errors; a step
 * looks at `nodesPerStep` nodes.
 */
import { forbidden, invalid, notSupported, required } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { items, objects, part, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { schemaDump } from './dumps.ts';
import { typeNames } from './schema-facts.ts';
import type { SchemaValidationOptions } from './schema-options.ts';
import { listErrors } from './list-keywords.ts';
import { isPlainScalar, nodesPerStep } from './plain-scalar.ts';
import { ruleFormErrors } from './rule-form.ts';
import { schemaAt } from './structural.ts';

const errorsMax = 100;

export interface KeywordFindings {
  readonly errors: readonly FieldError[];
  /** Schemas that have such an error, or one below: their rules are not looked at. */
  readonly faulty: ReadonlySet<JsonObject>;
}

const nothingFound: KeywordFindings = { errors: [], faulty: new Set() };

interface Found {
  readonly path: string;
  readonly options: SchemaValidationOptions;
  readonly findings: KeywordFindings;
}

/** What was asked last of a schema. */
const known = new WeakMap<JsonObject, Found>();

function knownFindings(
  schema: JsonObject,
  path: string,
  options: SchemaValidationOptions,
): KeywordFindings | undefined {
  const found = known.get(schema);
  if (found?.options !== options) return undefined;
  const { findings } = found;
  return findings.errors.length === 0 || found.path === path ? findings : undefined;
}

export function keywordErrors(
  schema: JsonObject,
  path: string,
  options: SchemaValidationOptions,
): KeywordFindings {
  return knownFindings(schema, path, options) ?? finished(keywordSteps(schema, path, options));
}

/** keywordErrors() in steps. */
export function* keywordSteps(
  schema: JsonObject,
  path: string,
  options: SchemaValidationOptions,
): Steps<KeywordFindings> {
  const found = knownFindings(schema, path, options);
  if (found !== undefined) return found;
  const walk: Walk = { options, errors: [], faulty: new Set(), above: [], seen: 0 };
  const root: Node = { schema, path, isRoot: true, insideMeta: false, forbidsDefault: undefined };
  yield* check(root, walk);
  const findings: KeywordFindings =
    walk.errors.length === 0
      ? nothingFound
      : { errors: walk.errors.slice(0, errorsMax), faulty: walk.faulty };
  known.set(schema, { path, options, findings });
  return findings;
}

interface Walk {
  readonly options: SchemaValidationOptions;
  readonly errors: FieldError[];
  readonly faulty: Set<JsonObject>;
  /** Those that the walk is inside of, and the one that it looks at. */
  readonly above: JsonObject[];
  /** Nodes so far. */
  seen: number;
}

interface Node {
  readonly schema: JsonObject;
  readonly path: string;
  readonly isRoot: boolean;
  /** It describes metadata, or apiVersion or kind, of a resource. */
  readonly insideMeta: boolean;
  /** Why there may be no default here. */
  readonly forbidsDefault: string | undefined;
}

function report(walk: Walk, error: FieldError): void {
  walk.errors.push(error);
  for (const schema of walk.above) walk.faulty.add(schema);
}

function* check(node: Node, walk: Walk): Steps<void> {
  if (walk.errors.length >= errorsMax || isPlainScalar(node.schema)) return;
  walk.seen += 1;
  if (walk.seen % nodesPerStep === 0) yield;
  walk.above.push(node.schema);
  yield* checkBelow(node, walk);
  for (const error of ownErrors(node, walk.options)) report(walk, error);
  walk.above.pop();
}

const unsupported = ['patternProperties', 'definitions'];

function ownErrors(node: Node, options: SchemaValidationOptions): readonly FieldError[] {
  const { forbidsDefault, insideMeta, path, schema } = node;
  const errors: FieldError[] = [];
  const type = text(schema, 'type');
  const forbid = (name: string, detail: string): number =>
    errors.push(forbidden(`${path}.${name}`, detail));
  if (options.requireKnownTypes && type !== '' && !typeNames.includes(type)) {
    errors.push(notSupported(`${path}.type`, type, typeNames));
  }
  if (forbidsDefault !== undefined && (schema['default'] ?? null) !== null) {
    forbid('default', `must not be set ${forbidsDefault}`);
  }
  if (text(schema, 'id') !== '') forbid('id', 'id is not supported');
  if ((schema['additionalItems'] ?? null) !== null) {
    forbid('additionalItems', 'additionalItems is not supported');
  }
  for (const name of unsupported) {
    if (Object.keys(part(schema, name)).length > 0) forbid(name, `${name} is not supported`);
  }
  if (isJsonObject(schema['dependencies'])) forbid('dependencies', 'dependencies is not supported');
  if (typeof schema['$ref'] === 'string') forbid('$ref', '$ref is not supported');
  if (type === 'null') {
    forbid('type', 'type cannot be set to null, use nullable as an alternative');
  }
  if (items(schema, 'items').length > 0) {
    forbid('items', 'items must be a schema object and not an array');
  }
  if (insideMeta && schema['x-kubernetes-embedded-resource'] === true) {
    forbid('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  }
  if (schema['uniqueItems'] === true) {
    forbid(
      'uniqueItems',
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    );
  }
  const values = schema['additionalProperties'];
  const isMap = isJsonObject(values) || values === false;
  if (isMap && Object.keys(part(schema, 'properties')).length > 0) {
    forbid('additionalProperties', 'additionalProperties and properties are mutual exclusive');
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    const field = `${path}.x-kubernetes-preserve-unknown-fields`;
    errors.push(invalid(field, false, 'must be true or undefined'));
  }
  errors.push(...mapErrors(schema, path), ...listErrors(schema, path, options));
  for (const [at, rule] of objects(schema, 'x-kubernetes-validations').entries()) {
    errors.push(...ruleFormErrors(rule, `${path}.x-kubernetes-validations[${at}]`, schema));
  }
  return errors;
}

function mapErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const mapType = schema['x-kubernetes-map-type'];
  if (typeof mapType !== 'string') return [];
  const errors: FieldError[] = [];
  const type = text(schema, 'type');
  if (type !== 'object') {
    const detail = 'must be object if x-kubernetes-map-type is specified';
    const field = `${path}.type`;
    errors.push(type === '' ? required(field, detail) : invalid(field, type, detail));
  }
  const known = ['atomic', 'granular'];
  if (!known.includes(mapType)) {
    errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, known));
  }
  return errors;
}

const metaFields: readonly string[] = ['metadata', 'kind', 'apiVersion'];
const insideValues = 'inside additionalProperties applying to object metadata';

function* checkBelow(node: Node, walk: Walk): Steps<void> {
  const { forbidsDefault, insideMeta, isRoot, path, schema } = node;
  const below = (inner: JsonObject, end: string, more: Partial<Node> = {}): Steps<void> => {
    const at = `${path}.${end}`;
    const place = { schema: inner, path: at, isRoot: false, insideMeta, forbidsDefault };
    return check({ ...place, ...more }, walk);
  };
  const values = schemaAt(schema, 'additionalProperties');
  if (values !== undefined) {
    const reason = insideMeta ? insideValues : forbidsDefault;
    yield* below(values, 'additionalProperties', { forbidsDefault: reason });
  }
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const properties = part(schema, 'properties');
  for (const name of Object.keys(properties)) {
    const property = properties[name];
    if (!isJsonObject(property) || isPlainScalar(property)) continue;
    const isMeta = isResource && metaFields.includes(name);
    const reason = isMeta && isRoot ? `in top-level ${name}` : forbidsDefault;
    yield* below(property, `properties[${name}]`, {
      insideMeta: insideMeta || isMeta,
      forbidsDefault: reason,
    });
  }
  for (const name of ['not', 'items']) {
    const inner = schemaAt(schema, name);
    if (inner !== undefined && !isPlainScalar(inner)) yield* below(inner, name);
  }
  for (const name of ['allOf', 'oneOf', 'anyOf', 'items']) {
    for (const [at, inner] of objects(schema, name).entries()) {
      yield* below(inner, `${name}[${at}]`);
    }
  }
  for (const name of ['definitions', 'dependencies']) {
    for (const [key, inner] of Object.entries(part(schema, name))) {
      if (isJsonObject(inner)) yield* below(inner, `${name}[${key}]`);
    }
  }
}

/** With a status of its own a schema may say less of the object as a whole. */
export function rootErrors(
  schema: JsonObject,
  path: string,
  hasStatus: boolean,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (hasStatus) errors.push(...withStatusErrors(schema, path));
  if (schema['nullable'] === true) {
    errors.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  }
  return errors;
}

/** Under the names that the reference has for them. */
const rootKeywords: readonly (readonly [name: string, shown: string])[] = [
  ['description', 'Description'],
  ['type', 'Type'],
  ['format', 'Format'],
  ['title', 'Title'],
  ['maximum', 'Maximum'],
  ['exclusiveMaximum', 'ExclusiveMaximum'],
  ['minimum', 'Minimum'],
  ['exclusiveMinimum', 'ExclusiveMinimum'],
  ['maxLength', 'MaxLength'],
  ['minLength', 'MinLength'],
  ['pattern', 'Pattern'],
  ['maxItems', 'MaxItems'],
  ['minItems', 'MinItems'],
  ['uniqueItems', 'UniqueItems'],
  ['multipleOf', 'MultipleOf'],
  ['required', 'Required'],
  ['items', 'Items'],
  ['properties', 'Properties'],
  ['externalDocs', 'ExternalDocs'],
  ['example', 'Example'],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields'],
  ['x-kubernetes-validations', 'XValidations'],
];

const rootNames: ReadonlySet<string> = new Set(rootKeywords.map(([name]) => name));

function withStatusErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const type = text(schema, 'type');
  if (type !== '' && type !== 'object') {
    const detail =
      'only "object" is allowed as the type at the root of the schema ' +
      'if the status subresource is enabled';
    return [invalid(`${path}.type`, type, detail)];
  }
  const other = Object.keys(schema).find((name) => !rootNames.has(name) && isSet(schema, name));
  if (other === undefined) return [];
  const shown = rootKeywords.map(([, name]) => name).join(' ');
  const detail =
    `only [${shown}] fields are allowed at the root of the schema ` +
    'if the status subresource is enabled';
  return [{ ...invalid(path, schema, detail), shown: schemaDump(schema) }];
}

function isSet(schema: JsonObject, name: string): boolean {
  const value = schema[name];
  return value !== undefined && value !== null && value !== false && value !== '';
}

/**
 * What is to be known of a schema as a whole, found out in one walk over all of it, whatever its
 * parts are to it: what it has that nothing supports, that only structural schemas may have, or
 * that later rules do not allow.
 *
 * Invariants: computed once for each schema; in steps or at once, the facts are the same. Bounds:
 * linear in the schema; a step looks at `nodesPerStep` of its nodes.
 */
import { items, part, text, texts } from '../../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { checkedFormat } from '../schema/formats.ts';
import { isPlainScalar, nodesPerStep } from './plain-scalar.ts';
import { schemaAt } from './structural.ts';

export interface SchemaFacts {
  /** It can be read as a structural schema at all. */
  readonly isConvertible: boolean;
  readonly hasUnknownType: boolean;
  readonly hasNonAtomicSet: boolean;
  readonly hasOptionalKeys: boolean;
  /** It says what only structural schemas can: defaults, or extensions. */
  readonly requiresStructural: boolean;
  readonly hasDefaults: boolean;
  readonly hasRules: boolean;
  /** It may have bounds that are no doubles. */
  readonly hasLongNumbers: boolean;
  /** Formats that nothing checks. */
  readonly unknownFormats: ReadonlySet<string>;
}

const known = new WeakMap<JsonObject, SchemaFacts>();

export function factsOf(schema: JsonObject): SchemaFacts {
  return known.get(schema) ?? finished(factsSteps(schema));
}

/** The same facts hold of a schema that is this one with its bounds as doubles. */
export function keepFacts(schema: JsonObject, facts: SchemaFacts): void {
  known.set(schema, facts);
}

/** factsOf() in steps. */
export function* factsSteps(schema: JsonObject): Steps<SchemaFacts> {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const facts: Draft = {
    isConvertible: true,
    hasUnknownType: false,
    hasNonAtomicSet: false,
    hasOptionalKeys: false,
    requiresStructural: false,
    hasDefaults: false,
    hasRules: false,
    hasLongNumbers: false,
    unknownFormats: new Set(),
  };
  const waiting = [schema];
  let seen = 0;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    look(node, facts, waiting);
    seen += 1;
    if (seen % nodesPerStep === 0) yield;
  }
  known.set(schema, facts);
  return facts;
}

type Draft = { -readonly [Name in keyof SchemaFacts]: SchemaFacts[Name] } & {
  readonly unknownFormats: Set<string>;
};

function look(schema: JsonObject, facts: Draft, waiting: JsonObject[]): void {
  const format = text(schema, 'format');
  if (format !== '' && checkedFormat(format, text(schema, 'type'), undefined) === '') {
    facts.unknownFormats.add(format);
  }
  for (const name in schema) if (typeof schema[name] === 'bigint') facts.hasLongNumbers = true;
  if (isPlainScalar(schema)) return;
  const hasDefault = (schema['default'] ?? null) !== null;
  facts.hasDefaults ||= hasDefault;
  facts.requiresStructural ||= hasDefault || extensions.some((name) => schema[name] !== undefined);
  facts.hasRules ||= schema['x-kubernetes-validations'] !== undefined;
  facts.isConvertible &&= !hasUnsupported(schema);
  facts.hasUnknownType ||= isUnknownType(text(schema, 'type'));
  facts.hasNonAtomicSet ||= isNonAtomicSet(schema);
  facts.hasOptionalKeys ||= keysAreOptional(schema);
  addSubschemas(schema, waiting);
}

const maps = ['properties', 'patternProperties', 'definitions', 'dependencies'];
const lists = ['allOf', 'anyOf', 'oneOf', 'items'];
const singles = ['not', 'items', 'additionalProperties', 'additionalItems'];

/** Every schema right below one, whatever it is to it. */
function addSubschemas(schema: JsonObject, found: JsonObject[]): void {
  const add = (value: JsonValue | undefined): void => {
    if (value !== undefined && isJsonObject(value)) found.push(value);
  };
  for (const name of singles) add(schema[name]);
  for (const name of maps) {
    const members = part(schema, name);
    for (const key in members) add(members[key]);
  }
  for (const name of lists) items(schema, name).forEach(add);
}

const unsupported = ['id', '$schema', '$ref'];
const unsupportedParts = ['patternProperties', 'dependencies', 'definitions'];

function hasUnsupported(schema: JsonObject): boolean {
  return (
    unsupported.some((name) => text(schema, name) !== '') ||
    unsupportedParts.some((name) => Object.keys(part(schema, name)).length > 0) ||
    isJsonObject(schema['additionalItems']) ||
    typeof schema['additionalItems'] === 'boolean' ||
    items(schema, 'items').length > 0 ||
    schema['x-kubernetes-preserve-unknown-fields'] === false
  );
}

export const typeNames = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

function isUnknownType(type: string): boolean {
  return type !== '' && !typeNames.includes(type);
}

/** A set whose entries have parts of their own. */
export function isNonAtomicSet(schema: JsonObject): boolean {
  const entries = schemaAt(schema, 'items');
  if (text(schema, 'x-kubernetes-list-type') !== 'set' || entries === undefined) return false;
  const type = text(entries, 'type');
  if (type === 'array') return !['', 'atomic'].includes(text(entries, 'x-kubernetes-list-type'));
  return type === 'object' && text(entries, 'x-kubernetes-map-type') !== 'atomic';
}

/** A list of type set or map whose entries, or keys, may be missing. */
function keysAreOptional(schema: JsonObject): boolean {
  const entries = schemaAt(schema, 'items');
  const listType = text(schema, 'x-kubernetes-list-type');
  if (entries === undefined || (listType !== 'set' && listType !== 'map')) return false;
  if (entries['nullable'] === true) return true;
  if (listType === 'set') return false;
  const required = texts(entries, 'required');
  return texts(schema, 'x-kubernetes-list-map-keys').some((key) => {
    const property = part(entries, 'properties')[key];
    if (!isJsonObject(property)) return false;
    const isGiven = required.includes(key) || (property['default'] ?? null) !== null;
    return !isGiven || property['nullable'] === true;
  });
}

const extensions = [
  'x-kubernetes-embedded-resource',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-validations',
];

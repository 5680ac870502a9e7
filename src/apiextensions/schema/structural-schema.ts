/**
 * The structural schema of a version: the JSON of a definition as it stands, with names for its
 * keywords. It is the schema that expressions get their types from (src/cel/schema), and what that
 * room has no use for.
 *
 * Invariants: never copied and never changed, so nodes may be keys of memos. Accepted schemas have
 * these types; whoever looks at one that is not accepted yet asks (acceptance/).
 */
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { memberOf } from '../../cel/schema/schema.ts';
import type { Schema } from '../../cel/schema/schema.ts';
import type { Steps } from '../../stdx/stepwise.ts';

export interface StructuralSchema extends Schema {
  readonly description?: string | undefined;
  readonly pattern?: string | undefined;
  readonly minLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: boolean | undefined;
  readonly exclusiveMaximum?: boolean | undefined;
  readonly multipleOf?: number | undefined;
  readonly minItems?: number | undefined;
  readonly minProperties?: number | undefined;
  readonly enum?: readonly JsonValue[] | undefined;
  readonly default?: JsonValue | undefined;
  readonly properties?: Readonly<Record<string, StructuralSchema>> | undefined;
  readonly additionalProperties?: StructuralSchema | boolean | undefined;
  readonly items?: StructuralSchema | undefined;
  readonly allOf?: readonly StructuralSchema[] | undefined;
  readonly anyOf?: readonly StructuralSchema[] | undefined;
  readonly oneOf?: readonly StructuralSchema[] | undefined;
  readonly not?: StructuralSchema | undefined;
  readonly 'x-kubernetes-map-type'?: string | undefined;
  readonly 'x-kubernetes-validations'?: readonly SchemaRule[] | undefined;
}

export interface SchemaRule {
  readonly rule: string;
  readonly message?: string | undefined;
  readonly messageExpression?: string | undefined;
  readonly reason?: string | undefined;
  readonly fieldPath?: string | undefined;
  readonly optionalOldSelf?: boolean | undefined;
}

/** The schema of a definition's version, read as it is. */
export function asSchema(schema: JsonObject): StructuralSchema {
  return schema;
}

/** Of a declared property only; undefined for all others. */
export function propertyOf(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  return memberOf(schema.properties, name);
}

/** Of the values of a map; undefined where the schema describes none. */
export function valuesOf(schema: StructuralSchema): StructuralSchema | undefined {
  const { additionalProperties } = schema;
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** Of a member of this name, declared or not. */
export function memberSchema(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  return propertyOf(schema, name) ?? valuesOf(schema);
}

export function keepsUnknown(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

export function isEmbedded(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

/** A default of null is none. */
export function defaultOf(schema: StructuralSchema): JsonValue | undefined {
  return schema.default ?? undefined;
}

/**
 * Whether `holds` is true of this schema, or of one below it on the spine (not in allOf and the
 * like). Cached for each node that has members: most nodes are texts and numbers, which one look
 * decides, and a table of all nodes of a thousand definitions would stop everybody whenever it has
 * to grow.
 */
export function spineMemo(
  holds: (schema: StructuralSchema) => boolean,
): (schema: StructuralSchema) => boolean {
  const known = new WeakMap<StructuralSchema, boolean>();
  const ask = (schema: StructuralSchema): boolean => {
    if (isEnd(schema)) return holds(schema);
    const cached = known.get(schema);
    if (cached !== undefined) return cached;
    const below = belowOf(schema);
    const [only] = below;
    if (only !== undefined && below.length === 1 && isEnd(only))
      return holds(schema) || holds(only);
    const found = holds(schema) || below.some(ask);
    known.set(schema, found);
    return found;
  };
  memos.push(ask);
  return ask;
}

/** All spine memos of the program; they are made when modules are loaded. */
const memos: ((schema: StructuralSchema) => unknown)[] = [];

/** Nodes in one step of `fillSpineMemos`. */
const nodesPerStep = 4_000;

/** Fills all spine memos for a schema in steps, before its first object comes: from below, so that
 * each node finds what is below it cached. `more`: one more memo to fill. */
export function* fillSpineMemos(
  schema: StructuralSchema,
  more: (schema: StructuralSchema) => unknown,
): Steps<void> {
  const inner = [schema];
  let seen = 0;
  for (const node of inner) {
    const below = belowOf(node);
    for (const each of below) if (!isEnd(each)) inner.push(each);
    seen += below.length;
    if (seen < nodesPerStep) continue;
    seen = 0;
    yield;
  }
  for (const node of inner.reverse()) {
    for (const ask of [...memos, more]) {
      ask(node);
      seen += widthOf(node);
      if (seen < nodesPerStep) continue;
      seen = 0;
      yield;
    }
  }
}

function widthOf({ properties }: StructuralSchema): number {
  return 1 + (properties === undefined ? 0 : Object.keys(properties).length);
}

/** Nothing is below it. */
function isEnd(schema: StructuralSchema): boolean {
  const { items, properties } = schema;
  return items === undefined && properties === undefined && valuesOf(schema) === undefined;
}

/** The schemas right below one on the spine. */
export function belowOf(schema: StructuralSchema): readonly StructuralSchema[] {
  const { items, properties } = schema;
  const below = properties === undefined ? [] : Object.values(properties);
  const values = valuesOf(schema);
  if (values !== undefined) below.push(values);
  if (items !== undefined) below.push(items);
  return below;
}

/** A resource is embedded here or below. */
export const hasEmbeddedResources = spineMemo(isEmbedded);

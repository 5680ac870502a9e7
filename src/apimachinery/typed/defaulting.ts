/**
 * Defaults: what a field is when the client leaves it out. Tables say it type by type; this file
 * walks an object and fills in (spec 1, section 2.2; spec 2, section 9.3).
 *
 *     { 'core/v1.ServiceSpec': { type: 'ClusterIP', sessionAffinityConfig: (spec) => ... } }
 *
 * Elsewhere: the tables (definitions in src/apis). It expects an object that conform.ts has made:
 * of the right types, without nulls, and with every object that its type always has (one whose
 * field is not nullable), if only as `{}`; rows fill such objects and never have to make them.
 *
 * Invariants: an outer object is filled before the ones inside it, and the fields of one object in
 * the order of its rows. Only what is absent is filled; for a field that is not nullable its zero
 * value is absent too. What is filled already stays the same value: filling twice is filling once.
 * Subtrees without rows are not visited. Pure.
 */
import { assert } from '../../stdx/assert.ts';
import type { Identity } from '../identity.ts';
import type { JsonObject, JsonValue, ObjectDraft } from '../unstructured.ts';
import { draftOf, isJsonObject } from '../unstructured.ts';
import type { FieldSchema, ObjectSchema, TypeSchema } from './type-schema.ts';

export interface DefaultContext {
  readonly identity: Identity;
  /** The whole object, as it was when its own rows had run. */
  readonly root: JsonObject;
}

/** Undefined: no default here. `object` has the defaults of the rows before this one. */
export type DefaultOf = (object: JsonObject, context: DefaultContext) => JsonValue | undefined;

/** A constant (`{domain}` and `{labelDomain}` in its texts are filled in), or a function. */
export type Default = JsonValue | DefaultOf;

/** Field of the type, by its JSON name, to what it is when absent. In order. */
export type TypeDefaults = Readonly<Record<string, Default>>;

/**
 * For what a single field cannot say (defaults of a container that depend on its pod). Runs when
 * the type's own rows have run and before the objects inside are visited. It gives the same object
 * when there is nothing to do, and must have nothing to do on its own result.
 */
export type Complete = (object: JsonObject, context: DefaultContext) => JsonObject;

export interface DefaultTable {
  /** By full name of the type: `core/v1.ServiceSpec`. */
  readonly fields: Readonly<Record<string, TypeDefaults>>;
  readonly complete?: Readonly<Record<string, Complete>> | undefined;
}

/** Fills in what is absent, at every depth. The same object when nothing is. */
export type Defaulter = (object: JsonObject) => JsonObject;

/** A row that holds only where the sibling fields have these values. */
export function when(
  siblings: Readonly<Record<string, JsonValue | readonly JsonValue[]>>,
  value: Default,
): DefaultOf {
  const wanted = Object.entries(siblings);
  return (object, context) => {
    for (const [name, allowed] of wanted) {
      const found = object[name] ?? null;
      if (Array.isArray(allowed) ? !allowed.includes(found) : allowed !== found) return undefined;
    }
    return typeof value === 'function' ? value(object, context) : value;
  };
}

/**
 * Defaulters by type, made when first asked for. Two tables with rows for one type, and a row for
 * a field that its type does not have, are broken builds and throw.
 */
export function makeDefaulters(
  tables: readonly DefaultTable[],
  identity: Identity,
): (schema: ObjectSchema) => Defaulter {
  const rules = mergeTables(tables, identity);
  const plans = new Map<ObjectSchema, TypePlan>();
  const planOf = (schema: ObjectSchema): TypePlan => {
    const known = plans.get(schema);
    if (known !== undefined) return known;
    const plan = { ...ownPlan(schema, rules), inner: new Map<string, Fill>() };
    plans.set(schema, plan);
    for (const field of schema.members.values()) {
      const fill = fillOf(field.type, rules, planOf);
      if (fill !== undefined) plan.inner.set(field.name, fill);
    }
    return plan;
  };
  return (schema) => {
    const plan = planOf(schema);
    if (plan.rows.length === 0 && plan.complete === undefined && plan.inner.size === 0) {
      return (object) => object;
    }
    return (object) => {
      const own = fillOwn(plan, object, { identity, root: object });
      // A copy of its own: the root is the object as it was before this.
      return fillInner(plan, own, { identity, root: own }, undefined);
    };
  };
}

interface TypeRules {
  readonly fields: ReadonlyMap<string, TypeDefaults>;
  readonly complete: ReadonlyMap<string, Complete>;
}

interface Row {
  readonly name: string;
  /** Its zero value is a value. */
  readonly nullable: boolean;
  readonly value: Default;
}

type Fill = (value: JsonValue, context: DefaultContext) => JsonValue;

interface TypePlan {
  readonly rows: readonly Row[];
  readonly complete: Complete | undefined;
  /** By field, those with rows somewhere inside. */
  readonly inner: ReadonlyMap<string, Fill>;
}

function mergeTables(tables: readonly DefaultTable[], identity: Identity): TypeRules {
  const fields = new Map<string, TypeDefaults>();
  const complete = new Map<string, Complete>();
  for (const table of tables) {
    for (const [type, rows] of Object.entries(table.fields)) {
      assert(!fields.has(type), `one table has the defaults of ${type}`);
      fields.set(type, fillTexts(rows, identity));
    }
    for (const [type, rule] of Object.entries(table.complete ?? {})) {
      assert(!complete.has(type), `one table completes ${type}`);
      complete.set(type, rule);
    }
  }
  return { fields, complete };
}

function fillTexts(rows: TypeDefaults, identity: Identity): TypeDefaults {
  const filled = Object.entries(rows).map(([name, value]): [string, Default] => [
    name,
    typeof value === 'function' ? value : fillConstant(value, identity),
  ]);
  return Object.fromEntries(filled);
}

function fillConstant(value: JsonValue, identity: Identity): JsonValue {
  if (typeof value === 'string') return identity.fill(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => fillConstant(item, identity));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, fillConstant(part ?? null, identity)]),
  );
}

function ownPlan(schema: ObjectSchema, rules: TypeRules): Omit<TypePlan, 'inner'> {
  const rows: Row[] = [];
  for (const [name, value] of Object.entries(rules.fields.get(schema.name) ?? {})) {
    const field = schema.members.get(name);
    assert(field !== undefined, `${schema.name} has a field ${name}`);
    rows.push({ name, nullable: field.nullable, value });
  }
  // The types of inline fields lie flat in the object, so their rows are the object's own.
  for (const field of schema.fields) {
    if (field.inline && field.type.kind === 'object') {
      rows.push(...ownPlan(field.type, rules).rows);
    }
  }
  // What the schema itself says comes last: a table may know better.
  for (const field of schema.members.values()) {
    const constant = schemaDefault(field);
    if (constant === undefined || rows.some((row) => row.name === field.name)) continue;
    rows.push({ name: field.name, nullable: field.nullable, value: constant });
  }
  return { rows, complete: rules.complete.get(schema.name) };
}

/** Undefined for none, for a zero value, and for a named constant, which a table must spell out. */
function schemaDefault(field: FieldSchema): JsonValue | undefined {
  if (field.default === undefined || field.default.startsWith('ref(')) return undefined;
  const value = JSON.parse(field.default) as JsonValue;
  return isZero(value) && !field.nullable ? undefined : value;
}

function fillOf(
  type: TypeSchema,
  rules: TypeRules,
  planOf: (schema: ObjectSchema) => TypePlan,
): Fill | undefined {
  switch (type.kind) {
    case 'scalar':
    case 'union':
      return undefined;
    case 'list': {
      const fill = fillOf(type.items, rules, planOf);
      return fill && ((value, context) => fillItems(value, fill, context));
    }
    case 'map': {
      const fill = fillOf(type.values, rules, planOf);
      return fill && ((value, context) => fillValues(value, fill, context));
    }
    case 'object': {
      if (!reachesRows(type, rules, new Set())) return undefined;
      const plan = planOf(type);
      return (value, context) => (isJsonObject(value) ? fillObject(plan, value, context) : value);
    }
  }
}

/** Whether filling an object of this type can change anything in it. */
function reachesRows(type: TypeSchema, rules: TypeRules, seen: Set<TypeSchema>): boolean {
  if (type.kind === 'list') return reachesRows(type.items, rules, seen);
  if (type.kind === 'map') return reachesRows(type.values, rules, seen);
  if (type.kind !== 'object' || seen.has(type)) return false;
  seen.add(type);
  const { rows, complete } = ownPlan(type, rules);
  if (rows.length > 0 || complete !== undefined) return true;
  for (const field of type.members.values()) {
    if (reachesRows(field.type, rules, seen)) return true;
  }
  return false;
}

function fillObject(plan: TypePlan, object: JsonObject, context: DefaultContext): JsonObject {
  const own = fillOwn(plan, object, context);
  // A copy that only this walk knows need not be copied once more.
  const isOurs = own !== object && plan.complete === undefined;
  return fillInner(plan, own, context, isOurs ? own : undefined);
}

function fillOwn(plan: TypePlan, object: JsonObject, context: DefaultContext): JsonObject {
  let filled: ObjectDraft | undefined;
  for (const { name, nullable, value } of plan.rows) {
    const found = (filled ?? object)[name];
    if (found !== undefined && (nullable || !isZero(found))) continue;
    const made = typeof value === 'function' ? value(filled ?? object, context) : value;
    if (made === undefined || made === found) continue;
    filled ??= draftOf(object);
    filled[name] = made;
  }
  const own = filled ?? object;
  return plan.complete === undefined ? own : plan.complete(own, context);
}

/** `copy`: the object itself where it may be written to. */
function fillInner(
  plan: TypePlan,
  object: JsonObject,
  context: DefaultContext,
  copy: ObjectDraft | undefined,
): JsonObject {
  let filled = copy;
  if (plan.inner.size === 0) return object;
  for (const name in object) {
    const fill = plan.inner.get(name);
    const found = object[name];
    if (fill === undefined || found === undefined) continue;
    const made = fill(found, context);
    if (made === found) continue;
    filled ??= draftOf(object);
    filled[name] = made;
  }
  return filled ?? object;
}

function fillItems(value: JsonValue, fill: Fill, context: DefaultContext): JsonValue {
  if (!Array.isArray(value)) return value;
  const items = value as readonly JsonValue[];
  let filled: JsonValue[] | undefined;
  for (let at = 0; at < items.length; at += 1) {
    const found = items[at] as JsonValue;
    const made = fill(found, context);
    if (made === found) continue;
    filled ??= [...items];
    filled[at] = made;
  }
  return filled ?? items;
}

function fillValues(value: JsonValue, fill: Fill, context: DefaultContext): JsonValue {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, found]): [string, JsonValue] => [
    name,
    fill(found ?? null, context),
  ]);
  if (entries.every(([name, made]) => made === value[name])) return value;
  return Object.fromEntries(entries);
}

/** Lists and maps without a member are zero, as in the reference. */
function isZero(value: JsonValue): boolean {
  if (value === '' || value === 0 || value === false) return true;
  return Array.isArray(value) && value.length === 0;
}

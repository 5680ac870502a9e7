/**
 * What the schema of a kind says about values: fields that must be given, and values that an
 * enumeration knows (spec 1, sections 4.8 and 8).
 *
 *     spec.selector: Required value
 *     spec.type: Unsupported value: "Foo": supported values: "ClusterIP", ...
 *
 * Elsewhere: the type check (conform.ts) and rules that a schema does not state. The status is not
 * looked at: it comes from the service's own components, which know more values than we do.
 *
 * A required field is missing when it is absent, an empty text, no bytes or an empty list: what
 * came over the wire does not tell these apart, except of a field that may be null. Numbers and
 * booleans have no empty value. An empty text is one that an enumeration does not know where being
 * absent is something else: in a list, and where a field may be null. Where the reference takes
 * what its schema calls wrong, an exemption says so.
 *
 * Bounds: at most `schemaErrorsMax` errors; the rest would be of the same kind.
 */
import { notSupported, required } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';
import type { FieldSchema, ObjectSchema, TypeSchema } from './type-schema.ts';

export const schemaErrorsMax = 100;

/** Of a whole object: its metadata has rules of its own; for the status see above. */
const unchecked: readonly string[] = ['metadata', 'status'];

/** Names are `<package>.<Type>.<field>` without the version: `core.HTTPHeader.value`. */
export interface SchemaExemptions {
  /** May be empty although the schema requires them. */
  readonly optional: ReadonlySet<string>;
  /** Take values that the enumeration does not list. */
  readonly openValues: ReadonlySet<string>;
  /** Packages whose kinds are validated elsewhere altogether. */
  readonly packages: ReadonlySet<string>;
}

export type TypedValidator = (object: JsonObject) => readonly FieldError[];

/** Validators by type, made when first asked for. */
export function makeTypedValidators(
  exempt: SchemaExemptions,
): (schema: ObjectSchema) => TypedValidator {
  const plans = new Map<ObjectSchema, Plan>();
  const planOf = (schema: ObjectSchema): Plan => {
    const known = plans.get(schema);
    if (known !== undefined) return known;
    const plan: Plan = { missing: [], nullable: new Set(), checks: new Map() };
    plans.set(schema, plan);
    if (!exempt.packages.has(packageOf(schema.name))) fillPlan(plan, schema, exempt, planOf);
    return plan;
  };
  return (schema) => {
    const { missing, nullable, checks } = planOf(schema);
    const plan = {
      missing,
      nullable,
      checks: new Map([...checks].filter(([name]) => !unchecked.includes(name))),
    };
    return (object) => {
      const walk: Walk = { keys: [], depth: 0, errors: [] };
      checkMembers(plan, object, walk);
      return walk.errors;
    };
  };
}

interface Walk {
  /** Where the walk is: `keys[0..depth)`. */
  readonly keys: (string | number)[];
  depth: number;
  readonly errors: FieldError[];
}

type Check = (value: JsonValue, walk: Walk) => void;

interface Plan {
  /** Fields that must be there. */
  readonly missing: string[];
  /** Those of them that may be empty: null stands for none. */
  readonly nullable: Set<string>;
  /** By field. */
  readonly checks: Map<string, Check>;
}

function packageOf(name: string): string {
  return name.slice(0, name.indexOf('/'));
}

function unversioned(schema: ObjectSchema, field: string): string {
  const type = schema.name.slice(schema.name.lastIndexOf('.') + 1);
  return `${packageOf(schema.name)}.${type}.${field}`;
}

function fillPlan(
  plan: Plan,
  schema: ObjectSchema,
  exempt: SchemaExemptions,
  planOf: (schema: ObjectSchema) => Plan,
): void {
  for (const field of schema.fields) {
    if (field.inline) {
      if (field.type.kind !== 'object') continue;
      const inner = planOf(field.type);
      plan.missing.push(...inner.missing);
      for (const name of inner.nullable) plan.nullable.add(name);
      for (const [name, check] of inner.checks) plan.checks.set(name, check);
      continue;
    }
    const { name } = field;
    if (mustBeGiven(field) && !exempt.optional.has(unversioned(schema, name))) {
      plan.missing.push(name);
      if (field.nullable) plan.nullable.add(name);
    }
    const open = exempt.openValues.has(unversioned(schema, name));
    const check = checkOf(field.type, { open, emptyIsNone: !field.nullable }, exempt, planOf);
    if (check !== undefined) plan.checks.set(name, check);
  }
}

function mustBeGiven({ required: isRequired, nullable, type }: FieldSchema): boolean {
  if (!isRequired) return false;
  return nullable || type.kind === 'list' || (type.kind === 'scalar' && hasEmpty.has(type.scalar));
}

/** Scalars with a value that stands for none. */
const hasEmpty: ReadonlySet<string> = new Set(['string', 'bytes']);

interface Place {
  /** Takes values that the enumeration does not list. */
  readonly open: boolean;
  /** An empty text says nothing. Where a value can be left out otherwise, it is one. */
  readonly emptyIsNone: boolean;
}

/** Undefined where there is nothing to check, at any depth. */
function checkOf(
  type: TypeSchema,
  place: Place,
  exempt: SchemaExemptions,
  planOf: (schema: ObjectSchema) => Plan,
): Check | undefined {
  switch (type.kind) {
    case 'scalar':
      return type.values === undefined || place.open
        ? undefined
        : valueCheck(type.values, place.emptyIsNone);
    case 'list': {
      const check = checkOf(type.items, { ...place, emptyIsNone: false }, exempt, planOf);
      return check && listCheck(check);
    }
    case 'map': {
      const check = checkOf(type.values, { ...place, emptyIsNone: false }, exempt, planOf);
      return check && mapCheck(check);
    }
    case 'object': {
      if (!saysSomething(type, exempt, new Set())) return undefined;
      const plan = planOf(type);
      return (value, walk) => {
        if (isJsonObject(value)) checkMembers(plan, value, walk);
      };
    }
    case 'union':
      return undefined;
  }
}

function saysSomething(type: TypeSchema, exempt: SchemaExemptions, seen: Set<TypeSchema>): boolean {
  if (type.kind === 'scalar') return type.values !== undefined;
  if (type.kind === 'list') return saysSomething(type.items, exempt, seen);
  if (type.kind === 'map') return saysSomething(type.values, exempt, seen);
  if (type.kind === 'union' || seen.has(type)) return false;
  seen.add(type);
  for (const field of type.members.values()) {
    if (mustBeGiven(field) || saysSomething(field.type, exempt, seen)) return true;
  }
  return false;
}

function checkMembers(plan: Plan, object: JsonObject, walk: Walk): void {
  const { keys, depth } = walk;
  walk.depth = depth + 1;
  for (const name of plan.missing) {
    if (!isMissing(object[name], plan.nullable.has(name)) || isFull(walk)) continue;
    keys[depth] = name;
    report(walk, required(pathOf(walk)));
  }
  if (plan.checks.size > 0) {
    // Over what is there: types have many fields, objects few.
    for (const name in object) {
      const check = plan.checks.get(name);
      if (check === undefined) continue;
      keys[depth] = name;
      check(object[name] as JsonValue, walk);
    }
  }
  walk.depth = depth;
}

function isMissing(value: JsonValue | undefined, nullable: boolean): boolean {
  if (value === undefined) return true;
  if (nullable) return false;
  if (value === '') return true;
  return Array.isArray(value) && value.length === 0;
}

function valueCheck(values: readonly string[], emptyIsNone: boolean): Check {
  const known = new Set<JsonValue>(emptyIsNone ? [...values, ''] : values);
  return (value, walk) => {
    if (known.has(value) || isFull(walk)) return;
    report(walk, notSupported(pathOf(walk), value, values));
  };
}

function listCheck(check: Check): Check {
  return (value, walk) => {
    if (!Array.isArray(value)) return;
    const { keys, depth } = walk;
    walk.depth = depth + 1;
    for (let at = 0; at < value.length; at += 1) {
      keys[depth] = at;
      check(value[at] as JsonValue, walk);
    }
    walk.depth = depth;
  };
}

function mapCheck(check: Check): Check {
  return (value, walk) => {
    if (!isJsonObject(value)) return;
    const { keys, depth } = walk;
    walk.depth = depth + 1;
    for (const name of Object.keys(value)) {
      keys[depth] = `[${name}]`;
      check(value[name] as JsonValue, walk);
    }
    walk.depth = depth;
  };
}

function report(walk: Walk, error: FieldError): void {
  if (!isFull(walk)) walk.errors.push(error);
}

/** Nobody need find words for what is not kept. */
function isFull({ errors }: Walk): boolean {
  return errors.length >= schemaErrorsMax;
}

/** Keys of maps stand in brackets, as in all field errors. */
function pathOf(walk: Walk): string {
  let path = '';
  for (const key of walk.keys.slice(0, walk.depth)) {
    if (typeof key === 'number') path += `[${key}]`;
    else path += path === '' || key.startsWith('[') ? key : `.${key}`;
  }
  return path;
}

/**
 * From a decoded document to an object of its type: one walk that checks every value, drops what
 * the type does not have, and brings the rest into the one form that equal objects share
 * (spec 1, section 4.8).
 *
 * A wrong type is an error here; a wrong value is left to validation. The metadata of the object
 * itself is read by meta-shape.ts. The same walk in steps, for large documents: conform-steps.ts.
 *
 * Invariants of the result, as the reference writes the object after it has read it:
 *  - no null, except where a type takes any JSON, and for a time inside a list or a map;
 *  - a field that is not nullable, not marked as written and zero (empty text, 0, false, an empty
 *    list or map) is absent; a list or map that is required stays as given;
 *  - a scalar that is marked so (all that are required are) is there, if only as its zero value,
 *    and so is every object whose field is not nullable;
 *  - quantities, times and base64 are in their canonical forms.
 * Of what is read as it is said (an intent) the first two do not hold: null and zero members stay.
 * Names match in their exact case. A part that has this form already is returned as it is, so
 * conforming twice gives the very same object. The document is never changed.
 *
 * Bounds: nesting is the document's, which its decoder has bounded. At most `unknownFieldsMax`
 * unknown fields are named; all are dropped.
 */
import type { JsonObject, JsonValue, ObjectDraft } from '../unstructured.ts';
import { draftOf, isJsonObject } from '../unstructured.ts';
import { describeFound, scalarReader, WrongType, zeroOfScalar } from './read-scalar.ts';
import type { FieldSchema, ObjectSchema, TypeSchema, UnionSchema } from './type-schema.ts';

export const unknownFieldsMax = 100;

export type Conformed =
  | {
      readonly kind: 'ok';
      readonly object: JsonObject;
      /** Paths such as `spec.containers[0].imag`. */
      readonly unknownFields: readonly string[];
    }
  | {
      readonly kind: 'refused';
      /** The first wrong field: its path, what it should be and what was found. */
      readonly problem: string;
      /** The same for where no value may be shown. */
      readonly unquotedProblem: string;
    };

/** The metadata of `document` itself is left alone: it is returned as it came. `asSaid`: members
 * that are null or zero stay where the document has them, for who says so owns them. */
export function conform(schema: ObjectSchema, document: JsonObject, asSaid = false): Conformed {
  const walk = newWalk(asSaid);
  try {
    const object = readMembers(documentPlanOf(schema), document, walk);
    return { kind: 'ok', object, unknownFields: walk.unknownFields };
  } catch (error) {
    return refusalOf(error, walk);
  }
}

export function newWalk(asSaid: boolean): Walk {
  return { asSaid, keys: [], depth: 0, unknownFields: [] };
}

/** What a walk that threw has come to. Throws what is no wrong type. */
export function refusalOf(error: unknown, walk: Walk): Conformed {
  if (!(error instanceof WrongType)) throw error;
  const where = `${pathOf(walk)}: expected ${error.expected}`;
  const found = (quotes: boolean): string => describeFound(error.found, quotes);
  return {
    kind: 'refused',
    problem: `${where}, found ${found(true)}`,
    unquotedProblem: `${where}, found ${found(false)}`,
  };
}

/** Where the walk is: `keys[0..depth)`. Written on the way down, read when something is wrong. */
export interface Walk {
  readonly asSaid: boolean;
  readonly keys: (string | number)[];
  depth: number;
  readonly unknownFields: string[];
}

function pathOf(walk: Walk): string {
  let path = '';
  for (const key of walk.keys.slice(0, walk.depth)) {
    path += typeof key === 'number' ? `[${key}]` : path === '' ? key : `.${key}`;
  }
  return path;
}

/** Not called with null. */
export type Reader = (value: JsonValue, walk: Walk) => JsonValue;

export interface Member {
  readonly read: Reader;
  /** Undefined: what is read here has no parts. */
  readonly type: TypeSchema | undefined;
  /** Whether a value is left out. */
  readonly omits: (value: JsonValue) => boolean;
}

export interface Plan {
  readonly members: ReadonlyMap<string, Member>;
  /** What is there even when the document does not say it. */
  readonly fills: readonly (readonly [name: string, value: JsonValue])[];
}

const plans = new WeakMap<ObjectSchema, Plan>();
const documentPlans = new WeakMap<ObjectSchema, Plan>();

export function planOf(schema: ObjectSchema): Plan {
  let plan = plans.get(schema);
  if (plan === undefined) {
    plan = makePlan(schema);
    plans.set(schema, plan);
  }
  return plan;
}

/** Of a whole document: its metadata is read by others. */
export function documentPlanOf(schema: ObjectSchema): Plan {
  let plan = documentPlans.get(schema);
  if (plan === undefined) {
    const { members, fills } = planOf(schema);
    plan = {
      members: new Map([...members, ['metadata', untouched]]),
      fills: fills.filter(([name]) => name !== 'metadata' && !typeMetaNames.includes(name)),
    };
    documentPlans.set(schema, plan);
  }
  return plan;
}

const never = (): boolean => false;
const untouched: Member = { read: (value) => value, type: undefined, omits: never };
const typeMetaNames: readonly string[] = ['apiVersion', 'kind'];

function makePlan(schema: ObjectSchema): Plan {
  const members = new Map<string, Member>();
  const fills: [string, JsonValue][] = [];
  if (schema.hasTypeMeta) {
    for (const name of typeMetaNames) {
      members.set(name, { read: scalarReader('string'), type: undefined, omits: isZeroScalar });
    }
  }
  for (const [name, field] of schema.members) {
    const { type } = field;
    members.set(name, { read: readerOf(type), type, omits: omissionOf(field) });
    const value = fillOf(field);
    if (value !== undefined) fills.push([name, value]);
  }
  return { members, fills };
}

function omissionOf({ type, nullable, written }: FieldSchema): (value: JsonValue) => boolean {
  if (nullable || written) return never;
  switch (type.kind) {
    case 'scalar':
      return isZeroScalar;
    case 'list':
      return (value) => Array.isArray(value) && value.length === 0;
    case 'map':
      return isEmptyObject;
    case 'object':
    case 'union':
      return never;
  }
}

/** The zero quantity is a text, and is written. */
function isZeroScalar(value: JsonValue): boolean {
  return value === '' || value === 0 || value === false;
}

function isEmptyObject(value: JsonValue): boolean {
  for (const _name in value as JsonObject) return false;
  return true;
}

function fillOf(field: FieldSchema): JsonValue | undefined {
  const { type } = field;
  if (field.nullable) return undefined;
  if (type.kind === 'object') return zeroOfObject(type);
  if (type.kind !== 'scalar') return undefined;
  // A quantity is an object in the reference, which writes it in any case.
  const always = field.written || type.scalar === 'Quantity';
  return always ? zeroOfScalar(type.scalar) : undefined;
}

function zeroOfObject(schema: ObjectSchema): JsonObject {
  return Object.fromEntries(planOf(schema).fills);
}

/** What a document that does not say `name` is given there, if anything. */
export function valueWhenAbsent(schema: ObjectSchema, name: string): JsonValue | undefined {
  return planOf(schema).fills.find(([filled]) => filled === name)?.[1];
}

export function readerOf(type: TypeSchema): Reader {
  switch (type.kind) {
    case 'scalar':
      return scalarReader(type.scalar);
    case 'list':
      return listReader(type.items);
    case 'map':
      return mapReader(type.values);
    case 'object':
      return objectReader(type);
    case 'union':
      return unionReader(type);
  }
}

/** The plan is looked up when the first object comes: types may hold themselves. */
function objectReader(schema: ObjectSchema): Reader {
  let plan: Plan | undefined;
  return (value, walk) => {
    if (!isJsonObject(value)) throw new WrongType('an object', value);
    return readMembers((plan ??= planOf(schema)), value, walk);
  };
}

function readMembers(plan: Plan, given: JsonObject, walk: Walk): JsonObject {
  const { keys, depth } = walk;
  let changed: ObjectDraft | undefined;
  walk.depth = depth + 1;
  for (const name in given) {
    const value = given[name];
    keys[depth] = name;
    const member = plan.members.get(name);
    const read = member === undefined ? unknownField(walk) : readMember(member, value, walk);
    if (changed === undefined) {
      if (read === value && read !== undefined) continue;
      changed = membersBefore(given, name);
    }
    if (read !== undefined) changed[name] = read;
  }
  walk.depth = depth;
  return withFills(plan, given, changed);
}

/** `copy`: of what was given, where it had to be changed. */
export function withFills(
  { fills }: Plan,
  given: JsonObject,
  copy: ObjectDraft | undefined,
): JsonObject {
  let changed = copy;
  for (const [name, value] of fills) {
    if ((changed ?? given)[name] !== undefined) continue;
    changed ??= draftOf(given);
    changed[name] = value;
  }
  return changed ?? given;
}

function readMember(
  member: Member,
  value: JsonValue | undefined,
  walk: Walk,
): JsonValue | undefined {
  if (value === undefined) return undefined;
  if (value === null) return walk.asSaid ? null : undefined;
  const read = member.read(value, walk);
  return member.omits(read) && !walk.asSaid ? undefined : read;
}

export function unknownField(walk: Walk): undefined {
  if (walk.unknownFields.length < unknownFieldsMax) walk.unknownFields.push(pathOf(walk));
  return undefined;
}

/** A copy of what the walk has passed and kept; deleting would make a slow object of it. */
export function membersBefore(given: JsonObject, end: string): ObjectDraft {
  const copy: ObjectDraft = {};
  for (const name in given) {
    if (name === end) break;
    copy[name] = given[name];
  }
  return copy;
}

function listReader(items: TypeSchema): Reader {
  const read = readerOf(items);
  const zero = elementZero(items);
  return (value, walk) => {
    if (!Array.isArray(value)) throw new WrongType('a list', value);
    const given = value as readonly JsonValue[];
    const { keys, depth } = walk;
    let changed: JsonValue[] | undefined;
    walk.depth = depth + 1;
    for (let at = 0; at < given.length; at += 1) {
      const item = given[at] as JsonValue;
      keys[depth] = at;
      const made = item === null ? zero() : read(item, walk);
      if (made === item) continue;
      changed ??= [...given];
      changed[at] = made;
    }
    walk.depth = depth;
    return changed ?? given;
  };
}

function mapReader(values: TypeSchema): Reader {
  const read = readerOf(values);
  const zero = elementZero(values);
  return (value, walk) => {
    if (!isJsonObject(value)) throw new WrongType('an object', value);
    const { keys, depth } = walk;
    let changed: ObjectDraft | undefined;
    walk.depth = depth + 1;
    for (const name in value) {
      const item = value[name] ?? null;
      keys[depth] = name;
      const made = item === null ? zero() : read(item, walk);
      if (made === item) continue;
      // Spreading keeps a key named __proto__ a key; only such a copy may be assigned to.
      changed ??= { ...value };
      changed[name] = made;
    }
    walk.depth = depth;
    return changed ?? value;
  };
}

/** What null stands for in a list or a map. */
export function elementZero(type: TypeSchema): () => JsonValue {
  switch (type.kind) {
    case 'object':
      return () => zeroOfObject(type);
    case 'list':
      return () => [];
    case 'map':
      return () => ({});
    case 'scalar': {
      const zero = type.scalar === 'bytes' ? '' : (zeroOfScalar(type.scalar) ?? null);
      return () => zero;
    }
    case 'union':
      return () => null;
  }
}

/** The form follows from the value: an object, a list, or true and false. */
function unionReader(schema: UnionSchema): Reader {
  const readers = new Map<string, Reader>();
  return (value, walk) => {
    if (readers.size === 0) {
      for (const { type } of schema.alternatives) readers.set(formOf(type), readerOf(type));
    }
    const form = Array.isArray(value) ? 'list' : isJsonObject(value) ? 'object' : typeof value;
    const read = readers.get(form);
    if (read === undefined) throw new WrongType([...readers.keys()].join(' or '), value);
    return read(value, walk);
  };
}

export function formOf(type: TypeSchema): string {
  return type.kind === 'scalar' ? type.scalar : type.kind;
}

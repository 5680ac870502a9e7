/**
 * The walk of conform.ts in steps: for large documents, so that others have their turns in between.
 *
 * Invariants: the result is that of conform(), of every document: the same parts, the same unknown
 * fields in the same order, the same refusal. Objects, lists and maps are walked here; what has no
 * parts is read by the reader of its type.
 *
 * Bounds: a step reads `valuesPerStep` objects, lists and maps, and the texts and numbers in them.
 */
import type { Steps } from '../../stdx/stepwise.ts';
import type { JsonObject, JsonValue, ObjectDraft } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';
import {
  documentPlanOf,
  elementZero,
  formOf,
  membersBefore,
  newWalk,
  planOf,
  readerOf,
  refusalOf,
  unknownField,
  withFills,
} from './conform.ts';
import type { Conformed, Plan, Reader, Walk } from './conform.ts';
import { WrongType } from './read-scalar.ts';
import type { ObjectSchema, TypeSchema, UnionSchema } from './type-schema.ts';

/** A millisecond, or some the first time in a process. */
const valuesPerStep = 1_000;

interface StepWalk extends Walk {
  /** Objects, lists and maps so far. */
  seen: number;
}

/** conform() in steps. */
export function* conformSteps(
  schema: ObjectSchema,
  document: JsonObject,
  asSaid = false,
): Steps<Conformed> {
  const walk: StepWalk = { ...newWalk(asSaid), seen: 0 };
  try {
    const object = yield* memberSteps(documentPlanOf(schema), document, walk);
    return { kind: 'ok', object, unknownFields: walk.unknownFields };
  } catch (error) {
    return refusalOf(error, walk);
  }
}

/** Whether this is the time for others. */
function isStepOver(walk: StepWalk): boolean {
  walk.seen += 1;
  return walk.seen % valuesPerStep === 0;
}

/** Whether a value has parts: these are read by generators, all else at once. */
function hasParts(type: TypeSchema | undefined, value: JsonValue): boolean {
  return type !== undefined && type.kind !== 'scalar' && typeof value === 'object';
}

function* memberSteps(plan: Plan, given: JsonObject, walk: StepWalk): Steps<JsonObject> {
  const { keys, depth } = walk;
  if (isStepOver(walk)) yield;
  let changed: ObjectDraft | undefined;
  walk.depth = depth + 1;
  for (const name in given) {
    const value = given[name];
    keys[depth] = name;
    const member = plan.members.get(name);
    let read: JsonValue | undefined;
    if (member === undefined) read = unknownField(walk);
    else if (value === null) read = walk.asSaid ? null : undefined;
    else if (value !== undefined) {
      const { omits, type } = member;
      const made = hasParts(type, value)
        ? yield* valueSteps(type as TypeSchema, value, walk)
        : member.read(value, walk);
      if (walk.asSaid || !omits(made)) read = made;
    }
    if (changed === undefined) {
      if (read === value && read !== undefined) continue;
      changed = membersBefore(given, name);
    }
    if (read !== undefined) changed[name] = read;
  }
  walk.depth = depth;
  return withFills(plan, given, changed);
}

function valueSteps(type: TypeSchema, value: JsonValue, walk: StepWalk): Steps<JsonValue> {
  switch (type.kind) {
    case 'scalar':
      return atOnce(readerFor(type), value, walk);
    case 'object':
      if (!isJsonObject(value)) throw new WrongType('an object', value);
      return memberSteps(planOf(type), value, walk);
    case 'list':
      return listSteps(type.items, value, walk);
    case 'map':
      return mapSteps(type.values, value, walk);
    case 'union':
      return unionSteps(type, value, walk);
  }
}

const readers = new WeakMap<TypeSchema, Reader>();

function readerFor(type: TypeSchema): Reader {
  const known = readers.get(type);
  if (known !== undefined) return known;
  const made = readerOf(type);
  readers.set(type, made);
  return made;
}

function* atOnce(read: Reader, value: JsonValue, walk: StepWalk): Steps<JsonValue> {
  return read(value, walk);
}

function* listSteps(items: TypeSchema, value: JsonValue, walk: StepWalk): Steps<JsonValue> {
  if (!Array.isArray(value)) throw new WrongType('a list', value);
  const given = value as readonly JsonValue[];
  const read = readerFor(items);
  const zero = elementZero(items);
  const { keys, depth } = walk;
  if (isStepOver(walk)) yield;
  let changed: JsonValue[] | undefined;
  walk.depth = depth + 1;
  for (let at = 0; at < given.length; at += 1) {
    const item = given[at] as JsonValue;
    keys[depth] = at;
    let made: JsonValue;
    if (item === null) made = zero();
    else if (hasParts(items, item)) made = yield* valueSteps(items, item, walk);
    else made = read(item, walk);
    if (made === item) continue;
    changed ??= [...given];
    changed[at] = made;
  }
  walk.depth = depth;
  return changed ?? given;
}

function* mapSteps(values: TypeSchema, value: JsonValue, walk: StepWalk): Steps<JsonValue> {
  if (!isJsonObject(value)) throw new WrongType('an object', value);
  const read = readerFor(values);
  const zero = elementZero(values);
  const { keys, depth } = walk;
  if (isStepOver(walk)) yield;
  let changed: ObjectDraft | undefined;
  walk.depth = depth + 1;
  for (const name in value) {
    const item = value[name] ?? null;
    keys[depth] = name;
    let made: JsonValue;
    if (item === null) made = zero();
    else if (hasParts(values, item)) made = yield* valueSteps(values, item, walk);
    else made = read(item, walk);
    if (made === item) continue;
    // Spreading keeps a key named __proto__ a key; only such a copy may be assigned to.
    changed ??= { ...value };
    changed[name] = made;
  }
  walk.depth = depth;
  return changed ?? value;
}

/** The form follows from the value; where there is none for it, the reader says so. */
function* unionSteps(type: UnionSchema, value: JsonValue, walk: StepWalk): Steps<JsonValue> {
  const form = Array.isArray(value) ? 'list' : isJsonObject(value) ? 'object' : typeof value;
  // Of two of one form the reader takes the last.
  const chosen = type.alternatives.findLast((each) => formOf(each.type) === form);
  if (chosen === undefined) return readerFor(type)(value, walk);
  return yield* valueSteps(chosen.type, value, walk);
}

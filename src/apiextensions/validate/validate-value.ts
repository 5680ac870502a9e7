/**
 * Values against a schema: types, bounds, formats, enumerations, required fields and alternatives,
 * at every depth, with the paths and texts of the reference (spec 1, sections 4.8 and 7).
 *
 *     spine          a list of places that are begun: no recursion, and it can stop anywhere
 *     alternatives   allOf, anyOf, oneOf and not of one place: by recursion, which can stop, too
 *
 * Of alternatives that all fail, the errors of the one that was right most often are reported. On
 * an update, what a part says that has not changed is dropped.
 *
 * Bounds: linear in the value, times the alternatives at each place, until that is more than a
 * write may take (`schemaStepsMax`); a step is as long as the walk says (value-walk.ts).
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import {
  FieldErrorType,
  fieldErrorsMax,
  formatFieldError,
} from '../../apimachinery/field-error.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { partOf } from './correlation.ts';
import type { Correlation } from './correlation.ts';
import {
  checkCount,
  checkEnum,
  checkMemberNames,
  checkNull,
  checkNumber,
  checkText,
  checkType,
  judgeText,
} from './value-checks.ts';
import type { Alternatives, ValuePlan } from './value-plan.ts';
import { noField, schemaStepsMax, TooManySchemaSteps, ValueWalk } from './value-walk.ts';
import type { StepsLeft } from './value-walk.ts';

/** Of a longer one even few alternatives may take long. */
const shortText = 256;

export interface ValueToValidate {
  readonly value: JsonValue;
  readonly plan: ValuePlan;
  /** Of the value; undefined: it is new. */
  readonly old?: Correlation | undefined;
  /** Where the value stands: `status`; '' for a whole object. */
  readonly prefix?: string | undefined;
  /** Shared with others; undefined: it has all of them. */
  readonly left?: StepsLeft | undefined;
}

interface ValueNode {
  readonly plan: ValuePlan;
  readonly value: JsonObject | readonly JsonValue[];
  readonly old: Correlation | undefined;
  /** Errors before this place. */
  readonly mark: number;
  /** Of an object. */
  readonly names: readonly string[] | undefined;
  next: number;
}

export function* validateValue(subject: ValueToValidate): Steps<readonly FieldError[]> {
  try {
    return yield* errorsOf(subject);
  } catch (error) {
    if (!(error instanceof TooManySchemaSteps)) throw error;
    return isKept(subject) ? [] : [tooManySteps(subject.prefix ?? '')];
  }
}

function tooManySteps(prefix: string): FieldError {
  const detail = `validation against the schema may take at most ${schemaStepsMax} steps`;
  return { type: FieldErrorType.tooMany, field: prefix === '' ? noField : prefix, detail };
}

/** All is as it was, but for the metadata: who takes a finalizer away changes nothing else. */
function isKept({ old, value }: ValueToValidate): boolean {
  if (old === undefined || !isJsonObject(value) || !isJsonObject(old.old)) {
    return old !== undefined && deepEqual(value, old.old);
  }
  const before = old.old;
  const names = new Set([...Object.keys(value), ...Object.keys(before)]);
  for (const name of ['apiVersion', 'kind', 'metadata']) names.delete(name);
  return [...names].every((name) => deepEqual(value[name], before[name]));
}

function* errorsOf(subject: ValueToValidate): Steps<readonly FieldError[]> {
  const walk = new ValueWalk(subject.prefix ?? '', subject.left);
  const places: ValueNode[] = [];
  yield* begin(subject.plan, subject.value, subject.old, undefined, walk, places) ?? [];
  for (let place = places.at(-1); place !== undefined; place = places.at(-1)) {
    while (walk.endsStep()) yield;
    const isInside = goInside(place, walk, places);
    if (typeof isInside === 'object') yield* isInside;
    else if (!isInside) {
      places.pop();
      dropUnchanged(place.old, place.mark, walk);
    }
  }
  return withoutRepeats(walk.errors);
}

/**
 * Looks at a value itself, and remembers it where there is something inside to look at. `above`:
 * the old value of what it is a part of, at `key`; without a key it is the old value itself.
 * Returns what is left to do before anything else, if it may be long.
 */
function begin(
  plan: ValuePlan,
  value: JsonValue,
  above: Correlation | undefined,
  key: string | number | undefined,
  walk: ValueWalk,
  places: ValueNode[],
): Steps<void> | undefined {
  walk.spend(1);
  const mark = walk.errors.length;
  const old = (): Correlation | undefined =>
    key === undefined || above === undefined ? above : partOf(above, key);
  const isLong =
    (typeof value === 'string' && value.length > shortText) || plan.hasManyAlternatives;
  if (!isLong && (typeof value !== 'object' || value === null)) {
    if (plan.hasJunctors) finished(checkItselfSteps(plan, value, undefined, walk));
    else checkItself(plan, value, walk);
    if (walk.errors.length > mark) dropUnchanged(old(), mark, walk);
    return undefined;
  }
  const isLeaf = typeof value !== 'object' || value === null;
  const before = isLeaf ? undefined : old();
  // Of the very same value everything would be dropped.
  if (before?.old === value && before.isUnchanged()) return undefined;
  const goOn = (): void => {
    if (isLeaf) {
      if (walk.errors.length > mark) dropUnchanged(old(), mark, walk);
    } else open(plan, value, before, mark, walk, places);
  };
  const judged = plan.hasJunctors ? undefined : judgeText(plan, value, walk);
  if (!plan.hasJunctors && judged === undefined) {
    checkItself(plan, value, walk);
    goOn();
    return undefined;
  }
  return (function* steps() {
    if (judged === undefined) yield* checkItselfSteps(plan, value, before, walk);
    else {
      yield* judged;
      checkItself(plan, value, walk);
    }
    goOn();
  })();
}

function open(
  plan: ValuePlan,
  value: ValueNode['value'],
  old: Correlation | undefined,
  mark: number,
  walk: ValueWalk,
  places: ValueNode[],
): void {
  const isList = Array.isArray(value);
  const isOpen = isList ? value.length > 0 && plan.items !== undefined : plan.hasMembers;
  if (!isOpen) {
    dropUnchanged(old, mark, walk);
    return;
  }
  const names = isList ? undefined : Object.keys(value);
  places.push({ plan, value, old, mark, names, next: 0 });
}

/** The next part of a place, or what is left to do of it; false: there is none. */
function goInside(place: ValueNode, walk: ValueWalk, places: ValueNode[]): boolean | Steps<void> {
  const { names, old, plan, value } = place;
  const at = place.next;
  place.next += 1;
  const depth = places.length - 1;
  if (names === undefined) {
    const list = value as readonly JsonValue[];
    if (at >= list.length) return false;
    walk.keys[depth] = at;
    walk.depth = depth + 1;
    return begin(plan.items as ValuePlan, list[at] as JsonValue, old, at, walk, places) ?? true;
  }
  const name = names[at];
  if (name === undefined) return false;
  const below = memberPlan(plan, name);
  const member = (value as JsonObject)[name];
  if (below === undefined || member === undefined) return true;
  walk.keys[depth] = name;
  walk.depth = depth + 1;
  const above = depth === 0 && isTypeMeta(name) ? undefined : old;
  return begin(below, member, above, name, walk, places) ?? true;
}

/** Objects are compared in one version; what they say of it is not. */
function isTypeMeta(name: string): boolean {
  return name === 'apiVersion' || name === 'kind';
}

/** Undefined: nothing is said of a member of this name. */
export function memberPlan(plan: ValuePlan, name: string): ValuePlan | undefined {
  const declared = plan.property(name);
  if (declared !== undefined) return declared;
  return plan.values === false ? undefined : plan.values;
}

function dropUnchanged(old: Correlation | undefined, mark: number, walk: ValueWalk): void {
  if (walk.errors.length > mark && old?.isUnchanged() === true) walk.errors.length = mark;
}

/** Checks the value alone: not what is inside it, and not its alternatives. Returns how many checks
 * it passed. */
export function checkItself(plan: ValuePlan, value: JsonValue, walk: ValueWalk): number {
  if (value === null) return checkNull(plan, walk);
  return checkType(plan, value, walk) + 3 + checkForm(plan, value, walk);
}

/** checkItself() with its alternatives, in the order of the reference. */
function* checkItselfSteps(
  plan: ValuePlan,
  value: JsonValue,
  old: Correlation | undefined,
  walk: ValueWalk,
): Steps<number> {
  if (value === null) return checkNull(plan, walk);
  const type = checkType(plan, value, walk) + 3;
  const alternatives = yield* checkJunctors(plan, value, old, walk);
  yield* judgeText(plan, value, walk) ?? [];
  return type + alternatives + checkForm(plan, value, walk);
}

function checkForm(plan: ValuePlan, value: Exclude<JsonValue, null>, walk: ValueWalk): number {
  let count = 0;
  if (typeof value === 'string') count += checkText(plan, value, walk);
  else if (typeof value === 'number' || typeof value === 'bigint') {
    count += checkNumber(plan, value, walk);
  } else if (Array.isArray(value)) {
    if (plan.hasBounds) checkCount(plan, value.length, walk);
    count += 2;
  } else if (typeof value === 'object') {
    checkMemberNames(plan, value as JsonObject, walk);
    count += 1;
  }
  if (plan.enum.length > 0) checkEnum(plan, value, walk);
  return count;
}

interface Attempt {
  readonly errors: FieldError[];
  readonly count: number;
}

/** An alternative by itself, whatever was found before. */
function* attempt(
  alternatives: Alternatives,
  at: number,
  value: JsonValue,
  old: Correlation | undefined,
  walk: ValueWalk,
): Steps<Attempt> {
  const before = walk.errors;
  walk.errors = [];
  const plan = alternatives.planAt(at, (units) => walk.spend(units));
  const count = yield* checkWhole(plan, value, old, walk);
  const { errors } = walk;
  walk.errors = before;
  return { errors, count };
}

function* checkWhole(
  plan: ValuePlan,
  value: JsonValue,
  old: Correlation | undefined,
  walk: ValueWalk,
): Steps<number> {
  walk.spend(1);
  if (walk.endsStep()) yield;
  if (!plan.hasJunctors) yield* judgeText(plan, value, walk) ?? [];
  let count = plan.hasJunctors
    ? yield* checkItselfSteps(plan, value, old, walk)
    : checkItself(plan, value, walk);
  if (typeof value !== 'object' || value === null) return count;
  const { depth } = walk;
  walk.depth = depth + 1;
  for (const [key, below, part] of partsOf(plan, value)) {
    walk.keys[depth] = key;
    const mark = walk.errors.length;
    const before = old && partOf(old, key);
    count += yield* checkWhole(below, part, before, walk);
    dropUnchanged(before, mark, walk);
  }
  walk.depth = depth;
  return count;
}

/** The members or items of a value that its schema says something about. */
function* partsOf(
  plan: ValuePlan,
  value: JsonObject | readonly JsonValue[],
): Generator<readonly [string | number, ValuePlan, JsonValue]> {
  if (Array.isArray(value)) {
    const list = value as readonly JsonValue[];
    const { items } = plan;
    if (items === undefined) return;
    for (let at = 0; at < list.length; at += 1) yield [at, items, list[at] as JsonValue];
    return;
  }
  for (const [name, member] of Object.entries(value as JsonObject)) {
    const below = memberPlan(plan, name);
    if (below !== undefined && member !== undefined) yield [name, below, member];
  }
}

function* checkJunctors(
  plan: ValuePlan,
  value: JsonValue,
  old: Correlation | undefined,
  walk: ValueWalk,
): Steps<number> {
  const { allOf, anyOf, not, oneOf } = plan.junctors;
  let count = 0;
  const take = (taken: Attempt | undefined): void => {
    if (taken === undefined) return;
    for (const error of taken.errors) walk.report(error);
    count += taken.count;
  };
  if (anyOf.count > 0) take(yield* anyOfThem(anyOf, value, old, walk));
  if (oneOf.count > 0) take(yield* oneOfThem(oneOf, value, old, walk));
  if (allOf.count > 0) {
    let held = 0;
    for (let at = 0; at < allOf.count; at += 1) {
      const made = yield* attempt(allOf, at, value, old, walk);
      if (made.errors.length === 0) held += 1;
      take(made);
    }
    if (held < allOf.count) {
      const none = held === 0 ? '. None validated' : '';
      walk.whole(`${quote(walk.path)} must validate all the schemas (allOf)${none}`);
    }
  }
  if (not.count > 0 && (yield* attempt(not, 0, value, old, walk)).errors.length === 0) {
    walk.whole(`${quote(walk.path)} must not validate the schema (not)`);
  }
  return count;
}

function* anyOfThem(
  alternatives: Alternatives,
  value: JsonValue,
  old: Correlation | undefined,
  walk: ValueWalk,
): Steps<Attempt | undefined> {
  let best: Attempt | undefined;
  for (let at = 0; at < alternatives.count; at += 1) {
    const made = yield* attempt(alternatives, at, value, old, walk);
    if (made.errors.length === 0) return made;
    if (best === undefined || made.count > best.count) best = made;
  }
  walk.whole(`${quote(walk.path)} must validate at least one schema (anyOf)`);
  return best;
}

function* oneOfThem(
  alternatives: Alternatives,
  value: JsonValue,
  old: Correlation | undefined,
  walk: ValueWalk,
): Steps<Attempt | undefined> {
  let best: Attempt | undefined;
  let held: Attempt | undefined;
  let count = 0;
  for (let at = 0; at < alternatives.count; at += 1) {
    const made = yield* attempt(alternatives, at, value, old, walk);
    if (made.errors.length === 0) {
      count += 1;
      held ??= made;
    } else if (count === 0 && (best === undefined || made.count > best.count)) best = made;
  }
  if (count === 1) return held;
  const found = count === 0 ? 'Found none valid' : `Found ${count} valid alternatives`;
  walk.whole(`${quote(walk.path)} must validate one and only one schema (oneOf). ${found}`);
  return count === 0 ? best : undefined;
}

/** What several alternatives say is reported once. More than an answer lists are not told apart. */
function withoutRepeats(errors: readonly FieldError[]): readonly FieldError[] {
  if (errors.length < 2) return errors;
  const seen = new Map<string, FieldError>();
  for (const error of errors) {
    seen.set(formatFieldError(error), error);
    if (seen.size > fieldErrorsMax) break;
  }
  return seen.size === errors.length ? errors : [...seen.values()];
}

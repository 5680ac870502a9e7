/**
 * What a schema says of one value without looking inside: its type, its bounds, its format, and
 * whether it is one of those that are listed.
 *
 *     spec.f in body must be of type integer: "string"
 *     spec.f in body should be less than or equal to 5
 *
 * Invariants: texts are those of the reference, number for number. A check returns how often it has
 * found the value right, as the reference counts: of alternatives that all fail, the errors of the
 * one with the highest count are reported.
 */
import { FieldErrorType, tooLong, tooMany } from '../../apimachinery/field-error.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { goDouble, isGoInteger, shownAsJson } from '../schema/go-text.ts';
import type { ValuePlan } from './value-plan.ts';
import type { ValueWalk } from './value-walk.ts';

interface FoundType {
  readonly name: string;
  readonly format: string;
}

const foundTypes = {
  boolean: { name: 'boolean', format: '' },
  string: { name: 'string', format: '' },
  integer: { name: 'integer', format: 'int64' },
  number: { name: 'number', format: 'float64' },
  array: { name: 'array', format: '' },
  object: { name: 'object', format: '' },
} as const;

function foundType(value: Exclude<JsonValue, null>): FoundType {
  switch (typeof value) {
    case 'boolean':
      return foundTypes.boolean;
    case 'string':
      return foundTypes.string;
    case 'object':
      return Array.isArray(value) ? foundTypes.array : foundTypes.object;
    default:
      return isGoInteger(value) ? foundTypes.integer : foundTypes.number;
  }
}

/** Of null, at which nothing else is looked. */
export function checkNull(plan: ValuePlan, walk: ValueWalk): number {
  let count = 1;
  if (plan.types.length > 0 && !plan.nullable) {
    wrongType(walk, plan.typeText, 'null');
    count = 0;
  }
  checkEnum(plan, null, walk);
  return count;
}

/** Of any other value, but for what is inside of it. */
export function checkType(
  plan: ValuePlan,
  value: Exclude<JsonValue, null>,
  walk: ValueWalk,
): number {
  const { format, typeText, types } = plan;
  if (types.length === 0 && format === '') return 0;
  const found = foundType(value);
  const isText = typeof value === 'string' || Array.isArray(value);
  const fits = types.includes(found.name) || (found.name === 'integer' && types.includes('number'));
  if (!isText && format !== '' && !fits && found.format !== format) {
    wrongType(walk, format, found.format);
    return 1;
  }
  const takesNumbers = types.includes('number') || types.includes('integer');
  if (!takesNumbers && format !== '' && isText) return 2;
  if (fits) return 2;
  wrongType(walk, typeText, found.name);
  return 1;
}

function wrongType(walk: ValueWalk, wanted: string, found: string): void {
  const text = `must be of type ${wanted}: ${quote(found)}`;
  walk.invalid(text, found, FieldErrorType.typeInvalid);
}

export function checkText(plan: ValuePlan, value: string, walk: ValueWalk): number {
  if (plan.hasBounds) checkLength(plan, value, walk);
  if (plan.checksFormat === undefined) return 1;
  if (!plan.checksFormat(value)) {
    walk.spend(0, Math.min(value.length, shownTextMax) / charsOfLook);
    const text = `must be of type ${plan.format}: ${quote(value.slice(0, shownTextMax))}`;
    walk.invalid(text, value, FieldErrorType.typeInvalid);
  }
  return 2;
}

/** Characters of a text that an error repeats. */
const shownTextMax = 10_000;
/** Of them, quoted within a microsecond. */
const charsOfLook = 64;

function checkLength(plan: ValuePlan, value: string, walk: ValueWalk): void {
  const { maxLength, minLength, pattern: source = '' } = plan.schema;
  if (maxLength !== undefined && isLonger(value, maxLength)) {
    walk.report(tooLong(walk.fieldOf(walk.path), maxLength));
    return;
  }
  if (minLength !== undefined && !isLonger(value, minLength - 1)) {
    walk.invalid(`should be at least ${minLength} chars long`, value);
    return;
  }
  const { pattern } = plan;
  if (pattern === undefined) return;
  if (pattern.kind === 'invalid') {
    walk.invalid(`should match '${source}, but pattern is invalid: ${pattern.problem}'`, value);
    return;
  }
  const known = walk.takeVerdict(plan, value);
  const matches = known ?? pattern.pattern.test(value, (units) => walk.spend(units));
  if (matches === 'unknown') {
    walk.invalid(`should match '${source}', which takes too long to find out`, value);
  } else if (!matches) walk.invalid(`should match '${source}'`, value);
}

/** Whether a pattern matches a long text is found out in parts, before the text is checked.
 * Undefined: nothing need be. */
export function judgeText(
  plan: ValuePlan,
  value: JsonValue,
  walk: ValueWalk,
): Steps<void> | undefined {
  if (typeof value !== 'string' || !plan.hasBounds) return undefined;
  const { pattern } = plan;
  if (pattern?.kind !== 'ok' || pattern.pattern.isQuick(value)) return undefined;
  const { maxLength } = plan.schema;
  if (maxLength !== undefined && isLonger(value, maxLength)) return undefined;
  const parts = pattern.pattern.testInParts(value, (units, looks) => walk.spend(units, looks));
  return (function* judged() {
    walk.giveVerdict(plan, value, (yield* parts) ?? 'unknown');
  })();
}

/** In characters: two units of UTF-16 may be one of them. */
function isLonger(value: string, length: number): boolean {
  if (value.length <= length) return false;
  if (value.length > length * 2) return true;
  let count = 0;
  for (const _char of value) count += 1;
  return count > length;
}

const int32Max = 2 ** 31 - 1;

export function checkNumber(plan: ValuePlan, value: number | bigint, walk: ValueWalk): number {
  if (plan.types.length === 1) checkRange(plan, 'Checked', value, walk);
  if (!plan.hasBounds) return 2;
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum, multipleOf } = plan.schema;
  if (multipleOf !== undefined) checkMultiple(plan, value, multipleOf, walk);
  if (maximum !== undefined) {
    const exclusive = exclusiveMaximum === true;
    const { bound, asDouble } = boundFor(plan, 'Maximum boundary', value, maximum, walk);
    const fits = exclusive ? value < bound : value <= bound;
    const text = exclusive ? 'less than' : 'less than or equal to';
    if (!fits) outOfBound(`should be ${text}`, bound, value, asDouble, walk);
  }
  if (minimum !== undefined) {
    const exclusive = exclusiveMinimum === true;
    const { bound, asDouble } = boundFor(plan, 'Minimum boundary', value, minimum, walk);
    const fits = exclusive ? value > bound : value >= bound;
    const text = exclusive ? 'greater than' : 'greater than or equal to';
    if (!fits) outOfBound(`should be ${text}`, bound, value, asDouble, walk);
  }
  return 2;
}

/** Whether a number can be one of the schema's type and format. */
function checkRange(
  plan: ValuePlan,
  what: string,
  value: number | bigint,
  walk: ValueWalk,
): boolean {
  const { format, typeText } = plan;
  if (inRange(typeText, format, value)) return true;
  const of = format === '' ? `${typeText} (default format)` : `${typeText} with format ${format}`;
  walk.whole(`${what} value must be of type ${of} in ${walk.path}`);
  return false;
}

function inRange(type: string, format: string, value: number | bigint): boolean {
  if (type === 'integer') {
    const whole =
      typeof value === 'bigint'
        ? isGoInteger(value)
        : Number.isInteger(value) && Math.abs(value) < 2 ** 63;
    if (!whole) return false;
    return format !== 'int32' || (value >= -int32Max - 1 && value <= int32Max);
  }
  // What rounds to the greatest float is one, too.
  return type !== 'number' || format !== 'float' || Number.isFinite(Math.fround(Number(value)));
}

interface Bound {
  readonly bound: number;
  /** Whether both are compared, and shown, as doubles. */
  readonly asDouble: boolean;
}

/** A bound that its own type cannot hold is an error, and is then compared with as a double. So is
 * one that is compared with a double. */
function boundFor(
  plan: ValuePlan,
  what: string,
  value: number | bigint,
  bound: number,
  walk: ValueWalk,
): Bound {
  const fits = plan.types.length !== 1 || checkRange(plan, what, bound, walk);
  const asDouble = !fits || !isGoInteger(value);
  return { bound: asDouble ? bound : Math.trunc(bound), asDouble };
}

function outOfBound(
  text: string,
  bound: number,
  value: number | bigint,
  asDouble: boolean,
  walk: ValueWalk,
): void {
  const detail = `${text} ${boundText(bound, asDouble)}`;
  if (asDouble) walk.invalidDouble(detail, value);
  else walk.invalid(detail, value);
}

/** As an integer it has all its digits, also those that a double makes up. */
function boundText(bound: number, asDouble: boolean): string {
  return asDouble || !Number.isInteger(bound) ? goDouble(bound) : String(BigInt(bound));
}

function checkMultiple(
  plan: ValuePlan,
  value: number | bigint,
  multipleOf: number,
  walk: ValueWalk,
): void {
  const { bound: factor, asDouble } = boundFor(plan, 'MultipleOf', value, multipleOf, walk);
  if (factor <= 0) {
    const { path } = walk;
    const detail = `factor MultipleOf declared for ${path} must be positive: ${goDouble(factor)}`;
    const field = walk.fieldOf(path);
    walk.report(shownAsJson({ type: FieldErrorType.invalid, field, value: factor, detail }));
    return;
  }
  const whole =
    typeof value === 'bigint' && Number.isInteger(factor)
      ? value % BigInt(factor) === 0n
      : isWhole(factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor);
  if (!whole) outOfBound('should be a multiple of', factor, value, asDouble, walk);
}

/** As near to a whole number as a double gets. */
function isWhole(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const rounded = Math.trunc(value);
  if (rounded === value) return true;
  const difference = Math.abs(value - rounded);
  const sum = Math.abs(value) + Math.abs(rounded);
  return difference / Math.min(sum, Number.MAX_VALUE) < 1e-9;
}

/** The counts of a list, but for its entries. */
export function checkCount(plan: ValuePlan, count: number, walk: ValueWalk): void {
  const { maxItems, minItems } = plan.schema;
  if (minItems !== undefined && count < minItems) {
    walk.invalid(`should have at least ${minItems} items`, count);
  }
  if (maxItems !== undefined && count > maxItems) {
    walk.report(tooMany(walk.fieldOf(walk.path), count, maxItems));
  }
}

/** The counts and the names of an object, but for its members. */
export function checkMemberNames(plan: ValuePlan, value: JsonObject, walk: ValueWalk): void {
  const { maxProperties, minProperties } = plan.schema;
  if (plan.hasBounds && (maxProperties !== undefined || minProperties !== undefined)) {
    const count = Object.keys(value).length;
    if (minProperties !== undefined && count < minProperties) {
      walk.invalid(`should have at least ${minProperties} properties`, count);
    }
    if (maxProperties !== undefined && count > maxProperties) {
      walk.report(tooMany(walk.fieldOf(walk.path), count, maxProperties));
    }
  }
  if (plan.values === false) {
    for (const name in value) {
      if (plan.property(name) === undefined) forbidMember(name, walk);
    }
  }
  walk.spendComparisons(plan.required.length);
  for (const name of plan.required) {
    if (value[name] !== undefined && Object.hasOwn(value, name)) continue;
    if (walk.isFull) return;
    const { path } = walk;
    const field = walk.fieldOf(path === '' ? name : `${path}.${name}`);
    walk.report({ type: FieldErrorType.required, field, detail: '' });
  }
}

function forbidMember(name: string, walk: ValueWalk): void {
  if (walk.isFull) return;
  const { path } = walk;
  const detail = `${path}.${name} in body is a forbidden property`;
  walk.report({ type: FieldErrorType.invalid, field: walk.fieldOf(path), value: name, detail });
}

export function checkEnum(plan: ValuePlan, value: JsonValue, walk: ValueWalk): void {
  if (plan.enum.length === 0) return;
  const { detail, others, texts, units } = plan.allowed;
  if (typeof value === 'string') {
    if (texts.has(value)) return;
  } else {
    walk.spendComparisons(units);
    if (others.some((each) => isAllowed(value, each))) return;
  }
  if (walk.isFull) return;
  const field = walk.fieldOf(walk.path);
  walk.report(shownAsJson({ type: FieldErrorType.notSupported, field, value, detail }));
}

/** A number that is cut to be a whole one counts as that one. */
function isAllowed(value: JsonValue, allowed: JsonValue): boolean {
  if (value === null || allowed === null) return false;
  if (typeof value === 'number' && typeof allowed === 'number') {
    return value === allowed || (Number.isInteger(allowed) && Math.trunc(value) === allowed);
  }
  return deepEqual(value, allowed);
}

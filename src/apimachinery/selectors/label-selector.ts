/**
 * Label selectors (spec 1, section 4.2): parse, canonical text, match.
 *
 *     x=a  x==a  x!=a  x in (a,b)  x notin (a,b)  x  !x  x>1  x<1      joined by commas: AND
 *
 * Elsewhere: the parser itself (`label-selector-parser.ts`).
 *
 * Invariants: requirements are ordered by key and their values are sorted and distinct, so two
 * texts that mean the same in another order have one canonical text, and parsing that text gives
 * the same selector again. A selector is immutable.
 */
import { invalid, notSupported } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import { checkLabelValue, checkQualifiedName } from '../validation/names.ts';

const labelOperators = ['=', '==', '!=', 'in', 'notin', 'exists', '!', 'gt', 'lt'] as const;
export type LabelOperator = (typeof labelOperators)[number];
export type Labels = Readonly<Record<string, string>>;

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted, distinct. One for = == != gt lt, none for exists and !. */
  readonly values: readonly string[];
}

export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  /** Canonical text. '' for the selector of everything, and for that of nothing. */
  readonly text: string;
  /** True when every object matches. */
  readonly isEmpty: boolean;
  /** Labels that have to be there with one value: the first requirement of that kind counts. */
  readonly pins: ReadonlyMap<string, string>;
  matches(labels: Labels): boolean;
}

export const everyLabel: LabelSelector = labelSelectorOf([]);

/** What an absent selector object means: not "everything" but "nothing". */
export const noLabel: LabelSelector = {
  requirements: [],
  text: '',
  isEmpty: false,
  pins: new Map(),
  matches: () => false,
};

/** The requirements must come from `newLabelRequirement`. */
export function labelSelectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  const ordered = [...requirements].sort((a, b) => compare(a.key, b.key));
  const matchers = ordered.map(matcherOf);
  return {
    requirements: ordered,
    text: ordered.map(formatRequirement).join(','),
    isEmpty: ordered.length === 0,
    pins: pinsOf(ordered),
    matches: (labels) => matchers.every((match) => match(labels)),
  };
}

function pinsOf(requirements: readonly LabelRequirement[]): ReadonlyMap<string, string> {
  const pins = new Map<string, string>();
  for (const { key, operator, values } of requirements) {
    const isPin = operator === '=' || operator === '==' || operator === 'in';
    const [value] = values;
    if (isPin && value !== undefined && values.length === 1 && !pins.has(key)) pins.set(key, value);
  }
  return pins;
}

/** `operator` and `values` may be anything; fields in the errors are relative: `values[0][app]`. */
export function newLabelRequirement(
  key: string,
  operator: string,
  values: readonly string[],
): LabelRequirement | readonly FieldError[] {
  const errors: FieldError[] = [];
  const keyProblems = checkQualifiedName(key);
  if (keyProblems.length > 0) errors.push(invalid('key', key, keyProblems.join('; ')));
  if (isLabelOperator(operator)) errors.push(...checkValueCount(operator, values));
  else errors.push(notSupported('operator', operator, labelOperators));
  values.forEach((value, i) => {
    const problems = checkLabelValue(value);
    if (problems.length > 0) {
      errors.push(invalid(`values[${i}][${key}]`, value, problems.join('; ')));
    }
  });
  if (errors.length > 0 || !isLabelOperator(operator)) return errors;
  return { key, operator, values: [...new Set(values)].sort(compare) };
}

export interface LabelSelectorSpec {
  readonly matchLabels?: Labels | undefined;
  readonly matchExpressions?: readonly LabelExpression[] | undefined;
}

export interface LabelExpression {
  readonly key: string;
  /** In, NotIn, Exists, DoesNotExist. */
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

const EXPRESSION_OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** The selector object inside specs. Absent selects nothing, empty selects everything. */
export function labelSelectorFromSpec(
  spec: LabelSelectorSpec | undefined,
): LabelSelector | readonly FieldError[] {
  if (spec === undefined) return noLabel;
  const errors: FieldError[] = [];
  const requirements: LabelRequirement[] = [];
  const add = (made: LabelRequirement | readonly FieldError[]): void => {
    if (isErrors(made)) errors.push(...made);
    else requirements.push(made);
  };
  for (const [key, value] of Object.entries(spec.matchLabels ?? {})) {
    add(newLabelRequirement(key, '=', [value]));
  }
  for (const { key, operator, values } of spec.matchExpressions ?? []) {
    const known = EXPRESSION_OPERATORS.get(operator);
    if (known !== undefined) add(newLabelRequirement(key, known, values ?? []));
    else errors.push(invalid('operator', operator, 'not a valid selector operator'));
  }
  return errors.length > 0 ? errors : labelSelectorOf(requirements);
}

function isErrors(made: LabelRequirement | readonly FieldError[]): made is readonly FieldError[] {
  return Array.isArray(made);
}

function isLabelOperator(text: string): text is LabelOperator {
  return (labelOperators as readonly string[]).includes(text);
}

function checkValueCount(operator: LabelOperator, values: readonly string[]): FieldError[] {
  const wrong = (detail: string): FieldError[] => [invalid('values', values, detail)];
  switch (operator) {
    case 'in':
    case 'notin':
      if (values.length > 0) return [];
      return wrong("for 'in', 'notin' operators, values set can't be empty");
    case '=':
    case '==':
    case '!=':
      return values.length === 1
        ? []
        : wrong('exact-match compatibility requires one single value');
    case 'exists':
    case '!':
      return values.length === 0
        ? []
        : wrong('values set must be empty for exists and does not exist');
    case 'gt':
    case 'lt':
      return checkNumbers(values);
  }
}

function checkNumbers(values: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  if (values.length !== 1) {
    const detail = "for 'Gt', 'Lt' operators, exactly one value is required";
    errors.push(invalid('values', values, detail));
  }
  values.forEach((value, i) => {
    if (parseInt64(value) !== undefined) return;
    const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
    errors.push(invalid(`values[${i}]`, value, detail));
  });
  return errors;
}

type Matcher = (labels: Labels) => boolean;

const noValues: ReadonlySet<string> = new Set();

function matcherOf({ key, operator, values }: LabelRequirement): Matcher {
  // hasOwn: a label may be called `constructor`.
  const has: Matcher = (labels) => Object.hasOwn(labels, key);
  const first = values[0] ?? '';
  const isAmong = operator === 'in' || operator === 'notin';
  const among: ReadonlySet<string> = isAmong ? new Set(values) : noValues;
  switch (operator) {
    case '=':
    case '==':
      return (labels) => has(labels) && labels[key] === first;
    case '!=':
      return (labels) => !has(labels) || labels[key] !== first;
    case 'in':
      return (labels) => has(labels) && among.has(labels[key] as string);
    case 'notin':
      return (labels) => !has(labels) || !among.has(labels[key] as string);
    case 'exists':
      return has;
    case '!':
      return (labels) => !has(labels);
    case 'gt':
    case 'lt':
      return compareNumber(key, operator, parseInt64(first));
  }
}

function compareNumber(key: string, operator: 'gt' | 'lt', limit: Int64 | undefined): Matcher {
  const sign = operator === 'gt' ? 1 : -1;
  return (labels) => {
    const value = Object.hasOwn(labels, key) ? numberIn(labels[key] as string) : undefined;
    if (value === undefined || limit === undefined) return false;
    return Math.sign(compareInt64(value, limit)) === sign;
  };
}

let lastText = '';
let lastNumber: Int64 | undefined;

/** Many requirements may be about one label: it is read once. */
function numberIn(text: string): Int64 | undefined {
  if (text !== lastText) {
    lastNumber = parseInt64(text);
    lastText = text;
  }
  return lastNumber;
}

/** An integer of 64 bits as it is written: a list asks about each of its objects, once for each
 * requirement, and a bigint would be made each time. */
interface Int64 {
  readonly isNegative: boolean;
  /** Without zeros in front; '' is zero. */
  readonly digits: string;
}

const INT64_DIGITS_MAX = 64;
const greatestDigits = '9223372036854775807';
const leastDigits = '9223372036854775808';

function parseInt64(text: string): Int64 | undefined {
  const signed = text.startsWith('-') || text.startsWith('+') ? 1 : 0;
  if (text.length > INT64_DIGITS_MAX || text.length === signed) return undefined;
  let zeros = signed;
  for (let at = signed; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < codeOf0 || code > codeOf9) return undefined;
    if (code === codeOf0 && at === zeros) zeros += 1;
  }
  const digits = zeros === 0 ? text : text.slice(zeros);
  const isNegative = text.startsWith('-') && digits !== '';
  const most = isNegative ? leastDigits : greatestDigits;
  return compareDigits(digits, most) > 0 ? undefined : { isNegative, digits };
}

const codeOf0 = 0x30;
const codeOf9 = 0x39;

function compareInt64(a: Int64, b: Int64): number {
  if (a.isNegative !== b.isNegative) return a.isNegative ? -1 : 1;
  return a.isNegative ? compareDigits(b.digits, a.digits) : compareDigits(a.digits, b.digits);
}

/** Of numbers that are not negative, without zeros in front. */
function compareDigits(a: string, b: string): number {
  return a.length === b.length ? compare(a, b) : a.length - b.length;
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  const list = values.join(',');
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${list})`;
    case 'gt':
      return `${key}>${list}`;
    case 'lt':
      return `${key}<${list}`;
    case '=':
    case '==':
    case '!=':
      return `${key}${operator}${list}`;
  }
}

/** By code unit: keys and values that pass the checks are ASCII. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The selectors that a review of access names: their rules, and what authorizers are told of them.
 *
 *     {rawSelector: 'app=web'}   or   {requirements: [{key: app, operator: In, values: [web]}]}
 *
 * Invariants: what cannot be read is left out and named beside the answer; it can only have limited
 * the question. Operators that are not known are no mistake: newer clients may have them.
 * Bounds: those of a selector in a query, in characters and in requirements (422).
 */
import {
  forbidden,
  invalid,
  noErrors,
  required,
  tooLong,
  tooMany,
} from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { items, objects, text, texts } from '../../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { checkLabelValue, checkQualifiedName } from '../../apimachinery/validation/names.ts';
import {
  readFieldRequirements,
  readLabelRequirements,
  requirementsMax,
  selectorCharsMax,
} from '../../apimachinery/selectors/selector-requirements.ts';
import type {
  SelectorRequirement,
  SelectorRequirements,
} from '../../apimachinery/selectors/selector-requirements.ts';

type SelectorName = 'fieldSelector' | 'labelSelector';

/** Of `resourceAttributes` at `path`. */
export function selectorErrors(asked: JsonObject, path: string): readonly FieldError[] {
  return [
    ...errorsOf(asked['fieldSelector'], `${path}.fieldSelector`, fieldKeyErrors),
    ...errorsOf(asked['labelSelector'], `${path}.labelSelector`, labelErrors),
  ];
}

type Rule = (requirement: JsonObject, path: string) => readonly FieldError[];

function errorsOf(
  selector: JsonValue | undefined,
  path: string,
  rule: Rule,
): readonly FieldError[] {
  if (!isJsonObject(selector)) return noErrors;
  const raw = text(selector, 'rawSelector');
  const requirements = objects(selector, 'requirements');
  const large = sizeErrors(raw, requirements, path);
  if (large.length > 0) return large;
  const errors: FieldError[] = [];
  if (raw !== '' && requirements.length > 0) {
    const detail = 'may not specified at the same time as requirements';
    errors.push(invalid(`${path}.rawSelector`, raw, detail));
  }
  if (raw === '' && requirements.length === 0) {
    const detail = `when ${path} is specified, requirements or rawSelector is required`;
    errors.push(required(`${path}.requirements`, detail));
  }
  for (const [at, requirement] of requirements.entries()) {
    errors.push(...rule(requirement, `${path}.requirements[${at}]`));
  }
  return errors;
}

function sizeErrors(
  raw: string,
  requirements: readonly JsonObject[],
  path: string,
): readonly FieldError[] {
  if (raw.length > selectorCharsMax) return [tooLong(`${path}.rawSelector`, selectorCharsMax)];
  const field = `${path}.requirements`;
  if (requirements.length > requirementsMax) {
    return [tooMany(field, requirements.length, requirementsMax)];
  }
  let chars = 0;
  for (const requirement of requirements) {
    chars += text(requirement, 'key').length + text(requirement, 'operator').length;
    for (const value of texts(requirement, 'values')) chars += value.length + 1;
  }
  return chars > selectorCharsMax ? [tooLong(field, selectorCharsMax)] : noErrors;
}

function fieldKeyErrors(requirement: JsonObject, path: string): readonly FieldError[] {
  const isNamed = text(requirement, 'key') !== '';
  return [
    ...(isNamed ? noErrors : [required(`${path}.key`, 'must be specified')]),
    ...valueCountErrors(requirement, path),
  ];
}

function labelErrors(requirement: JsonObject, path: string): readonly FieldError[] {
  const key = text(requirement, 'key');
  return [
    ...valueCountErrors(requirement, path),
    ...checkQualifiedName(key).map((problem) => invalid(`${path}.key`, key, problem)),
    ...texts(requirement, 'values').flatMap((value, at) =>
      checkLabelValue(value).map((problem) => invalid(`${path}.values[${at}]`, value, problem)),
    ),
  ];
}

function valueCountErrors(requirement: JsonObject, path: string): readonly FieldError[] {
  const count = items(requirement, 'values').length;
  switch (text(requirement, 'operator')) {
    case 'In':
    case 'NotIn': {
      const detail = "must be specified when `operator` is 'In' or 'NotIn'";
      return count === 0 ? [required(`${path}.values`, detail)] : noErrors;
    }
    case 'Exists':
    case 'DoesNotExist': {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return count > 0 ? [forbidden(`${path}.values`, detail)] : noErrors;
    }
    default:
      return noErrors;
  }
}

export interface ReviewSelectors extends SelectorRequirements {
  /** What was left out, in the words of the reference. */
  readonly leftOut: readonly string[];
}

/** Of `resourceAttributes` without `selectorErrors`. */
export function readReviewSelectors(asked: JsonObject): ReviewSelectors {
  const fields = read(asked, 'fieldSelector', readFieldRequirements, knownFieldRequirement);
  const labels = read(asked, 'labelSelector', readLabelRequirements, knownLabelRequirement);
  return {
    fields: fields.requirements,
    labels: labels.requirements,
    leftOut: [...fields.leftOut, ...labels.leftOut],
  };
}

interface ReadSelector {
  readonly requirements: readonly SelectorRequirement[];
  readonly leftOut: readonly string[];
}

function read(
  asked: JsonObject,
  name: SelectorName,
  parse: (raw: string) => readonly SelectorRequirement[] | undefined,
  known: (requirement: JsonObject) => SelectorRequirement | undefined,
): ReadSelector {
  const selector = asked[name];
  if (!isJsonObject(selector)) return { requirements: [], leftOut: [] };
  const path = `spec.resourceAttributes.${name}`;
  const raw = text(selector, 'rawSelector');
  if (raw !== '') {
    const requirements = parse(raw);
    const leftOut = requirements === undefined ? [`${path} ignored due to parse error`] : [];
    return { requirements: requirements ?? [], leftOut };
  }
  const given = objects(selector, 'requirements');
  const requirements = given.map(known).filter((requirement) => requirement !== undefined);
  if (requirements.length === given.length) return { requirements, leftOut: [] };
  const how = requirements.length > 0 ? 'partially ignored' : 'ignored';
  return { requirements, leftOut: [`${path} ${how} due to parse error`] };
}

/** A field is compared with one value. */
function knownFieldRequirement(requirement: JsonObject): SelectorRequirement | undefined {
  const operator = text(requirement, 'operator');
  const values = texts(requirement, 'values');
  if ((operator !== 'In' && operator !== 'NotIn') || values.length !== 1) return undefined;
  return { key: text(requirement, 'key'), operator, values };
}

function knownLabelRequirement(requirement: JsonObject): SelectorRequirement | undefined {
  const operator = text(requirement, 'operator');
  const key = text(requirement, 'key');
  switch (operator) {
    case 'In':
    case 'NotIn':
      return { key, operator, values: texts(requirement, 'values') };
    case 'Exists':
    case 'DoesNotExist':
      return { key, operator };
    default:
      return undefined;
  }
}

/** Fields that are limited to one value; the first one counts. */
export function pinsOf(fields: readonly SelectorRequirement[]): ReadonlyMap<string, string> {
  const pins = new Map<string, string>();
  for (const { key, operator, values } of fields) {
    const value = values?.[0];
    if (operator === 'In' && value !== undefined && !pins.has(key)) pins.set(key, value);
  }
  return pins;
}

/**
 * What selectors limit a request to, as authorizers are told: the requirements of a field selector
 * and of a label selector, in the four operators of access reviews (spec 2, section 5.5).
 *
 *     status.phase=Running  ▶ {key: status.phase, operator: In, values: [Running]}
 *     app notin (a,b),!old  ▶ {app, NotIn, [a, b]}, {old, DoesNotExist}
 *
 * Requirements only limit: a question with fewer of them asks for more. So what cannot be said is
 * left out: `<` and `>`, and a selector that cannot be parsed.
 *
 * Bounds: a selector has `selectorCharsMax` characters and `requirementsMax` requirements. Policy:
 * a larger one is left out whole.
 */
import { parseFieldSelector } from './field-selector.ts';
import type { FieldRequirement, FieldSelector } from './field-selector.ts';
import type { LabelRequirement } from './label-selector.ts';
import { parseLabelSelector } from './label-selector-parser.ts';
import { StatusError } from '../status-error.ts';
import type { JsonObject } from '../unstructured.ts';

/** What a query could hold. */
export const selectorCharsMax = 16 * 1024;

/** They are written into each question, with some forty characters beside their own. */
export const requirementsMax = 1024;

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Absent for Exists and DoesNotExist. */
  readonly values?: readonly string[];
}

export interface SelectorRequirements {
  readonly fields: readonly SelectorRequirement[];
  readonly labels: readonly SelectorRequirement[];
}

const none: readonly SelectorRequirement[] = [];

/** Reads them when it is first asked: most requests meet no authorizer that does. `parsed`: the
 * field selector, where it has been parsed already. */
export function selectorsOnDemand(
  fields: string,
  labels: string,
  parsed?: FieldSelector | StatusError,
): () => SelectorRequirements {
  let read: SelectorRequirements | undefined;
  return () =>
    (read ??= {
      fields: readFieldRequirements(fields, parsed) ?? none,
      labels: readLabelRequirements(labels) ?? none,
    });
}

/** Undefined: it cannot be parsed, or is too large. */
export function readFieldRequirements(
  text: string,
  parsed?: FieldSelector | StatusError,
): readonly SelectorRequirement[] | undefined {
  if (text.length > selectorCharsMax) return undefined;
  const selector = parsed ?? parseFieldSelector(text);
  if (selector instanceof StatusError) return undefined;
  return withinBound(selector.requirements.map(ofField));
}

/** Undefined: it cannot be parsed, or is too large. */
export function readLabelRequirements(text: string): readonly SelectorRequirement[] | undefined {
  if (text.length > selectorCharsMax) return undefined;
  const parsed = parseLabelSelector(text);
  return parsed instanceof StatusError
    ? undefined
    : withinBound(parsed.requirements.flatMap(ofLabel));
}

function withinBound(
  requirements: readonly SelectorRequirement[],
): readonly SelectorRequirement[] | undefined {
  return requirements.length > requirementsMax ? undefined : requirements;
}

function ofField({ field, operator, value }: FieldRequirement): SelectorRequirement {
  return { key: field, operator: operator === '=' ? 'In' : 'NotIn', values: [value] };
}

function ofLabel({ key, operator, values }: LabelRequirement): readonly SelectorRequirement[] {
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return [{ key, operator: 'In', values }];
    case '!=':
    case 'notin':
      return [{ key, operator: 'NotIn', values }];
    case 'exists':
      return [{ key, operator: 'Exists' }];
    case '!':
      return [{ key, operator: 'DoesNotExist' }];
    case 'gt':
    case 'lt':
      return [];
  }
}

/** `fieldSelector` and `labelSelector` of a review, each where it has a requirement. */
export function selectorMembers(
  selectors: (() => SelectorRequirements) | undefined,
): Readonly<Partial<Record<'fieldSelector' | 'labelSelector', JsonObject>>> {
  if (selectors === undefined) return {};
  const { fields, labels } = selectors();
  return {
    ...(fields.length === 0 ? {} : { fieldSelector: memberOf(fields) }),
    ...(labels.length === 0 ? {} : { labelSelector: memberOf(labels) }),
  };
}

function memberOf(requirements: readonly SelectorRequirement[]): JsonObject {
  return { requirements: requirements.map((requirement) => ({ ...requirement })) };
}

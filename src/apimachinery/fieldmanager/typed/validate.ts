/**
 * Whether a value has the shape of its type: what must hold before it can be merged (spec 1,
 * section 4.5, rule 1).
 *
 * Forms, declared fields and the keys of associative lists are looked at, nothing else.
 *
 * Bounds: it stops after VALIDATION_ERRORS_MAX findings.
 */
import { canonicalText } from '../value/ordering.ts';
import { displayElement, displayPath, fieldElement } from '../fieldpath/path-element.ts';
import type { MergeList, MergeMap, MergeScalar, MergeType } from '../schema/merge-type.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../unstructured.ts';
import { asList, asMap, formFor } from './forms.ts';
import { checkedItemElement } from './list-items.ts';

const VALIDATION_ERRORS_MAX = 20;

export interface ValidationRules {
  /** Associative lists may hold an item twice: what is stored may be older than its schema. */
  readonly allowDuplicates: boolean;
}

interface Walk extends ValidationRules {
  readonly errors: string[];
  /** Elements of the place that is looked at. */
  readonly path: string[];
}

/** What is wrong, each with its path; empty when nothing is. */
export function validateValue(
  type: MergeType,
  value: JsonValue,
  rules: ValidationRules = { allowDuplicates: false },
): readonly string[] {
  const { allowDuplicates } = rules;
  const walk: Walk = { allowDuplicates, errors: [], path: [] };
  check(walk, type, value);
  return walk.errors.slice(0, VALIDATION_ERRORS_MAX);
}

/** One error alone, several under each other. */
export function formatValidationErrors(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] as string) : `errors:\n  ${errors.join('\n  ')}`;
}

function report(walk: Walk, why: string): void {
  walk.errors.push(walk.path.length === 0 ? why : `${displayPath(walk.path)}: ${why}`);
}

function checkBelow(walk: Walk, type: MergeType, value: JsonValue, element: string): void {
  walk.path.push(element);
  check(walk, type, value);
  walk.path.pop();
}

function check(walk: Walk, type: MergeType, value: JsonValue): void {
  if (walk.errors.length >= VALIDATION_ERRORS_MAX) return;
  switch (formFor(type, value)) {
    case 'scalar':
      checkScalar(walk, type.scalar ?? 'untyped', value);
      return;
    case 'list':
      checkList(walk, type.list as MergeList, value);
      return;
    case 'map':
      checkMap(walk, type.map as MergeMap, value);
      return;
  }
}

const expectations: Readonly<Record<MergeScalar, string>> = {
  numeric: 'numeric (int or float)',
  string: 'string',
  boolean: 'boolean',
  untyped: 'any scalar',
};

function checkScalar(walk: Walk, scalar: MergeScalar, value: JsonValue): void {
  if (value === null || isScalar(scalar, value)) return;
  report(walk, `expected ${expectations[scalar]}, got ${canonicalText(value)}`);
}

function isScalar(scalar: MergeScalar, value: JsonValue): boolean {
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'untyped':
      return typeof value !== 'object';
  }
}

function checkList(walk: Walk, list: MergeList, value: JsonValue): void {
  if (value === null) return;
  const items: JsonArray | undefined = asList(value);
  if (items === undefined) {
    report(walk, `expected list, got ${canonicalText(value)}`);
    return;
  }
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    let element = `i:${index}`;
    if (!list.atomic) {
      const checked = checkedItemElement(list, item);
      if (checked.kind === 'invalid') {
        report(walk, `element ${index}: ${checked.why}`);
        return;
      }
      element = checked.element;
      if (seen.has(element) && !walk.allowDuplicates) {
        report(walk, `duplicate entries for key ${displayElement(element)}`);
      }
      seen.add(element);
    }
    checkBelow(walk, list.items, item, element);
  }
}

function checkMap(walk: Walk, map: MergeMap, value: JsonValue): void {
  if (value === null) return;
  const members: JsonObject | undefined = asMap(value);
  if (members === undefined) {
    report(walk, `expected map, got ${canonicalText(value)}`);
    return;
  }
  for (const name of Object.keys(members)) {
    const member = members[name];
    if (member === undefined) continue;
    const type = map.fields.get(name)?.type ?? map.values;
    if (type !== undefined) checkBelow(walk, type, member, fieldElement(name));
    else {
      walk.path.push(fieldElement(name));
      report(walk, 'field not declared in schema');
      walk.path.pop();
    }
  }
}

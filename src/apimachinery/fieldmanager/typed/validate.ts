/**
 * Whether a value has the shape of its type: what must hold before it can be merged (spec 1,
 * section 4.5, rule 1).
 *
 * Forms, declared fields and the keys of associative lists are looked at, nothing else.
 *
 *     places   [ map: its third member ] ▶ [ list: its first item ] ▶ [ map: ... ]
 *
 * Invariant: findings come in the order of the value, a place before what is in it.
 * Bounds: it stops after VALIDATION_ERRORS_MAX findings; a step is `visitsAtOnce` values.
 */
import { finished } from '../../../stdx/stepwise.ts';
import type { Steps } from '../../../stdx/stepwise.ts';
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

/** A list or a map that is being looked through. */
type Place = ListPlace | MapPlace;

interface ListPlace {
  readonly list: MergeList;
  readonly items: JsonArray;
  readonly seen: Set<string>;
  next: number;
  /** Of the item before the next one. */
  element: string;
}

interface MapPlace {
  readonly map: MergeMap;
  readonly members: JsonObject;
  readonly names: readonly string[];
  next: number;
}

interface Walk extends ValidationRules {
  readonly errors: string[];
  /** From the whole value down to the one that is looked at. */
  readonly places: Place[];
}

const strict: ValidationRules = { allowDuplicates: false };

/** What is wrong, each with its path; empty when nothing is. */
export function validateValue(
  type: MergeType,
  value: JsonValue,
  rules: ValidationRules = strict,
): readonly string[] {
  return finished(validationSteps(type, value, rules));
}

/** Members and items that are looked at in one step: some tenths of a millisecond. */
const visitsAtOnce = 1024;

/** validateValue() in parts. */
export function* validationSteps(
  type: MergeType,
  value: JsonValue,
  { allowDuplicates }: ValidationRules = strict,
): Steps<readonly string[]> {
  const walk: Walk = { allowDuplicates, errors: [], places: [] };
  check(walk, type, value);
  while (goOn(walk)) yield;
  return walk.errors.slice(0, VALIDATION_ERRORS_MAX);
}

/** False: there is no more. */
function goOn(walk: Walk): boolean {
  const { errors, places } = walk;
  for (let left = visitsAtOnce; left > 0; left -= 1) {
    const place = places.at(-1);
    if (place === undefined || errors.length >= VALIDATION_ERRORS_MAX) return false;
    const isMore = 'list' in place ? checkNextItem(walk, place) : checkNextMember(walk, place);
    if (!isMore) places.pop();
  }
  return true;
}

/** One error alone, several under each other. */
export function formatValidationErrors(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] as string) : `errors:\n  ${errors.join('\n  ')}`;
}

/** `places`: on the way to what it is about, each at the member or item that leads there. */
function report(walk: Walk, why: string, places: readonly Place[] = walk.places): void {
  const path = places.map(elementOf);
  walk.errors.push(path.length === 0 ? why : `${displayPath(path)}: ${why}`);
}

function elementOf(place: Place): string {
  return 'list' in place ? place.element : fieldElement(place.names[place.next - 1] ?? '');
}

function check(walk: Walk, type: MergeType, value: JsonValue): void {
  switch (formFor(type, value)) {
    case 'scalar':
      checkScalar(walk, type.scalar ?? 'untyped', value);
      return;
    case 'list':
      enterList(walk, type.list as MergeList, value);
      return;
    case 'map':
      enterMap(walk, type.map as MergeMap, value);
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

function enterList(walk: Walk, list: MergeList, value: JsonValue): void {
  if (value === null) return;
  const items: JsonArray | undefined = asList(value);
  if (items === undefined) report(walk, `expected list, got ${canonicalText(value)}`);
  else walk.places.push({ list, items, seen: new Set(), next: 0, element: '' });
}

/** False: the list is at its end. */
function checkNextItem(walk: Walk, place: ListPlace): boolean {
  const { items, list, seen } = place;
  const index = place.next;
  if (index === items.length) return false;
  place.next += 1;
  const item = items[index] as JsonValue;
  if (list.atomic) {
    place.element = `i:${index}`;
  } else {
    const checked = checkedItemElement(list, item);
    const ownPlaces = (): readonly Place[] => walk.places.slice(0, -1);
    if (checked.kind === 'invalid') {
      report(walk, `element ${index}: ${checked.why}`, ownPlaces());
      return false;
    }
    const { element } = checked;
    if (seen.has(element) && !walk.allowDuplicates) {
      report(walk, `duplicate entries for key ${displayElement(element)}`, ownPlaces());
    }
    seen.add(element);
    place.element = element;
  }
  check(walk, list.items, item);
  return true;
}

function enterMap(walk: Walk, map: MergeMap, value: JsonValue): void {
  if (value === null) return;
  const members: JsonObject | undefined = asMap(value);
  if (members === undefined) report(walk, `expected map, got ${canonicalText(value)}`);
  else walk.places.push({ map, members, names: Object.keys(members), next: 0 });
}

/** False: the map is at its end. */
function checkNextMember(walk: Walk, place: MapPlace): boolean {
  const { map, members, names } = place;
  const name = names[place.next];
  if (name === undefined) return false;
  place.next += 1;
  const member = members[name];
  if (member === undefined) return true;
  const type = map.fields.get(name)?.type ?? map.values;
  if (type !== undefined) check(walk, type, member);
  else report(walk, 'field not declared in schema');
  return true;
}

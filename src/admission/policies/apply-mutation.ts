/**
 * A mutation by apply configuration: the result of an expression is merged into the object by its
 * schema, lists by their keys.
 *
 * Invariants: nothing is removed that the configuration does not name, so it may not contain values
 * that are replaced as a whole. Messages are those of the reference.
 * Bounds: the resulting object holds no more values than a body may, and no more bytes than the
 * store takes.
 */
import { bodyValuesMax, countValues } from '../../apimachinery/codecs/body-bounds.ts';
import type { MergeType } from '../../apimachinery/fieldmanager/schema/merge-type.ts';
import {
  asList,
  asMap,
  memberOf,
  sortedNames,
} from '../../apimachinery/fieldmanager/typed/forms.ts';
import { mergeValues } from '../../apimachinery/fieldmanager/typed/merge.ts';
import {
  formatValidationErrors,
  validationSteps,
} from '../../apimachinery/fieldmanager/typed/validate.ts';
import {
  displayPath,
  fieldElement,
  formatPathElement,
} from '../../apimachinery/fieldmanager/fieldpath/path-element.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { formatGroupVersion } from '../../apimachinery/schema.ts';
import { typedDocument } from '../../apimachinery/typed/field-validation.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { isOutgrown } from '../outgrown.ts';
import { outgrown } from './json-patch-mutation.ts';
import type { Mutated } from './json-patch-mutation.ts';

interface Applied {
  readonly kind: KindInfo;
  readonly type: MergeType;
  /** Of so many values that others have a turn between the walks over them. */
  readonly isLarge: boolean;
}

export function* applyConfiguration(
  object: ApiObject,
  configuration: JsonObject,
  { isLarge, kind, type }: Applied,
): Steps<Mutated> {
  const named = { ...configuration, apiVersion: formatGroupVersion(kind), kind: kind.kind };
  const validating = validationSteps(type, named);
  const wrong = isLarge ? yield* validating : finished(validating);
  if (wrong.length > 0) {
    const errors = formatValidationErrors(wrong);
    return failed(`failed to convert patch object to typed object: ${errors}`);
  }
  if (isLarge) yield;
  const atomic: string[] = [];
  collectAtomic(type, named, [], atomic);
  if (atomic.length > 0) {
    const paths = atomic.join(', ');
    const what = 'may not mutate atomic arrays, maps or structs';
    return failed(`invalid ApplyConfiguration: ${what}: ${paths}`);
  }
  if (isLarge) yield;
  const merged = mergeValues(type, object, named);
  if (merged === undefined || !isJsonObject(merged)) return object;
  if (countValues(merged) > bodyValuesMax) {
    return failed(`the object would hold more than ${bodyValuesMax} members and items`);
  }
  if (yield* isOutgrown(merged)) return failed(outgrown);
  if (isLarge) yield;
  const typed = typedDocument(merged, kind, 'Ignore', []);
  return typed.kind === 'refused' ? failed(typed.error.message) : typed.object;
}

function failed(problem: string): string {
  return `error applying patch: ${problem}`;
}

/** Paths of what would be replaced as a whole. */
function collectAtomic(
  type: MergeType,
  value: JsonValue,
  path: readonly string[],
  found: string[],
): void {
  const map = asMap(isJsonObject(value) ? value : undefined);
  if (map !== undefined && type.map !== undefined) {
    if (type.map.atomic) found.push(displayPath(path));
    for (const name of sortedNames(map)) {
      const field = type.map.fields.get(name);
      const member = memberOf(map, name);
      if (field === undefined || member === undefined) continue;
      collectAtomic(field.type, member, [...path, fieldElement(name)], found);
    }
    return;
  }
  const list = asList(Array.isArray(value) ? value : undefined);
  if (list === undefined || type.list === undefined) return;
  if (type.list.atomic) found.push(displayPath(path));
  // Items by their places, also where they have keys: so the reference says it.
  for (const [at, item] of list.entries()) {
    collectAtomic(
      type.list.items,
      item,
      [...path, formatPathElement({ kind: 'index', index: at })],
      found,
    );
  }
}

/**
 * Fields that were a single value and are a list now. Both are kept, and the single value is the
 * first of the list. Where they differ the single value counts, because its writer may not know the
 * list.
 */
import type { Complete } from '../../apimachinery/typed/defaulting.ts';
import type { JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject, withMember } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';

/** `within` is the field of an item that holds the value; undefined where the item is the value. */
export function firstOfList(one: string, many: string, within?: string): Complete {
  const itemOf = (value: JsonValue): JsonValue =>
    within === undefined ? value : { [within]: value };
  const valueOf = (item: JsonValue | undefined): JsonValue | undefined =>
    within !== undefined && isJsonObject(item) ? item[within] : item;
  return (object) => {
    const list = object[many];
    const first = Array.isArray(list) ? valueOf((list as readonly JsonValue[])[0]) : undefined;
    const value = object[one] ?? first;
    if (value === undefined || value === '') return object;
    const whole = deepEqual(first, value) ? object : withMember(object, many, [itemOf(value)]);
    return whole[one] === undefined ? withMember(whole, one, value) : whole;
  };
}

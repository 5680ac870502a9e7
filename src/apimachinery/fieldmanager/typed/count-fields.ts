/**
 * How many fields of a value can be owned one by one: leaves, keys of maps, items of associative
 * lists and what is in them. An atomic list or map is one, however large.
 *
 * Each of them costs some microseconds in every write of its object, all within one decision of its
 * actor; that is why they are bounded.
 *
 * Bound: it stops counting beyond `most`.
 */
import type { JsonValue } from '../../unstructured.ts';
import type { MergeType } from '../schema/merge-type.ts';
import { asList, asMap, formFor, memberType } from './forms.ts';

/** Far above what anybody has who does not try how much there may be: the largest definitions of
 * custom types have a few dozen (their versions are one atomic list). */
export const ownableFieldsMax = 5000;

/** Above `most`: some number above it. */
export function countFields(type: MergeType, value: JsonValue, most = ownableFieldsMax): number {
  const form = formFor(type, value);
  if (form === 'scalar') return 1;
  let count = 1;
  if (form === 'list') {
    const list = type.list;
    if (list === undefined || list.atomic) return 1;
    for (const item of asList(value) ?? []) {
      count += countFields(list.items, item, most - count);
      if (count > most) break;
    }
    return count;
  }
  const map = type.map;
  const members = asMap(value);
  if (map === undefined || map.atomic || members === undefined) return 1;
  for (const name in members) {
    const member = members[name];
    if (member === undefined) continue;
    count +=
      typeof member === 'object' ? countFields(memberType(map, name), member, most - count) : 1;
    if (count > most) break;
  }
  return count;
}

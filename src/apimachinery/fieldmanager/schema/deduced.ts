/**
 * The type of what has no schema: every key of an object has an owner of its own, every list is one
 * value (spec 1, section 4.5, rule 6).
 */
import type { MergeMap, MergeType } from './merge-type.ts';

const noFields: MergeMap['fields'] = new Map();

/** Any value, as one. */
export const atomicType: MergeType = {
  scalar: 'untyped',
  list: {
    get items() {
      return atomicType;
    },
    atomic: true,
    keys: [],
  },
  map: {
    fields: noFields,
    get values() {
      return atomicType;
    },
    atomic: true,
  },
};

export const deducedType: MergeType = {
  scalar: 'untyped',
  list: { items: atomicType, atomic: true, keys: [] },
  map: {
    fields: noFields,
    get values() {
      return deducedType;
    },
    atomic: false,
  },
};

/** A map of which nothing is known: its type cannot change, for it has none. */
export function isDeducedMap(map: MergeMap): boolean {
  return map.fields.size === 0 && map.values === deducedType;
}

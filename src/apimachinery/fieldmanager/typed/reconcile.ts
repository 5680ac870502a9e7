/**
 * A set of fields brought in line with a type that has changed since it was written (spec 1,
 * section 4.5, rule 7).
 *
 *     granular -> atomic    who owned a part owns the whole, and no part
 *     atomic -> granular    left as it is: who owned the whole owns the field, not its parts
 *
 * What has no schema is left alone: it had none before either.
 */
import type { FieldSet, FieldSetDraft } from '../fieldpath/field-set.ts';
import { emptySet, isEmptySet, memberMark } from '../fieldpath/field-set.ts';
import { isDeducedMap } from '../schema/deduced.ts';
import type { MergeMap, MergeType } from '../schema/merge-type.ts';
import { leadingForm } from './forms.ts';

/** Sets that a type leaves as they are: asked at every write, of sets that many objects share. */
const fitting = new WeakMap<MergeType, WeakSet<FieldSet>>();

/** The same set when nothing has to change. */
export function reconcileFields(type: MergeType, set: FieldSet): FieldSet {
  const known = fitting.get(type);
  if (known?.has(set) === true) return set;
  const made = reconciled(type, set, true);
  if (made !== set) return made;
  if (known === undefined) fitting.set(type, new WeakSet([set]));
  else known.add(set);
  return set;
}

function reconciled(type: MergeType, node: FieldSet, isRoot: boolean): FieldSet {
  // The values are not looked at: a type with several forms is taken by its leading one.
  switch (leadingForm(type, 'any')) {
    case 'scalar':
      return node;
    case 'list': {
      if (type.list?.atomic === true) return isRoot ? node : emptySet;
      return belowEach(node, () => type.list?.items);
    }
    case 'map': {
      const map = type.map as MergeMap;
      if (isDeducedMap(map)) return node;
      if (map.atomic) return isRoot ? node : emptySet;
      return belowEach(node, (element) => declaredType(map, element));
    }
  }
}

/** Undefined for what the schema does not know: that is left alone. */
function declaredType(map: MergeMap, element: string): MergeType | undefined {
  if (!element.startsWith('f:')) return map.values;
  return map.fields.get(element.slice(2))?.type ?? map.values;
}

function belowEach(node: FieldSet, typeOf: (element: string) => MergeType | undefined): FieldSet {
  let changed: FieldSetDraft | undefined;
  for (const key of Object.keys(node)) {
    if (key === memberMark) continue;
    const below = node[key] as FieldSet;
    if (isEmptySet(below)) continue;
    const type = typeOf(key);
    if (type === undefined) continue;
    const made = reconciled(type, below, false);
    if (made === below) continue;
    changed ??= { ...(node as FieldSetDraft) };
    changed[key] = made;
  }
  return changed ?? node;
}

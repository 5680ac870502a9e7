/**
 * A set of fields completed by the struct fields on the way to its members: taking parts out of an
 * object must know that `spec` was there, not only what was in it.
 */
import type { FieldSet, FieldSetDraft } from '../fieldpath/field-set.ts';
import { emptySet, isEmptySet, isMember, memberMark } from '../fieldpath/field-set.ts';
import type { MergeType } from '../schema/merge-type.ts';
import { memberType } from './forms.ts';

/** The set with every declared field on the way to a member as a member too. */
export function withNamedFields(type: MergeType | undefined, set: FieldSet): FieldSet {
  return completed(type, set, false);
}

function completed(type: MergeType | undefined, node: FieldSet, member: boolean): FieldSet {
  const draft: FieldSetDraft = {};
  if (member) draft[memberMark] = emptySet;
  for (const key of Object.keys(node)) {
    if (key === memberMark) continue;
    const below = node[key] as FieldSet;
    if (isEmptySet(below)) {
      draft[key] = below;
      continue;
    }
    const named = key.startsWith('f:') && type?.map?.fields.has(key.slice(2)) === true;
    draft[key] = completed(typeBelow(type, key), below, named || isMember(below));
  }
  return draft;
}

function typeBelow(type: MergeType | undefined, element: string): MergeType | undefined {
  if (element.startsWith('f:')) {
    return type?.map === undefined ? undefined : memberType(type.map, element.slice(2));
  }
  return element.startsWith('k:') ? type?.list?.items : undefined;
}

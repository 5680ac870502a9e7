/**
 * The managers of an object and what each owns: the input and the output of a merge.
 *
 * Elsewhere: the form in which they are stored (../managers/managed-fields.ts).
 *
 * Invariant: no manager owns nothing.
 */
import type { JsonValue } from '../../unstructured.ts';
import type { FieldSet } from '../fieldpath/field-set.ts';
import { isEmptySet } from '../fieldpath/field-set.ts';
import type { MergeType } from '../schema/merge-type.ts';

export interface OwnedFields {
  readonly set: FieldSet;
  /** The version of the kind whose fields the set names. */
  readonly version: string;
  /** By apply, as opposed to any other write. */
  readonly applied: boolean;
}

/** By an identifier that is unique within the object. */
export type Managers = ReadonlyMap<string, OwnedFields>;
export type ManagersDraft = Map<string, OwnedFields>;

/** Which version of an object it is. */
export interface VersionedValue {
  readonly value: JsonValue;
  readonly version: string;
}

/** The versions of a kind, as a merge needs them. */
export interface VersionRules {
  /** Whether there is such a version (still). */
  has(version: string): boolean;
  /** For a version that is there. */
  typeAt(version: string): MergeType;
  /** Undefined: there is no such version. */
  convert(from: VersionedValue, version: string): VersionedValue | undefined;
  /** Takes away what this writer cannot own. */
  writable(set: FieldSet, version: string): FieldSet;
}

/** The same owner with other fields. */
export function withSet({ version, applied }: OwnedFields, set: FieldSet): OwnedFields {
  return { set, version, applied };
}

/** Sets what the manager owns; one that owns nothing is no manager. */
export function setOwned(draft: ManagersDraft, manager: string, owned: OwnedFields): void {
  if (isEmptySet(owned.set)) draft.delete(manager);
  else draft.set(manager, owned);
}

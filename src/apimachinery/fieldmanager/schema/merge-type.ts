/**
 * How the parts of an object merge: the one model that ownership is computed with (spec 1,
 * section 4.5, rules 5 and 6).
 *
 * It says for each place which forms a value may have there and which parts of it have owners of
 * their own.
 *
 *     atomic list, atomic map      one owner for the whole
 *     associative list             an owner per item; items are told apart by their keys, or,
 *                                  without keys, by their value (a set)
 *     granular map                 an owner per entry
 *
 * Invariants: immutable and shared; types may refer to themselves, so what lies below is made when
 * it is first asked for. The same part of the same kind is the same object: types may be keys of a
 * memo.
 */
import type { JsonValue } from '../../unstructured.ts';

export type MergeScalar = 'numeric' | 'string' | 'boolean' | 'untyped';

/** A type with several forms takes any of them. A null takes the first of map, scalar, list. */
export interface MergeType {
  readonly scalar?: MergeScalar | undefined;
  readonly list?: MergeList | undefined;
  readonly map?: MergeMap | undefined;
}

export interface MergeList {
  readonly items: MergeType;
  readonly atomic: boolean;
  /** Names of the fields that tell items apart, sorted. Empty: a set of scalars. */
  readonly keys: readonly string[];
}

export interface MergeMap {
  /** The fields of a struct. */
  readonly fields: ReadonlyMap<string, MergeField>;
  /** Of members that are not among the fields. Undefined: there may be none. */
  readonly values: MergeType | undefined;
  readonly atomic: boolean;
}

export interface MergeField {
  readonly type: MergeType;
  /** What an absent key of an associative list's item counts as. */
  readonly default: JsonValue | undefined;
}

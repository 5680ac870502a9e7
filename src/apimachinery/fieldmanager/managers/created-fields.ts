/**
 * What the maker of an object owns: everything that it made (spec 1, section 3.2).
 *
 * A creation whose client has sent managedFields of its own is left to track-update.ts. Where
 * nothing was sent both come to the same set.
 *
 * The set follows from the shape of the object (../typed/shape.ts), so objects of one shape share
 * one set: it is worked out for the first of them and held in memory once.
 *
 * Bounds: shapes of `shapeCharsMax` characters in all, none longer than `shapeKeptMax`. At the
 * limit they start anew: what is in use is back at once.
 */
import { createTextCache } from '../../../stdx/text-cache.ts';
import { shareFields } from '../../shared-fields.ts';
import type { ApiObject } from '../../unstructured.ts';
import type { FieldWriter, OwnedKind } from '../field-manager.ts';
import type { FieldSet } from '../fieldpath/field-set.ts';
import { union } from '../fieldpath/field-set.ts';
import { markCanonical } from '../fieldpath/fields-v1.ts';
import type { MergeType } from '../schema/merge-type.ts';
import { deducedType } from '../schema/deduced.ts';
import { compareValuesOf, noChange } from '../typed/compare.ts';
import { shapeOf } from '../typed/shape.ts';
import { withoutOwnerless } from './ownerless-fields.ts';

/** A set takes about ten times the memory of its shape. */
const shapeCharsMax = 1024 * 1024;
const shapeKeptMax = 16 * 1024;

/** By the number of the kind, the version and the shape. */
const sets = createTextCache<FieldSet>(shapeCharsMax);

const numbers = new WeakMap<OwnedKind, number>();
let kindsCount = 0;

/** `created` has no managedFields. */
export function createdFields(writer: FieldWriter, created: ApiObject): FieldSet {
  const { kind, apiVersion, subresource } = writer;
  const type = kind.typeAt(apiVersion) ?? deducedType;
  const shape = shapeOf(type, created, kind.emptyAt(apiVersion));
  const key = `${numberOf(kind)} ${apiVersion} ${subresource} ${shape}`;
  const known = sets.get(key);
  if (known !== undefined) return known;
  const set = markCanonical(workedOut(writer, type, created));
  if (shape.length <= shapeKeptMax) {
    sets.keep(key, set);
    shareFields(set);
  }
  return set;
}

function workedOut(
  { kind, apiVersion, subresource }: FieldWriter,
  type: MergeType,
  created: ApiObject,
): FieldSet {
  const { added, modified } = compareValuesOf(type, kind.emptyAt(apiVersion), created) ?? noChange;
  const writable = (set: FieldSet): FieldSet => kind.keepWritable(set, subresource);
  return withoutOwnerless(union(writable(modified), writable(added)));
}

function numberOf(kind: OwnedKind): number {
  const known = numbers.get(kind);
  if (known !== undefined) return known;
  kindsCount += 1;
  numbers.set(kind, kindsCount);
  return kindsCount;
}

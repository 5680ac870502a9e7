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
 * limit they start anew: what is in use is back at once. Of each kind the last shape is kept, which
 * may be a longer one.
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
import { addShape, ShapePieces } from '../typed/shape.ts';
import { withoutOwnerless } from './ownerless-fields.ts';

/** A set takes about ten times the memory of its shape. */
const shapeCharsMax = 1024 * 1024;
const shapeKeptMax = 16 * 1024;

/** By the number of the kind, the version and the shape. */
const sets = createTextCache<FieldSet>(shapeCharsMax);

interface LastSet {
  readonly apiVersion: string;
  readonly subresource: string;
  readonly shape: readonly string[];
  readonly set: FieldSet;
}

/** What is known of a kind. Objects that are made one after the other often have one shape. */
interface Known {
  readonly number: number;
  last: LastSet;
}

const noSet: LastSet = { apiVersion: '', subresource: '', shape: [], set: {} };
const knownKinds = new WeakMap<OwnedKind, Known>();
let kindsCount = 0;

/** The shape of the object that is being created; written over by the next one. */
let pieces = new ShapePieces();
/** Pieces of a longer shape are dropped after use, so that they do not stay in memory. */
const piecesKeptMax = 1024;

/** `created` has no managedFields. */
export function createdFields(writer: FieldWriter, created: ApiObject): FieldSet {
  const { kind, apiVersion, subresource } = writer;
  const type = kind.typeAt(apiVersion) ?? deducedType;
  if (pieces.count > piecesKeptMax) pieces = new ShapePieces();
  pieces.clear();
  addShape(pieces, type, created, kind.emptyAt(apiVersion));
  const known = knownOf(kind);
  const { last } = known;
  const isLast = last.apiVersion === apiVersion && last.subresource === subresource;
  if (isLast && pieces.areThose(last.shape)) return last.set;
  const all = pieces.all();
  const shape = all.join('');
  const key = `${known.number} ${apiVersion} ${subresource} ${shape}`;
  const set = sets.get(key) ?? newSet(key, workedOut(writer, type, created), shape);
  // Each kind has its last one, and users define kinds: megabytes of keys are not for keeping.
  if (shape.length > shapeKeptMax) return set;
  known.last = { apiVersion, subresource, shape: all, set };
  return set;
}

function newSet(key: string, made: FieldSet, shape: string): FieldSet {
  const set = markCanonical(made);
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

function knownOf(kind: OwnedKind): Known {
  const known = knownKinds.get(kind);
  if (known !== undefined) return known;
  kindsCount += 1;
  const made = { number: kindsCount, last: noSet };
  knownKinds.set(kind, made);
  return made;
}

/**
 * What ownership needs to know of a served kind, from the scheme.
 *
 * Versions of one kind are compared at the version of each manager: the kind's conversions make
 * the object of one the object of the other. What is converted may be less than an object, as when
 * a manager's fields have been taken out. The other version then shows it as it would be read: what
 * is always written is there, and so is what the version it comes from implies. Nobody loses a
 * field of one version because his own has no way to leave it out.
 *
 * Invariant: one OwnedKind per kind and version, made when it is first asked for.
 */
import { objectAtVersion } from '../../object-version.ts';
import { formatGroupVersion, parseGroupVersion } from '../../schema.ts';
import type { KindInfo, Scheme } from '../../scheme.ts';
import type { ApiObject, JsonObject } from '../../unstructured.ts';
import { conform } from '../../typed/conform.ts';
import type { FieldWriter, OwnedKind } from '../field-manager.ts';
import type { Managers } from '../merge/managers.ts';
import { including, mergePatterns, patternOf } from '../fieldpath/field-filter.ts';
import type { FieldFilter } from '../fieldpath/field-filter.ts';
import type { FieldSet } from '../fieldpath/field-set.ts';
import { emptySet, isEmptySet, nodeAt, recursiveDifference } from '../fieldpath/field-set.ts';
import { deducedType } from '../schema/deduced.ts';
import { emptyObjectOf, mergeTypeOf } from '../schema/from-type-schema.ts';
import type { MergeType } from '../schema/merge-type.ts';

const known = new WeakMap<KindInfo, OwnedKind>();

/** `scheme` is the one that `kind` is from. */
export function ownedKindOf(kind: KindInfo, scheme: Scheme): OwnedKind {
  const found = known.get(kind);
  if (found !== undefined) return found;
  const made = makeOwnedKind(kind, scheme);
  known.set(kind, made);
  return made;
}

const noParts: JsonObject = Object.freeze({});

function makeOwnedKind(kind: KindInfo, scheme: Scheme): OwnedKind {
  const own = formatGroupVersion(kind);
  const kept = partsKeptByWrites(kind);
  const writable = writableParts(kind);
  // Asked once: a kind to which a version is added is made anew.
  const types = new Map<string, MergeType>([[own, typeOf(kind)]]);
  const schemaAt = (apiVersion: string) =>
    (apiVersion === own ? kind : servedKind(kind, apiVersion, scheme))?.schema;
  return {
    kind: kind.kind,
    typeAt(apiVersion) {
      const found = types.get(apiVersion);
      if (found !== undefined) return found;
      const type = typeAtOther(kind, apiVersion, scheme);
      if (type === undefined) return undefined;
      types.set(apiVersion, type);
      return type;
    },
    toVersion(object, apiVersion) {
      if (object.apiVersion === apiVersion) return object;
      const meant = kind.conversions?.get(object.apiVersion)?.implied?.(object) ?? object;
      const converted = objectAtVersion(meant, apiVersion, kind.conversions);
      const schema = schemaAt(apiVersion);
      if (schema === undefined) return converted;
      const read = conform(schema, converted);
      return read.kind === 'ok' ? (read.object as ApiObject) : converted;
    },
    emptyAt(apiVersion) {
      const schema = schemaAt(apiVersion);
      return schema === undefined ? noParts : emptyObjectOf(schema);
    },
    keepWritable(fields, subresource) {
      const part = writable.get(subresource);
      if (part !== undefined) return part(fields);
      return subresource === '' ? withoutParts(fields, kept) : fields;
    },
  };
}

function typeOf({ custom, schema }: KindInfo): MergeType {
  return schema === undefined ? (custom?.mergeType ?? deducedType) : mergeTypeOf(schema);
}

/** Who wrote through a version that is not served any more still owns what it wrote. */
function typeAtOther(kind: KindInfo, apiVersion: string, scheme: Scheme): MergeType | undefined {
  if (kind.custom !== undefined) return kind.custom.mergeTypeAt(apiVersion);
  const other = servedKind(kind, apiVersion, scheme);
  return other === undefined ? undefined : typeOf(other);
}

/** The same kind of objects at another version. */
function servedKind(kind: KindInfo, apiVersion: string, scheme: Scheme): KindInfo | undefined {
  const parsed = parseGroupVersion(apiVersion);
  if (parsed === undefined) return undefined;
  const other = scheme.findKind(parsed.group, parsed.version, kind.kind);
  const isSame =
    other?.storage.group === kind.storage.group && other.storage.resource === kind.storage.resource;
  return isSame ? other : undefined;
}

/** What no write to the object itself changes, so that nobody owns it for one. */
function partsKeptByWrites({ ownerlessParts = [], subresources }: KindInfo): FieldSet {
  const hasStatus = subresources.some(({ name }) => name === 'status');
  const parts = hasStatus ? [...ownerlessParts, 'status'] : ownerlessParts;
  return Object.fromEntries(parts.map((part) => [`f:${part}`, emptySet]));
}

function withoutParts(fields: FieldSet, parts: FieldSet): FieldSet {
  for (const part in parts) {
    if (nodeAt(fields, part) !== undefined) return recursiveDifference(fields, parts);
  }
  return fields;
}

/** What can be owned through each subresource that does not write all of the object. */
function writableParts({ scale, subresources }: KindInfo): ReadonlyMap<string, FieldFilter> {
  const parts = new Map<string, FieldFilter>();
  for (const { name, writes: said } of subresources) {
    const replicas = name === 'scale' ? scale?.specReplicas.map((step) => `f:${step}`) : undefined;
    const writes = replicas === undefined ? said : [replicas];
    if (writes === undefined) continue;
    parts.set(name, including(writes.map(patternOf).reduce(mergePatterns, new Map())));
  }
  return parts;
}

/** Whether somebody owns a field of what is written to. A scale is an object of its own: only who
 * owns the number of replicas counts there. */
export function hasOwners({ kind, subresource }: FieldWriter, owners: Managers): boolean {
  if (subresource !== 'scale') return owners.size > 0;
  for (const { set } of owners.values()) {
    if (!isEmptySet(kind.keepWritable(set, subresource))) return true;
  }
  return false;
}

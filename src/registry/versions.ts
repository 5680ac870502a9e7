/**
 * Between the version of a request and the version an object is stored in (spec 1, section 9).
 *
 * The conversions come with the kind (KindInfo.conversions).
 *
 * Invariants: the stored object carries the storage version, whichever version it came through.
 * Versions with the same fields cost nothing: their bytes are passed on with another apiVersion. A
 * record that an older release stored in another version is converted when it is read. A custom
 * object stays in the version in which it was written until it is written again; every other
 * version is made from that one.
 *
 *     request ─▶ decided version ─▶ the kind's rules, those who have a say ─▶ stored version
 *
 * A write is decided in the stored version. A write to a custom type is decided in the version of
 * the request, because the schema of that version counts.
 */
import { isLargeValue } from '../apimachinery/large-value.ts';
import {
  decodeObject,
  decodeSteps,
  encodeLargeSteps,
  encodeObject,
  hasObjectHead,
  objectHead,
  stampResourceVersion,
  withObjectHead,
} from '../apimachinery/object-encoding.ts';
import { labelled, objectAtVersion } from '../apimachinery/object-version.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { GroupVersionKind } from '../apimachinery/schema.ts';
import type { KindInfo, Scheme } from '../apimachinery/scheme.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { Steps } from '../stdx/stepwise.ts';

type Versioned = GroupVersionKind & Pick<KindInfo, 'conversions' | 'custom'>;

function storageApiVersion(kind: KindInfo): string {
  return formatGroupVersion({ group: kind.storage.group, version: kind.storageVersion });
}

/** The kind at the version its objects are stored in, which need not be served. Who refuses an
 * object names this one, whichever group it came through. */
export function storedKind(kind: KindInfo): Versioned {
  const { group } = kind.storage;
  const { conversions, custom, kind: name, storageVersion: version } = kind;
  return { group, version, kind: name, conversions, custom };
}

/** An object of one version as the other shows it; both are of one resource. Pure. */
export function toVersion(object: ApiObject, from: Versioned, to: Versioned): ApiObject {
  // What users define may be stored in a version that was the one before, or be at the other
  // version already.
  const asLabelled = from.custom !== undefined && from.conversions?.has(object.apiVersion);
  const given =
    asLabelled === true ? object : labelled(object, from.kind, formatGroupVersion(from));
  return objectAtVersion(given, formatGroupVersion(to), to.conversions);
}

export function toStorageVersion(object: ApiObject, kind: KindInfo): ApiObject {
  return toVersion(object, kind, storedKind(kind));
}

/** An object of a request in the version in which a write to the kind is decided. */
export function toDecidedVersion(object: ApiObject, kind: KindInfo): ApiObject {
  return kind.custom === undefined ? toStorageVersion(object, kind) : object;
}

/** The stored object in that version. */
export function decidedVersionOf(object: ApiObject, kind: KindInfo): ApiObject {
  return kind.custom === undefined ? object : atVersionOf(object, kind);
}

/** What is stored of an object that has been decided on. */
export function storedForm(object: ApiObject, kind: KindInfo): ApiObject {
  return kind.custom?.toStored(object) ?? object;
}

/** From stored bytes to those of the object as the version shows it: JSON both, with or without a
 * resourceVersion. */
export interface ResponseEncoder {
  readonly encode: (bytes: Uint8Array) => Uint8Array;
  /** The same in parts, for a large object that has to be read and written anew. */
  readonly encodeSteps: (bytes: Uint8Array) => Steps<Uint8Array>;
}

export function responseEncoder(kind: KindInfo): ResponseEncoder {
  const { conversions } = kind;
  const stored = storageApiVersion(kind);
  const shown = formatGroupVersion(kind);
  const storedHead = objectHead(kind.kind, stored);
  const shownHead = objectHead(kind.kind, shown);
  const target = conversions?.get(shown);
  const convert = (bytes: Uint8Array): Uint8Array => {
    const object = decodeObject(bytes);
    if (conversions?.get(object.apiVersion) === target) return withObjectHead(bytes, shownHead);
    return encodeVersioned(objectAtVersion(object, shown, conversions));
  };
  function* convertSteps(bytes: Uint8Array): Steps<Uint8Array> {
    const object = yield* decodeSteps(bytes);
    yield;
    if (conversions?.get(object.apiVersion) === target) return withObjectHead(bytes, shownHead);
    const converted = objectAtVersion(object, shown, conversions);
    yield;
    return encodeVersioned(converted);
  }
  if (conversions?.get(stored) !== target) return { encode: convert, encodeSteps: convertSteps };
  const same = stored === shown;
  const isOneForm = conversions === undefined;
  /** Undefined: it is stored in another version, which may have another form. */
  const asStored = (bytes: Uint8Array): Uint8Array | undefined => {
    const isStored = hasObjectHead(bytes, storedHead);
    if (isStored && same) return bytes;
    return isStored || isOneForm ? withObjectHead(bytes, shownHead) : undefined;
  };
  return {
    encode: (bytes) => asStored(bytes) ?? convert(bytes),
    *encodeSteps(bytes) {
      return asStored(bytes) ?? (yield* convertSteps(bytes));
    },
  };
}

/** Whether `showing` has to read an object and write it anew. */
export function convertsForResponse(kind: KindInfo): boolean {
  const { conversions } = kind;
  return conversions?.get(storageApiVersion(kind)) !== conversions?.get(formatGroupVersion(kind));
}

/** Names what `showing` does: equal names show equal bytes. */
export function responseFormId(kind: KindInfo): string {
  return `${formatGroupVersion(kind)}/${kind.kind}`;
}

/** JSON of an object whose metadata may carry its resourceVersion. */
export function encodeVersioned(object: ApiObject): Uint8Array {
  const { bytes, metadataAt } = encodeObject(object);
  const version = object.metadata.resourceVersion;
  return version === undefined ? bytes : stampResourceVersion(bytes, metadataAt, BigInt(version));
}

/** encodeVersioned() in parts. */
export function* encodeVersionedSteps(object: ApiObject): Steps<Uint8Array> {
  if (isLargeValue(object)) yield* encodeLargeSteps(object);
  return encodeVersioned(object);
}

/** Objects read from the store, in the version that this release stores: what an older release
 * wrote is converted. Those of kinds that users define are left alone: see readToday. */
export function upgrading(scheme: Scheme): (object: ApiObject) => ApiObject {
  const kinds = new Map<string, KindInfo>();
  const current = new Set<string>();
  for (const kind of scheme.kinds) {
    if (kind.custom !== undefined) continue;
    kinds.set(`${kind.storage.group} ${kind.kind}`, kind);
    current.add(`${storageApiVersion(kind)} ${kind.kind}`);
  }
  return (object) => {
    if (current.has(`${object.apiVersion} ${object.kind}`)) return object;
    const slash = object.apiVersion.indexOf('/');
    const group = slash === -1 ? '' : object.apiVersion.slice(0, slash);
    const kind = kinds.get(`${group} ${object.kind}`);
    if (kind === undefined) return object;
    return objectAtVersion(object, storageApiVersion(kind), kind.conversions);
  };
}

/** A stored object as this version shows it. */
export function atVersionOf(object: ApiObject, kind: KindInfo): ApiObject {
  return toVersion(object, storedKind(kind), kind);
}

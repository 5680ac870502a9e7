/**
 * Between the version of a request and the version an object is stored in (spec 1, section 9).
 *
 * What it is not: field conversion. The versions of one resource that are served together share
 * their fields here; a kind whose versions differ in fields keeps them apart in the catalogue.
 *
 * Invariant: the stored object carries the storage version, whichever version it came through.
 */
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';

function storageApiVersion(kind: KindInfo): string {
  return formatGroupVersion({ group: kind.storage.group, version: kind.storageVersion });
}

/** Whether an object of this kind goes out as it is stored, byte for byte. */
export function isStorageVersion(kind: KindInfo): boolean {
  return kind.group === kind.storage.group && kind.version === kind.storageVersion;
}

export function toStorageVersion(object: ApiObject, kind: KindInfo): ApiObject {
  const { kind: _kind, apiVersion: _version, ...rest } = object;
  return { kind: kind.kind, apiVersion: storageApiVersion(kind), ...rest };
}

/** The object as this version shows it. */
export function atVersionOf(object: ApiObject, kind: KindInfo): ApiObject {
  return isStorageVersion(kind) ? object : { ...object, apiVersion: formatGroupVersion(kind) };
}

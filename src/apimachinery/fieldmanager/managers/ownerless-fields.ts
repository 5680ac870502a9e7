/**
 * Fields that nobody owns: what tells which object it is, and what the server alone writes (spec 1,
 * sections 2.2 and 2.5).
 */
import type { FieldSet } from '../fieldpath/field-set.ts';
import { difference } from '../fieldpath/field-set.ts';
import { fieldElement } from '../fieldpath/path-element.ts';
import { withMember, withMetadata, without } from '../../unstructured.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../unstructured.ts';

const ownerless = [
  'clusterName',
  'creationTimestamp',
  'generation',
  'managedFields',
  'name',
  'namespace',
  'resourceVersion',
  'selfLink',
  'uid',
] as const;

const ownerlessSet: FieldSet = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    ...Object.fromEntries(ownerless.map((name) => [fieldElement(name), {}])),
  },
};

export function withoutOwnerless(set: FieldSet): FieldSet {
  return difference(set, ownerlessSet);
}

/** What an intent may carry along from an object that was read; it is not part of the intent. */
const notIntended: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'resourceVersion',
  'selfLink',
  'uid',
  // Null, or the intent has been refused.
  'managedFields',
]);

/** The intent without metadata that the server owns. It has the name of the live object: an intent
 * without metadata of its own would otherwise give up all of it. */
export function intendedPart(applied: ApiObject, live: ApiObject | undefined): JsonObject {
  const metadata: Record<string, JsonValue | undefined> = {};
  if (live?.metadata.name !== undefined) metadata['name'] = live.metadata.name;
  for (const [name, value] of Object.entries(applied.metadata)) {
    if (!notIntended.has(name)) metadata[name] = value;
  }
  return { ...applied, metadata };
}

/** The object with other managedFields; the same object when they are these. */
export function withManagedFields(object: ApiObject, entries: JsonValue | undefined): ApiObject {
  const { metadata } = object;
  if (metadata['managedFields'] === entries) return object;
  if (entries !== undefined) {
    return withMetadata(object, withMember(metadata, 'managedFields', entries));
  }
  return withMetadata(object, without(metadata, 'managedFields'));
}

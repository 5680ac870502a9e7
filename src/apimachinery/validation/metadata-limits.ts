/**
 * How much of each kind may stand in an object's metadata. Judged as soon as the metadata has its
 * shape, before anything is compared, merged or owned.
 *
 * The reference has no such limits but that of an object's size; these are far above what anybody
 * has, and low enough that what is done with each costs no turn of the event loop. Above one of
 * them the write is 422 `Too many` with the limit in its message.
 */
import { noErrors, tooMany } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import type { ObjectMeta } from '../unstructured.ts';

export const metadataLimits = {
  // Both together are less than may be owned of an object.
  labels: 1000,
  annotations: 3500,
  ownerReferences: 1000,
  finalizers: 1000,
  managedFields: 250,
} as const;

/** Asked of each write: the members are named, so that it costs next to nothing. */
export function metadataCountErrors(metadata: ObjectMeta): readonly FieldError[] {
  const { annotations, finalizers, labels, managedFields, ownerReferences } = metadata;
  if (labels === undefined && annotations === undefined && ownerReferences === undefined) {
    if (finalizers === undefined && managedFields === undefined) return noErrors;
  }
  const counted = { labels, annotations, ownerReferences, finalizers, managedFields };
  let errors = noErrors;
  for (const field of fields) {
    const count = countOf(counted[field]);
    const most = metadataLimits[field];
    if (count > most) errors = [...errors, tooMany(`metadata.${field}`, count, most)];
  }
  return errors;
}

const fields = Object.keys(metadataLimits) as readonly (keyof typeof metadataLimits)[];

function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/**
 * A bound for managers that update: the oldest are merged into one per version (spec 1, section
 * 2.5).
 *
 * Appliers are not counted: each is there because it was named.
 */
import { finished } from '../../../stdx/stepwise.ts';
import type { FieldSet } from '../fieldpath/field-set.ts';
import { emptySet, unionOf } from '../fieldpath/field-set.ts';
import { withSet } from '../merge/managers.ts';
import type { ManagersDraft, OwnedFields } from '../merge/managers.ts';
import { managerIdentifier, secondsOf } from './managed-fields.ts';

/** Entries of operation Update in one object. Beyond it the oldest are merged. */
export const UPDATE_MANAGERS_MAX = 10;

/** The manager that stands for those that were merged. */
const ancientManager = 'ancient-changes';

/** Changes `owners` and `times` (by identifier). */
export function capUpdateManagers(owners: ManagersDraft, times: Map<string, string>): void {
  let count = 0;
  for (const { applied } of owners.values()) if (!applied) count += 1;
  if (count <= UPDATE_MANAGERS_MAX) return;
  const oldestFirst = [...owners]
    .filter(([, { applied }]) => !applied)
    .map(([identifier]) => identifier)
    .sort((a, b) => secondsOf(times.get(a)) - secondsOf(times.get(b)) || (a < b ? -1 : 1));
  const firstOfVersion = new Map<string, string>();
  /** What each bucket will hold. */
  const merged = new Map<string, FieldSet[]>();
  for (const identifier of oldestFirst) {
    if (count <= UPDATE_MANAGERS_MAX) break;
    const owned = owners.get(identifier) as OwnedFields;
    const first = firstOfVersion.get(owned.version);
    if (first === undefined) {
      firstOfVersion.set(owned.version, identifier);
      continue;
    }
    const bucket = bucketOf(owned.version);
    const sizeBefore = owners.size;
    const parts = new Set([first, bucket, identifier]);
    const held = merged.get(bucket) ?? [owners.get(bucket)?.set ?? emptySet];
    merged.set(bucket, held);
    for (const part of parts) {
      if (part !== bucket) held.push(owners.get(part)?.set ?? emptySet);
      owners.delete(part);
    }
    owners.set(bucket, withSet(owned, emptySet));
    firstOfVersion.set(owned.version, bucket);
    // The later of the times: what is merged now is younger than what was merged before.
    const time = times.get(identifier);
    if (time !== undefined) times.set(bucket, time);
    count -= sizeBefore - owners.size;
  }
  for (const [bucket, sets] of merged) {
    owners.set(bucket, withSet(owners.get(bucket) as OwnedFields, finished(unionOf(sets))));
  }
}

function bucketOf(apiVersion: string): string {
  return managerIdentifier({
    manager: ancientManager,
    operation: 'Update',
    apiVersion,
    subresource: '',
  });
}

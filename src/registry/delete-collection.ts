/**
 * deletecollection: DELETE of a collection (spec 1, section 4.1).
 *
 * What it is not: atomic. Each object is deleted by its own actor, in pages of one consistent list;
 * an object that someone else removes meanwhile is passed over.
 *
 * Bounds: at most `deletesInFlightMax` deletions at once, so that one request cannot fill the
 * commit queue.
 */
import { isNotFound } from '../apimachinery/status-error.ts';
import type { ListQuery } from './read.ts';
import { listObjects } from './read.ts';
import { deleteObject } from './delete.ts';
import type { Deletion } from './delete.ts';
import type { ListResult, RegistryDeps, ResourceTarget, Result } from './registry.ts';
import { ok } from './registry.ts';

const deletesInFlightMax = 64;

export interface CollectionDeletion {
  readonly list: ListResult;
  readonly deletedCount: number;
}

export async function deleteCollection(
  deps: RegistryDeps,
  target: ResourceTarget,
  query: ListQuery,
  options: Deletion,
): Promise<Result<CollectionDeletion>> {
  const listed = await listObjects(deps, target, query);
  if (listed.kind === 'refused') return listed;
  const deleted = await deleteEntries(deps, target, listed.value.entries, options);
  if (deleted.kind === 'refused') return deleted;
  return ok({ list: listed.value, deletedCount: deleted.value });
}

/** Deletes each of the objects, as they are when their turn comes; returns how many. What fails
 * first ends it: what is in flight then still happens. */
export async function deleteEntries(
  deps: RegistryDeps,
  target: ResourceTarget,
  objects: Iterable<{ readonly namespace: string; readonly name: string }>,
  options: Deletion,
): Promise<Result<number>> {
  const entries = objects[Symbol.iterator]();
  let failure: Result<never> | undefined;
  let deletedCount = 0;
  const worker = async (): Promise<void> => {
    for (let next = entries.next(); next.done !== true; next = entries.next()) {
      if (failure !== undefined) return;
      const { namespace, name } = next.value;
      const result = await deleteObject(deps, { ...target, namespace, name }, options);
      if (result.kind === 'ok') deletedCount += 1;
      else if (!isNotFound(result.error)) failure = result;
    }
  };
  await Promise.all(Array.from({ length: deletesInFlightMax }, worker));
  return failure ?? ok(deletedCount);
}

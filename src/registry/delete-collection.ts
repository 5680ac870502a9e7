/**
 * deletecollection: DELETE of a collection (spec 1, section 4.1).
 *
 * It is not atomic: each object is deleted by its own actor, in pages of one consistent list; an
 * object that someone else removes meanwhile is passed over.
 *
 * `timeoutSeconds` bounds it: no deletion is begun after that, those that were begun are waited
 * for, and the answer, a 504, says how many objects were deleted. Asked again it goes on. A client
 * that goes ends it in the same way.
 *
 * Bounds: at most `deletesInFlightMax` deletions at once, so that one request cannot fill the
 * commit queue.
 */
import type { DeleteOptions } from '../apimachinery/delete-options.ts';
import { isNotFound, newClientGone, newCollectionTimeout } from '../apimachinery/status-error.ts';
import type { ListQuery } from './read.ts';
import { listObjects } from './read.ts';
import { deleteObject } from './delete.ts';
import type { DeletionFor } from './delete.ts';
import type { ListResult, RegistryDeps, ResourceTarget, Result } from './registry.ts';
import type { StoredObject } from './registry.ts';
import { ok, refused } from './registry.ts';

const deletesInFlightMax = 64;

/** What one deletion counts for in its turn. Those that change nothing (dry runs, objects that are
 * being deleted already) wait for no commit, and would run on in one turn. */
const deletionMs = 0.1;

/** Of an object that is decoded for its deletion, in a millisecond. */
const bytesOfMs = 64 * 1024;

export interface CollectionDeletion {
  readonly list: ListResult;
  readonly deletedCount: number;
}

/** How to delete, and for whom; absent: for the server itself. */
export interface Deletion extends DeleteOptions {
  readonly whom?: DeletionFor | undefined;
}

/** `timeoutSeconds` 0: as long as it takes. */
export async function deleteCollection(
  deps: RegistryDeps,
  target: ResourceTarget,
  query: ListQuery,
  options: Deletion,
  timeoutSeconds: number,
): Promise<Result<CollectionDeletion>> {
  const { clock } = deps;
  const endsMs = clock.monotonicMs() + timeoutSeconds * 1000;
  const isOver = (): boolean => timeoutSeconds > 0 && clock.monotonicMs() >= endsMs;
  const requester = options.whom?.request?.exchange;
  const listed = await listObjects(deps, target, query, requester);
  if (listed.kind === 'refused') return listed;
  let isCut = false;
  const inTime = function* (): Generator<StoredObject | undefined> {
    for (const entry of listed.value.entries) {
      isCut = requester?.closed === true || isOver();
      if (isCut) return;
      yield entry;
    }
  };
  const deleted = await deleteEntries(deps, target, inTime(), options);
  if (deleted.kind === 'refused') return deleted;
  const deletedCount = deleted.value;
  if (requester?.closed === true) return refused(newClientGone('its collection was deleted'));
  if (isCut) return refused(newCollectionTimeout(target.kind, timeoutSeconds, deletedCount));
  return ok({ list: listed.value, deletedCount });
}

interface Deleted {
  readonly namespace: string;
  readonly name: string;
  readonly bytes?: Uint8Array | undefined;
}

/** Deletes each of the objects, in the state of that moment; returns how many. The first failure
 * ends it, but deletions in flight still happen. An undefined entry is a pause. */
export async function deleteEntries(
  deps: RegistryDeps,
  target: ResourceTarget,
  objects: Iterable<Deleted | undefined>,
  options: Deletion,
): Promise<Result<number>> {
  const entries = objects[Symbol.iterator]();
  let failure: Result<never> | undefined;
  let deletedCount = 0;
  const following = async (): Promise<Deleted | undefined> => {
    for (let next = entries.next(); next.done !== true; next = entries.next()) {
      if (failure !== undefined) return undefined;
      if (next.value !== undefined) return next.value;
      await deps.turns.pause();
    }
    return undefined;
  };
  // One looks for the next at a time: many would look through as many parts of the list in a turn.
  let looking: Promise<unknown> = Promise.resolve();
  const take = (): Promise<Deleted | undefined> => {
    const taken = looking.then(following);
    looking = taken;
    return taken;
  };
  const worker = async (): Promise<void> => {
    for (let next = await take(); next !== undefined; next = await take()) {
      if (failure !== undefined) return;
      const { bytes, namespace, name } = next;
      await deps.turns.pause(deletionMs + (bytes?.length ?? 0) / bytesOfMs);
      const one = { ...target, namespace, name };
      const result = await deleteObject(deps, one, options, options.whom);
      if (result.kind === 'ok') deletedCount += 1;
      else if (!isNotFound(result.error)) failure = result;
    }
  };
  await Promise.all(Array.from({ length: deletesInFlightMax }, worker));
  return failure ?? ok(deletedCount);
}

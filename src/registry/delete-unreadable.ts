/**
 * Deletion of an object that cannot be read: its record is removed, whatever it contained (spec 1,
 * section 3.1).
 *
 * It is refused for an object that can be read, whose finalizers hold. The caller has checked that
 * this kind of deletion is allowed.
 *
 * What watches see: DELETED with the last state that could be read, if this server has seen one;
 * otherwise they are ended with an ERROR event (500, StorageReadError), because no state can be
 * shown, and their clients list anew.
 */
import { newBadRequest, newNotFound } from '../apimachinery/status-error.ts';
import { objectKey } from '../storage/keys.ts';
import type { ObjectTarget, RegistryDeps, Result } from './registry.ts';
import { ok, refused } from './registry.ts';

export async function deleteUnreadable(
  deps: RegistryDeps,
  target: ObjectTarget,
): Promise<Result<true>> {
  const { kind, namespace, name } = target;
  const outcome = await deps.actors.removeUnreadable(objectKey(kind.storage, namespace, name));
  switch (outcome.kind) {
    case 'removed':
      return ok(true);
    case 'absent':
      return refused(newNotFound(kind, name));
    case 'readable':
      return refused(
        newBadRequest(
          `${kind.resource} "${name}" can be read: delete it without ` +
            'ignoreStoreReadErrorWithClusterBreakingPotential',
        ),
      );
  }
}

/**
 * Deletes every object of a resource whose definition is being deleted.
 *
 * Admission is not asked, as in the reference.
 *
 * Invariants: `none` is answered after a read that is current, so nothing that was acknowledged
 * before it is left. Objects that finalizers hold are marked once, and waited for. Stopped, it
 * deletes no more.
 */
import type { GroupResource } from '../../apimachinery/schema.ts';
import { deleteEntries } from '../../registry/delete-collection.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import { unreadableIn } from '../../../streams/streams.ts';
import { unmarkedEntries } from '../unmarked-entries.ts';
import { yieldingRegistry } from '../yielding-registry.ts';

export type Removal =
  | { readonly kind: 'none' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'remaining' | 'failed'; readonly why: string };

export async function removeInstances(
  registry: RegistryDeps,
  resource: GroupResource,
  isStopped: () => boolean,
): Promise<Removal> {
  const { scheme, streams } = registry;
  await streams.waitUntilCurrent();
  const snapshot = streams.snapshot(resource);
  const [damaged] = unreadableIn(snapshot, undefined);
  if (damaged !== undefined) return { kind: 'failed', why: `${damaged.key} cannot be read` };
  if (snapshot.count(undefined) === 0) return { kind: 'none' };
  const kind = scheme.findStorage(resource);
  if (kind === undefined) return { kind: 'failed', why: 'it is not served' };
  const unmarked = unmarkedEntries(snapshot.entries(undefined), isStopped);
  const options = { dryRun: false, propagationPolicy: 'Background' } as const;
  const target = { kind, namespace: '' };
  const deleted = await deleteEntries(yieldingRegistry(registry), target, unmarked, options);
  if (isStopped()) return { kind: 'stopped' };
  if (deleted.kind === 'refused') return { kind: 'failed', why: deleted.error.message };
  await streams.waitUntilCurrent();
  const count = streams.snapshot(resource).count(undefined);
  if (count === 0) return { kind: 'none' };
  return { kind: 'remaining', why: 'timed out waiting for the condition' };
}

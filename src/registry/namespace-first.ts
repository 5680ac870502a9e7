/**
 * What a namespace says to something new in it, before anybody looks at what is new: that it is not
 * there, or is being deleted. For what is stored its own transaction finds that out (create.ts).
 * This is for what is posted and not stored, and for a creation that has been refused for another
 * reason: the reference asks after the namespace first. No write depends on it.
 *
 * Invariants: as old as the caches; that there is no namespace is only said when they are current,
 * and never of one whose record cannot be read.
 * Reviews of access are answered for any namespace, so that nobody learns from them which there
 * are.
 */
import type { GroupResource } from '../apimachinery/schema.ts';
import {
  newCorruptObject,
  newNamespaceNotFound,
  newNamespaceTerminating,
} from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import { objectKey, storeKey } from '../storage/keys.ts';
import type { Streams } from '../../streams/streams.ts';
import type { ResourceTarget } from './registry.ts';

export const namespacesResource: GroupResource = { group: '', resource: 'namespaces' };

interface NamespaceDeps {
  readonly streams: Pick<Streams, 'snapshot' | 'unreadableEntries' | 'waitUntilCurrent'>;
}

/** `name`: of what is new, '' where it has none yet. Undefined: it may come. */
export async function namespaceFirst(
  { streams }: NamespaceDeps,
  { kind, namespace }: Pick<ResourceTarget, 'kind' | 'namespace'>,
  name: string,
): Promise<StatusError | undefined> {
  if (!kind.namespaced || namespace === '' || isAccessReview(kind)) return undefined;
  const why = streams.unreadableEntries(namespacesResource).get(`/${namespace}`);
  if (why !== undefined) {
    const key = storeKey(objectKey(namespacesResource, '', namespace));
    return newCorruptObject(namespacesResource, namespace, { key, why });
  }
  const find = () => streams.snapshot(namespacesResource).get('', namespace);
  let entry = find();
  if (entry === undefined) {
    await streams.waitUntilCurrent();
    entry = find();
  }
  if (entry === undefined) return newNamespaceNotFound(namespace);
  const isGoing = entry.fields['status.phase'] === 'Terminating';
  return isGoing ? newNamespaceTerminating(kind, name || 'Unknown', namespace) : undefined;
}

function isAccessReview({ group, resource }: GroupResource): boolean {
  return resource === 'localsubjectaccessreviews' && group.startsWith('authorization.');
}

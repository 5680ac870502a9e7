/**
 * How objects are named in the store: `<group>/<resource>/<namespace>/<name>`.
 *
 * The core group is the empty string, so its keys start with a slash; a cluster-scoped object has
 * an empty namespace. Neither part can hold a slash (names are checked before a key is made), so a
 * key splits without escaping, and one resource, or one namespace of it, is one contiguous range.
 *
 * Each adapter has its own encoding of keys.
 */
import type { GroupResource } from '../apimachinery/schema.ts';
import { assert } from '../stdx/assert.ts';
import type { StoreKey } from './storage.ts';

export interface ObjectKey extends GroupResource {
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

/** Of the object of this name; a cluster-scoped one has no namespace: ''. */
export function objectKey(
  { group, resource }: GroupResource,
  namespace: string,
  name: string,
): ObjectKey {
  return { group, resource, namespace, name };
}

export function storeKey(key: ObjectKey): StoreKey {
  return `${key.group}/${key.resource}/${key.namespace}/${key.name}` as StoreKey;
}

export function parseStoreKey(key: StoreKey): ObjectKey {
  const parts = key.split('/');
  assert(parts.length === 4, `malformed store key: ${key}`);
  const [group, resource, namespace, name] = parts as [string, string, string, string];
  return { group, resource, namespace, name };
}

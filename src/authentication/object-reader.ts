/**
 * How authenticators see objects: as the server's cache has them.
 *
 * A change that was acknowledged a moment ago may not be in the cache yet; `current` waits until it
 * is. Authenticators wait before they refuse for something that is missing, so a credential works
 * as soon as it exists; one that has been revoked stops working when the change has come through
 * the log, which takes milliseconds.
 */
import type { GroupResource } from '../apimachinery/schema.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';

export interface ReadObject {
  readonly object: ApiObject;
  /** Of an object whose life depends on time: the word of its machine. */
  readonly timerState: string | undefined;
}

export interface ObjectReader {
  get(resource: GroupResource, namespace: string, name: string): ReadObject | undefined;
  /** Whether objects of the resource cannot be read yet: one that get() does not find may be
   * there. */
  isWaiting(resource: GroupResource): boolean;
  /** Resolves when everything acknowledged before the call is seen, or at once when that cannot be
   * told; never rejects. */
  current(): Promise<void>;
}

export const secretsResource: GroupResource = { group: '', resource: 'secrets' };
export const serviceAccountsResource: GroupResource = { group: '', resource: 'serviceaccounts' };
export const podsResource: GroupResource = { group: '', resource: 'pods' };
export const nodesResource: GroupResource = { group: '', resource: 'nodes' };

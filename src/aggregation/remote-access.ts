/**
 * Other servers' objects, as this server's own controllers get at them.
 *
 * Elsewhere: requests of callers (passed-on.ts).
 */
import type { RemoteObjects } from './remote-objects.ts';
import type { FindRemoteResources } from './remote-resources.ts';
import type { FollowRemote } from './remote-watch.ts';

export interface RemoteAccess {
  readonly resources: FindRemoteResources;
  readonly objects: RemoteObjects;
  readonly follow: FollowRemote;
}

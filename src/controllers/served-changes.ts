/**
 * Changes of the objects of every kind that is served, those that come later among them.
 *
 * Invariants: no change is missed from the subscription on, and none comes twice: what is there of
 * a kind when it comes is told of as ADDED in the same step. A kind that is defined anew goes on.
 */
import { Observable } from 'rxjs';
import type { Subscription } from 'rxjs';
import { storageName } from '../apimachinery/scheme.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import type { Added, Deleted, Modified, ResourceEvent } from '../../streams/streams.ts';

export type ServedChange = Added | Modified | Deleted;

/** Of the kinds for which `concerns` holds, which is asked when one comes. `onKind`: a kind has
 * come or is another one now, and its changes follow. */
export function servedChanges(
  { scheme, streams }: Pick<RegistryDeps, 'scheme' | 'streams'>,
  concerns: (kind: KindInfo) => boolean,
  onKind: () => void = () => undefined,
): Observable<ServedChange> {
  return new Observable((subscriber) => {
    const followed = new Map<string, Subscription>();
    const follow = (kind: KindInfo, isNew: boolean): void => {
      const id = storageName(kind.storage);
      if (followed.has(id) || !concerns(kind)) return;
      const take = (event: ResourceEvent): void => {
        if (event.type !== 'RESET') return subscriber.next(event);
        if (!isNew) return;
        for (const entry of event.snapshot.entries(undefined)) {
          subscriber.next({ type: 'ADDED', resource: id, entry });
        }
      };
      const error = (cause: unknown): void => subscriber.error(cause);
      followed.set(id, streams.resourceEvents(kind.storage).subscribe({ next: take, error }));
    };
    for (const resource of scheme.storageResources) {
      const kind = scheme.findStorage(resource);
      if (kind !== undefined) follow(kind, false);
    }
    const stop = scheme.onChange(({ added, removed }) => {
      for (const { storage } of removed) {
        if (scheme.findStorage(storage) !== undefined) continue;
        followed.get(storageName(storage))?.unsubscribe();
        followed.delete(storageName(storage));
      }
      if (added.length === 0) return;
      onKind();
      for (const kind of added) follow(kind, true);
    });
    return () => {
      stop();
      for (const each of followed.values()) each.unsubscribe();
    };
  });
}

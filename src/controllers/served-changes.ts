/**
 * Changes of the objects of every kind that is served, those that come later among them.
 *
 * What is there of a kind when it comes may be much; whoever is notified of the kind reads it, in
 * turns with everybody else.
 *
 * Invariants: no change is missed from the subscription on, of a kind that comes from the moment
 * it is told of, and none comes twice. A kind that is defined anew goes on.
 */
import { Observable } from 'rxjs';
import type { Subscription } from 'rxjs';
import { storageName } from '../apimachinery/scheme.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import type { Added, Deleted, EventType, Modified, ResourceEvent } from '../../streams/streams.ts';

export type ServedChange = Added | Modified | Deleted;

/** Of the kinds for which `concerns` holds, which is asked when one comes. `onKinds`: these have
 * come or are other ones now, and their changes follow. `only`: no other changes than these. */
export function servedChanges(
  { scheme, streams }: Pick<RegistryDeps, 'scheme' | 'streams'>,
  concerns: (kind: KindInfo) => boolean,
  onKinds: (kinds: readonly KindInfo[]) => void = () => undefined,
  only?: EventType,
): Observable<ServedChange> {
  return new Observable((subscriber) => {
    const followed = new Map<string, Subscription>();
    const take = (event: ResourceEvent): void => {
      if (event.type !== 'RESET') subscriber.next(event);
    };
    const follow = (kind: KindInfo): void => {
      const id = storageName(kind.storage);
      if (followed.has(id) || !concerns(kind)) return;
      const error = (cause: unknown): void => subscriber.error(cause);
      const events = streams.resourceEvents(kind.storage, only);
      followed.set(id, events.subscribe({ next: take, error }));
    };
    for (const resource of scheme.storageResources) {
      const kind = scheme.findStorage(resource);
      if (kind !== undefined) follow(kind);
    }
    const stop = scheme.onChange(({ added, removed }) => {
      for (const { storage } of removed) {
        if (scheme.findStorage(storage) !== undefined) continue;
        followed.get(storageName(storage))?.unsubscribe();
        followed.delete(storageName(storage));
      }
      if (added.length === 0) return;
      for (const kind of added) follow(kind);
      onKinds(added);
    });
    return () => {
      stop();
      for (const each of followed.values()) each.unsubscribe();
    };
  });
}

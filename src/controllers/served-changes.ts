/**
 * Changes of the objects of every kind that is served, those that come later among them.
 *
 * What is there of a kind when it comes may be much; whoever is notified of the kind reads it, in
 * turns with everybody else.
 *
 * Invariants: once all kinds are followed no change is missed, of a kind that comes from the moment
 * it is told of, and none comes twice. A kind that is defined anew goes on.
 * Bound: users may have defined thousands of kinds, so those that are there at the subscription are
 * followed in turns with everybody else.
 */
import { Observable } from 'rxjs';
import type { Subscription } from 'rxjs';
import { storageName } from '../apimachinery/scheme.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import { inSteps } from '../stdx/in-steps.ts';
import { runStepwise } from '../stdx/stepwise.ts';
import type { Added, Deleted, EventType, Modified, ResourceEvent } from '../../streams/streams.ts';

export type ServedChange = Added | Modified | Deleted;

export interface ChangesWanted {
  /** Of which kinds; asked when one comes. */
  readonly concerns: (kind: KindInfo) => boolean;
  /** All that were there at the subscription are followed now: whoever reads the state from here on
   * has what changed before. */
  readonly onFollowed?: (() => void) | undefined;
  /** These have come, are other ones now or are whole at last, and their changes follow. */
  readonly onKinds?: ((kinds: readonly KindInfo[]) => void) | undefined;
  /** No other changes than these. */
  readonly only?: EventType | undefined;
}

/** What a kind counts for in a step (in-steps.ts): to follow one takes some 20 µs. */
const kindBytes = 1_536;

export function servedChanges(
  { scheme, streams, turns }: Pick<RegistryDeps, 'scheme' | 'streams' | 'turns'>,
  { concerns, onFollowed, onKinds, only }: ChangesWanted,
): Observable<ServedChange> {
  return new Observable((subscriber) => {
    const followed = new Map<string, Subscription>();
    const takerOf = (kind: KindInfo) => {
      let isFirst = true;
      return (event: ResourceEvent): void => {
        if (event.type !== 'RESET') subscriber.next(event);
        else if (!isFirst) onKinds?.([kind]);
        isFirst = false;
      };
    };
    const fail = (cause: unknown): void => subscriber.error(cause);
    const follow = (kind: KindInfo): void => {
      const id = storageName(kind.storage);
      if (followed.has(id) || !concerns(kind)) return;
      const events = streams.resourceEvents(kind.storage, only);
      followed.set(id, events.subscribe({ next: takerOf(kind), error: fail }));
    };
    const followServed = inSteps(scheme.storageResources, (resource) => {
      // One that has gone meanwhile is found no more.
      const kind = scheme.findStorage(resource);
      if (kind !== undefined) follow(kind);
      return kindBytes;
    });
    const stop = scheme.onChange(({ added, removed }) => {
      for (const { storage } of removed) {
        if (scheme.findStorage(storage) !== undefined) continue;
        followed.get(storageName(storage))?.unsubscribe();
        followed.delete(storageName(storage));
      }
      if (added.length === 0) return;
      for (const kind of added) follow(kind);
      onKinds?.(added);
    });
    runStepwise(turns, followServed, () => subscriber.closed).then(() => {
      if (!subscriber.closed) onFollowed?.();
    }, fail);
    return () => {
      stop();
      for (const each of followed.values()) each.unsubscribe();
    };
  });
}

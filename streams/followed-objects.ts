/**
 * What somebody in this process keeps of each object of a resource: all of them at first, in
 * steps, then each that changes. Indexes of authorizers are kept so, and what controllers know.
 *
 * Whoever begins anew after a failure (followers.ts) does so with `clear`.
 */
import type { Subscription } from 'rxjs';
import type { GroupResource } from '../src/apimachinery/schema.ts';
import { eachInSteps } from '../src/stdx/in-steps.ts';
import type { Steps } from '../src/stdx/stepwise.ts';
import type { Entry, Streams } from './streams.ts';

/** What is left of it, where that is much: what comes behind waits for its end. */
type Work = Steps<void> | undefined | void;

export interface ObjectKeeper {
  /** What was set before is void. */
  readonly clear: () => void;
  /** Also for one that was set before, with its state then. */
  readonly set: (entry: Entry) => Work;
  /** Its last state. */
  readonly remove: (entry: Entry) => Work;
  /** All that there is has been set. */
  readonly complete?: () => void;
  /** After that, one has been set or removed. */
  readonly changed?: (entry: Entry) => void;
}

/** `name`: see Followers.follow. */
export function followObjects(
  streams: Pick<Streams, 'followers' | 'resourceEvents'>,
  name: string,
  resource: GroupResource,
  keeper: ObjectKeeper,
): Subscription {
  return streams.followers.follow(name, streams.resourceEvents(resource), (event) => {
    if (event.type === 'RESET') return allOf(event.snapshot.entries(undefined), keeper);
    const { entry, type } = event;
    const rest = (type === 'DELETED' ? keeper.remove(entry) : keeper.set(entry)) ?? undefined;
    if (rest !== undefined) return restOf(rest, entry, keeper);
    keeper.changed?.(entry);
    return undefined;
  });
}

function* restOf(rest: Steps<void>, entry: Entry, keeper: ObjectKeeper): Steps<void> {
  yield* rest;
  keeper.changed?.(entry);
}

function* allOf(entries: Iterable<Entry>, keeper: ObjectKeeper): Steps<void> {
  keeper.clear();
  yield* eachInSteps(entries, keeper.set);
  keeper.complete?.();
}

/**
 * Which of the objects of a resource comes first, among those that count: the default class, say.
 * It is kept in order as objects change, so a change costs the same however many there are.
 *
 * Invariant: the answer is that of the snapshots. Bound: what is read of each object that counts.
 */
import type { FirstObject } from '../../admission/admission.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import { indexBehind } from '../../stdx/sorted-list.ts';
import { followObjects } from '../../../streams/followed-objects.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';

/** Follows the resource from when it is asked for the first time. */
export function firstObject<T>(
  streams: Pick<Streams, 'followers' | 'resourceEvents'>,
  resource: GroupResource,
  { isBefore, read }: FirstObject<T>,
): () => Awaitable<T | undefined> {
  const byName = new Map<string, T>();
  /** In order. */
  const all: T[] = [];
  let reading: Promise<void> | undefined;
  let isFollowed = false;

  const placeOf = (value: T): number => indexBehind(all, (each) => isBefore(each, value));
  const remove = ({ name }: Entry): void => {
    const value = byName.get(name);
    if (value === undefined) return;
    byName.delete(name);
    all.splice(placeOf(value), 1);
  };
  const set = (entry: Entry): void => {
    remove(entry);
    const value = read(decodeObject(entry.bytes));
    if (value === undefined) return;
    byName.set(entry.name, value);
    all.splice(placeOf(value), 0, value);
  };
  const clear = (): void => {
    byName.clear();
    all.length = 0;
  };
  const follow = (): void => {
    isFollowed = true;
    followObjects(streams, 'first-object', resource, { clear, set, remove });
    reading = streams.followers.settled().then(() => (reading = undefined));
  };
  return () => {
    if (!isFollowed) follow();
    return reading === undefined ? all[0] : reading.then(() => all[0]);
  };
}

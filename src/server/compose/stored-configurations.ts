/**
 * Follows the stored configurations of admission in the log.
 *
 * Elsewhere: which of them cannot be read (unreadable-records.ts).
 */
import type { StoredConfiguration } from '../../admission/readiness.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';

export interface FollowingDeps {
  readonly streams: Streams;
  readonly scheme: Pick<Scheme, 'findStorage'>;
}

interface Taker {
  reset(stored: Iterable<StoredConfiguration>): void;
  set(stored: StoredConfiguration): void;
  remove(name: string): void;
}

/** A release that does not serve them has none. `follower`: its name in the log and in metrics. */
export function followConfigurations(
  { scheme, streams }: FollowingDeps,
  follower: string,
  resource: GroupResource,
  taker: Taker,
): void {
  if (scheme.findStorage(resource) === undefined) {
    taker.reset([]);
    return;
  }
  streams.followers.follow(follower, streams.resourceEvents(resource), (event) => {
    if (event.type === 'RESET') taker.reset(all(event.snapshot.entries(undefined)));
    else if (event.type === 'DELETED') taker.remove(event.entry.name);
    else taker.set(storedIn(event.entry));
  });
}

function* all(entries: Iterable<Entry>): Iterable<StoredConfiguration> {
  for (const entry of entries) yield storedIn(entry);
}

function storedIn({ bytes, name }: Entry): StoredConfiguration {
  return { name, read: () => decodeObject(bytes) };
}

/**
 * Configurations of admission as this server hears of them: from the log, as everybody hears of
 * objects; and which of them nobody can read.
 *
 * Invariant: one that cannot be read is told in the log once for as long as it is so.
 */
import type { StoredConfiguration } from '../../admission/readiness.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';
import type { Log } from './log.ts';

export interface FollowingDeps {
  readonly streams: Streams;
  readonly scheme: Pick<Scheme, 'findStorage'>;
  readonly log: Log;
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

/** The name of one whose record cannot be decoded; undefined: there is none. */
export function lostConfiguration(
  { log, scheme, streams }: FollowingDeps,
  resource: GroupResource,
): () => string | undefined {
  if (scheme.findStorage(resource) === undefined) return () => undefined;
  let told: string | undefined;
  return () => {
    const [lost] = streams.lost(resource);
    if (lost === undefined) {
      told = undefined;
      return undefined;
    }
    const [key, reason] = lost;
    if (told !== key) {
      told = key;
      const context = { resource: resource.resource, key, reason };
      log.error(context, 'a configuration of admission cannot be read: writes are refused');
    }
    return key.slice(1);
  };
}

/**
 * `resourceEvents` with a callback for the state and one for a change.
 *
 * Invariant: onState is called with a snapshot before this returns, and every change after its
 * revision follows.
 */
import type { GroupResource } from '../src/apimachinery/schema.ts';
import type { Timers } from '../src/stdx/clock.ts';
import type { Entry, ResourceSnapshot, Streams } from './streams.ts';

export interface ResourceFollower {
  /** For the log, metrics and health. */
  readonly name: string;
  /** Everything that is there; what was told before is void. */
  onState(snapshot: ResourceSnapshot): void;
  /** `entry`: as the object is now, undefined when it is gone. */
  onChange(namespace: string, name: string, entry: Entry | undefined): void;
}

export interface Following {
  stop(): void;
}

export function followResource(
  streams: Streams,
  _timers: Timers,
  resource: GroupResource,
  follower: ResourceFollower,
): Following {
  const events = streams.resourceEvents(resource);
  const subscription = streams.followers.follow(follower.name, events, (event) => {
    if (event.type === 'RESET') return follower.onState(event.snapshot);
    const { namespace, name } = event.entry;
    follower.onChange(namespace, name, event.type === 'DELETED' ? undefined : event.entry);
  });
  return { stop: () => subscription.unsubscribe() };
}

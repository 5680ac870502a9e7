/**
 * Reads of admission plugins: single objects, and summaries of the objects of one namespace.
 *
 * Invariants: a summary is good until an object of the namespace changes; it is made when it is
 * next asked for. Bound: summaries of `summariesMax` namespaces for each plugin. Policy:
 * above it they are all dropped and made again.
 */
import type { AdmissionObjects } from '../../admission/admission.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { sleep } from '../../stdx/clock.ts';
import type { Timers } from '../../stdx/clock.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { untilDone } from '../../stdx/turns.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { UnreadableRecord } from './unreadable-records.ts';
import { firstObject } from './first-object.ts';
import { createObjectReader } from './token-methods.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';

/** How often an object that is about to be made is looked for, and how long until then. */
const appearance = { looks: 60, everyMs: 25 } as const;

const summariesMax = 10_000;
/** Steps of a summary that are made in one turn. */
const stepsAtOnce = 50;

export function admissionObjects(
  streams: Streams,
  timers: Timers,
  turns: Pick<Turns, 'run'>,
  lost: (resource: GroupResource) => UnreadableRecord,
): AdmissionObjects {
  const reader = createObjectReader(streams);
  // One wait for all who miss the same object.
  const awaited = new Map<string, Promise<void>>();
  const get: AdmissionObjects['get'] = (resource, namespace, name) =>
    reader.get(resource, namespace, name)?.object;
  return {
    get,
    current: () => reader.current(),
    listed(resource, namespace) {
      const snapshot = streams.snapshot(resource);
      return {
        count: snapshot.count(namespace),
        all: () => decoded(snapshot.entries(namespace)),
      };
    },
    first: (resource, which) => firstObject(streams, resource, which),
    summaries: (resource, make) => summariesOf(streams, turns, resource, make),
    lost,
    appearance(resource, namespace, name) {
      const key = `${resource.group}/${resource.resource}/${namespace}/${name}`;
      const look = async (): Promise<void> => {
        for (let looked = 0; looked < appearance.looks; looked += 1) {
          if (get(resource, namespace, name) !== undefined) break;
          await sleep(timers, appearance.everyMs);
        }
      };
      const wait = awaited.get(key) ?? look().finally(() => awaited.delete(key));
      awaited.set(key, wait);
      return wait;
    },
  };
}

function summariesOf<T>(
  streams: Streams,
  turns: Pick<Turns, 'run'>,
  resource: GroupResource,
  make: (objects: Iterable<ApiObject>) => Steps<T>,
): (namespace: string) => Awaitable<T> {
  const kept = new Map<string, { made: Awaitable<T> }>();
  let isFollowed = false;
  const follow = (): void => {
    if (isFollowed) return;
    isFollowed = true;
    streams.followers.follow('admission-summaries', streams.resourceEvents(resource), (event) => {
      if (event.type === 'RESET') kept.clear();
      else kept.delete(event.entry.namespace);
    });
  };
  return (namespace) => {
    follow();
    const known = kept.get(namespace);
    if (known !== undefined) return known.made;
    const made = summary(turns, make(decoded(streams.snapshot(resource).entries(namespace))));
    if (kept.size >= summariesMax) kept.clear();
    // Those who ask while it is being made wait for the same one.
    const entry = { made };
    kept.set(namespace, entry);
    if (made instanceof Promise) void made.then((found) => (entry.made = found));
    return made;
  };
}

/** At once, if it takes few steps. */
function summary<T>(turns: Pick<Turns, 'run'>, work: Steps<T>): Awaitable<T> {
  for (let steps = 0; steps < stepsAtOnce; steps += 1) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
  return untilDone(turns, () => {
    const step = work.next();
    return step.done === true ? { made: step.value } : undefined;
  }).then(({ made }) => made);
}

function* decoded(entries: Iterable<Entry>): Generator<ApiObject> {
  for (const { bytes } of entries) yield decodeObject(bytes);
}

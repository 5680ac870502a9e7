/**
 * Who has a say in writes, as one list: what authorization says of roles and bindings, then the
 * admission plugins that the flags leave on.
 *
 * What it is not: the reviews (src/admission), or the order of a request (endpoints/filters).
 */
import type { AdmissionTimes } from '../../admission/admission-times.ts';
import { admissionGuards } from '../../admission/chain.ts';
import type { AdmissionObjects, AdmissionPlugin } from '../../admission/admission.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';
import { createAdmissionPlugins } from '../../admission/plugins.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { Authorization } from '../../authorization/authorization.ts';
import type { GuardOf } from '../../registry/write-guard.ts';
import { sleep } from '../../stdx/clock.ts';
import type { Timers } from '../../stdx/clock.ts';
import type { CompletedConfig } from '../config/options.ts';
import { createObjectReader } from './token-methods.ts';

/** How often an object that is about to be made is looked for, and how long until then. */
const appearance = { looks: 60, everyMs: 25 } as const;

export interface WriteGuardDeps {
  readonly timers: Timers;
  readonly identity: Identity;
  readonly streams: Streams;
  readonly authorization: Authorization;
  readonly times: AdmissionTimes;
  /** Who reviews behind all that the flags name. */
  readonly last: readonly AdmissionPlugin[];
}

export function writeGuards(
  { admission, featureGates }: CompletedConfig,
  { authorization, identity, last, streams, timers, times }: WriteGuardDeps,
): GuardOf {
  const objects = admissionObjects(streams, timers);
  const audiences = featureGates.get('ServiceAccountNodeAudienceRestriction') ?? false;
  const plugins = createAdmissionPlugins(admission.plugins, identity, objects, { audiences });
  return admissionGuards([authorization.escalation, ...plugins, ...last], authorization, times);
}

function admissionObjects(streams: Streams, timers: Timers): AdmissionObjects {
  const reader = createObjectReader(streams);
  const lists = new Map<string, readonly ApiObject[]>();
  // One wait for all who miss the same object.
  const awaited = new Map<string, Promise<void>>();
  const followed = new Set<string>();
  /** From when it is first listed: a list is good until the resource changes. */
  const follow = (resource: GroupResource, key: string): void => {
    if (followed.has(key)) return;
    followed.add(key);
    const events = streams.resourceEvents(resource);
    streams.followers.follow('admission-lists', events, () => lists.delete(key));
  };
  const get: AdmissionObjects['get'] = (resource, namespace, name) =>
    reader.get(resource, namespace, name)?.object;
  return {
    get,
    current: () => reader.current(),
    all(resource) {
      const key = `${resource.group}/${resource.resource}`;
      follow(resource, key);
      const list = lists.get(key) ?? objectsOf(streams.snapshot(resource).entries(undefined));
      lists.set(key, list);
      return list;
    },
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

function objectsOf(entries: Iterable<Entry>): readonly ApiObject[] {
  return [...entries].map(({ bytes }) => decodeObject(bytes));
}

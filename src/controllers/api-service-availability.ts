/**
 * Finds out whether the servers of APIServices are there, and says so in the condition Available.
 *
 *     an APIService, its service or the endpoints of that change ─┐
 *     every `recheckMs` ──────────────────────────────────────────┴▶ check ▶ written if it differs
 *
 * Elsewhere: the check itself (src/aggregation/availability.ts), and who goes by the condition:
 * whoever passes requests on (src/aggregation/api-services.ts). APIServices of this server itself
 * are said to be there when they are written (src/apis/apiregistration/strategy.ts).
 *
 * Invariants: nothing is written where nothing differs; a condition's time changes with its status
 * only, and other conditions are their owners'. A server that did not answer the last time is asked
 * again among its like, after longer and longer, so those that hang do not keep others waiting.
 * Bounds: `atOnceMax` checks at a time, and `failingAtOnceMax` of those that failed the last time.
 */
import type { ApiServices } from '../aggregation/api-services.ts';
import { availableCondition, isRemote } from '../aggregation/api-service.ts';
import type { RemoteService } from '../aggregation/api-service.ts';
import { availabilityOfServer, availabilityOfService } from '../aggregation/availability.ts';
import type { Availability, AvailabilityDeps } from '../aggregation/availability.ts';
import { part } from '../apimachinery/members.ts';
import { conditionOf, withFinding } from '../apimachinery/own-condition.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { formatRfc3339 } from '../apimachinery/time.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import type { Timers } from '../stdx/clock.ts';
import { paced } from '../stdx/paced.ts';
import { controllerManager } from './controller.ts';
import type { Controller } from './controller.ts';
import { createKeyQueue } from './key-queue.ts';
import type { QueueMeters } from './queue-meters.ts';
import { repeatWork } from './repeated-work.ts';
import { cachedObject, repairObject } from './system/ensured-object.ts';

const availabilityTimes = { recheckMs: 30_000 } as const;

const atOnceMax = 64;
const failingAtOnceMax = 32;

export interface ApiServiceAvailabilityDeps extends Pick<
  AvailabilityDeps,
  'backends' | 'findService'
> {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  /** The kind of APIServices. */
  readonly kind: KindInfo;
  readonly services: ApiServices;
  /** Begins to follow the endpoints of services, and tells of their changes. Undefined comes back
   * where there are none to be followed. */
  readonly followEndpoints: (listener: EndpointListener) => FollowedEndpoints | undefined;
  /** It has become unavailable. */
  readonly onLost: (name: string, reason: string) => void;
  readonly onError: (name: string, error: unknown) => void;
}

export interface EndpointListener {
  complete(): void;
  changed(namespace: string, service: string): void;
}

export interface FollowedEndpoints {
  readonly find: NonNullable<AvailabilityDeps['findEndpoints']>;
  readonly isComplete: boolean;
  stop(): void;
}

/** A server did not answer as it should: it is asked again, after longer and longer. */
export class NotThereYet extends Error {
  override readonly name = 'NotThereYet';
}

export function createApiServiceAvailability(deps: ApiServiceAvailabilityDeps): Controller {
  const { kind, onError, queues, registry, services, timers } = deps;
  /** As of the check that failed. */
  const failing = new Map<string, RemoteService>();
  const common = { streams: registry.streams, turns: registry.turns, timers, queues, onError };
  const serviceResource = { group: '', resource: 'services' };
  const endpoints = endpointsOnDemand(deps, (names) => {
    for (const name of names) queue.enqueue(name);
  });
  const check = checking(deps, endpoints, failing);
  const queue = createKeyQueue({
    ...common,
    name: 'api-service-availability',
    sources: [
      { resource: kind.storage, keysOf: (_namespace, name) => [name] },
      { resource: serviceResource, keysOf: (namespace, name) => services.behind(namespace, name) },
    ],
    atOnceMax,
    async work(name) {
      const service = services.find(name);
      if (!isRemote(service)) failing.delete(name);
      else if (failing.get(name) === service) again.enqueue(name);
      else await check(service);
    },
  });
  const again = createKeyQueue({
    ...common,
    name: 'api-service-availability-again',
    sources: [],
    atOnceMax: failingAtOnceMax,
    async work(name) {
      const service = services.find(name);
      if (isRemote(service)) await check(service);
    },
  });
  const looks = repeatWork({
    timers,
    async work(stopped) {
      const all = [...services.remotes()];
      for await (const { name } of paced(registry.turns, all)) {
        if (stopped()) return;
        queue.enqueue(name);
      }
    },
    afterSuccessMs: availabilityTimes.recheckMs,
    afterFailureMs: availabilityTimes.recheckMs,
    onError: (error) => onError('', error),
  });
  const running = controllerManager([queue, again, looks]);
  return {
    start: () => running.start(),
    async stop() {
      endpoints.stop();
      await running.stop();
    },
  };
}

type Endpoints = ReturnType<typeof endpointsOnDemand>;

/** Followed from when the first server is looked for: most clusters have none. */
function endpointsOnDemand(
  { followEndpoints, services }: ApiServiceAvailabilityDeps,
  look: (names: Iterable<string>) => void,
) {
  let begun: { readonly followed: FollowedEndpoints | undefined } | undefined;
  return {
    /** `wait`: not all of them are known yet. */
    get(): FollowedEndpoints['find'] | undefined | 'wait' {
      begun ??= {
        followed: followEndpoints({
          complete: () => look([...services.remotes()].map(({ name }) => name)),
          changed: (namespace, service) => look(services.behind(namespace, service)),
        }),
      };
      const { followed } = begun;
      return followed?.isComplete === false ? 'wait' : followed?.find;
    },
    stop: () => begun?.followed?.stop(),
  };
}

function checking(
  deps: ApiServiceAvailabilityDeps,
  endpoints: Endpoints,
  failing: Map<string, RemoteService>,
) {
  return async (service: RemoteService): Promise<void> => {
    const findEndpoints = endpoints.get();
    // What comes then has all of them looked at.
    if (findEndpoints === 'wait') return;
    const known = availabilityOfService(service, { ...deps, findEndpoints });
    const found = known ?? (await availabilityOfServer(service, deps));
    if (found.status === 'True' || known !== undefined) failing.delete(service.name);
    else failing.set(service.name, service);
    // It may be another one by now, which is looked at, too.
    if (deps.services.find(service.name) === service) await write(deps, service, found);
    if (failing.has(service.name)) throw new NotThereYet(found.message);
  };
}

async function write(
  { kind, onLost, registry }: ApiServiceAvailabilityDeps,
  { name }: RemoteService,
  found: Availability,
): Promise<void> {
  const target = { kind, namespace: '', name };
  const current = cachedObject(registry, target);
  const now = formatRfc3339(registry.clock.nowMs());
  if (current === undefined || repaired(current, found, now) === undefined) return;
  const wasThere = conditionOf(current, availableCondition)?.['status'] === 'True';
  await repairObject(registry, target, (object) => repaired(object, found, now), {
    subresource: 'status',
  });
  if (wasThere && found.status !== 'True') onLost(name, found.reason);
}

/** Undefined: nothing is to be written. */
function repaired(object: ApiObject, found: Availability, now: string): ApiObject | undefined {
  // It may have become this server's own.
  if (part(object, 'spec')['service'] === undefined) return undefined;
  return withFinding(object, { type: availableCondition, says: { ...found } }, now);
}

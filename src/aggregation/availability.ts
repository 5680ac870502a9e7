/**
 * Whether another server answers for an APIService: its service is there and listens, somebody is
 * behind it, and the version's resources can be read from it.
 *
 *     no service ▶ False ServiceNotFound         not at that port ▶ False ServicePortError
 *     no endpoints ▶ False EndpointsNotFound     none is ready ▶ False MissingEndpoints
 *     none of `triesMax` calls is answered 2xx ▶ False FailedDiscoveryCheck      else True Passed
 *
 * Nobody is trusted because of such a call, so the certificate of the server is not looked at; a
 * request that is passed on looks at it.
 *
 * Invariants: words are the reference's. The second call and those behind it are made when the
 * first one has failed, or is not answered within `patienceMs`: together they take no longer than
 * the reference's, which makes all at once.
 */
import { objects, part, text } from '../apimachinery/members.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { wellKnownGroups } from '../apimachinery/user-info.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { Timers } from '../stdx/clock.ts';
import { sleep } from '../stdx/clock.ts';
import { messageOf } from '../stdx/message-of.ts';
import type { FindEndpoints, FindService } from '../webhooks/service-resolver.ts';
import { pathOf } from './api-service.ts';
import type { RemoteService } from './api-service.ts';
import type { Backends } from './backends.ts';

const availabilityLimits = {
  triesMax: 5,
  timeoutMs: 5_000,
  patienceMs: 1_000,
  answerBytesMax: 4 * 1024 * 1024,
} as const;

/** As which this server asks others about themselves. */
export const aggregatorUser: UserInfo = {
  name: 'system:kube-aggregator',
  uid: '',
  groups: [wellKnownGroups.masters],
  extra: {},
};

/** What the condition says. */
export interface Availability {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export interface AvailabilityDeps {
  readonly findService: FindService;
  /** Undefined: nobody says where services lead. */
  readonly findEndpoints: FindEndpoints | undefined;
  readonly backends: Pick<Backends, 'knock'>;
  readonly timers: Timers;
}

/** What can be said of it without asking anybody; undefined: nothing against it. */
export function availabilityOfService(
  { backend: { name, namespace, port } }: RemoteService,
  { findEndpoints, findService }: Pick<AvailabilityDeps, 'findService' | 'findEndpoints'>,
): Availability | undefined {
  const service = findService(namespace, name);
  const at = `service/${name} in "${namespace}"`;
  if (service === undefined) return not('ServiceNotFound', `${at} is not present`);
  const spec = part(service, 'spec');
  if ((text(spec, 'type') || 'ClusterIP') !== 'ClusterIP') return undefined;
  const found = objects(spec, 'ports').find((each) => each['port'] === port);
  if (found === undefined) return not('ServicePortError', `${at} is not listening on port ${port}`);
  if (findEndpoints === undefined) return undefined;
  const slices = findEndpoints(namespace, name);
  if (slices.length === 0) return not('EndpointsNotFound', `cannot find endpoints for ${at}`);
  const portName = text(found, 'name');
  if (slices.some((slice) => isReadyAt(slice, portName))) return undefined;
  const why = `endpoints for ${at} have no addresses with port name "${portName}"`;
  return not('MissingEndpoints', why);
}

/** Asks the server itself. */
export async function availabilityOfServer(
  service: RemoteService,
  { backends, timers }: Pick<AvailabilityDeps, 'backends' | 'timers'>,
): Promise<Availability> {
  const { answerBytesMax, patienceMs, timeoutMs, triesMax } = availabilityLimits;
  const headers = { Accept: 'application/json' };
  const call = { path: pathOf(service), user: aggregatorUser, headers, timeoutMs, answerBytesMax };
  const once = async (): Promise<string | undefined> => {
    try {
      const { status, url } = await backends.knock(service.backend, call);
      if (status >= 200 && status <= 299) return undefined;
      return `failing or missing response from ${url}: bad status from ${url}: ${status}`;
    } catch (error) {
      return messageOf(error);
    }
  };
  const first = once();
  const begun = await Promise.race([first, sleep(timers, patienceMs).then(() => 'still waiting')]);
  if (begun === undefined) return passed;
  const others = Array.from({ length: triesMax - 1 }, once);
  const problem = await firstGood([first, ...others]);
  return problem === undefined ? passed : not('FailedDiscoveryCheck', problem);
}

/** As soon as one is; else what was wrong with the last one. */
function firstGood(tries: readonly Promise<string | undefined>[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    let left = tries.length;
    for (const each of tries) {
      void each.then((problem) => {
        left -= 1;
        if (problem === undefined || left === 0) resolve(problem);
      });
    }
  });
}

const passed: Availability = {
  status: 'True',
  reason: 'Passed',
  message: 'all checks passed',
};

function not(reason: string, message: string): Availability {
  return { status: 'False', reason, message };
}

function isReadyAt(slice: JsonObject, portName: string): boolean {
  const isReady = objects(slice, 'endpoints').some(
    (endpoint) => part(endpoint, 'conditions')['ready'] !== false,
  );
  const ports = objects(slice, 'ports');
  return isReady && ports.some((each) => text(each, 'name') === portName && 'port' in each);
}

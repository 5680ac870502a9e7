/**
 * The plugins as a guard of writes (registry/write-guard.ts): one list, two phases. Those that are
 * concerned are asked in order, and the first that refuses decides.
 *
 *     mutate   ▶ admit    ▶ misses what is about to be made              ▶ wait ▶ admit again
 *     validate ▶ validate ▶ asks an authorizer that has to ask elsewhere ▶ wait ▶ validate again
 *
 * What it is not: what a plugin finds (certificates.ts, node/), or which there are (plugins.ts).
 *
 * Bounds: a plugin asks `askingMax` questions about a write that have to be waited for, and waits
 * once for each thing that it misses, for as many in all.
 */
import { newForbidden, StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { AccessChecker, Attributes } from '../authorization/authorizer.ts';
import type {
  Asks,
  Awaitable,
  GuardedWrite,
  GuardOf,
  WriteGuard,
} from '../registry/write-guard.ts';
import type { AdmissionTimes } from './admission-times.ts';
import type {
  AdmissionPlugin,
  AdmissionTarget,
  Ask,
  MutatedOperation,
  Proposed,
  Refusal,
  Review,
  WaitFor,
} from './admission.ts';

/** A signer's right by its name and by its domain, of the object before and after, and one more. */
const askingMax = 5;

export function admissionGuards(
  plugins: readonly AdmissionPlugin[],
  access: Pick<AccessChecker, 'check'>,
  times: AdmissionTimes,
): GuardOf {
  return (user, write) => {
    const target = targetOf(write);
    const concerned = plugins.filter((plugin) => plugin.concerns(user, target));
    if (concerned.length === 0) return undefined;
    return guardOf(concerned, user, target, { access, times });
  };
}

function targetOf({ kind, name = '', namespace, subresource = '' }: GuardedWrite): AdmissionTarget {
  return { resource: kind.storage, subresource, namespace, name };
}

function guardOf(
  plugins: readonly AdmissionPlugin[],
  user: UserInfo,
  target: AdmissionTarget,
  ports: Ports,
): WriteGuard {
  return {
    asks: asksOf(plugins),
    current() {
      const coming = plugins.flatMap((plugin) => plugin.current?.(target) ?? []);
      return coming.length === 0 ? undefined : Promise.all(coming).then(() => undefined);
    },
    mutate(next, current) {
      const proposed = { ...target, user, next, current };
      return timed('', 'admit', proposed, ports.times, () =>
        mutated(plugins, proposed, ports.times),
      );
    },
    validate(next, current) {
      const review = { ...target, user, next, current };
      return timed('', 'validate', review, ports.times, () => validated(plugins, review, ports));
    },
  };
}

interface Ports {
  readonly access: Pick<AccessChecker, 'check'>;
  readonly times: AdmissionTimes;
}

/** What is found, and how long it took to find it. */
function timed<T>(
  name: string,
  type: 'admit' | 'validate',
  { current, next }: Pick<Review, 'current' | 'next'>,
  times: AdmissionTimes,
  find: () => Awaitable<T>,
): Awaitable<T> {
  const startedMs = times.nowMs();
  const operation = next === undefined ? 'DELETE' : current === undefined ? 'CREATE' : 'UPDATE';
  return after(find(), (found) => {
    const refused = typeof found === 'string' || found instanceof StatusError;
    times.observe({ name, type, operation, rejected: refused ? 'true' : 'false' }, startedMs);
    return found;
  });
}

function asksOf(plugins: readonly AdmissionPlugin[]): Asks {
  return {
    mutateCreation: plugins.some((plugin) => admits(plugin, 'create')),
    mutateChange: plugins.some((plugin) => admits(plugin, 'update')),
    validate: plugins.some(({ validate }) => validate !== undefined),
  };
}

function admits({ admit, admits: operations }: AdmissionPlugin, by: MutatedOperation): boolean {
  return admit !== undefined && operations?.includes(by) === true;
}

/** What each plugin makes of what the one before it has left. */
function mutated(
  [plugin, ...rest]: readonly AdmissionPlugin[],
  proposed: Proposed,
  times: AdmissionTimes,
): Awaitable<ApiObject | StatusError> {
  if (plugin === undefined) return proposed.next;
  const by = proposed.current === undefined ? 'create' : 'update';
  if (!admits(plugin, by)) return mutated(rest, proposed, times);
  const admitting = timed(plugin.name, 'admit', proposed, times, () =>
    admitted(plugin, proposed, new Set()),
  );
  return after(admitting, (found) => {
    if (found instanceof StatusError) return found;
    if (typeof found === 'string') return forbidden(proposed, found);
    return mutated(rest, { ...proposed, next: found }, times);
  });
}

/** Tried again when what the plugin misses has come, once for each thing that it misses. */
function admitted(
  plugin: AdmissionPlugin,
  proposed: Proposed,
  waited: ReadonlySet<string>,
): Awaitable<ApiObject | NonNullable<Refusal>> {
  const coming = new Map<string, Promise<void>>();
  const waitFor: WaitFor = (what, comes) => {
    if (!waited.has(what)) coming.set(what, comes());
  };
  return after(plugin.admit?.(proposed, waitFor) ?? proposed.next, (found) => {
    if (coming.size === 0 || waited.size >= askingMax) return found;
    const missed = new Set([...waited, ...coming.keys()]);
    return Promise.all(coming.values()).then(() => admitted(plugin, proposed, missed));
  });
}

/** The first refusal; undefined: nobody refuses. */
function validated(
  [plugin, ...rest]: readonly AdmissionPlugin[],
  review: Review,
  ports: Ports,
): Awaitable<StatusError | undefined> {
  if (plugin === undefined) return undefined;
  if (plugin.validate === undefined) return validated(rest, review, ports);
  const validating = timed(plugin.name, 'validate', review, ports.times, () =>
    refusalOf(plugin, review, ports.access, new Map()),
  );
  return after(validating, (refusal) => {
    if (refusal === undefined) return validated(rest, review, ports);
    return typeof refusal === 'string' ? forbidden(review, refusal) : refusal;
  });
}

/** Tried again when authorizers that have to ask elsewhere have answered. */
function refusalOf(
  plugin: AdmissionPlugin,
  review: Review,
  access: Pick<AccessChecker, 'check'>,
  answers: ReadonlyMap<string, boolean>,
): Awaitable<Refusal> {
  const open = new Map<string, Promise<boolean>>();
  const ask: Ask = (attributes) => {
    const key = `${attributes.verb} ${attributes.resource} ${attributes.name}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const decision = access.check(attributes);
    if (!(decision instanceof Promise)) return decision.kind === 'allow';
    open.set(
      key,
      decision.then(({ kind }) => kind === 'allow'),
    );
    return undefined;
  };
  return after(plugin.validate?.(review, ask), (refusal) => {
    if (open.size === 0 || answers.size >= askingMax) return refusal;
    return answered(open).then((more) =>
      refusalOf(plugin, review, access, new Map([...answers, ...more])),
    );
  });
}

async function answered(
  open: ReadonlyMap<string, Promise<boolean>>,
): Promise<readonly (readonly [string, boolean])[]> {
  return Promise.all([...open].map(async ([key, answer]) => [key, await answer] as const));
}

/** In the same turn, where the value is there. */
function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

function forbidden(
  { name, next, resource }: Pick<Review, 'name' | 'next' | 'resource'>,
  why: string,
): StatusError {
  return newForbidden(resource, name === '' ? (next?.metadata.name ?? '') : name, why);
}

/** A question about a resource of the cluster, for plugins that ask. */
export function question(
  user: UserInfo,
  asked: Pick<Attributes, 'verb' | 'apiGroup' | 'resource' | 'name'>,
  namespace = '',
): Attributes {
  return {
    ...asked,
    user,
    isResourceRequest: true,
    path: '',
    namespace,
    apiVersion: '*',
    subresource: '',
  };
}

/**
 * The plugins as a guard of writes (registry/write-guard.ts): those that are concerned review what
 * is to be written, in order, and the first that refuses decides.
 *
 *     mutate   ▶ complete ▶ misses what is about to be made              ▶ wait ▶ complete again
 *     validate ▶ review   ▶ asks an authorizer that has to ask elsewhere ▶ wait ▶ review again
 *
 * What it is not: what a plugin finds (certificates.ts, node/), or which there are (plugins.ts).
 *
 * Bounds: a write asks `askingMax` questions that have to be waited for, and waits once for each
 * thing that it misses.
 */
import { newForbidden, StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { AccessChecker, Attributes } from '../authorization/authorizer.ts';
import type { Awaitable, GuardedWrite, GuardOf, WriteGuard } from '../registry/write-guard.ts';
import type { AdmissionPlugin, AdmissionTarget, Ask, Review, WaitFor } from './admission.ts';

/** A signer's right by its name and by its domain, of the object before and after, and one more. */
const askingMax = 5;

export function admissionGuards(
  plugins: readonly AdmissionPlugin[],
  access: Pick<AccessChecker, 'check'>,
): GuardOf {
  return (user, write) => {
    const target = targetOf(write);
    const concerned = plugins.filter((plugin) => plugin.concerns(user, target));
    if (concerned.length === 0) return undefined;
    return guardOf(concerned, user, target, access);
  };
}

function targetOf({ kind, name = '', namespace, subresource = '' }: GuardedWrite): AdmissionTarget {
  return { resource: kind.storage, subresource, namespace, name };
}

function guardOf(
  plugins: readonly AdmissionPlugin[],
  user: UserInfo,
  target: AdmissionTarget,
  access: Pick<AccessChecker, 'check'>,
): WriteGuard {
  return {
    current() {
      const coming = plugins.flatMap((plugin) => plugin.current?.(target) ?? []);
      return coming.length === 0 ? undefined : Promise.all(coming).then(() => undefined);
    },
    mutate: (object) => mutated(plugins, target, user, object),
    validate(next, current) {
      const review: Review = { ...target, user, next, current };
      return validated(plugins, review, access);
    },
  };
}

/** Tried again when what a plugin misses has come, once for each thing that it misses. */
function mutated(
  plugins: readonly AdmissionPlugin[],
  target: AdmissionTarget,
  user: UserInfo,
  object: ApiObject,
  waited: ReadonlySet<string> = new Set(),
): Awaitable<ApiObject | StatusError> {
  const coming = new Map<string, Promise<void>>();
  const waitFor: WaitFor = (what, comes) => {
    if (!waited.has(what)) coming.set(what, comes());
  };
  const result = completed(plugins, target, user, object, waitFor);
  if (coming.size === 0 || waited.size >= askingMax) return result;
  const missed = new Set([...waited, ...coming.keys()]);
  return Promise.all(coming.values()).then(() => mutated(plugins, target, user, object, missed));
}

/** Tried again when authorizers that have to ask elsewhere have answered. */
function validated(
  plugins: readonly AdmissionPlugin[],
  review: Review,
  access: Pick<AccessChecker, 'check'>,
  answers: ReadonlyMap<string, boolean> = new Map(),
): Awaitable<StatusError | undefined> {
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
  const refusal = refusalOf(plugins, review, ask);
  if (open.size === 0 || answers.size >= askingMax) return refusal;
  return answered(open).then((more) =>
    validated(plugins, review, access, new Map([...answers, ...more])),
  );
}

async function answered(
  open: ReadonlyMap<string, Promise<boolean>>,
): Promise<readonly (readonly [string, boolean])[]> {
  return Promise.all([...open].map(async ([key, answer]) => [key, await answer] as const));
}

function completed(
  plugins: readonly AdmissionPlugin[],
  target: AdmissionTarget,
  user: UserInfo,
  object: ApiObject,
  waitFor: WaitFor,
): ApiObject | StatusError {
  let next = object;
  for (const plugin of plugins) {
    const found = plugin.complete?.({ ...target, user, next }, waitFor) ?? next;
    if (found instanceof StatusError) return found;
    if (typeof found === 'string') return forbidden({ ...target, next }, found);
    next = found;
  }
  return next;
}

function forbidden(
  { name, next, resource }: Pick<Review, 'name' | 'next' | 'resource'>,
  why: string,
): StatusError {
  return newForbidden(resource, name === '' ? (next?.metadata.name ?? '') : name, why);
}

function refusalOf(
  plugins: readonly AdmissionPlugin[],
  review: Review,
  ask: Ask,
): StatusError | undefined {
  for (const plugin of plugins) {
    const refusal = plugin.review(review, ask);
    if (refusal === undefined) continue;
    return typeof refusal === 'string' ? forbidden(review, refusal) : refusal;
  }
  return undefined;
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

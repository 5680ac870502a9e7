/**
 * The plugins as a guard of writes (registry/write-guard.ts): those that are concerned review what
 * is to be written, in order, and the first that refuses decides.
 *
 *     write ▶ complete, review ▶ asks an authorizer that has to ask elsewhere ▶ wait ▶ write again
 *                              ▶ misses what is about to be made              ▶ wait ▶ write again
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
import type {
  Completion,
  GuardedWrite,
  GuardOf,
  WriteCheck,
  WriteGuard,
} from '../registry/write-guard.ts';
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
    async run(write) {
      for (const plugin of plugins) await plugin.current?.(target);
      const answers = new Map<string, boolean>();
      const waited = new Set<string>();
      for (let asked = 0; ; asked += 1) {
        const coming: Promise<void>[] = [];
        const waitFor: WaitFor = (what, comes) => {
          if (waited.has(what)) return;
          waited.add(what);
          coming.push(comes());
        };
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
        const check: WriteCheck = (next, current) =>
          refusalOf(plugins, { ...target, user, next, current }, ask);
        const complete: Completion = (object) => completed(plugins, target, user, object, waitFor);
        const result = await write(check, complete);
        if ((open.size === 0 && coming.length === 0) || asked >= askingMax) return result;
        await Promise.all(coming);
        for (const [key, answer] of open) answers.set(key, await answer);
      }
    },
  };
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

/**
 * OwnerReferencesPermissionEnforcement: owner references can cause an object to be deleted, or keep
 * an owner from being deleted. So changing them needs the rights to do that.
 *
 *     owners of an object change             may `delete` the object
 *     a new owner with blockOwnerDeletion    may `update` the owner's `finalizers`
 *
 * Invariants: existing references may stay. A creation may have any owners, because its writer need
 * not have created the object. With the right to `update` all finalizers an owner's kind need not
 * be served. The status of a pod is not checked.
 * Bounds: an object has a thousand owners at most; one question to the authorizers for each, one
 * after the other, and `ownersAtOnce` in one turn: each may walk over all that the writer has been
 * granted.
 */
import { quote } from '../apimachinery/quote.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { ApiObject, OwnerReference } from '../apimachinery/unstructured.ts';
import { after, firstOf } from '../stdx/awaitable.ts';
import type { Awaitable } from '../stdx/awaitable.ts';
import { deepEqual } from '../stdx/deep-equal.ts';
import type { Turns } from '../stdx/turns.ts';
import type { AdmissionPlugin, Ask, Refusal, Review, ValidatePass } from './admission.ts';
import { unanswered } from './admission.ts';
import { question } from './chain.ts';

/** The kind of an owner, as it is served; undefined: nobody serves it. */
export type FindOwnerKind = (group: string, version: string, kind: string) => KindInfo | undefined;

/** Owners that are asked about in one turn. */
const ownersAtOnce = 16;

export function ownerReferences(
  findKind: FindOwnerKind,
  turns: Pick<Turns, 'pause'>,
): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    concerns: (_user, { operations, resource, subresource }) =>
      operations.some((each) => each === 'CREATE' || each === 'UPDATE') &&
      !(resource.group === '' && resource.resource === 'pods' && subresource === 'status'),
    validate(review, pass) {
      const { current, next, operation } = review;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined;
      const [before, owners] = [ownersOf(current), ownersOf(next)];
      if (deepEqual(before, owners)) return undefined;
      const refusal = operation === 'CREATE' ? undefined : deletionRefusal(review, pass.ask);
      return refusal ?? blockingRefusal(review, before, owners, { findKind, turns, pass });
    },
  };
}

function ownersOf(object: ApiObject | undefined): readonly OwnerReference[] {
  return object?.metadata.ownerReferences ?? [];
}

function deletionRefusal({ name, namespace, next, resource, subresource, user }: Review, ask: Ask) {
  const asked = {
    ...question(user, {
      verb: 'delete',
      apiGroup: resource.group,
      resource: resource.resource,
      name: name === '' ? (next?.metadata.name ?? '') : name,
    }),
    namespace,
    subresource,
  };
  const allowed = ask(asked);
  if (allowed === undefined) return unanswered;
  return allowed ? undefined : "cannot set an ownerRef on a resource you can't delete: , <nil>";
}

interface Asking {
  readonly findKind: FindOwnerKind;
  readonly turns: Pick<Turns, 'pause'>;
  readonly pass: Pick<ValidatePass, 'ask' | 'decide'>;
}

function blockingRefusal(
  review: Review,
  before: readonly OwnerReference[],
  owners: readonly OwnerReference[],
  { findKind, pass, turns }: Asking,
): Awaitable<Refusal> {
  const { requester, user } = review;
  const known = new Set(before.filter(blocks).map(({ uid }) => uid));
  const added = owners.filter((owner) => blocks(owner) && !known.has(owner.uid));
  if (added.length === 0) return undefined;
  const anything = { verb: 'update', apiGroup: '*', resource: '*', name: '*' };
  const mayAll = pass.ask({ ...question(user, anything), subresource: 'finalizers' });
  if (mayAll !== false) return mayAll ? undefined : unanswered;
  return firstOf(added, (owner, at) => {
    const turn = at > 0 && at % ownersAtOnce === 0 ? turns.pause() : undefined;
    return after(turn, () =>
      requester?.closed === true ? unanswered : ownerRefusal(review, owner, findKind, pass.decide),
    );
  });
}

function ownerRefusal(
  { namespace, user }: Review,
  { apiVersion, kind, name }: OwnerReference,
  findKind: FindOwnerKind,
  decide: ValidatePass['decide'],
): Awaitable<Refusal> {
  const slash = apiVersion.indexOf('/');
  const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
  const found = findKind(group, version, kind);
  if (found === undefined) {
    const what = `RESTMapping for APIVersion ${apiVersion} Kind ${kind}`;
    const why = `no matches for kind ${quote(kind)} in version ${quote(apiVersion)}`;
    return `cannot set blockOwnerDeletion in this case because cannot find ${what}: ${why}`;
  }
  const asked = {
    ...question(user, { verb: 'update', apiGroup: group, resource: found.resource, name }),
    namespace: found.namespaced ? namespace : '',
    apiVersion: version,
    subresource: 'finalizers',
  };
  const owned = "an ownerReference refers to a resource you can't set finalizers on";
  return after(decide(asked), (allowed) =>
    allowed ? undefined : `cannot set blockOwnerDeletion if ${owned}: , <nil>`,
  );
}

function blocks({ blockOwnerDeletion }: OwnerReference): boolean {
  return blockOwnerDeletion === true;
}

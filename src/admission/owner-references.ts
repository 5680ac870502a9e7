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
 * Bounds: an object has a thousand owners at most; one question to the authorizers for each.
 */
import { quote } from '../apimachinery/quote.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { ApiObject, OwnerReference } from '../apimachinery/unstructured.ts';
import { deepEqual } from '../stdx/deep-equal.ts';
import type { AdmissionPlugin, Ask, Refusal, Review } from './admission.ts';
import { unanswered } from './admission.ts';
import { question } from './chain.ts';

/** The kind of an owner, as it is served; undefined: nobody serves it. */
export type FindOwnerKind = (group: string, version: string, kind: string) => KindInfo | undefined;

export function ownerReferences(findKind: FindOwnerKind): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    concerns: (_user, { operations, resource, subresource }) =>
      operations.some((each) => each === 'CREATE' || each === 'UPDATE') &&
      !(resource.group === '' && resource.resource === 'pods' && subresource === 'status'),
    validate(review, { ask }) {
      const { current, next, operation } = review;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined;
      const [before, after] = [ownersOf(current), ownersOf(next)];
      if (deepEqual(before, after)) return undefined;
      const refusal = operation === 'CREATE' ? undefined : deletionRefusal(review, ask);
      return refusal ?? blockingRefusal(review, before, after, findKind, ask);
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

function blockingRefusal(
  { namespace, user }: Review,
  before: readonly OwnerReference[],
  after: readonly OwnerReference[],
  findKind: FindOwnerKind,
  ask: Ask,
): Refusal {
  const known = new Set(before.filter(blocks).map(({ uid }) => uid));
  const added = after.filter((owner) => blocks(owner) && !known.has(owner.uid));
  if (added.length === 0) return undefined;
  const anything = { verb: 'update', apiGroup: '*', resource: '*', name: '*' };
  const mayAll = ask({ ...question(user, anything), subresource: 'finalizers' });
  if (mayAll !== false) return mayAll ? undefined : unanswered;
  for (const owner of added) {
    const { apiVersion, kind, name } = owner;
    const slash = apiVersion.indexOf('/');
    const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
    const found = findKind(group, version, kind);
    if (found === undefined) {
      const what = `RESTMapping for APIVersion ${apiVersion} Kind ${kind}`;
      const why = `no matches for kind ${quote(kind)} in version ${quote(apiVersion)}`;
      return `cannot set blockOwnerDeletion in this case because cannot find ${what}: ${why}`;
    }
    const asked = { verb: 'update', apiGroup: group, resource: found.resource, name };
    const where = found.namespaced ? namespace : '';
    const allowed = ask({
      ...question(user, asked),
      namespace: where,
      apiVersion: version,
      subresource: 'finalizers',
    });
    if (allowed === undefined) return unanswered;
    if (allowed) continue;
    const owned = "an ownerReference refers to a resource you can't set finalizers on";
    return `cannot set blockOwnerDeletion if ${owned}: , <nil>`;
  }
  return undefined;
}

function blocks({ blockOwnerDeletion }: OwnerReference): boolean {
  return blockOwnerDeletion === true;
}

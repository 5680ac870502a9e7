/** Maintains the RBAC index from streams: the state first, then every change (spec 2, 5.6). */
import { Subscription } from 'rxjs';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import { followObjects } from '../../../streams/followed-objects.ts';
import type { ObjectKeeper } from '../../../streams/followed-objects.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';
import { rulesOf } from './policy-rules.ts';
import { rbacKey } from './rbac-index.ts';
import type { RbacIndex } from './rbac-index.ts';
import { bindingOf } from './rbac-objects.ts';

export interface RbacFollowerDeps {
  readonly streams: Streams;
  /** The API group of roles. */
  readonly rbacGroup: string;
  readonly index: RbacIndex;
}

/** The index has the state when followers are settled. */
export function followRbac({ streams, rbacGroup, index }: RbacFollowerDeps): Subscription {
  const setRole = (entry: Entry): void => {
    index.setRole(rbacKey(entry.namespace, entry.name), rulesOf(decodeObject(entry.bytes)));
  };
  const setBinding = (entry: Entry): void => {
    const { namespace, name } = entry;
    index.setBinding({ ...bindingOf(decodeObject(entry.bytes)), namespace, name });
  };
  const follow = (resource: string, part: ObjectKeeper): Subscription =>
    followObjects(streams, 'rbac', { group: rbacGroup, resource }, part);
  const roles = (ofCluster: boolean): ObjectKeeper => ({
    clear: () => index.clearRoles(ofCluster),
    set: setRole,
    remove: ({ namespace, name }) => index.removeRole(rbacKey(namespace, name)),
  });
  const bindings = (ofCluster: boolean): ObjectKeeper => ({
    clear: () => index.clearBindings(ofCluster),
    set: setBinding,
    remove: ({ namespace, name }) => index.removeBinding(namespace, name),
  });
  const following = new Subscription();
  following.add(follow('clusterroles', roles(true)));
  following.add(follow('roles', roles(false)));
  following.add(follow('clusterrolebindings', bindings(true)));
  following.add(follow('rolebindings', bindings(false)));
  return following;
}

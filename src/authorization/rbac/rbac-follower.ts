/** Maintains the RBAC index from streams: the state first, then every change (spec 2, 5.6). What is
 * large is taken in steps. */
import { Subscription } from 'rxjs';
import { decodeObject, decodeSharedSteps, isLarge } from '../../apimachinery/object-encoding.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { followObjects } from '../../../streams/followed-objects.ts';
import type { ObjectKeeper } from '../../../streams/followed-objects.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';
import { rulesOf } from './policy-rules.ts';
import { rbacKey } from './rbac-index.ts';
import type { RbacIndex, RbacKey } from './rbac-index.ts';
import { bindingOf } from './rbac-objects.ts';
import type { Binding } from './rbac-objects.ts';

export interface RbacFollowerDeps {
  readonly streams: Streams;
  /** The API group of roles. */
  readonly rbacGroup: string;
  readonly index: RbacIndex;
}

/** The index has the state when followers are settled. */
export function followRbac({ streams, rbacGroup, index }: RbacFollowerDeps): Subscription {
  const setRole = (entry: Entry): Steps<void> | undefined => {
    if (isLarge(entry.bytes)) return settingRole(entry);
    index.setRole(keyOf(entry), rulesOf(decodeObject(entry.bytes)));
    return undefined;
  };
  function* settingRole(entry: Entry): Steps<void> {
    yield;
    const role = yield* decodeSharedSteps(entry.bytes);
    yield;
    index.setRole(keyOf(entry), rulesOf(role));
  }
  const setBinding = (entry: Entry): Steps<void> | undefined => {
    if (isLarge(entry.bytes)) return settingBinding(entry);
    index.setBinding(namedBinding(decodeObject(entry.bytes), entry));
    return undefined;
  };
  function* settingBinding(entry: Entry): Steps<void> {
    yield;
    const binding = yield* decodeSharedSteps(entry.bytes);
    yield;
    yield* index.settingBinding(namedBinding(binding, entry));
  }
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
    remove({ bytes, name, namespace }) {
      if (isLarge(bytes)) return index.removingBinding(namespace, name);
      index.removeBinding(namespace, name);
      return undefined;
    },
  });
  const following = new Subscription();
  following.add(follow('clusterroles', roles(true)));
  following.add(follow('roles', roles(false)));
  following.add(follow('clusterrolebindings', bindings(true)));
  following.add(follow('rolebindings', bindings(false)));
  return following;
}

function keyOf({ namespace, name }: Entry): RbacKey {
  return rbacKey(namespace, name);
}

function namedBinding(object: ApiObject, { namespace, name }: Entry): Binding {
  return { ...bindingOf(object), namespace, name };
}

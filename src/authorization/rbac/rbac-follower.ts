/** Keeps the RBAC index as the streams say: the state first, then every change (spec 2, 5.6). */
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { Timers } from '../../stdx/clock.ts';
import { followResource } from '../../../streams/follow-resource.ts';
import type { Following } from '../../../streams/follow-resource.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';
import { rulesOf } from './policy-rules.ts';
import { rbacKey } from './rbac-index.ts';
import type { RbacIndex } from './rbac-index.ts';
import { bindingOf } from './rbac-objects.ts';

export interface RbacFollowerDeps {
  readonly streams: Streams;
  readonly timers: Timers;
  /** The API group of roles. */
  readonly rbacGroup: string;
  readonly index: RbacIndex;
}

/** The index has the state when this returns. */
export function followRbac({ streams, timers, rbacGroup, index }: RbacFollowerDeps): Following {
  const setRole = (entry: Entry): void => {
    index.setRole(rbacKey(entry.namespace, entry.name), rulesOf(decodeObject(entry.bytes)));
  };
  const setBinding = (entry: Entry): void => {
    const { namespace, name } = entry;
    index.setBinding({ ...bindingOf(decodeObject(entry.bytes)), namespace, name });
  };
  const roles = (resource: string, ofCluster: boolean): Following =>
    followResource(
      streams,
      timers,
      { group: rbacGroup, resource },
      {
        name: 'rbac',
        onState(snapshot) {
          index.clearRoles(ofCluster);
          for (const entry of snapshot.entries(undefined)) setRole(entry);
        },
        onChange(namespace, name, entry) {
          if (entry === undefined) index.removeRole(rbacKey(namespace, name));
          else setRole(entry);
        },
      },
    );
  const bindings = (resource: string, ofCluster: boolean): Following =>
    followResource(
      streams,
      timers,
      { group: rbacGroup, resource },
      {
        name: 'rbac',
        onState(snapshot) {
          index.clearBindings(ofCluster);
          for (const entry of snapshot.entries(undefined)) setBinding(entry);
        },
        onChange(namespace, name, entry) {
          if (entry === undefined) index.removeBinding(namespace, name);
          else setBinding(entry);
        },
      },
    );
  const following = [
    roles('clusterroles', true),
    roles('roles', false),
    bindings('clusterrolebindings', true),
    bindings('rolebindings', false),
  ];
  return {
    stop() {
      for (const each of following) each.stop();
    },
  };
}

/**
 * Who has which rules: an index of roles and bindings, made for the question of every request.
 *
 *     scope ('' or a namespace) ▶ subject ▶ its grants, one for each role ▶ the role's rules
 *
 * Elsewhere: the decision (rbac-authorizer.ts) and the reading of streams (rbac-follower.ts).
 *
 * Invariants: it holds what was set last under each key. A grant whose role is not there stays and
 * grants nothing, until the role comes. Grants of a subject are walked in order of binding names,
 * those of the cluster before those of the namespace.
 *
 * Cost: a change of a binding touches its subjects alone; a question costs a look-up for each group
 * of the user, twice, and a walk over the roles granted to it. Several bindings of one subject to
 * one role count once.
 */
import { textsOf } from './owned-rules.ts';
import type { PolicyRule } from './policy-rules.ts';
import { subjectKey, subjectKeysOf } from './rbac-objects.ts';
import type { Binding, RoleRef, Subject, SubjectKey } from './rbac-objects.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';

/** `/name` of a ClusterRole or ClusterRoleBinding, `namespace/name` of the others. */
export type RbacKey = string;

export function rbacKey(namespace: string, name: string): RbacKey {
  return `${namespace}/${name}`;
}

export interface Grant {
  readonly binding: Binding;
  readonly subject: Subject;
  readonly role: RbacKey;
}

export interface KnownRole {
  readonly rules: readonly PolicyRule[];
  /** What a walk over them costs: rules, and the texts of long lists. */
  readonly weight: number;
}

/** What a subject has in one scope. */
interface SubjectGrants {
  readonly byBinding: Map<string, Grant>;
  /** One for each role, in order of binding names; made when it is asked for. */
  walk: readonly Grant[] | undefined;
}

export interface RbacIndex {
  setRole(key: RbacKey, rules: readonly PolicyRule[]): void;
  removeRole(key: RbacKey): void;
  setBinding(binding: Binding): void;
  removeBinding(namespace: string, name: string): void;
  /** Removes all roles, or all bindings, of the cluster (true) or of namespaces (false). */
  clearRoles(ofCluster: boolean): void;
  clearBindings(ofCluster: boolean): void;
  /** Undefined: there is no such role. */
  rules(key: RbacKey): readonly PolicyRule[] | undefined;
  role(key: RbacKey): KnownRole | undefined;
  /** The grants of this user that count in the namespace ('': cluster scope), until `visit` says
   * false. */
  visit(user: UserInfo, namespace: string, visit: (grant: Grant) => boolean): void;
  readonly bindingsCount: number;
}

/** The role that a reference in a binding of this namespace names. Undefined: none can be. */
export function referredRole({ kind, name }: RoleRef, namespace: string): RbacKey | undefined {
  if (kind === 'ClusterRole') return rbacKey('', name);
  return kind === 'Role' && namespace !== '' ? rbacKey(namespace, name) : undefined;
}

export function createRbacIndex(): RbacIndex {
  const roles = new Map<RbacKey, KnownRole>();
  const bindings = new Map<RbacKey, Binding>();
  const scopes = new Map<string, Map<SubjectKey, SubjectGrants>>();

  const removeBinding = (namespace: string, name: string): void => {
    const key = rbacKey(namespace, name);
    const before = bindings.get(key);
    if (before === undefined) return;
    bindings.delete(key);
    const scope = scopes.get(namespace);
    if (scope === undefined) return;
    for (const subject of before.subjects) removeGrant(scope, subject, name);
    if (scope.size === 0) scopes.delete(namespace);
  };
  const visitScope = (
    namespace: string,
    keys: readonly SubjectKey[],
    visit: (grant: Grant) => boolean,
  ): boolean => {
    const scope = scopes.get(namespace);
    if (scope === undefined) return true;
    for (const key of keys) {
      const grants = scope.get(key);
      if (grants === undefined) continue;
      grants.walk ??= oneForEachRole(grants.byBinding);
      for (const grant of grants.walk) if (!visit(grant)) return false;
    }
    return true;
  };

  return {
    setRole: (key, rules) => void roles.set(key, { rules, weight: weightOf(rules) }),
    removeRole: (key) => void roles.delete(key),
    setBinding(binding) {
      const { namespace, name } = binding;
      removeBinding(namespace, name);
      bindings.set(rbacKey(namespace, name), binding);
      const role = referredRole(binding.roleRef, namespace);
      if (role === undefined) return;
      const scope = scopes.get(namespace) ?? new Map<SubjectKey, SubjectGrants>();
      for (const subject of binding.subjects) addGrant(scope, { binding, subject, role });
      if (scope.size > 0) scopes.set(namespace, scope);
    },
    removeBinding,
    clearRoles(ofCluster) {
      for (const key of roles.keys()) if (key.startsWith('/') === ofCluster) roles.delete(key);
    },
    clearBindings(ofCluster) {
      for (const { namespace, name } of [...bindings.values()]) {
        if ((namespace === '') === ofCluster) removeBinding(namespace, name);
      }
    },
    rules: (key) => roles.get(key)?.rules,
    role: (key) => roles.get(key),
    visit(user, namespace, visit) {
      const keys = subjectKeysOf(user);
      if (!visitScope('', keys, visit) || namespace === '') return;
      visitScope(namespace, keys, visit);
    },
    get bindingsCount() {
      return bindings.size;
    },
  };
}

/** Texts of a list that are compared in the time that another rule takes. */
const textsOfOneRule = 8;

function weightOf(rules: readonly PolicyRule[]): number {
  let weight = 0;
  for (const rule of rules) weight += 1 + Math.floor(textsOf(rule) / textsOfOneRule);
  return weight;
}

function addGrant(scope: Map<SubjectKey, SubjectGrants>, grant: Grant): void {
  const key = subjectKey(grant.subject);
  if (key === undefined) return;
  const grants = scope.get(key) ?? { byBinding: new Map<string, Grant>(), walk: undefined };
  scope.set(key, grants);
  // The first of two subjects that are the same user is the one that is named in reasons.
  if (!grants.byBinding.has(grant.binding.name)) grants.byBinding.set(grant.binding.name, grant);
  grants.walk = undefined;
}

function removeGrant(
  scope: Map<SubjectKey, SubjectGrants>,
  subject: Subject,
  bindingName: string,
): void {
  const key = subjectKey(subject);
  const grants = key === undefined ? undefined : scope.get(key);
  if (key === undefined || grants === undefined) return;
  grants.byBinding.delete(bindingName);
  grants.walk = undefined;
  if (grants.byBinding.size === 0) scope.delete(key);
}

function oneForEachRole(byBinding: ReadonlyMap<string, Grant>): readonly Grant[] {
  const sorted = [...byBinding.values()].sort((a, b) =>
    a.binding.name < b.binding.name ? -1 : a.binding.name > b.binding.name ? 1 : 0,
  );
  const first = new Map<RbacKey, Grant>();
  for (const grant of sorted) if (!first.has(grant.role)) first.set(grant.role, grant);
  return [...first.values()];
}

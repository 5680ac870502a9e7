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
 * Cost: a change of a binding touches its subjects alone, and little of what they have
 * (subject-grants.ts); a question costs a look-up for each group of the user, twice, and a walk
 * over the roles granted to it. Several bindings of one subject to one role count once.
 */
import { textsOf } from './owned-rules.ts';
import type { PolicyRule } from './policy-rules.ts';
import { subjectKey, subjectKeysOf } from './rbac-objects.ts';
import type { Binding, RoleRef, Subject, SubjectKey } from './rbac-objects.ts';
import { SubjectGrants } from './subject-grants.ts';
import type { Grant } from './subject-grants.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';

/** `/name` of a ClusterRole or ClusterRoleBinding, `namespace/name` of the others. */
export type RbacKey = string;

export function rbacKey(namespace: string, name: string): RbacKey {
  return `${namespace}/${name}`;
}

export interface KnownRole {
  readonly rules: readonly PolicyRule[];
  /** What a walk over them costs: rules, and the texts of long lists. */
  readonly weight: number;
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
  /** The grants of this user that count in the namespace ('': cluster scope), as they are now. */
  grants(user: UserInfo, namespace: string): Iterable<Grant>;
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
    const role = referredRole(before.roleRef, namespace);
    if (role === undefined) return;
    for (const subject of before.subjects) removeGrant(scope, subject, role, name);
    if (scope.size === 0) scopes.delete(namespace);
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
    grants(user, namespace) {
      const keys = subjectKeysOf(user);
      const found: Iterable<Grant>[] = [];
      addWalks(found, scopes.get(''), keys);
      if (namespace !== '') addWalks(found, scopes.get(namespace), keys);
      return found.length === 1 ? (found[0] as Iterable<Grant>) : chained(found);
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
  const grants = scope.get(key) ?? new SubjectGrants();
  scope.set(key, grants);
  // The first of two subjects that are the same user is the one that is named in reasons.
  grants.add(grant);
}

function removeGrant(
  scope: Map<SubjectKey, SubjectGrants>,
  subject: Subject,
  role: RbacKey,
  bindingName: string,
): void {
  const key = subjectKey(subject);
  const grants = key === undefined ? undefined : scope.get(key);
  if (key === undefined || grants === undefined) return;
  grants.remove(role, bindingName);
  if (grants.isEmpty) scope.delete(key);
}

function addWalks(
  walks: Iterable<Grant>[],
  scope: ReadonlyMap<SubjectKey, SubjectGrants> | undefined,
  keys: readonly SubjectKey[],
): void {
  if (scope === undefined) return;
  for (const key of keys) {
    const grants = scope.get(key);
    if (grants !== undefined) walks.push(grants.walk());
  }
}

function* chained(walks: readonly Iterable<Grant>[]): Generator<Grant, void> {
  for (const walk of walks) yield* walk;
}

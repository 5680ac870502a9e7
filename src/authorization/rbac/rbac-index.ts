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
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { textsOf } from './owned-rules.ts';
import type { PolicyRule } from './policy-rules.ts';
import { subjectKey, subjectKeysOf } from './rbac-objects.ts';
import type { Binding, RoleRef, SubjectKey } from './rbac-objects.ts';
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
  /** The same in steps, for one of many subjects. Those of one binding are to be finished one after
   * the other. */
  settingBinding(binding: Binding): Steps<void>;
  removingBinding(namespace: string, name: string): Steps<void>;
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
  const scopes: Scopes = new Map();

  function* settingBinding(binding: Binding): Steps<void> {
    const key = rbacKey(binding.namespace, binding.name);
    const before = bindings.get(key);
    bindings.set(key, binding);
    yield* changingGrants(scopes, binding, before);
  }
  function* removingBinding(namespace: string, name: string): Steps<void> {
    const key = rbacKey(namespace, name);
    const before = bindings.get(key);
    bindings.delete(key);
    if (before !== undefined) yield* removingGrants(scopes, before, undefined);
  }
  return {
    setRole: (key, rules) => void roles.set(key, { rules, weight: weightOf(rules) }),
    removeRole: (key) => void roles.delete(key),
    setBinding: (binding) => finished(settingBinding(binding)),
    removeBinding: (namespace, name) => finished(removingBinding(namespace, name)),
    settingBinding,
    removingBinding,
    clearRoles(ofCluster) {
      for (const key of roles.keys()) if (key.startsWith('/') === ofCluster) roles.delete(key);
    },
    clearBindings(ofCluster) {
      // With all that may be left of one that was being changed.
      for (const key of bindings.keys()) {
        if (key.startsWith('/') === ofCluster) bindings.delete(key);
      }
      for (const key of scopes.keys()) if ((key === '') === ofCluster) scopes.delete(key);
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

/** Scopes without a grant are not kept. */
type Scopes = Map<string, Map<SubjectKey, SubjectGrants>>;

/** Of subjects that keep what they have been granted, none is without it meanwhile. */
function* changingGrants(
  scopes: Scopes,
  binding: Binding,
  before: Binding | undefined,
): Steps<void> {
  const { namespace, roleRef, subjects } = binding;
  const role = referredRole(roleRef, namespace);
  const roleBefore = before && referredRole(before.roleRef, namespace);
  const granted = before && new Set<SubjectKey>();
  if (role !== undefined) {
    for (const [at, subject] of subjects.entries()) {
      if (at > 0 && at % subjectsAtOnce === 0) yield;
      addGrant(scopes, { binding, subject, role }, roleBefore, granted);
    }
  }
  if (before !== undefined) yield* removingGrants(scopes, before, granted);
}

/** From all subjects but these. */
function* removingGrants(
  scopes: Scopes,
  { name, namespace, roleRef, subjects }: Binding,
  kept: ReadonlySet<SubjectKey> | undefined,
): Steps<void> {
  const role = referredRole(roleRef, namespace);
  if (role === undefined) return;
  for (const [at, subject] of subjects.entries()) {
    if (at > 0 && at % subjectsAtOnce === 0) yield;
    const key = subjectKey(subject);
    const scope = scopes.get(namespace);
    if (key === undefined || scope === undefined || kept?.has(key) === true) continue;
    removeGrant(scope, key, role, name);
    if (scope.size === 0) scopes.delete(namespace);
  }
}

/** Subjects whose grants are changed in a step: some tenths of a millisecond. */
const subjectsAtOnce = 128;

/** `before`: the role that the binding granted until now. `granted`: whom it has granted the new
 * one. */
function addGrant(
  scopes: Scopes,
  grant: Grant,
  before: RbacKey | undefined,
  granted: Set<SubjectKey> | undefined,
): void {
  const key = subjectKey(grant.subject);
  // The first of two subjects that are the same user is the one that is named in reasons.
  if (key === undefined || granted?.has(key) === true) return;
  granted?.add(key);
  const { namespace } = grant.binding;
  const scope = scopes.get(namespace) ?? new Map<SubjectKey, SubjectGrants>();
  scopes.set(namespace, scope);
  const grants = scope.get(key) ?? new SubjectGrants();
  scope.set(key, grants);
  if (before === undefined) grants.add(grant);
  else grants.replace(before, grant);
}

function removeGrant(
  scope: Map<SubjectKey, SubjectGrants>,
  key: SubjectKey,
  role: RbacKey,
  bindingName: string,
): void {
  const grants = scope.get(key);
  if (grants === undefined) return;
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

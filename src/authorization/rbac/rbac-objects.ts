/**
 * Bindings as authorization reads them: to whom, which role (spec 2, section 2.1).
 *
 * Invariant: a subject that names nobody (another kind, a service account without any namespace)
 * has no key and so binds nobody.
 */
import { objects, part, text } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';

export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  /** Of a service account; where it says none, that of its binding. */
  readonly namespace: string;
}

export interface Binding {
  /** '' for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly name: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

export function roleRefOf(binding: ApiObject): RoleRef {
  const ref = part(binding, 'roleRef');
  return { kind: text(ref, 'kind'), name: text(ref, 'name') };
}

export function bindingOf(object: ApiObject): Binding {
  const { name = '', namespace = '' } = object.metadata;
  return {
    namespace,
    name,
    roleRef: roleRefOf(object),
    subjects: objects(object, 'subjects').map((subject) => ({
      kind: text(subject, 'kind'),
      name: text(subject, 'name'),
      namespace: text(subject, 'namespace') || namespace,
    })),
  };
}

/** `u` and a user name, or `g` and a group. A service account is the user that it appears as. */
export type SubjectKey = string;

export function subjectKey({ kind, name, namespace }: Subject): SubjectKey | undefined {
  switch (kind) {
    case 'User':
      return `u${name}`;
    case 'Group':
      return `g${name}`;
    case 'ServiceAccount':
      return namespace === '' ? undefined : `usystem:serviceaccount:${namespace}:${name}`;
    default:
      return undefined;
  }
}

export function subjectKeysOf({ name, groups }: UserInfo): readonly SubjectKey[] {
  const keys = [`u${name}`];
  for (const group of groups) keys.push(`g${group}`);
  return keys;
}

/** `User "jane"`, `ServiceAccount "default/web"`. */
function describeSubject({ kind, name, namespace }: Subject): string {
  return `${kind} ${quote(kind === 'ServiceAccount' ? `${name}/${namespace}` : name)}`;
}

/** `ClusterRoleBinding "b" of ClusterRole "r" to User "u"`. */
export function describeGrant({ namespace, name, roleRef }: Binding, subject: Subject): string {
  const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const shown = namespace === '' ? name : `${name}/${namespace}`;
  const role = `${roleRef.kind} ${quote(roleRef.name)}`;
  return `${kind} ${quote(shown)} of ${role} to ${describeSubject(subject)}`;
}

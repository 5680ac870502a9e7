/** The API group rbac: roles, and who holds them. */
import type { GroupDefinition } from '../kind-definition.ts';
import { clusterRoleBindings, roleBindings } from './role-bindings.ts';
import { clusterRoles, roles } from './roles.ts';
import { rbacDescriptions } from './descriptions.ts';

export const rbacGroup: GroupDefinition = {
  group: 'rbac.authorization.{domain}',
  types: 'rbac',
  priority: 17_000,
  versions: {
    v1: { priority: 15 },
    v1beta1: { priority: 12 },
    v1alpha1: { priority: 9, introduced: 6, removed: 23 },
  },
  kinds: [clusterRoleBindings, clusterRoles, roleBindings, roles],
  descriptions: rbacDescriptions,
};

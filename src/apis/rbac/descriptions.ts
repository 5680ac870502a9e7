/** What the types of the group are for, as `kubectl explain` shows it. */

export const rbacDescriptions = `
rbac.Role What may be done in one namespace. A binding says who may.
  rules What may be done; nothing is ever forbidden by a rule.
rbac.ClusterRole What may be done everywhere, or with objects of the cluster. A binding says who
    may.
  rules What may be done; nothing is ever forbidden by a rule.
  aggregationRule The rules are those of other roles; the server writes them.
rbac.AggregationRule Roles whose rules are taken together.
  clusterRoleSelectors Labels of the roles; one that matches is enough.
rbac.PolicyRule Something that may be done.
  verbs Verbs, or * for all.
  apiGroups Groups, "" for the core one, * for all.
  resources Resources, with subresources as pods/log; * for all.
  resourceNames Names of objects; all if it is empty.
  nonResourceURLs Paths that are no resources, such as /healthz; * stands at the end only. For
    ClusterRoles.
rbac.RoleBinding Gives a role to somebody, in one namespace.
  subjects Who gets it.
  roleRef The Role or ClusterRole. It cannot change.
rbac.ClusterRoleBinding Gives a role to somebody, everywhere.
  subjects Who gets it.
  roleRef The ClusterRole. It cannot change.
rbac.Subject A user, a group or an account.
  kind User, Group or ServiceAccount.
  apiGroup Empty for accounts, the group of roles for the others.
  name The name.
  namespace The namespace of an account.
rbac.RoleRef A role.
  apiGroup The group of roles.
  kind Role or ClusterRole.
  name Its name.
`;

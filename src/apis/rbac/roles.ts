/** Roles and ClusterRoles: who holds one may do what its rules say. */
import { invalid } from '../../apimachinery/field-error.ts';
import { items, objects, part } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { createdAtColumn, nameColumn, table } from '../tables/columns.ts';
import type { Problems } from '../validation/checks.ts';
import { needed } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { labelSelectorRules } from '../validation/labels.ts';
import type { KindDefinition } from '../kind-definition.ts';

const roleTable = table([nameColumn, createdAtColumn]);

function policyRuleRules(rule: JsonObject, path: string, namespaced: boolean): Problems {
  const urls = items(rule, 'nonResourceURLs');
  const some = (name: string): boolean => items(rule, name).length > 0;
  if (urls.length > 0) {
    const both = some('apiGroups') || some('resources') || some('resourceNames');
    const field = `${path}.nonResourceURLs`;
    return [
      ...(namespaced
        ? [invalid(field, urls, 'namespaced rules cannot apply to non-resource URLs')]
        : []),
      ...(both
        ? [
            invalid(
              field,
              urls,
              'rules cannot apply to both regular resources and non-resource URLs',
            ),
          ]
        : []),
    ];
  }
  return [
    ...needed(rule, path, 'apiGroups', 'resource rules must supply at least one api group'),
    ...needed(rule, path, 'resources', 'resource rules must supply at least one resource'),
  ];
}

const roleRules: KindRules = {
  validate: (object) =>
    objects(object, 'rules').flatMap((rule, at) => policyRuleRules(rule, `rules[${at}]`, true)),
};

const clusterRoleRules: KindRules = {
  validate: (object) => {
    const aggregation = part(object, 'aggregationRule');
    const path = 'aggregationRule.clusterRoleSelectors';
    const detail = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
    return [
      ...objects(object, 'rules').flatMap((rule, at) =>
        policyRuleRules(rule, `rules[${at}]`, false),
      ),
      ...(object['aggregationRule'] === undefined
        ? []
        : needed(aggregation, 'aggregationRule', 'clusterRoleSelectors', detail)),
      ...objects(aggregation, 'clusterRoleSelectors').flatMap((selector, at) =>
        labelSelectorRules(selector, `${path}[${at}]`),
      ),
    ];
  },
};

export const roles: KindDefinition = {
  resource: 'rbac.authorization.{domain}/roles',
  names: 'path-segment',
  createOnUpdate: true,
  validation: roleRules,
  table: roleTable,
};

export const clusterRoles: KindDefinition = {
  resource: 'rbac.authorization.{domain}/clusterroles',
  names: 'path-segment',
  createOnUpdate: true,
  validation: clusterRoleRules,
  table: roleTable,
};

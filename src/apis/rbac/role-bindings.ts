/** RoleBindings and ClusterRoleBindings: who holds a role. */
import { invalid, notSupported } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { DefaultOf, TypeDefaults, DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import {
  checkDns1123Subdomain,
  checkPathSegmentName,
} from '../../apimachinery/validation/names.ts';
import type { FieldMaps } from '../conversion/conversion.ts';
import { defined, eachOf } from '../conversion/fields.ts';
import { ageColumn, column, nameColumn, table, wide } from '../tables/columns.ts';
import { objectsAt, printedAt, valueAt } from '../tables/fields.ts';
import type { Problems } from '../validation/checks.ts';
import { form, needed } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { KindDefinition } from '../kind-definition.ts';

function subjects(binding: JsonObject, kind: string): string {
  return objectsAt(binding, 'subjects')
    .filter((subject) => subject['kind'] === kind)
    .map((subject) => {
      const name = printedAt(subject, 'name');
      return kind === 'ServiceAccount' ? `${printedAt(subject, 'namespace')}/${name}` : name;
    })
    .join(', ');
}

const bindingTable = table([
  nameColumn,
  column('Role', 'The role that is given.', (object) => {
    const role = valueAt(object, 'roleRef');
    return `${printedAt(role, 'kind')}/${printedAt(role, 'name')}`;
  }),
  ageColumn,
  wide(column('Users', 'Users it is given to.', (object) => subjects(object, 'User'))),
  wide(column('Groups', 'Groups it is given to.', (object) => subjects(object, 'Group'))),
  wide(
    column('ServiceAccounts', 'Service accounts it is given to.', (object) =>
      subjects(object, 'ServiceAccount'),
    ),
  ),
]);

/** `kinds` of role that the binding may name. The binding of a namespace need not say which one its
 * service accounts are in: its own. */
function bindingRules(identity: Identity, kinds: readonly string[]): KindRules {
  const group = identity.groups.rbac;
  const namespaced = kinds.includes('Role');
  const subjectRules = (subject: JsonObject, path: string): Problems => {
    const kind = text(subject, 'kind');
    const apiGroup = text(subject, 'apiGroup');
    const ofGroup = (wanted: string): Problems =>
      apiGroup === wanted ? [] : [notSupported(`${path}.apiGroup`, apiGroup, [wanted])];
    switch (kind) {
      case 'ServiceAccount':
        return [
          ...form(`${path}.name`, text(subject, 'name'), checkDns1123Subdomain),
          ...ofGroup(''),
          ...(namespaced ? [] : needed(subject, path, 'namespace')),
        ];
      case 'User':
      case 'Group':
        return ofGroup(group);
      default:
        return [notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
    }
  };
  return {
    validate: (object) => {
      const ref = part(object, 'roleRef');
      const [apiGroup, kind] = [text(ref, 'apiGroup'), text(ref, 'kind')];
      return [
        ...(apiGroup === group ? [] : [notSupported('roleRef.apiGroup', apiGroup, [group])]),
        ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
        ...form('roleRef.name', text(ref, 'name'), checkPathSegmentName),
        ...objects(object, 'subjects').flatMap((subject, at) =>
          subjectRules(subject, `subjects[${at}]`),
        ),
      ];
    },
    validateUpdate: (next, current) =>
      deepEqual(next['roleRef'], current['roleRef'])
        ? []
        : [invalid('roleRef', next['roleRef'], 'cannot change roleRef')],
  };
}

/** Subjects of rbac/v1alpha1 name an apiVersion where later ones name a group; of the kinds that
 * RBAC knows, the kind says which. */
function subjectMaps(group: string): FieldMaps {
  const known = new Map([
    ['ServiceAccount', { apiVersion: 'v1', apiGroup: undefined }],
    ['User', { apiVersion: `${group}/v1alpha1`, apiGroup: group }],
    ['Group', { apiVersion: `${group}/v1alpha1`, apiGroup: group }],
  ]);
  return {
    toHub: (binding) =>
      eachOf(binding, 'subjects', ({ apiVersion, ...subject }) => {
        const own = known.get(text(subject, 'kind'));
        const named = typeof apiVersion === 'string' ? groupOf(apiVersion) : undefined;
        return defined({ ...subject, apiGroup: own === undefined ? named : own.apiGroup });
      }),
    fromHub: (binding) =>
      eachOf(binding, 'subjects', ({ apiGroup, ...subject }) => {
        const own = known.get(text(subject, 'kind'));
        const named = typeof apiGroup === 'string' && apiGroup !== '' ? apiGroup : undefined;
        if (own?.apiGroup === named) return defined({ ...subject, apiVersion: own?.apiVersion });
        return named === undefined ? subject : { ...subject, apiVersion: `${named}/` };
      }),
  };
}

/** Undefined for the core group. */
function groupOf(apiVersion: string): string | undefined {
  const end = apiVersion.indexOf('/');
  return end <= 0 ? undefined : apiVersion.slice(0, end);
}

const subjectGroup: DefaultOf = ({ kind }, { identity }) =>
  kind === 'User' || kind === 'Group' ? identity.groups.rbac : undefined;

/** The alpha version says group and version of the subject's kind. */
const subjectVersion: DefaultOf = ({ kind }, { identity }) => {
  if (kind === 'ServiceAccount') return 'v1';
  return kind === 'User' || kind === 'Group' ? `${identity.groups.rbac}/v1alpha1` : undefined;
};

const roleRef: TypeDefaults = { apiGroup: (_ref, { identity }) => identity.groups.rbac };

const bindingDefaults: DefaultTable = {
  fields: {
    'rbac/v1.RoleRef': roleRef,
    'rbac/v1.Subject': { apiGroup: subjectGroup },
    'rbac/v1alpha1.RoleRef': roleRef,
    'rbac/v1alpha1.Subject': { apiVersion: subjectVersion },
    'rbac/v1beta1.RoleRef': roleRef,
    'rbac/v1beta1.Subject': { apiGroup: subjectGroup },
  },
};

const subjectConversion = ({ groups }: Identity): FieldMaps => subjectMaps(groups.rbac);

export const roleBindings: KindDefinition = {
  resource: 'rbac.authorization.{domain}/rolebindings',
  names: 'path-segment',
  createOnUpdate: true,
  defaults: bindingDefaults,
  validation: (identity) => bindingRules(identity, ['Role', 'ClusterRole']),
  schemaExemptions: { optional: 'rbac.RoleRef.apiGroup rbac.RoleRef.kind rbac.Subject.kind' },
  table: bindingTable,
  versions: { v1alpha1: { conversion: subjectConversion } },
};

export const clusterRoleBindings: KindDefinition = {
  resource: 'rbac.authorization.{domain}/clusterrolebindings',
  names: 'path-segment',
  createOnUpdate: true,
  validation: (identity) => bindingRules(identity, ['ClusterRole']),
  table: bindingTable,
  versions: { v1alpha1: { conversion: subjectConversion } },
};

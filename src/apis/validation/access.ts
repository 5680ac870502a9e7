/** Rules of roles, bindings, signing requests, nodes and events. */
import { invalid, notSupported, required } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { items, objects, part, text, texts } from '../../apimachinery/members.ts';
import {
  checkDns1123Subdomain,
  checkPathSegmentName,
} from '../../apimachinery/validation/names.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { form, needed, numberOf } from './checks.ts';
import type { Problems } from './checks.ts';
import { labelSelectorRules } from './labels.ts';
import type { KindRules } from './kind-rules.ts';

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

export const roleRules: KindRules = {
  validate: (object) =>
    objects(object, 'rules').flatMap((rule, at) => policyRuleRules(rule, `rules[${at}]`, true)),
};

export const clusterRoleRules: KindRules = {
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

/** `kinds` of role that the binding may name. The binding of a namespace need not say which one its
 * service accounts are in: its own. */
export function bindingRules(identity: Identity, kinds: readonly string[]): KindRules {
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

const leastSigningSeconds = 600;

export const signingRequestRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const usages = texts(spec, 'usages');
    const seconds = numberOf(spec['expirationSeconds']) ?? leastSigningSeconds;
    const least =
      `may not specify a duration less than ${leastSigningSeconds} seconds ` + '(10 minutes)';
    return [
      ...(usages.length === 0 ? [required('spec.usages')] : []),
      ...signerRules(text(spec, 'signerName')),
      ...(seconds < leastSigningSeconds ? [invalid('spec.expirationSeconds', seconds, least)] : []),
    ];
  },
};

function signerRules(name: string): Problems {
  if (name === '') return [];
  const [domain = '', path, ...more] = name.split('/');
  if (path !== undefined && path !== '' && more.length === 0 && domain.includes('.')) {
    return form('spec.signerName', domain, checkDns1123Subdomain);
  }
  const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
  return [invalid('spec.signerName', name, detail)];
}

/** Events stand in the namespace of what they are about; those about cluster objects in default. */
export function eventRules(identity: Identity): KindRules {
  const shared = ['', identity.namespaces.default, identity.namespaces.system];
  return {
    validate: (event) => {
      const own = event.metadata.namespace;
      // Said of the metadata already.
      if (own === undefined) return [];
      const about = text(part(event, 'involvedObject'), 'namespace');
      const fits = about === '' ? shared.includes(own) : about === own;
      const field = 'involvedObject.namespace';
      return fits ? [] : [invalid(field, about, 'does not match event.namespace')];
    },
  };
}

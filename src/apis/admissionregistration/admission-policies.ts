/** Policies that decide on requests by expressions, and the bindings that put them to work. */
import { mutatingPolicyExpressions } from './admission-expressions.ts';
import { validatingPolicyExpressions } from './admission-expressions.ts';
import type { TypeDefaults, DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { ageColumn, column, integer, nameColumn, selectorText, table } from '../tables/columns.ts';
import { objectsAt, printedAt, valueAt } from '../tables/fields.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { validatingPolicyRules, policyBindingRules, mutatingPolicyRules } from './policy-rules.ts';

const paramKindColumn = column('ParamKind', 'Kind of the objects that set it up.', (object) => {
  const kind = valueAt(object, 'spec', 'paramKind');
  return kind === undefined
    ? '<unset>'
    : `${printedAt(kind, 'apiVersion')}/${printedAt(kind, 'kind')}`;
});

const validatingPolicyTable = table([
  nameColumn,
  integer(
    'Validations',
    'Number of rules.',
    (object) => objectsAt(object, 'spec', 'validations').length,
  ),
  paramKindColumn,
  ageColumn,
]);

const mutatingPolicyTable = table([
  nameColumn,
  integer(
    'Mutations',
    'Number of changes.',
    (object) => objectsAt(object, 'spec', 'mutations').length,
  ),
  paramKindColumn,
  ageColumn,
]);

function paramRef(binding: JsonObject): string {
  const reference = valueAt(binding, 'spec', 'paramRef');
  const name = printedAt(reference, 'name');
  if (name !== '') return `${printedAt(reference, 'namespace') || '*'}/${name}`;
  const selector = valueAt(reference, 'selector');
  return selector === undefined ? '<unset>' : selectorText(selector);
}

const policyBindingTable = table([
  nameColumn,
  column('PolicyName', 'The policy.', (object) => printedAt(object, 'spec', 'policyName')),
  column('ParamRef', 'The object that sets it up.', paramRef),
  ageColumn,
]);

const matchResources: TypeDefaults = {
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
};

const failClosed: TypeDefaults = { failurePolicy: 'Fail' };

const validatingPolicyDefaults: DefaultTable = {
  fields: {
    'admissionregistration/v1.MatchResources': matchResources,
    'admissionregistration/v1.ValidatingAdmissionPolicySpec': failClosed,
    'admissionregistration/v1beta1.MatchResources': matchResources,
    'admissionregistration/v1beta1.ValidatingAdmissionPolicySpec': failClosed,
    'admissionregistration/v1alpha1.MatchResources': matchResources,
    'admissionregistration/v1alpha1.ValidatingAdmissionPolicySpec': failClosed,
  },
};

const mutatingPolicyDefaults: DefaultTable = {
  fields: { 'admissionregistration/v1alpha1.MutatingAdmissionPolicySpec': failClosed },
};

const policyBindingDefaults: DefaultTable = {
  fields: {
    'admissionregistration/v1alpha1.ParamRef': { parameterNotFoundAction: 'Deny' },
  },
};

export const validatingAdmissionPolicies: KindDefinition = {
  resource: 'admissionregistration.{domain}/validatingadmissionpolicies',
  anyFinalizer: true,
  expressions: validatingPolicyExpressions,
  conditionalUpdateOnly: true,
  tracksGeneration: true,
  keptByStatus: 'all',
  defaults: validatingPolicyDefaults,
  validation: validatingPolicyRules,
  table: validatingPolicyTable,
};

export const validatingAdmissionPolicyBindings: KindDefinition = {
  resource: 'admissionregistration.{domain}/validatingadmissionpolicybindings',
  anyFinalizer: true,
  conditionalUpdateOnly: true,
  tracksGeneration: true,
  defaults: policyBindingDefaults,
  validation: policyBindingRules(true),
  table: policyBindingTable,
};

export const mutatingAdmissionPolicies: KindDefinition = {
  resource: 'admissionregistration.{domain}/mutatingadmissionpolicies',
  anyFinalizer: true,
  expressions: mutatingPolicyExpressions,
  conditionalUpdateOnly: true,
  tracksGeneration: true,
  defaults: mutatingPolicyDefaults,
  validation: mutatingPolicyRules,
  table: mutatingPolicyTable,
  featureGates: ['MutatingAdmissionPolicy'],
};

export const mutatingAdmissionPolicyBindings: KindDefinition = {
  resource: 'admissionregistration.{domain}/mutatingadmissionpolicybindings',
  anyFinalizer: true,
  conditionalUpdateOnly: true,
  tracksGeneration: true,
  validation: policyBindingRules(false),
  table: policyBindingTable,
  featureGates: ['MutatingAdmissionPolicy'],
};

/** Defaults of access, admission, flow control and networking policies. */
import type { DefaultOf, DefaultTable, TypeDefaults } from '../../apimachinery/typed/defaulting.ts';

const httpsPort = 443;

const webhook: TypeDefaults = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

const matchResources: TypeDefaults = {
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
};

const subjectGroup: DefaultOf = ({ kind }, { identity }) =>
  kind === 'User' || kind === 'Group' ? identity.groups.rbac : undefined;

/** The alpha version says group and version of the subject's kind. */
const subjectVersion: DefaultOf = ({ kind }, { identity }) => {
  if (kind === 'ServiceAccount') return 'v1';
  return kind === 'User' || kind === 'Group' ? `${identity.groups.rbac}/v1alpha1` : undefined;
};

const failClosed: TypeDefaults = { failurePolicy: 'Fail' };
const everyScope: TypeDefaults = { scope: '*' };

export const policyDefaults: DefaultTable = {
  fields: {
    'admissionregistration/v1.ValidatingWebhook': webhook,
    'admissionregistration/v1.MutatingWebhook': { ...webhook, reinvocationPolicy: 'Never' },
    'admissionregistration/v1.ServiceReference': { port: httpsPort },
    'admissionregistration/v1.Rule': everyScope,
    'admissionregistration/v1.MatchResources': matchResources,
    'admissionregistration/v1.ValidatingAdmissionPolicySpec': failClosed,
    'admissionregistration/v1beta1.MatchResources': matchResources,
    'admissionregistration/v1beta1.ValidatingAdmissionPolicySpec': failClosed,
    'admissionregistration/v1alpha1.MatchResources': matchResources,
    'admissionregistration/v1alpha1.ParamRef': { parameterNotFoundAction: 'Deny' },
    'admissionregistration/v1alpha1.ValidatingAdmissionPolicySpec': failClosed,
    'admissionregistration/v1alpha1.MutatingAdmissionPolicySpec': failClosed,
    'rbac/v1.RoleRef': { apiGroup: (_ref, { identity }) => identity.groups.rbac },
    'rbac/v1.Subject': { apiGroup: subjectGroup },
    'rbac/v1alpha1.RoleRef': { apiGroup: (_ref, { identity }) => identity.groups.rbac },
    'rbac/v1alpha1.Subject': { apiVersion: subjectVersion },
    'flowcontrol/v1.FlowSchemaSpec': { matchingPrecedence: 1000 },
    'flowcontrol/v1.ExemptPriorityLevelConfiguration': {
      nominalConcurrencyShares: 0,
      lendablePercent: 0,
    },
    'flowcontrol/v1.LimitedPriorityLevelConfiguration': {
      nominalConcurrencyShares: 30,
      lendablePercent: 0,
    },
    'flowcontrol/v1.QueuingConfiguration': { queues: 64, handSize: 8, queueLengthLimit: 50 },
    'networking/v1.NetworkPolicyPort': { protocol: 'TCP' },
    'networking/v1.NetworkPolicySpec': {
      policyTypes: ({ egress }) =>
        Array.isArray(egress) && egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'],
    },
    'networking/v1.IngressClassParametersReference': { scope: 'Cluster' },
    'scheduling/v1.PriorityClass': { preemptionPolicy: 'PreemptLowerPriority' },
    'discovery/v1.EndpointPort': { name: '', protocol: 'TCP' },
  },
};

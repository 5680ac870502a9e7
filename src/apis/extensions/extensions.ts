/**
 * The first group of kinds beside the core ones: each of them lives on in another group, which
 * stores its objects and has its rules. What stands here is what only these versions have.
 */
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { daemonSetTable } from '../apps/daemon-sets.ts';
import { daemonSetMaps, deploymentMaps } from '../apps/conversion.ts';
import { deploymentTable } from '../apps/deployments.ts';
import { replicaSetTable } from '../apps/replica-sets.ts';
import { ingressTable } from '../networking/ingresses.ts';
import { ingressMaps } from '../networking/ingress-conversion.ts';
import { networkPolicyTable } from '../networking/network-policies.ts';
import { selectorOfTemplate, replicas, rollingUpdate } from '../apps/template-defaults.ts';

const int32Max = 2_147_483_647;

const deploymentDefaults: DefaultTable = {
  fields: {
    'extensions/v1beta1.DeploymentSpec': {
      selector: selectorOfTemplate,
      ...replicas(int32Max),
      progressDeadlineSeconds: int32Max,
    },
    'extensions/v1beta1.DeploymentStrategy': rollingUpdate,
    'extensions/v1beta1.RollingUpdateDeployment': { maxUnavailable: 1, maxSurge: 1 },
  },
};

const daemonSetDefaults: DefaultTable = {
  fields: {
    'extensions/v1beta1.DaemonSetSpec': { selector: selectorOfTemplate, revisionHistoryLimit: 10 },
    'extensions/v1beta1.DaemonSetUpdateStrategy': { type: 'OnDelete' },
    'extensions/v1beta1.RollingUpdateDaemonSet': { maxUnavailable: 1 },
  },
};

const replicaSetDefaults: DefaultTable = {
  fields: {
    'extensions/v1beta1.ReplicaSetSpec': { selector: selectorOfTemplate, replicas: 1 },
  },
};

const ingressDefaults: DefaultTable = {
  fields: { 'extensions/v1beta1.HTTPIngressPath': { pathType: 'ImplementationSpecific' } },
};

const networkPolicyDefaults: DefaultTable = {
  fields: {
    'extensions/v1beta1.NetworkPolicyPort': { protocol: 'TCP' },
    'extensions/v1beta1.NetworkPolicySpec': {
      policyTypes: ({ egress }) => (egress === undefined ? ['Ingress'] : ['Ingress', 'Egress']),
    },
  },
};

export const daemonSets: KindDefinition = {
  resource: 'extensions/daemonsets',
  storedIn: 'apps',
  defaults: daemonSetDefaults,
  table: daemonSetTable,
  versions: { v1beta1: { conversion: daemonSetMaps, orphansDependents: true } },
};

export const deployments: KindDefinition = {
  resource: 'extensions/deployments',
  storedIn: 'apps',
  defaults: deploymentDefaults,
  table: deploymentTable,
  versions: { v1beta1: { conversion: deploymentMaps, orphansDependents: true } },
};

export const replicaSets: KindDefinition = {
  resource: 'extensions/replicasets',
  storedIn: 'apps',
  defaults: replicaSetDefaults,
  table: replicaSetTable,
  versions: { v1beta1: { orphansDependents: true } },
};

export const ingresses: KindDefinition = {
  resource: 'extensions/ingresses',
  storedIn: 'networking.{domain}',
  defaults: ingressDefaults,
  table: ingressTable,
  versions: { v1beta1: { conversion: ingressMaps } },
};

export const networkPolicies: KindDefinition = {
  resource: 'extensions/networkpolicies',
  storedIn: 'networking.{domain}',
  defaults: networkPolicyDefaults,
  table: networkPolicyTable,
};

export const podSecurityPolicies: KindDefinition = {
  resource: 'extensions/podsecuritypolicies',
  storedIn: 'policy',
};

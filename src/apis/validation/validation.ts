/**
 * Hand-written rules of the built-in kinds: what a schema does not say.
 *
 * What it is not: the checks that follow from the schema (required fields, enumerations: they run
 * first, for every kind, see src/apimachinery/typed/validate-typed.ts), nor those of metadata.
 *
 *     'apps/deployments': deploymentRules      `<group template>/<resource>`, as in behaviour.ts
 *
 * Rules see objects that are typed, defaulted, prepared, and in the storage version of their
 * resource. They are pure: they run inside an actor's decision and may run again. Each rule adds
 * one FieldError for each wrong field, with its full path.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import * as access from './access.ts';
import * as admission from './admission.ts';
import { configMapRules, secretRules } from './config.ts';
import { cronJobRules, jobRules } from './jobs.ts';
import { migratedRules, notMigrated } from './migrated-rules.ts';
import type { Migration } from './migrated-rules.ts';
import * as networking from './networking.ts';
import type { KindRules } from './kind-rules.ts';
import { podRules, podTemplateRules } from './pods.ts';
import { declaredResourceSliceRules } from './resource-slice-declarations.ts';
import { resourceSliceProblems } from './resource-slices.ts';
import * as scaling from './scaling.ts';
import * as services from './services.ts';
import * as storage from './storage.ts';
import * as workloads from './workloads.ts';

/** Rules by resource. A resource that is not in it has none. */
export function kindRulesOf(
  identity: Identity,
  migration: Migration = notMigrated,
): Readonly<Record<string, KindRules>> {
  const slices = 'resource.{domain}/resourceslices';
  return {
    ...coreRules(identity),
    ...workloadRules,
    ...clusterRules(identity),
    [slices]: migratedRules(
      {
        resource: 'resourceslices',
        handwritten: resourceSliceProblems,
        declared: (slice, current) => declaredResourceSliceRules(slice).validate(slice, current),
      },
      migration,
    ),
  };
}

function coreRules(identity: Identity): Readonly<Record<string, KindRules>> {
  return {
    '/configmaps': configMapRules,
    '/endpoints': services.endpointsRules,
    '/events': access.eventRules(identity),
    '/limitranges': scaling.limitRangeRules,
    '/nodes': access.nodeRules,
    '/persistentvolumeclaims': storage.persistentVolumeClaimRules,
    '/persistentvolumes': storage.persistentVolumeRules,
    '/pods': podRules,
    '/podtemplates': podTemplateRules,
    '/replicationcontrollers': workloads.replicationControllerRules,
    '/resourcequotas': scaling.resourceQuotaRules,
    '/secrets': secretRules(identity),
    '/services': services.serviceRules,
  };
}

const workloadRules: Readonly<Record<string, KindRules>> = {
  'apps/daemonsets': workloads.daemonSetRules,
  'apps/deployments': workloads.deploymentRules,
  'apps/replicasets': workloads.replicaSetRules,
  'apps/statefulsets': workloads.statefulSetRules,
  'autoscaling/horizontalpodautoscalers': scaling.autoscalerRules,
  'batch/cronjobs': cronJobRules,
  'batch/jobs': jobRules,
  'policy/poddisruptionbudgets': scaling.disruptionBudgetRules,
};

function clusterRules(identity: Identity): Readonly<Record<string, KindRules>> {
  const rbac = 'rbac.authorization.{domain}';
  return {
    'admissionregistration.{domain}/mutatingwebhookconfigurations': admission.webhookRules,
    'admissionregistration.{domain}/validatingwebhookconfigurations': admission.webhookRules,
    'admissionregistration.{domain}/validatingadmissionpolicybindings':
      admission.policyBindingRules,
    'certificates.{domain}/certificatesigningrequests': access.signingRequestRules,
    'coordination.{domain}/leases': access.leaseRules,
    'discovery.{domain}/endpointslices': services.endpointSliceRules,
    'flowcontrol.{domain}/flowschemas': admission.flowSchemaRules,
    'flowcontrol.{domain}/prioritylevelconfigurations': admission.priorityLevelRules,
    'networking.{domain}/ingressclasses': networking.ingressClassRules,
    'networking.{domain}/ingresses': networking.ingressRules,
    'networking.{domain}/networkpolicies': networking.networkPolicyRules,
    'node.{domain}/runtimeclasses': scaling.runtimeClassRules,
    [`${rbac}/clusterrolebindings`]: access.bindingRules(identity, ['ClusterRole']),
    [`${rbac}/clusterroles`]: access.clusterRoleRules,
    [`${rbac}/rolebindings`]: access.bindingRules(identity, ['Role', 'ClusterRole']),
    [`${rbac}/roles`]: access.roleRules,
    'scheduling.{domain}/priorityclasses': scaling.priorityClassRules,
    'storage.{domain}/storageclasses': storage.storageClassRules,
    'storage.{domain}/volumeattachments': storage.volumeAttachmentRules,
  };
}

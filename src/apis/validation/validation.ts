/**
 * Hand-written rules of the built-in kinds: what a schema does not say.
 *
 * What it is not: the checks that follow from the schema (required fields, enumerations: they run
 * first, for every kind, see src/apimachinery/typed/validate-typed.ts), nor those of metadata.
 *
 *     'apps/deployments': deploymentRules      `<group template>/<resource>`, as in behaviour.ts
 *
 * Rules see objects that are typed, defaulted, prepared, and in the version that their resource is
 * judged in (judged-version.ts). They are pure: they run inside an actor's decision and may run
 * again. Each rule adds one FieldError for each wrong field, with its full path.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { lookup } from '../../stdx/lookup.ts';
import * as access from './access.ts';
import { ipAddressRules, serviceCidrRules } from './addresses.ts';
import { webhookRules } from './admission.ts';
import { apiServiceRules } from './api-services.ts';
import * as policies from './admission-policies.ts';
import { autoscalerRules } from './autoscalers.ts';
import * as classes from './budgets-and-classes.ts';
import { persistentVolumeClaimRules } from './claims.ts';
import { configMapRules, secretRules } from './config.ts';
import * as csi from './csi.ts';
import { definitionRules } from './definitions.ts';
import * as devices from './device-claims.ts';
import { endpointSliceRules, endpointsRules } from './endpoints.ts';
import { flowSchemaRules, priorityLevelRules } from './flow-control.ts';
import { cronJobRules, jobRules } from './jobs.ts';
import { leaseCandidateRules, leaseRules } from './leases.ts';
import { migratedRules, notMigrated } from './migrated-rules.ts';
import type { Migration } from './migrated-rules.ts';
import * as networking from './networking.ts';
import type { KindRules } from './kind-rules.ts';
import { nodeRules } from './nodes.ts';
import { persistentVolumeRules } from './persistent-volumes.ts';
import { podRules, podTemplateRules } from './pods.ts';
import { declaredResourceSliceRules } from './resource-slice-declarations.ts';
import { limitRangeRules, resourceQuotaRules } from './quotas.ts';
import { resourceSliceProblems } from './resource-slices.ts';
import * as revisions from './revisions.ts';
import { serviceRules } from './services.ts';
import * as storage from './storage.ts';
import * as workloads from './workloads.ts';

/** Rules by resource. A resource that is not in it has none. */
export function kindRulesOf(
  identity: Identity,
  migration: Migration = notMigrated,
): Readonly<Record<string, KindRules>> {
  const slices = 'resource.{domain}/resourceslices';
  return lookup({
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
  });
}

function coreRules(identity: Identity): Readonly<Record<string, KindRules>> {
  return lookup({
    '/configmaps': configMapRules,
    '/endpoints': endpointsRules,
    '/events': access.eventRules(identity),
    '/limitranges': limitRangeRules,
    '/nodes': nodeRules,
    '/persistentvolumeclaims': persistentVolumeClaimRules,
    '/persistentvolumes': persistentVolumeRules,
    '/pods': podRules,
    '/podtemplates': podTemplateRules,
    '/replicationcontrollers': workloads.replicationControllerRules,
    '/resourcequotas': resourceQuotaRules,
    '/secrets': secretRules(identity),
    '/services': serviceRules,
  });
}

const workloadRules: Readonly<Record<string, KindRules>> = lookup({
  'apps/controllerrevisions': revisions.controllerRevisionRules,
  'apps/daemonsets': workloads.daemonSetRules,
  'apps/deployments': workloads.deploymentRules,
  'apps/replicasets': workloads.replicaSetRules,
  'apps/statefulsets': workloads.statefulSetRules,
  'autoscaling/horizontalpodautoscalers': autoscalerRules,
  'batch/cronjobs': cronJobRules,
  'batch/jobs': jobRules,
  'policy/poddisruptionbudgets': classes.disruptionBudgetRules,
});

function clusterRules(identity: Identity): Readonly<Record<string, KindRules>> {
  const rbac = 'rbac.authorization.{domain}';
  return lookup({
    ...policyRules,
    'apiregistration.{domain}/apiservices': apiServiceRules,
    'certificates.{domain}/certificatesigningrequests': access.signingRequestRules,
    'certificates.{domain}/clustertrustbundles': revisions.clusterTrustBundleRules,
    'coordination.{domain}/leasecandidates': leaseCandidateRules,
    'coordination.{domain}/leases': leaseRules,
    'discovery.{domain}/endpointslices': endpointSliceRules,
    'networking.{domain}/ingressclasses': networking.ingressClassRules,
    'networking.{domain}/ingresses': networking.ingressRules(identity),
    'networking.{domain}/ipaddresses': ipAddressRules,
    'networking.{domain}/networkpolicies': networking.networkPolicyRules,
    'networking.{domain}/servicecidrs': serviceCidrRules,
    'node.{domain}/runtimeclasses': classes.runtimeClassRules,
    [`${rbac}/clusterrolebindings`]: access.bindingRules(identity, ['ClusterRole']),
    [`${rbac}/clusterroles`]: access.clusterRoleRules,
    [`${rbac}/rolebindings`]: access.bindingRules(identity, ['Role', 'ClusterRole']),
    [`${rbac}/roles`]: access.roleRules,
    'resource.{domain}/deviceclasses': devices.deviceClassRules,
    'resource.{domain}/devicetaintrules': devices.deviceTaintRuleRules,
    'resource.{domain}/resourceclaims': devices.resourceClaimRules,
    'resource.{domain}/resourceclaimtemplates': devices.resourceClaimTemplateRules,
    'scheduling.{domain}/priorityclasses': classes.priorityClassRules,
    'storage.{domain}/csidrivers': csi.csiDriverRules,
    'storage.{domain}/csinodes': csi.csiNodeRules,
    'storage.{domain}/csistoragecapacities': csi.csiStorageCapacityRules,
    'storage.{domain}/storageclasses': storage.storageClassRules,
    'storage.{domain}/volumeattachments': storage.volumeAttachmentRules,
    'storage.{domain}/volumeattributesclasses': csi.volumeAttributesClassRules,
    'storagemigration.{domain}/storageversionmigrations': revisions.storageVersionMigrationRules,
  });
}

const policyRules: Readonly<Record<string, KindRules>> = lookup({
  'admissionregistration.{domain}/mutatingadmissionpolicies': policies.mutatingPolicyRules,
  'admissionregistration.{domain}/mutatingadmissionpolicybindings':
    policies.policyBindingRules(false),
  'admissionregistration.{domain}/mutatingwebhookconfigurations': webhookRules,
  'admissionregistration.{domain}/validatingadmissionpolicies': policies.validatingPolicyRules,
  'admissionregistration.{domain}/validatingadmissionpolicybindings':
    policies.policyBindingRules(true),
  'admissionregistration.{domain}/validatingwebhookconfigurations': webhookRules,
  'apiextensions.{domain}/customresourcedefinitions': definitionRules,
  'flowcontrol.{domain}/flowschemas': flowSchemaRules,
  'flowcontrol.{domain}/prioritylevelconfigurations': priorityLevelRules,
});

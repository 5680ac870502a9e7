/**
 * Which table each resource has. What is not here has the default two columns.
 *
 * Rules: a key is a group template and a resource, for every version: cells read what the version
 * of the request holds, and look in each place where a version may have it.
 */
import type { TablePrinter } from '../../apimachinery/projection/printer.ts';
import { lookup } from '../../stdx/lookup.ts';
import * as access from './access.ts';
import { horizontalPodAutoscalers } from './autoscalers.ts';
import type { Fill } from './columns.ts';
import * as core from './core.ts';
import * as networking from './networking.ts';
import { pods, podTemplates } from './pods.ts';
import * as server from './server.ts';
import * as volumes from './volumes.ts';
import * as workloads from './workloads.ts';

type Tables = Readonly<Record<string, TablePrinter>>;

const fixed: Tables = lookup({
  '/pods': pods,
  '/podtemplates': podTemplates,
  '/namespaces': core.namespaces,
  '/configmaps': core.configMaps,
  '/secrets': core.secrets,
  '/serviceaccounts': core.serviceAccounts,
  '/replicationcontrollers': core.replicationControllers,
  '/resourcequotas': core.resourceQuotas,
  '/limitranges': core.limitRanges,
  '/componentstatuses': core.componentStatuses,
  '/events': core.events,
  'events.{domain}/events': core.events,
  '/services': networking.services,
  '/endpoints': networking.endpoints,
  'discovery.{domain}/endpointslices': networking.endpointSlices,
  'networking.{domain}/ingresses': networking.ingresses,
  'networking.{domain}/ingressclasses': networking.ingressClasses,
  'networking.{domain}/networkpolicies': networking.networkPolicies,
  'networking.{domain}/servicecidrs': networking.serviceCidrs,
  'networking.{domain}/ipaddresses': networking.ipAddresses,
  'apps/deployments': workloads.deployments,
  'apps/replicasets': workloads.replicaSets,
  'apps/statefulsets': workloads.statefulSets,
  'apps/daemonsets': workloads.daemonSets,
  'apps/controllerrevisions': workloads.controllerRevisions,
  'extensions/deployments': workloads.deployments,
  'extensions/replicasets': workloads.replicaSets,
  'extensions/daemonsets': workloads.daemonSets,
  'extensions/ingresses': networking.ingresses,
  'extensions/networkpolicies': networking.networkPolicies,
  'batch/jobs': workloads.jobs,
  'batch/cronjobs': workloads.cronJobs,
  'autoscaling/horizontalpodautoscalers': horizontalPodAutoscalers,
  'policy/poddisruptionbudgets': workloads.podDisruptionBudgets,
  'scheduling.{domain}/priorityclasses': workloads.priorityClasses,
  'node.{domain}/runtimeclasses': workloads.runtimeClasses,
  'storage.{domain}/volumeattachments': volumes.volumeAttachments,
  'storage.{domain}/csinodes': volumes.csiNodes,
  'storage.{domain}/csidrivers': volumes.csiDrivers,
  'storage.{domain}/csistoragecapacities': volumes.csiStorageCapacities,
  'rbac.authorization.{domain}/roles': access.roles,
  'rbac.authorization.{domain}/clusterroles': access.roles,
  'rbac.authorization.{domain}/rolebindings': access.bindings,
  'rbac.authorization.{domain}/clusterrolebindings': access.bindings,
  'certificates.{domain}/certificatesigningrequests': access.certificateSigningRequests,
  'certificates.{domain}/clustertrustbundles': access.clusterTrustBundles,
  'coordination.{domain}/leases': access.leases,
  'coordination.{domain}/leasecandidates': access.leaseCandidates,
  'admissionregistration.{domain}/mutatingwebhookconfigurations': server.webhookConfigurations,
  'admissionregistration.{domain}/validatingwebhookconfigurations': server.webhookConfigurations,
  'admissionregistration.{domain}/validatingadmissionpolicies': server.validatingAdmissionPolicies,
  'admissionregistration.{domain}/mutatingadmissionpolicies': server.mutatingAdmissionPolicies,
  'admissionregistration.{domain}/validatingadmissionpolicybindings':
    server.admissionPolicyBindings,
  'admissionregistration.{domain}/mutatingadmissionpolicybindings': server.admissionPolicyBindings,
  'apiregistration.{domain}/apiservices': server.apiServices,
  'flowcontrol.{domain}/flowschemas': server.flowSchemas,
  'flowcontrol.{domain}/prioritylevelconfigurations': server.priorityLevels,
  'internal.apiserver.{domain}/storageversions': server.storageVersions,
  'storagemigration.{domain}/storageversionmigrations': server.storageVersionMigrations,
  'resource.{domain}/deviceclasses': server.nameAndAge,
  'resource.{domain}/resourceclaims': server.resourceClaims,
  'resource.{domain}/resourceclaimtemplates': server.nameAndAge,
  'resource.{domain}/resourceslices': server.resourceSlices,
});

/** Those that read labels and annotations with the identity's domain. */
const named: Readonly<Record<string, (fill: Fill) => TablePrinter>> = lookup({
  '/nodes': core.nodes,
  '/persistentvolumes': volumes.persistentVolumes,
  '/persistentvolumeclaims': volumes.persistentVolumeClaims,
  'storage.{domain}/storageclasses': volumes.storageClasses,
  'storage.{domain}/volumeattributesclasses': volumes.volumeAttributesClasses,
});

/** The keys of all tables: group template and resource. */
export const tableKeys: readonly string[] = [...Object.keys(fixed), ...Object.keys(named)];

/** `key`: see resourceKey in catalogue.ts. */
export function tableOf(key: string, fill: Fill): TablePrinter | undefined {
  return fixed[key] ?? named[key]?.(fill);
}

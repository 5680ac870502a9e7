/** Pods: containers that run side by side on one node. */
import type { KindDefinition } from '../../kind-definition.ts';
import { podDefaults } from './defaults.ts';
import { podRules } from './validation/pods.ts';
import { podWarnings, templateWarnings } from './warnings.ts';
import { podStrategy } from './strategy.ts';
import { podTable } from './tables.ts';
import { podSubresources } from './subresources.ts';
import { decideBinding } from './binding.ts';
import { decideDisruptionMark } from './eviction.ts';

/** What a template says of owners is not looked at: its pods get others. Those of objects are. */
const templateOwner = ['apiVersion', 'kind', 'name', 'uid']
  .map((name) => `meta.OwnerReference.${name}`)
  .join(' ');

export const pods: KindDefinition = {
  resource: '/pods',
  decisions: { 'pods/binding': decideBinding, 'pods/eviction': decideDisruptionMark },
  returnsDeletedObject: true,
  tracksGeneration: true,
  // Old nodes' agents send owners that they have misread, and when they saw the pod deleted.
  keptByStatus: ['ownerReferences', 'deletionTimestamp'],
  selectableFields: `spec.nodeName spec.restartPolicy!Always spec.schedulerName!default-scheduler
    spec.serviceAccountName=spec.serviceAccountName|spec.serviceAccount spec.hostNetwork!false
    status.phase!Pending status.podIP status.podIPs status.nominatedNodeName`,
  defaults: podDefaults,
  validation: podRules,
  schemaExemptions: {
    optional: `core.HTTPHeader.value core.Sysctl.value core.PodReadinessGate.conditionType
 core.PodSchedulingGate.name core.TopologySpreadConstraint.whenUnsatisfiable core.HostAlias.ip
 ${templateOwner}`,
    openValues: `core.ContainerResizePolicy.resourceName core.EmptyDirVolumeSource.medium
 core.PodReadinessGate.conditionType`,
  },
  warnings: (identity) => podWarnings(templateWarnings(identity)),
  strategy: podStrategy,
  table: podTable,
  subresources: podSubresources,
};

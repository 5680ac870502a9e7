/** The core group: pods, and what they need to run. */
import type { GroupDefinition } from '../kind-definition.ts';
import { bindings } from './pods/subresources.ts';
import { componentStatuses } from './component-statuses.ts';
import { configMaps } from './config/config-maps.ts';
import { endpoints } from './services/endpoints.ts';
import { coreEvents } from '../events/events.ts';
import { limitRanges } from './quotas/limit-ranges.ts';
import { namespaces } from './namespaces/namespaces.ts';
import { nodes } from './nodes/nodes.ts';
import { persistentVolumes } from './volumes/persistent-volumes.ts';
import { persistentVolumeClaims } from './volumes/persistent-volume-claims.ts';
import { pods } from './pods/pods.ts';
import { podTemplates } from './pods/pod-templates.ts';
import { replicationControllers } from './replication-controllers.ts';
import { resourceQuotas } from './quotas/resource-quotas.ts';
import { secrets } from './config/secrets.ts';
import { services } from './services/services.ts';
import { serviceAccounts } from './config/service-accounts.ts';
import { podDescriptions } from './pods/descriptions.ts';
import { volumeDescriptions } from './volumes/descriptions.ts';
import { serviceDescriptions } from './services/descriptions.ts';
import { coreDescriptions } from './descriptions.ts';

export const coreGroup: GroupDefinition = {
  group: '',
  types: 'core',
  priority: 18_000,
  versions: { v1: { priority: 1 } },
  kinds: [
    bindings,
    componentStatuses,
    configMaps,
    endpoints,
    coreEvents,
    limitRanges,
    namespaces,
    nodes,
    persistentVolumes,
    persistentVolumeClaims,
    pods,
    podTemplates,
    replicationControllers,
    resourceQuotas,
    secrets,
    services,
    serviceAccounts,
  ],
  descriptions: [podDescriptions, volumeDescriptions, serviceDescriptions, coreDescriptions].join(
    '',
  ),
};

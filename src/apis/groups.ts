/**
 * Every built-in API group, in the order in which discovery lists them. A group names its kinds;
 * each kind's definition stands in its folder. Which of them are served is build-scheme.ts.
 */
import { admissionregistrationGroup } from './admissionregistration/group.ts';
import { apiextensionsGroup } from './apiextensions/group.ts';
import { apiregistrationGroup } from './apiregistration/group.ts';
import { appsGroup } from './apps/group.ts';
import { authenticationGroup } from './authentication/group.ts';
import { authorizationGroup } from './authorization/group.ts';
import { autoscalingGroup } from './autoscaling/group.ts';
import { batchGroup } from './batch/group.ts';
import { certificatesGroup } from './certificates/group.ts';
import { coordinationGroup } from './coordination/group.ts';
import { coreGroup } from './core/group.ts';
import { discoveryGroup } from './discovery/group.ts';
import { eventsGroup } from './events/group.ts';
import { extensionsGroup } from './extensions/group.ts';
import { flowcontrolGroup } from './flowcontrol/group.ts';
import { imagepolicyGroup } from './imagepolicy/group.ts';
import { internalGroup } from './internal/group.ts';
import type { GroupDefinition } from './kind-definition.ts';
import { networkingGroup } from './networking/group.ts';
import { nodeGroup } from './node/group.ts';
import { policyGroup } from './policy/group.ts';
import { rbacGroup } from './rbac/group.ts';
import { resourceGroup } from './resource/group.ts';
import { schedulingGroup } from './scheduling/group.ts';
import { storageGroup } from './storage/group.ts';
import { storagemigrationGroup } from './storagemigration/group.ts';

export const builtInGroups: readonly GroupDefinition[] = [
  coreGroup,
  apiregistrationGroup,
  extensionsGroup,
  appsGroup,
  eventsGroup,
  authenticationGroup,
  authorizationGroup,
  autoscalingGroup,
  batchGroup,
  certificatesGroup,
  networkingGroup,
  policyGroup,
  rbacGroup,
  storageGroup,
  admissionregistrationGroup,
  apiextensionsGroup,
  schedulingGroup,
  coordinationGroup,
  nodeGroup,
  discoveryGroup,
  resourceGroup,
  flowcontrolGroup,
  internalGroup,
  storagemigrationGroup,
  imagepolicyGroup,
];

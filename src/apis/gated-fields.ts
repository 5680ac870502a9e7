/**
 * Fields of features that a release has switched off: which gate each one needs, and where it
 * stands (spec 2, section 3.2). What takes them out of a write is strategy/drop-gated.ts.
 *
 * Elsewhere: from which release on a gate is on (feature-gates.ts); kinds that are served with a
 * gate only (`featureGates` of their definitions).
 *
 * Invariants: data, and functions of a pod's spec that change nothing but what their row names.
 * A path leads through the version that the rules of the kind are written for: names between
 * dots, `[]` after a list, each of whose items is meant, `?` after an object that goes with the
 * last of its members. Where rules know the form of each version (devices), each form has a path.
 */
import { isJsonObject, withMember, without } from '../apimachinery/unstructured.ts';
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { items, text } from '../apimachinery/members.ts';
import { lookup } from '../stdx/lookup.ts';
import { containerLists } from './core/pods/pod-parts.ts';

export interface GatedFields {
  readonly gate: string;
  readonly fields: readonly string[];
  /** Where one of these was there before, its feature is in use, and all of it is taken. Absent:
   * the fields. */
  readonly usedBy?: readonly string[];
  /** The part of the object that the paths start from, and that `drop` is given. Absent: all. */
  readonly within?: string;
  /** Takes out more than the fields. */
  readonly drop?: (object: JsonObject) => JsonObject;
}

const inContainers = (path: string): readonly string[] =>
  containerLists.map((list) => `${list}[].${path}`);

const ofPodSpecs: readonly GatedFields[] = [
  {
    gate: 'PodLevelResources',
    fields: ['resources'],
    usedBy: ['resources.requests', 'resources.limits'],
  },
  {
    gate: 'DynamicResourceAllocation',
    fields: ['resourceClaims', ...inContainers('resources.claims')],
    usedBy: ['resourceClaims'],
  },
  {
    gate: 'ClusterTrustBundleProjection',
    fields: ['volumes[].projected.sources[].clusterTrustBundle'],
  },
  { gate: 'ImageVolume', fields: ['volumes[].image'], drop: withoutImageVolumes },
  { gate: 'ContainerStopSignals', fields: inContainers('lifecycle?.stopSignal') },
];

const containerStatuses = [
  'initContainerStatuses',
  'containerStatuses',
  'ephemeralContainerStatuses',
] as const;

const podSpecAt = (within: string): readonly GatedFields[] =>
  ofPodSpecs.map((row) => ({ ...row, within }));

const ofPodStatus: readonly GatedFields[] = [
  {
    gate: 'DynamicResourceAllocation',
    fields: ['status.resourceClaimStatuses'],
    usedBy: ['spec.resourceClaims'],
  },
  {
    gate: 'PodObservedGenerationTracking',
    fields: ['status.observedGeneration', 'status.conditions[].observedGeneration'],
  },
  {
    gate: 'ResourceHealthStatus',
    fields: containerStatuses.map((list) => `status.${list}[].allocatedResourcesStatus`),
  },
];

/** Each of these fields is in use by itself. */
const each = (gate: string, ...paths: readonly string[]): readonly GatedFields[] =>
  paths.map((path) => ({ gate, fields: [path] }));

const inTemplate = podSpecAt('spec.template.spec');

const withReplicaSets: readonly GatedFields[] = [
  ...inTemplate,
  ...each('DeploymentReplicaSetTerminatingReplicas', 'status.terminatingReplicas'),
];

/** Of claims and their templates: what requests say beside their name, or under `exactly`. */
const claimAt = (spec: string, ...ofStatus: readonly string[]): readonly GatedFields[] => {
  const request = `${spec}.devices.requests[]`;
  const exact = (name: string): readonly string[] => [
    `${request}.exactly.${name}`,
    `${request}.${name}`,
  ];
  const others = `${request}.firstAvailable`;
  return [
    { gate: 'DRAPrioritizedList', fields: [others] },
    { gate: 'DRADeviceTaints', fields: [...exact('tolerations'), `${others}[].tolerations`] },
    { gate: 'DRAAdminAccess', fields: [...exact('adminAccess'), ...ofStatus] },
  ];
};

/** Of slices: what devices say beside their name, or under `basic`. */
const ofDevices = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [`spec.devices[].${name}`, `spec.devices[].basic.${name}`]);

/** By resource, as definitions name it. */
export const gatedFields: Readonly<Record<string, readonly GatedFields[]>> = lookup({
  '/pods': [...podSpecAt('spec'), ...ofPodStatus],
  '/podtemplates': podSpecAt('template.spec'),
  '/replicationcontrollers': inTemplate,
  'apps/daemonsets': inTemplate,
  'apps/deployments': withReplicaSets,
  'apps/replicasets': withReplicaSets,
  'apps/statefulsets': [
    ...inTemplate,
    ...each('MaxUnavailableStatefulSet', 'spec.updateStrategy.rollingUpdate.maxUnavailable'),
  ],
  'batch/cronjobs': podSpecAt('spec.jobTemplate.spec.template.spec'),
  'batch/jobs': inTemplate,
  'autoscaling/horizontalpodautoscalers': [
    {
      gate: 'HPAConfigurableTolerance',
      fields: ['spec.behavior.scaleUp.tolerance', 'spec.behavior.scaleDown.tolerance'],
    },
  ],
  '/persistentvolumes': each('VolumeAttributesClass', 'spec.volumeAttributesClassName'),
  '/persistentvolumeclaims': each(
    'VolumeAttributesClass',
    'spec.volumeAttributesClassName',
    'status.currentVolumeAttributesClassName',
    'status.modifyVolumeStatus',
  ),
  'coordination.{domain}/leases': each(
    'CoordinatedLeaderElection',
    'spec.strategy',
    'spec.preferredHolder',
  ),
  'discovery.{domain}/endpointslices': [
    { gate: 'PreferSameTrafficDistribution', fields: ['endpoints[].hints.forNodes'] },
  ],
  'resource.{domain}/resourceclaims': claimAt(
    'spec',
    'status.allocation.devices.results[].adminAccess',
  ),
  'resource.{domain}/resourceclaimtemplates': claimAt('spec.spec'),
  'resource.{domain}/resourceslices': [
    { gate: 'DRADeviceTaints', fields: ofDevices('taints') },
    {
      gate: 'DRAPartitionableDevices',
      fields: [
        'spec.sharedCounters',
        'spec.perDeviceNodeSelection',
        ...ofDevices('consumesCounters', 'nodeName', 'nodeSelector', 'allNodes'),
      ],
    },
  ],
  'storage.{domain}/csidrivers': each(
    'MutableCSINodeAllocatableCount',
    'spec.nodeAllocatableUpdatePeriodSeconds',
  ),
  'storage.{domain}/volumeattachments': each(
    'MutableCSINodeAllocatableCount',
    'status.attachError.errorCode',
    'status.detachError.errorCode',
  ),
});

/** A volume that only an image fills goes with everything that mounts it. */
function withoutImageVolumes(spec: JsonObject): JsonObject {
  const gone = new Set<string>();
  const kept = items(spec, 'volumes').filter((volume) => {
    if (!isJsonObject(volume) || volume['image'] === undefined) return true;
    gone.add(text(volume, 'name'));
    return false;
  });
  const isKept = (mount: JsonValue): boolean =>
    !isJsonObject(mount) || !gone.has(text(mount, 'name'));
  let made = withItems(spec, 'volumes', kept);
  for (const list of containerLists) {
    if (made[list] === undefined) continue;
    const containers = items(made, list).map((container) =>
      isJsonObject(container) && container['volumeMounts'] !== undefined
        ? withItems(container, 'volumeMounts', items(container, 'volumeMounts').filter(isKept))
        : container,
    );
    made = withItems(made, list, containers);
  }
  return made;
}

/** An empty list is none. */
function withItems(object: JsonObject, name: string, list: readonly JsonValue[]): JsonObject {
  return list.length === 0 ? without(object, name) : withMember(object, name, list);
}

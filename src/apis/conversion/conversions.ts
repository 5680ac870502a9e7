/**
 * Which version of which kind has fields of its own, and the maps between them and its hub.
 *
 * The hub of a resource is its newest stable version, or the newest there is; Events have the core
 * group's. A version that is not named here has the hub's fields: its bytes are passed on with
 * another apiVersion. A test holds both against the types.
 *
 * Keys are type names of the catalogue (`networking/v1beta1.Ingress`).
 */
import type { Identity } from '../../apimachinery/identity.ts';
import type { KindConversion } from '../../apimachinery/scheme.ts';
import { lookup } from '../../stdx/lookup.ts';
import { v1Maps, v2beta1Maps, withReplicaCount } from './autoscaling.ts';
import { losslessConversion } from './conversion.ts';
import type { FieldMaps } from './conversion.ts';
import { customResourceDefinitionMaps } from './custom-resource-definitions.ts';
import { eventMaps } from './events.ts';
import { ingressMaps } from './ingress.ts';
import * as devices from './resource-requests.ts';
import * as small from './small-differences.ts';
import { daemonSetMaps, deploymentMaps } from './workloads.ts';

type MakeMaps = (identity: Identity) => FieldMaps;

const always =
  (maps: FieldMaps): MakeMaps =>
  () =>
    maps;

const subjects: MakeMaps = (identity) => small.subjectMaps(identity.groups.rbac);

const mapsByType: Readonly<Record<string, MakeMaps>> = lookup({
  'apiextensions/v1beta1.CustomResourceDefinition': always(customResourceDefinitionMaps),
  'apps/v1beta1.Deployment': always(deploymentMaps),
  'authorization/v1beta1.LocalSubjectAccessReview': always(small.accessReviewMaps),
  'authorization/v1beta1.SubjectAccessReview': always(small.accessReviewMaps),
  'autoscaling/v1.HorizontalPodAutoscaler': (identity) =>
    withReplicaCount(v1Maps(identity.labelDomain)),
  'autoscaling/v2beta1.HorizontalPodAutoscaler': (identity) =>
    withReplicaCount(v2beta1Maps(identity.labelDomain)),
  'autoscaling/v2beta2.HorizontalPodAutoscaler': always(withReplicaCount(small.withoutTolerance)),
  'discovery/v1beta1.EndpointSlice': (identity) =>
    small.endpointSliceMaps(
      identity.fill('topology.{labelDomain}/zone'),
      identity.fill('{labelDomain}/hostname'),
    ),
  'events/v1.Event': always(eventMaps),
  'events/v1beta1.Event': always(eventMaps),
  'extensions/v1beta1.DaemonSet': always(daemonSetMaps),
  'extensions/v1beta1.Deployment': always(deploymentMaps),
  'extensions/v1beta1.Ingress': always(ingressMaps),
  'flowcontrol/v1beta1.PriorityLevelConfiguration': always(small.priorityLevelMaps),
  'flowcontrol/v1beta2.PriorityLevelConfiguration': always(small.priorityLevelMaps),
  'flowcontrol/v1beta3.PriorityLevelConfiguration': (identity) =>
    small.keepsZeroShares(zeroSharesAnnotation(identity)),
  'networking/v1beta1.Ingress': always(ingressMaps),
  'node/v1alpha1.RuntimeClass': always(small.runtimeClassMaps),
  'policy/v1beta1.PodDisruptionBudget': (identity) =>
    small.disruptionBudgetMaps(
      identity.fill('pdb.{labelDomain}/deprecated-v1beta1-empty-selector-match'),
    ),
  'rbac/v1alpha1.ClusterRoleBinding': subjects,
  'rbac/v1alpha1.RoleBinding': subjects,
  'resource/v1alpha3.ResourceClaim': always(devices.claimMaps),
  'resource/v1alpha3.ResourceClaimTemplate': always(devices.claimTemplateMaps),
  'resource/v1alpha3.ResourceSlice': always(devices.plainCapacityMaps),
  'resource/v1beta1.ResourceClaim': always(devices.claimMaps),
  'resource/v1beta1.ResourceClaimTemplate': always(devices.claimTemplateMaps),
  'resource/v1beta1.ResourceSlice': always(devices.resourceSliceMaps),
});

/** Types with maps of their own. */
export const convertedTypes: readonly string[] = Object.keys(mapsByType);

/** On a v1beta3 priority level: no shares are no shares. */
export function zeroSharesAnnotation(identity: Identity): string {
  return identity.fill('flowcontrol.{domain}/v1beta3-preserve-zero-concurrency-shares');
}

/** Undefined when the type has the hub's fields. */
export function conversionOf(
  type: string,
  hubType: string,
  identity: Identity,
): KindConversion | undefined {
  const maps = mapsByType[type];
  if (maps === undefined) return undefined;
  return losslessConversion(maps(identity), {
    ofVersion: keptUnder(type, identity),
    ofHub: keptUnder(hubType, identity),
  });
}

/** `conversion.<domain>/networking.v1beta1`. */
function keptUnder(type: string, identity: Identity): string {
  const inPackage = type.slice(0, type.lastIndexOf('.')).replace('/', '.');
  return `conversion.${identity.labelDomain}/${inPackage}`;
}

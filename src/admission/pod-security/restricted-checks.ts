/**
 * The checks that the restricted level adds to the baseline: a pod must explicitly give up what it
 * does not need.
 *
 * checks.ts says which check applies in which release.
 *
 * Invariants: each check is a pure function of one pod; undefined means that it passes.
 */
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { addedText, badProfiles, capabilitiesBeyond, isAllowedProfile } from './baseline-checks.ts';
import {
  containersWhere,
  counted,
  isForWindows,
  plural,
  quoted,
  settersOf,
  sortedSet,
} from './evaluated-pod.ts';
import type { Finding, PodCheck } from './evaluated-pod.ts';

/** Since pods say which system they are for. */
export function unlessWindows(check: PodCheck): PodCheck {
  return (pod) => (isForWindows(pod) ? undefined : check(pod));
}

export const allowPrivilegeEscalation: PodCheck = (pod) => {
  const containers = containersWhere(
    pod,
    ({ security }) => security['allowPrivilegeEscalation'] !== false,
  );
  if (containers.length === 0) return undefined;
  const who = counted('container', containers);
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${who} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const addable: ReadonlySet<string> = new Set(['NET_BIND_SERVICE']);

export const restrictedCapabilities: PodCheck = (pod) => {
  const details: string[] = [];
  const keeping = containersWhere(
    pod,
    ({ security }) => !texts(part(security, 'capabilities'), 'drop').includes('ALL'),
  );
  if (keeping.length > 0) {
    const who = counted('container', keeping);
    details.push(`${who} must set securityContext.capabilities.drop=["ALL"]`);
  }
  const { capabilities, containers } = capabilitiesBeyond(pod, addable);
  if (containers.length > 0) details.push(addedText(containers, capabilities));
  if (details.length === 0) return undefined;
  return { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const volumeTypes: readonly string[] = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** In the order in which they are looked for. */
const otherVolumeTypes: readonly string[] = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

export const restrictedVolumes: PodCheck = ({ spec }) => {
  const bad = objects(spec, 'volumes').filter(
    (volume) => !volumeTypes.some((type) => volume[type] !== undefined),
  );
  if (bad.length === 0) return undefined;
  const typeOf = (volume: JsonObject): string =>
    otherVolumeTypes.find((type) => volume[type] !== undefined) ?? 'unknown';
  const types = sortedSet(bad.map(typeOf));
  const names = bad.map((volume) => text(volume, 'name'));
  const use = bad.length === 1 ? 'uses' : 'use';
  const what = `${plural('restricted volume type', types.length)} ${quoted(types)}`;
  const detail = `${counted('volume', names)} ${use} ${what}`;
  return { reason: 'restricted volume types', detail };
};

export const runAsNonRoot: PodCheck = (pod) => {
  const of = (security: JsonObject): unknown => security['runAsNonRoot'];
  const containers = containersWhere(pod, ({ security }) => of(security) === false);
  const setters = settersOf(of(pod.security) === false, containers);
  const says = (detail: string): Finding => ({ reason: 'runAsNonRoot != true', detail });
  if (setters !== '') return says(`${setters} must not set securityContext.runAsNonRoot=false`);
  if (of(pod.security) === true) return undefined;
  const silent = containersWhere(pod, ({ security }) => of(security) === undefined);
  if (silent.length === 0) return undefined;
  const who = `pod or ${counted('container', silent)}`;
  return says(`${who} must set securityContext.runAsNonRoot=true`);
};

export const runAsUser: PodCheck = (pod) => {
  const isRoot = (security: JsonObject): boolean => security['runAsUser'] === 0;
  const containers = containersWhere(pod, ({ security }) => isRoot(security));
  const setters = settersOf(isRoot(pod.security), containers);
  if (setters === '') return undefined;
  return { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` };
};

export const seccompProfileSet: PodCheck = (pod) => {
  const { setters, values } = badProfiles(pod, 'seccompProfile');
  const says = (detail: string): Finding => ({ reason: 'seccompProfile', detail });
  const field = 'securityContext.seccompProfile.type';
  if (setters !== '') return says(`${setters} must not set ${field} to ${quoted(values)}`);
  if (isAllowedProfile(part(pod.security, 'seccompProfile'))) return undefined;
  const silent = containersWhere(pod, ({ security }) => security['seccompProfile'] === undefined);
  if (silent.length === 0) return undefined;
  const who = `pod or ${counted('container', silent)}`;
  return says(`${who} must set ${field} to "RuntimeDefault" or "Localhost"`);
};

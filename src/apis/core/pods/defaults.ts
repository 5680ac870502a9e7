/**
 * Defaults of pods, and of the templates that workloads make pods from.
 *
 * Some apply to pods only and not to templates. They are defined at the pod itself, so that
 * workloads do not get them.
 */
import { part } from '../../../apimachinery/members.ts';
import type {
  DefaultOf,
  DefaultTable,
  TypeDefaults,
} from '../../../apimachinery/typed/defaulting.ts';
import type { JsonObject, JsonValue } from '../../../apimachinery/unstructured.ts';
import { isJsonObject, withMember } from '../../../apimachinery/unstructured.ts';
import { roundingOf, roundResources } from '../../defaults/amounts.ts';
import { firstOfList } from '../../defaults/plural-fields.ts';
import { inSpec } from '../../defaults/parts.ts';
import { ownMember } from '../../../stdx/lookup.ts';
import { tagOf } from './image-reference.ts';

const graceSeconds = 30;

const tokenSeconds = 3600;

/** 0644 */
const fileMode = 420;

/** An image without tag and digest means its latest. */
export function pullPolicyOf(image: JsonValue | undefined): 'Always' | 'IfNotPresent' {
  return typeof image === 'string' && tagOf(image) === 'latest' ? 'Always' : 'IfNotPresent';
}

const container: TypeDefaults = {
  imagePullPolicy: ({ image }) => pullPolicyOf(image),
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};

/** The deprecated name and the one that replaced it are one field. */
const accountName: DefaultOf = ({ serviceAccount }) => serviceAccount;

export const podDefaults: DefaultTable = {
  fields: {
    'core/v1.PodSpec': {
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      securityContext: {},
      terminationGracePeriodSeconds: graceSeconds,
      schedulerName: 'default-scheduler',
      serviceAccountName: accountName,
    },
    'core/v1.Container': container,
    'core/v1.EphemeralContainerCommon': container,
    'core/v1.Probe': {
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    },
    'core/v1.HTTPGetAction': { path: '/', scheme: 'HTTP' },
    'core/v1.ObjectFieldSelector': { apiVersion: 'v1' },
    'core/v1.SecretVolumeSource': { defaultMode: fileMode },
    'core/v1.ConfigMapVolumeSource': { defaultMode: fileMode },
    'core/v1.DownwardAPIVolumeSource': { defaultMode: fileMode },
    'core/v1.ProjectedVolumeSource': { defaultMode: fileMode },
    'core/v1.ServiceAccountTokenProjection': { expirationSeconds: tokenSeconds },
    'core/v1.HostPathVolumeSource': { type: '' },
    'core/v1.ImageVolumeSource': { pullPolicy: ({ reference }) => pullPolicyOf(reference) },
    // Named constants of the schema, spelled out.
    'core/v1.AzureDiskVolumeSource': { cachingMode: 'ReadWrite', kind: 'Shared' },
  },
  complete: {
    'core/v1.Pod': (pod) => inSpec(pod, completePodSpec),
    'core/v1.PodStatus': firstOfList('podIP', 'podIPs', 'ip'),
    'core/v1.ResourceRequirements': roundingOf('limits', 'requests'),
    'core/v1.PodSpec': (spec) => roundResources(withOneAccount(spec), ['overhead']),
    'core/v1.Volume': (volume) => (hasSource(volume) ? volume : withMember(volume, 'emptyDir', {})),
  },
};

function hasSource(volume: JsonObject): boolean {
  for (const name in volume) if (name !== 'name') return true;
  return false;
}

function withOneAccount(spec: JsonObject): JsonObject {
  const { serviceAccountName: name } = spec;
  return name === undefined || spec['serviceAccount'] === name
    ? spec
    : withMember(spec, 'serviceAccount', name);
}

function completePodSpec(spec: JsonObject): JsonObject {
  const step = (each: JsonObject): JsonObject => {
    const requesting = withRequests(each);
    return spec['hostNetwork'] === true ? withHostPorts(requesting) : requesting;
  };
  const inTime = withGrace(spec);
  const filled = eachIn(eachIn(inTime, 'containers', step), 'initContainers', step);
  return filled['enableServiceLinks'] === undefined
    ? withMember(filled, 'enableServiceLinks', true)
    : filled;
}

/** A grace period below zero counts as one second. A template keeps what it says. */
function withGrace(spec: JsonObject): JsonObject {
  const seconds = spec['terminationGracePeriodSeconds'];
  if (typeof seconds !== 'number' || seconds >= 0) return spec;
  return { ...spec, terminationGracePeriodSeconds: 1 };
}

/** What is limited and not requested is requested up to the limit. */
function withRequests(each: JsonObject): JsonObject {
  const { resources } = each;
  if (!isJsonObject(resources) || !isJsonObject(resources['limits'])) return each;
  const { limits } = resources;
  const requests = part(resources, 'requests');
  if (Object.keys(limits).every((name) => ownMember(requests, name) !== undefined)) return each;
  return withMember(
    each,
    'resources',
    withMember(resources, 'requests', { ...limits, ...requests }),
  );
}

/** In the network of the host, ports of the container are ports of the host. */
function withHostPorts(each: JsonObject): JsonObject {
  return eachIn(each, 'ports', (port) => {
    const { containerPort, hostPort = 0 } = port;
    if (hostPort !== 0 || containerPort === undefined || containerPort === 0) return port;
    return withMember(port, 'hostPort', containerPort);
  });
}

function eachIn(
  object: JsonObject,
  field: string,
  step: (item: JsonObject) => JsonObject,
): JsonObject {
  const list = object[field];
  if (!Array.isArray(list)) return object;
  const items = list as readonly JsonValue[];
  let changed: JsonValue[] | undefined;
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at] as JsonValue;
    const made = isJsonObject(item) ? step(item) : item;
    if (made === item) continue;
    changed ??= [...items];
    changed[at] = made;
  }
  return changed === undefined ? object : withMember(object, field, changed);
}

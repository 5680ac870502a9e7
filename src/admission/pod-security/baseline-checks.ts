/**
 * The checks of the baseline level, which forbids what is known to let a pod take over its node.
 *
 * checks.ts says which check applies in which release.
 *
 * Invariants: each check is a pure function of one pod; undefined means that it passes.
 */
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import {
  containersWhere,
  counted,
  limited,
  plural,
  quoted,
  settersOf,
  sortedSet,
} from './evaluated-pod.ts';
import type { EvaluatedPod, PodCheck } from './evaluated-pod.ts';

const profileTypes: ReadonlySet<string> = new Set(['RuntimeDefault', 'Localhost']);

export function isAllowedProfile(profile: JsonObject): boolean {
  return profileTypes.has(text(profile, 'type'));
}

export const appArmorProfile: PodCheck = (pod) => {
  const bad = badProfiles(pod, 'appArmorProfile');
  const prefix = `container.apparmor.security.beta.${pod.labelDomain}/`;
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(prefix) && !isAllowedAppArmor(value))
    .map(([key, value]) => `${key}=${quote(value)}`)
    .sort();
  const setters = bad.setters === '' ? [] : [bad.setters];
  if (annotations.length > 0) setters.push(plural('annotation', annotations.length));
  if (setters.length === 0) return undefined;
  const values = [...bad.values, ...annotations];
  return {
    reason: plural('forbidden AppArmor profile', values.length),
    detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

function isAllowedAppArmor(value: string): boolean {
  return value === '' || value === 'runtime/default' || value.startsWith('localhost/');
}

/** Who sets a profile of another type, and which types. */
export function badProfiles(
  pod: EvaluatedPod,
  field: string,
): { readonly setters: string; readonly values: readonly string[] } {
  const isBad = (security: JsonObject): boolean =>
    security[field] !== undefined && !isAllowedProfile(part(security, field));
  const values = [pod, ...pod.containers]
    .filter(({ security }) => isBad(security))
    .map(({ security }) => text(part(security, field), 'type'));
  const containers = containersWhere(pod, ({ security }) => isBad(security));
  return { setters: settersOf(isBad(pod.security), containers), values: sortedSet(values) };
}

const usualCapabilities: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

export const baselineCapabilities: PodCheck = (pod) => {
  const { capabilities, containers } = capabilitiesBeyond(pod, usualCapabilities);
  if (containers.length === 0) return undefined;
  const detail = addedText(containers, capabilities);
  return { reason: 'non-default capabilities', detail };
};

/** What containers add beside these, and which do. */
export function capabilitiesBeyond(
  pod: EvaluatedPod,
  allowed: ReadonlySet<string>,
): { readonly capabilities: readonly string[]; readonly containers: readonly string[] } {
  const beyond = (security: JsonObject): readonly string[] =>
    texts(part(security, 'capabilities'), 'add').filter((name) => !allowed.has(name));
  return {
    capabilities: sortedSet(pod.containers.flatMap(({ security }) => beyond(security))),
    containers: containersWhere(pod, ({ security }) => beyond(security).length > 0),
  };
}

export function addedText(containers: readonly string[], capabilities: readonly string[]): string {
  const who = counted('container', containers);
  return `${who} must not include ${quoted(capabilities)} in securityContext.capabilities.add`;
}

export const hostNamespaces: PodCheck = ({ spec }) => {
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => spec[field] === true);
  if (shared.length === 0) return undefined;
  return { reason: 'host namespaces', detail: shared.map((field) => `${field}=true`).join(', ') };
};

export const hostPathVolumes: PodCheck = ({ spec }) => {
  const volumes = objects(spec, 'volumes').filter((volume) => volume['hostPath'] !== undefined);
  if (volumes.length === 0) return undefined;
  const names = volumes.map((volume) => text(volume, 'name'));
  return { reason: 'hostPath volumes', detail: counted('volume', names) };
};

export const hostPorts: PodCheck = (pod) => {
  const portsOf = (container: JsonObject): readonly string[] =>
    objects(container, 'ports')
      .map(({ hostPort = 0 }) => hostPort)
      .filter((port) => port !== 0)
      .map(String);
  const containers = containersWhere(pod, ({ container }) => portsOf(container).length > 0);
  if (containers.length === 0) return undefined;
  const ports = sortedSet(pod.containers.flatMap(({ container }) => portsOf(container)));
  const use = containers.length === 1 ? 'uses' : 'use';
  const what = `${plural('hostPort', ports.length)} ${limited(ports)}`;
  return { reason: 'hostPort', detail: `${counted('container', containers)} ${use} ${what}` };
};

export const privileged: PodCheck = (pod) => {
  const containers = containersWhere(pod, ({ security }) => security['privileged'] === true);
  if (containers.length === 0) return undefined;
  const detail = `${counted('container', containers)} must not set securityContext.privileged=true`;
  return { reason: 'privileged', detail };
};

export const procMount: PodCheck = (pod) => {
  const mountOf = ({ procMount: mount }: JsonObject): string | undefined =>
    mount === undefined || mount === 'Default' ? undefined : String(mount);
  const containers = containersWhere(pod, ({ security }) => mountOf(security) !== undefined);
  if (containers.length === 0) return undefined;
  const mounts = sortedSet(pod.containers.flatMap(({ security }) => mountOf(security) ?? []));
  const who = counted('container', containers);
  const detail = `${who} must not set securityContext.procMount to ${quoted(mounts)}`;
  return { reason: 'procMount', detail };
};

/** Types that label processes without giving them more; '': none is said. */
export function seLinuxOptions(types: readonly string[]): PodCheck {
  const allowed: ReadonlySet<string> = new Set(types);
  return (pod) => {
    const optionsOf = (security: JsonObject): JsonObject => part(security, 'seLinuxOptions');
    const isBad = (security: JsonObject): boolean => {
      const options = optionsOf(security);
      return (
        !allowed.has(text(options, 'type')) ||
        text(options, 'user') !== '' ||
        text(options, 'role') !== ''
      );
    };
    const containers = containersWhere(pod, ({ security }) => isBad(security));
    const setters = settersOf(isBad(pod.security), containers);
    if (setters === '') return undefined;
    const all = [pod, ...pod.containers].map(({ security }) => optionsOf(security));
    const badTypes = all.map((options) => text(options, 'type')).filter((t) => !allowed.has(t));
    const found = badTypes.length === 0 ? [] : [counted('type', sortedSet(badTypes))];
    for (const field of ['user', 'role']) {
      const isSet = all.some((options) => text(options, field) !== '');
      if (isSet) found.push(`${field} may not be set`);
    }
    const detail = `${setters} set forbidden securityContext.seLinuxOptions: ${found.join('; ')}`;
    return { reason: 'seLinuxOptions', detail };
  };
}

/** Of releases that knew profiles as annotations. */
export const seccompAnnotations: PodCheck = ({ annotations, containers, labelDomain }) => {
  const keys = [`seccomp.security.alpha.${labelDomain}/pod`];
  const prefix = `container.seccomp.security.alpha.${labelDomain}/`;
  for (const { name } of containers) keys.push(`${prefix}${name}`);
  const forbidden = sortedSet(
    keys.flatMap((key) => {
      const value = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
      return value === undefined || isAllowedSeccomp(value) ? [] : `${key}=${quote(value)}`;
    }),
  );
  if (forbidden.length === 0) return undefined;
  const what = plural('annotation', forbidden.length);
  return { reason: 'seccompProfile', detail: `forbidden ${what} ${limited(forbidden)}` };
};

function isAllowedSeccomp(value: string): boolean {
  return (
    value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/')
  );
}

export const seccompProfile: PodCheck = (pod) => {
  const { setters, values } = badProfiles(pod, 'seccompProfile');
  if (setters === '') return undefined;
  const detail = `${setters} must not set securityContext.seccompProfile.type to ${quoted(values)}`;
  return { reason: 'seccompProfile', detail };
};

/** `allowed`: those that are kept apart from the node and from other pods. */
export function sysctls(allowed: readonly string[]): PodCheck {
  const safe: ReadonlySet<string> = new Set(allowed);
  return ({ security }) => {
    const names = objects(security, 'sysctls').map((sysctl) => text(sysctl, 'name'));
    const forbidden = names.filter((name) => !safe.has(name));
    return forbidden.length === 0
      ? undefined
      : { reason: 'forbidden sysctls', detail: limited(forbidden) };
  };
}

export const windowsHostProcess: PodCheck = (pod) => {
  const isSet = (security: JsonObject): boolean =>
    part(security, 'windowsOptions')['hostProcess'] === true;
  const containers = containersWhere(pod, ({ security }) => isSet(security));
  const setters = settersOf(isSet(pod.security), containers);
  if (setters === '') return undefined;
  const detail = `${setters} must not set securityContext.windowsOptions.hostProcess=true`;
  return { reason: 'hostProcess', detail };
};

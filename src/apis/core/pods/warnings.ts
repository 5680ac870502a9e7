/**
 * Warnings for pods and pod templates: what is accepted but does not do what its author expects.
 *
 * Elsewhere: the rules (validation/pods.ts).
 *
 * Bounds: a port is compared with `portsComparedMax` others of its number.
 */
import type { Identity } from '../../../apimachinery/identity.ts';
import { objects, part, text } from '../../../apimachinery/members.ts';
import { quote } from '../../../apimachinery/quote.ts';
import type { JsonObject } from '../../../apimachinery/unstructured.ts';
import { checkDns1123Label } from '../../../apimachinery/validation/names.ts';
import { nodeAffinityWarnings, nodeLabels } from '../nodes/node-labels.ts';
import type { NodeLabels } from '../nodes/node-labels.ts';
import { podAddresses, podStatusAddresses } from './address-warnings.ts';
import { podVolumeWarnings } from './volume-warnings.ts';
import { byteWarnings } from '../../warnings/amounts.ts';
import type { KindWarnings, Warnings } from '../../warnings/kind-warnings.ts';
import { allWarnings, noWarnings, warningsOfEach } from '../../warnings/kind-warnings.ts';
import { containerLists } from './pod-parts.ts';

/** Of a pod template at a path; '' is that of a pod. */
export type TemplateWarnings = (template: JsonObject, path: string) => Warnings;

export function templateWarnings(identity: Identity): TemplateWarnings {
  const labels = nodeLabels(identity);
  return (template, path) => {
    const at = path === '' ? '' : `${path}.`;
    const spec = part(template, 'spec');
    const annotations = part(part(template, 'metadata'), 'annotations');
    const here = `${at}spec`;
    return allWarnings(
      placementWarnings(spec, here, labels),
      annotationWarnings(annotations, `${at}metadata.annotations`, identity),
      podVolumeWarnings(objects(spec, 'volumes'), `${here}.volumes`),
      repetitionWarnings(spec, here),
      byteWarnings(part(spec, 'overhead'), `${here}.overhead`, byteResources),
      profileWarnings(spec, annotations, at, identity),
      warningsOfEach(containersOf(spec, here), containerWarnings),
      portWarnings(spec, here),
      graceWarnings(spec, here),
      podAffinityWarnings(part(spec, 'affinity'), `${here}.affinity`),
      podAddresses(spec, here),
    );
  };
}

export function podWarnings(of: TemplateWarnings): KindWarnings {
  return {
    onCreate: (pod) =>
      allWarnings(nameWarnings(pod.metadata.name, "the Pod's hostname"), of(pod, '')),
    // People seldom write pods that exist, and their nodes do so all the time.
    onStatusUpdate: podStatusAddresses,
  };
}

/** `what` the name is used for. */
export function nameWarnings(name = '', what = 'Pod names and hostnames'): Warnings {
  const problems = checkDns1123Label(name);
  if (problems.length === 0) return noWarnings;
  return [
    `metadata.name: this is used in ${what}, which can result in surprising behavior; ` +
      `a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}

function placementWarnings(spec: JsonObject, path: string, labels: NodeLabels): Warnings {
  const affinity = part(part(spec, 'affinity'), 'nodeAffinity');
  return allWarnings(
    labels.ofMap(part(spec, 'nodeSelector'), (label) => `${path}.nodeSelector[${label}]`),
    nodeAffinityWarnings(affinity, `${path}.affinity.nodeAffinity`, labels),
    warningsOfEach(objects(spec, 'topologySpreadConstraints'), (constraint, at) => {
      const field = `${path}.topologySpreadConstraints[${at}]`;
      const key = text(constraint, 'topologyKey');
      const message = labels.messageOf(key);
      return allWarnings(
        message === undefined ? noWarnings : [`${field}.topologyKey: ${key} is ${message}`],
        selectsNothing(constraint, field),
      );
    }),
  );
}

function selectsNothing(term: JsonObject, path: string): Warnings {
  return term['labelSelector'] === undefined
    ? [`${path}.labelSelector: a null labelSelector results in matching no pod`]
    : noWarnings;
}

function podAffinityWarnings(affinity: JsonObject, path: string): Warnings {
  return warningsOfEach(['podAffinity', 'podAntiAffinity'], (name) => {
    const given = part(affinity, name);
    const required = 'requiredDuringSchedulingIgnoredDuringExecution';
    const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
    return allWarnings(
      warningsOfEach(objects(given, required), (term, at) =>
        selectsNothing(term, `${path}.${name}.${required}[${at}]`),
      ),
      warningsOfEach(objects(given, preferred), (term, at) => {
        const inner = `${path}.${name}.${preferred}[${at}].podAffinityTerm`;
        return selectsNothing(part(term, 'podAffinityTerm'), inner);
      }),
    );
  });
}

const withoutEffect: readonly (readonly [string, string])[] = [
  [
    'scheduler.alpha.{labelDomain}/critical-pod',
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  ],
  [
    'security.alpha.{labelDomain}/sysctls',
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
  [
    'security.alpha.{labelDomain}/unsafe-sysctls',
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
];

function annotationWarnings(annotations: JsonObject, path: string, { fill }: Identity): Warnings {
  return warningsOfEach(withoutEffect, ([template, message]) => {
    const key = fill(template);
    return annotations[key] === undefined ? noWarnings : [`${path}[${key}]: ${message}`];
  });
}

/** What annotations said before there were fields for it. */
function profileWarnings(
  spec: JsonObject,
  annotations: JsonObject,
  at: string,
  { fill }: Identity,
): Warnings {
  const own = part(spec, 'securityContext');
  const seccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead';
  const apparmor = 'deprecated since v1.30; use the "appArmorProfile" field instead';
  const warned = (key: string, message: string): Warnings =>
    annotations[key] === undefined ? noWarnings : [`${at}metadata.annotations[${key}]: ${message}`];
  return allWarnings(
    own['seccompProfile'] === undefined
      ? warned(fill('seccomp.security.alpha.{labelDomain}/pod'), seccomp)
      : noWarnings,
    warningsOfEach(containersOf(spec, ''), ({ container }) => {
      const context = part(container, 'securityContext');
      const name = text(container, 'name');
      const field = 'appArmorProfile';
      return allWarnings(
        context['seccompProfile'] === undefined
          ? warned(fill(`container.seccomp.security.alpha.{labelDomain}/${name}`), seccomp)
          : noWarnings,
        // A new pod's field may come from the annotation (app-armor.ts).
        (own[field] === undefined && context[field] === undefined) ||
          (at === '' && context[field] !== undefined)
          ? warned(fill(`container.apparmor.security.beta.{labelDomain}/${name}`), apparmor)
          : noWarnings,
      );
    }),
  );
}

/** What stands in a list twice. */
function repetitionWarnings(spec: JsonObject, path: string): Warnings {
  const secrets = objects(spec, 'imagePullSecrets');
  return allWarnings(
    repeated(objects(spec, 'hostAliases'), 'ip', `${path}.hostAliases`),
    repeated(secrets, 'name', `${path}.imagePullSecrets`),
    warningsOfEach(secrets, (secret, at) =>
      text(secret, 'name') === ''
        ? [`${path}.imagePullSecrets[${at}].name: invalid empty name ""`]
        : noWarnings,
    ),
  );
}

function repeated(list: readonly JsonObject[], member: string, path: string): Warnings {
  const seen = new Set<string>();
  return warningsOfEach(list, (item, at) => {
    const value = text(item, member);
    if (!seen.has(value)) {
      seen.add(value);
      return noWarnings;
    }
    return [`${path}[${at}].${member}: duplicate ${member} ${quote(value)}`];
  });
}

interface PlacedContainer {
  readonly container: JsonObject;
  readonly path: string;
}

function containersOf(spec: JsonObject, path: string): readonly PlacedContainer[] {
  return containerLists.flatMap((list) =>
    objects(spec, list).map((container, at) => ({ container, path: `${path}.${list}[${at}]` })),
  );
}

const byteResources = ['memory', 'ephemeral-storage'];

function containerWarnings({ container, path }: PlacedContainer): Warnings {
  const resources = part(container, 'resources');
  const amounts = (resource: string): Warnings =>
    warningsOfEach(['limits', 'requests'], (list) =>
      byteWarnings(part(resources, list), `${path}.resources.${list}`, [resource]),
    );
  return allWarnings(warningsOfEach(byteResources, amounts), hiddenVariables(container, path));
}

function hiddenVariables(container: JsonObject, path: string): Warnings {
  const seen = new Set<string>();
  return warningsOfEach(objects(container, 'env'), (variable, at) => {
    const name = text(variable, 'name');
    if (!seen.has(name)) {
      seen.add(name);
      return noWarnings;
    }
    const own = `$(${name})`;
    const value = text(variable, 'value');
    // It may go on from the value before it.
    if (variable['valueFrom'] === undefined && value !== own && value.includes(own)) {
      return noWarnings;
    }
    const hides = `hides previous definition of ${quote(name)}`;
    return [`${path}.env[${at}]: ${hides}, which may be dropped when using apply`];
  });
}

interface PlacedPort {
  readonly path: string;
  readonly hostIp: string;
  readonly hostPort: number;
}

/** More ports of one number say nothing new. */
const portsComparedMax = 50;

function portWarnings(spec: JsonObject, path: string): Warnings {
  const known = new Map<string, PlacedPort[]>();
  return warningsOfEach(containersOf(spec, path), ({ container, path: at }) =>
    warningsOfEach(objects(container, 'ports'), (port, which) => {
      const placed: PlacedPort = {
        path: `${at}.ports[${which}]`,
        hostIp: text(port, 'hostIP'),
        hostPort: Number(port['hostPort'] ?? 0),
      };
      const key = `${String(port['containerPort'])}/${text(port, 'protocol')}`;
      const others = known.get(key) ?? [];
      known.set(key, others);
      const found = allWarnings(
        placed.hostIp !== '' && placed.hostPort === 0
          ? [`${placed.path}: hostIP set without hostPort: ${shownPort(port)}`]
          : noWarnings,
        warningsOfEach(others, (other) => conflict(placed, other)),
      );
      if (others.length < portsComparedMax) others.push(placed);
      return found;
    }),
  );
}

function conflict(port: PlacedPort, other: PlacedPort): Warnings {
  const said = (what: string): Warnings => [
    `${port.path}: ${what} port definition with ${other.path}`,
  ];
  if (port.hostIp === other.hostIp && port.hostPort === other.hostPort) return said('duplicate');
  if (port.hostPort === 0 || other.hostPort === 0) return said('overlapping');
  const oneAnywhere = (port.hostIp === '') !== (other.hostIp === '');
  return port.hostPort === other.hostPort && oneAnywhere
    ? said('dangerously ambiguous')
    : noWarnings;
}

/** As clients know it from the reference, which prints its own record. */
function shownPort(port: JsonObject): string {
  const number = (name: string): string => String(port[name] ?? 0);
  return (
    `{Name:${text(port, 'name')} HostPort:${number('hostPort')} ` +
    `ContainerPort:${number('containerPort')} Protocol:${text(port, 'protocol')} ` +
    `HostIP:${text(port, 'hostIP')}}`
  );
}

function graceWarnings(spec: JsonObject, path: string): Warnings {
  const seconds = spec['terminationGracePeriodSeconds'];
  return typeof seconds === 'number' && seconds < 0
    ? [
        `${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and ` +
          'will be treated as 1',
      ]
    : noWarnings;
}

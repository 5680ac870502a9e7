/**
 * Rules of containers: names, images, ports, environment, mounts, probes, resources.
 *
 * Bounds: one error for each wrong field.
 */
import {
  duplicate,
  forbidden,
  invalid,
  notFound,
  required,
} from '../../apimachinery/field-error.ts';
import { checkDns1123Label } from '../../apimachinery/validation/names.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import {
  checkConfigKey,
  checkPortName,
  each,
  form,
  givenAmong,
  needed,
  noProblems,
  nonNegative,
  numberOf,
  objects,
  part,
  portNumber,
  portNumberOrName,
  text,
  together,
  between,
} from './checks.ts';
import type { Problems } from './checks.ts';
import { resourceRules } from './resource-requirements.ts';

export interface ContainerContext {
  /** Names of the volumes of the pod. */
  readonly volumes: ReadonlySet<string>;
  /** Of containers seen so far, of every kind. */
  readonly names: Set<string>;
}

const idMax = 2_147_483_647;

export function containerRules(
  container: JsonObject,
  path: string,
  context: ContainerContext,
): Problems {
  return together(
    nameRules(text(container, 'name'), `${path}.name`, context.names),
    needed(container, path, 'image'),
    portRules(objects(container, 'ports'), `${path}.ports`),
    environmentRules(container, path),
    mountRules(container, path, context.volumes),
    resourceRules(part(container, 'resources'), `${path}.resources`),
    securityRules(part(container, 'securityContext'), `${path}.securityContext`),
  );
}

/** Containers that keep running: probes and hooks, and no restart policy of their own. */
export function mainContainerRules(container: JsonObject, path: string): Problems {
  return together(
    lifecycleRules(part(container, 'lifecycle'), `${path}.lifecycle`),
    probesOf(container, path),
    container['restartPolicy'] === undefined
      ? noProblems
      : [forbidden(`${path}.restartPolicy`, 'may not be set for non-init containers')],
  );
}

const whileRunning = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

export function initContainerRules(container: JsonObject, path: string): Problems {
  if (text(container, 'restartPolicy') === 'Always') {
    return together(
      lifecycleRules(part(container, 'lifecycle'), `${path}.lifecycle`),
      probesOf(container, path),
    );
  }
  const detail = 'may not be set for init containers without restartPolicy=Always';
  return givenAmong(container, whileRunning).map((name) => forbidden(`${path}.${name}`, detail));
}

function nameRules(name: string, field: string, names: Set<string>): Problems {
  if (name === '') return [];
  if (names.has(name)) return [duplicate(field, name)];
  names.add(name);
  return form(field, name, checkDns1123Label);
}

function portRules(ports: readonly JsonObject[], path: string): Problems {
  const names = new Set<string>();
  return each(ports, (port, at) => {
    const here = `${path}[${at}]`;
    const name = text(port, 'name');
    const problems = form(`${here}.name`, name, checkPortName);
    const repeated = name !== '' && problems.length === 0 && names.has(name);
    names.add(name);
    return together(
      problems,
      repeated ? [duplicate(`${here}.name`, name)] : noProblems,
      port['containerPort'] === 0
        ? [required(`${here}.containerPort`)]
        : portNumber(`${here}.containerPort`, port['containerPort']),
      port['hostPort'] === 0 ? noProblems : portNumber(`${here}.hostPort`, port['hostPort']),
    );
  });
}

const variableName = /^[ -<>-~]+$/;
const variableMessage =
  'a valid environment variable name must consist only of printable ASCII characters other ' +
  "than '='";

/** What the checks of texts say of nearly all of them. */
const valid: readonly string[] = [];

function checkVariableName(name: string): readonly string[] {
  return variableName.test(name) ? valid : [variableMessage];
}

const onlyOneMessage = 'may not have more than one field specified at a time';
const variableSources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef'];

function environmentRules(container: JsonObject, path: string): Problems {
  const own = each(objects(container, 'env'), (variable, at) => {
    // Nearly all are plain and right: then no path is asked for.
    const plain = variable['valueFrom'] === undefined;
    if (plain && variableName.test(text(variable, 'name'))) return noProblems;
    const here = `${path}.env[${at}]`;
    return together(
      form(`${here}.name`, text(variable, 'name'), checkVariableName),
      plain ? noProblems : variableSourceRules(variable, here),
    );
  });
  const imported = each(objects(container, 'envFrom'), (from, at) => {
    const here = `${path}.envFrom[${at}]`;
    const given = givenAmong(from, ['configMapRef', 'secretRef']);
    return [
      ...form(`${here}.prefix`, text(from, 'prefix'), checkVariableName),
      ...(given.length === 0
        ? [invalid(here, '', 'must specify one of: `configMapRef` or `secretRef`')]
        : []),
      ...(given.length > 1 ? [invalid(here, '', onlyOneMessage)] : []),
      ...given.flatMap((name) => needed(part(from, name), `${here}.${name}`, 'name')),
    ];
  });
  return together(own, imported);
}

function variableSourceRules(variable: JsonObject, path: string): Problems {
  const here = `${path}.valueFrom`;
  const from = part(variable, 'valueFrom');
  const given = givenAmong(from, variableSources);
  if (given.length === 0) {
    const detail =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
    return [invalid(here, '', detail)];
  }
  return [
    ...(text(variable, 'value') === ''
      ? []
      : [invalid(here, '', 'may not be specified when `value` is not empty')]),
    ...(given.length > 1 ? [invalid(here, '', onlyOneMessage)] : []),
    ...given
      .filter((name) => name.endsWith('KeyRef'))
      .flatMap((name) => [
        ...needed(part(from, name), `${here}.${name}`, 'name'),
        ...form(`${here}.${name}.key`, text(part(from, name), 'key'), checkConfigKey),
      ]),
  ];
}

function mountRules(container: JsonObject, path: string, volumes: ReadonlySet<string>): Problems {
  const paths = new Set<string>();
  return each(objects(container, 'volumeMounts'), (mount, at) => {
    const name = text(mount, 'name');
    const mountPath = text(mount, 'mountPath');
    const subPath = text(mount, 'subPath');
    const expression = text(mount, 'subPathExpr');
    const unknown = name !== '' && !volumes.has(name);
    const repeated = mountPath !== '' && paths.has(mountPath);
    paths.add(mountPath);
    // As above.
    if (!unknown && !repeated && subPath === '' && expression === '') return noProblems;
    const here = `${path}.volumeMounts[${at}]`;
    const both = 'subPathExpr and subPath are mutually exclusive';
    return together(
      unknown ? [notFound(`${here}.name`, name)] : noProblems,
      repeated ? [invalid(`${here}.mountPath`, mountPath, 'must be unique')] : noProblems,
      descendingPath(`${here}.subPath`, subPath),
      subPath !== '' && expression !== ''
        ? [invalid(`${here}.subPathExpr`, expression, both)]
        : descendingPath(`${here}.subPathExpr`, expression),
    );
  });
}

/** A path that stays below where it starts. */
export function descendingPath(field: string, path: string): Problems {
  if (path === '') return noProblems;
  return together(
    path.startsWith('/') ? [invalid(field, path, 'must be a relative path')] : noProblems,
    withoutBacksteps(field, path),
  );
}

export function withoutBacksteps(field: string, path: string): Problems {
  if (!path.includes('..') || !path.split('/').includes('..')) return noProblems;
  return [invalid(field, path, "must not contain '..'")];
}

const probeNames = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const probeHandlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'];
const hookNames = ['postStart', 'preStop'];
const hookHandlers = ['exec', 'httpGet', 'tcpSocket', 'sleep'];
const probeNumbers = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
];

function probesOf(container: JsonObject, path: string): Problems {
  return each(givenAmong(container, probeNames), (name) => {
    const here = `${path}.${name}`;
    const probe = part(container, name);
    const successes = numberOf(probe['successThreshold']) ?? 1;
    const grace = numberOf(probe['terminationGracePeriodSeconds']) ?? 1;
    return together(
      handlerRules(probe, here, probeHandlers),
      nonNegative(probe, here, probeNumbers),
      grace <= 0 && name !== 'readinessProbe'
        ? [invalid(`${here}.terminationGracePeriodSeconds`, grace, 'must be greater than 0')]
        : noProblems,
      name !== 'readinessProbe' && successes !== 1
        ? [invalid(`${here}.successThreshold`, successes, 'must be 1')]
        : noProblems,
    );
  });
}

function lifecycleRules(lifecycle: JsonObject, path: string): Problems {
  return each(givenAmong(lifecycle, hookNames), (name) =>
    handlerRules(part(lifecycle, name), `${path}.${name}`, hookHandlers),
  );
}

function handlerRules(holder: JsonObject, path: string, handlers: readonly string[]): Problems {
  const given = givenAmong(holder, handlers);
  if (given.length === 0) return [required(path, 'must specify a handler type')];
  return each(given, (name, at) =>
    at > 0
      ? [forbidden(`${path}.${name}`, 'may not specify more than 1 handler type')]
      : handlerOf(name, part(holder, name), `${path}.${name}`),
  );
}

const headerName = /^[-A-Za-z0-9]+$/;
const headerMessage =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', " +
  "regex used for validation is '[-A-Za-z0-9]+')";

function handlerOf(name: string, handler: JsonObject, path: string): Problems {
  switch (name) {
    case 'exec':
      return needed(handler, path, 'command');
    case 'httpGet':
      return together(
        portNumberOrName(`${path}.port`, handler['port']),
        each(objects(handler, 'httpHeaders'), (header, at) =>
          form(`${path}.httpHeaders[${at}].name`, text(header, 'name'), (value) =>
            headerName.test(value) ? valid : [headerMessage],
          ),
        ),
      );
    case 'tcpSocket':
      return portNumberOrName(`${path}.port`, handler['port']);
    case 'grpc':
      return portNumber(`${path}.port`, handler['port']);
    default:
      return [];
  }
}

function securityRules(context: JsonObject, path: string): Problems {
  const contradicts =
    context['allowPrivilegeEscalation'] === false && context['privileged'] === true;
  return together(
    between(`${path}.runAsUser`, context['runAsUser'], 0, idMax),
    between(`${path}.runAsGroup`, context['runAsGroup'], 0, idMax),
    contradicts
      ? [
          invalid(
            `${path}.allowPrivilegeEscalation`,
            false,
            'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
          ),
        ]
      : noProblems,
  );
}

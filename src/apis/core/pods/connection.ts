/**
 * Connections to containers and ports of pods, and the logs of containers: what is wrong with the
 * request or with the pod, and what its kubelet is asked (spec 1, section 4.1).
 */
import type { ContainerDestination } from '../../../apimachinery/destination.ts';
import { objects, part, text } from '../../../apimachinery/members.ts';
import { queryBoolean, queryValue } from '../../../apimachinery/query.ts';
import type { QueryParameters } from '../../../apimachinery/query.ts';
import { addressNotAllowed, isReachable } from '../../../apimachinery/reachable-address.ts';
import { newBadRequest, StatusError } from '../../../apimachinery/status-error.ts';
import type { ApiObject } from '../../../apimachinery/unstructured.ts';
import type { Connect, ObjectTarget, RegistryDeps } from '../../../registry/registry.ts';
import { assert } from '../../../stdx/assert.ts';
import { dryRunRefusal, readConnected } from '../../connections.ts';
import type { FindDestination } from '../../connections.ts';
import { readLogOptions } from './log-options.ts';
import { containerLists } from './pod-parts.ts';

/** To one container that is named, or the only one. */
export function containerStream(subresource: 'attach' | 'exec'): Connect {
  return async (deps, target, { isUpgrade, query }) => {
    if (query.has('dryRun')) return dryRunRefusal();
    const pod = await readConnected(deps, target);
    if (pod.kind === 'refused') return pod.error;
    const container = containerOf(pod.value, queryValue(query, 'container') ?? '');
    if (container instanceof StatusError) return container;
    const node = await nodeOf(deps, pod.value);
    if (node instanceof StatusError) return node;
    if (!isUpgrade) return upgradeRequired();
    const path = `/${subresource}/${pathOf(pod.value)}/${encodeURIComponent(container)}`;
    return { kind: 'command', node, path, query: streamQuery(query) };
  };
}

/** To the whole pod. */
export const portForward: Connect = async (deps, target, { isUpgrade, query }) => {
  if (query.has('dryRun')) return dryRunRefusal();
  const pod = await readConnected(deps, target);
  if (pod.kind === 'refused') return pod.error;
  const node = await nodeOf(deps, pod.value);
  if (node instanceof StatusError) return node;
  if (!isUpgrade) return upgradeRequired();
  const ports = (query.get('ports') ?? []).flatMap((each) => each.split(','));
  const asked = new URLSearchParams(ports.length === 0 ? {} : { port: ports.join(',') });
  const path = `/portForward/${pathOf(pod.value)}`;
  return { kind: 'ports', node, path, query: asked.toString() };
};

/** A container that no node has got yet has written nothing. */
export const podLog: Connect = async (deps, target, { query }) => {
  const options = readLogOptions(query, target.name);
  if (options instanceof StatusError) return options;
  const pod = await readConnected(deps, target);
  if (pod.kind === 'refused') return pod.error;
  const container = containerOf(pod.value, queryValue(query, 'container') ?? '');
  if (container instanceof StatusError) return container;
  if (nodeNameOf(pod.value) === '') return '';
  const node = await nodeOf(deps, pod.value);
  if (node instanceof StatusError) return node;
  const destination: ContainerDestination = {
    kind: 'log',
    node,
    path: `/containerLogs/${pathOf(pod.value)}/${encodeURIComponent(container)}`,
    query: logQuery(query),
    insecure: queryBoolean(query, 'insecureSkipTLSVerifyBackend') === true,
  };
  return destination;
};

function upgradeRequired(): StatusError {
  return newBadRequest('Upgrade request required');
}

function pathOf({ metadata }: ApiObject): string {
  const { name = '', namespace = '' } = metadata;
  return `${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

function nodeNameOf(pod: ApiObject): string {
  return text(part(pod, 'spec'), 'nodeName');
}

async function nodeOf(deps: RegistryDeps, pod: ApiObject): Promise<ApiObject | StatusError> {
  const name = nodeNameOf(pod);
  if (name === '') {
    return newBadRequest(`pod ${pod.metadata.name ?? ''} does not have a host assigned`);
  }
  const kind = deps.scheme.findResource('', 'v1', 'nodes');
  assert(kind !== undefined, 'where pods are served, nodes are');
  const target: ObjectTarget = { kind, namespace: '', name };
  const node = await readConnected(deps, target);
  return node.kind === 'refused' ? node.error : node.value;
}

/** As kubelets name them. */
const streamOptions = [
  ['stdin', 'input'],
  ['stdout', 'output'],
  ['stderr', 'error'],
  ['tty', 'tty'],
] as const;

function streamQuery(query: QueryParameters): string {
  const asked = new URLSearchParams();
  for (const [option, name] of streamOptions) {
    if (queryBoolean(query, option) === true) asked.append(name, '1');
  }
  for (const word of query.get('command') ?? []) asked.append('command', word);
  return asked.toString();
}

const logSwitches = ['follow', 'previous', 'timestamps'] as const;
const logValues = ['sinceSeconds', 'sinceTime', 'tailLines', 'limitBytes'] as const;

function logQuery(query: QueryParameters): string {
  const asked = new URLSearchParams();
  for (const option of logSwitches) {
    if (queryBoolean(query, option) === true) asked.append(option, 'true');
  }
  for (const option of logValues) {
    const value = queryValue(query, option) ?? '';
    if (value !== '') asked.append(option, value);
  }
  const stream = queryValue(query, 'stream') ?? '';
  if (stream !== '' && stream !== 'All') asked.append('stream', stream);
  return asked.toString();
}

/** The one that is named, or the only one. */
function containerOf(pod: ApiObject, named: string): string | StatusError {
  const { name = '' } = pod.metadata;
  const spec = part(pod, 'spec');
  const names = containerLists.flatMap((list) =>
    objects(spec, list).map((each) => text(each, 'name')),
  );
  if (named !== '') {
    const isKnown = names.includes(named);
    return isKnown ? named : newBadRequest(`container ${named} is not valid for pod ${name}`);
  }
  const [only, ...more] = objects(spec, 'containers');
  if (only !== undefined && more.length === 0) return text(only, 'name');
  const specified = `a container name must be specified for pod ${name}`;
  const choices = only === undefined ? '' : `, choose one of: [${names.join(' ')}]`;
  return newBadRequest(`${specified}${choices}`);
}

export const podProxy: FindDestination = (_deps, _target, pod, { port, scheme }) => {
  const [first] = objects(part(pod, 'status'), 'podIPs');
  const host = text(first, 'ip');
  if (!isReachable(host)) return addressNotAllowed();
  return { kind: 'network', scheme, host, port: port === '' ? firstPortOf(pod) : port };
};

/** The first port that a container names; '' where none does. */
function firstPortOf(pod: ApiObject): string {
  for (const container of objects(part(pod, 'spec'), 'containers')) {
    const [first] = objects(container, 'ports');
    if (first !== undefined) return String(first['containerPort']);
  }
  return '';
}

/**
 * Connections to containers and ports of pods, and the logs of containers: what is wrong with the
 * request or with the pod (spec 1, section 4.1; src/apis/connections.ts).
 */
import { isIP } from 'node:net';
import { objects, part, text } from '../../../apimachinery/members.ts';
import { queryValue } from '../../../apimachinery/query.ts';
import { newBadRequest, StatusError } from '../../../apimachinery/status-error.ts';
import type { ApiObject } from '../../../apimachinery/unstructured.ts';
import type { Connect } from '../../../registry/registry.ts';
import { dryRunRefusal, newNotProxied, readConnected } from '../../connections.ts';
import type { ProxyRefusal } from '../../connections.ts';
import { readLogOptions } from './log-options.ts';
import { containerLists } from './pod-parts.ts';

/** To one container that is named, or the only one; portforward: to the whole pod. */
export function podStream(subresource: 'attach' | 'exec' | 'portforward'): Connect {
  return async (deps, target, { isUpgrade, query }) => {
    if (query.has('dryRun')) return dryRunRefusal();
    const pod = await readConnected(deps, target);
    if (pod.kind === 'refused') return pod.error;
    const container =
      subresource === 'portforward' ? undefined : (queryValue(query, 'container') ?? '');
    const wrong = problemOf(pod.value, container);
    if (wrong !== undefined) return wrong;
    if (!isUpgrade) return newBadRequest('Upgrade request required');
    return kubeletNotReached(pod.value, subresource);
  };
}

/** A container that no node has got yet has written nothing. */
export const podLog: Connect = async (deps, target, { query }) => {
  const options = readLogOptions(query, target.name);
  if (options instanceof StatusError) return options;
  const pod = await readConnected(deps, target);
  if (pod.kind === 'refused') return pod.error;
  const wrong = containerProblem(pod.value, queryValue(query, 'container') ?? '');
  if (wrong !== undefined) return newBadRequest(wrong);
  return nodeOf(pod.value) === '' ? '' : kubeletNotReached(pod.value, 'log');
};

/** `container` '' where the request names none; undefined where it is about the whole pod. */
function problemOf(pod: ApiObject, container: string | undefined): StatusError | undefined {
  const wrong = container === undefined ? undefined : containerProblem(pod, container);
  if (wrong !== undefined) return newBadRequest(wrong);
  if (nodeOf(pod) !== '') return undefined;
  return newBadRequest(`pod ${pod.metadata.name ?? ''} does not have a host assigned`);
}

function nodeOf(pod: ApiObject): string {
  return text(part(pod, 'spec'), 'nodeName');
}

function kubeletNotReached(pod: ApiObject, subresource: string): StatusError {
  const { name = '' } = pod.metadata;
  return newNotProxied(`${subresource} of pod ${name}`, `the kubelet of node ${nodeOf(pod)}`);
}

function containerProblem(pod: ApiObject, container: string): string | undefined {
  const { name = '' } = pod.metadata;
  const spec = part(pod, 'spec');
  const names = containerLists.flatMap((list) =>
    objects(spec, list).map((each) => text(each, 'name')),
  );
  if (container !== '') {
    return names.includes(container)
      ? undefined
      : `container ${container} is not valid for pod ${name}`;
  }
  const count = objects(spec, 'containers').length;
  if (count === 1) return undefined;
  const specified = `a container name must be specified for pod ${name}`;
  return count === 0 ? specified : `${specified}, choose one of: [${names.join(' ')}]`;
}

export const podProxyRefusal: ProxyRefusal = (_deps, { name }, pod) => {
  const [first] = objects(part(pod, 'status'), 'podIPs');
  const address = text(first, 'ip');
  if (!isReachable(address)) return newBadRequest('address not allowed');
  return newNotProxied(`the proxy to pod ${name}`, `the network of pods (${address})`);
};

/** Loopback, link-local, multicast and unspecified addresses are the server's own affair. */
function isReachable(address: string): boolean {
  if (isIP(address) === 4) {
    return !/^(?:0\.0\.0\.0$|127\.|169\.254\.|22[4-9]\.|23\d\.|255\.255\.255\.255$)/.test(address);
  }
  return isIP(address) === 6 && !/^(?:::1?$|f[ef]|::ffff:)/i.test(address);
}

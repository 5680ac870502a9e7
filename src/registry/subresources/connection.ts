/**
 * Where a connection to a container, a port of a pod, a service or a node would lead, and why it
 * leads nowhere: this server holds the cluster's objects and has no way to its nodes.
 *
 * What it is not: the streams themselves, or the access to them, which is decided on
 * `pods/exec` and its like before anybody looks here.
 *
 * Invariants: an object that is there is never NotFound, for a controller takes that for one that
 * is gone; what is wrong with the request or with the object is said before what this server
 * cannot do (501). Nothing is changed.
 */
import { isIP } from 'node:net';
import { items, objects, part, text } from '../../apimachinery/members.ts';
import {
  newBadRequest,
  newNotImplemented,
  newServiceUnavailable,
} from '../../apimachinery/status-error.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';

/** What a proxied name means: `[scheme:]name[:port]`. */
export interface ProxyTarget {
  readonly name: string;
  /** '' when it is not said. */
  readonly port: string;
}

/** Undefined for what is none. */
export function parseProxyTarget(text: string): ProxyTarget | undefined {
  const parts = text.split(':');
  if (parts.length > 3) return undefined;
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  const known = scheme === '' || scheme === 'http' || scheme === 'https';
  return known && name !== '' ? { name, port } : undefined;
}

/** `container` '' where the request names none; undefined where it is about the whole pod. */
export function podConnectionRefusal(
  pod: ApiObject,
  subresource: string,
  container: string | undefined,
  isUpgrade: boolean,
): StatusError {
  const { name = '' } = pod.metadata;
  if (container !== undefined) {
    const wrong = containerProblem(pod, container);
    if (wrong !== undefined) return newBadRequest(wrong);
  }
  const node = text(part(pod, 'spec'), 'nodeName');
  if (node === '') return newBadRequest(`pod ${name} does not have a host assigned`);
  if (subresource !== 'log' && !isUpgrade) return newBadRequest('Upgrade request required');
  return unreachable(`${subresource} of pod ${name}`, `the kubelet of node ${node}`);
}

/** Fields of a pod's spec that hold containers of it. */
const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

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

export function podProxyRefusal(pod: ApiObject): StatusError {
  const [first] = objects(part(pod, 'status'), 'podIPs');
  const address = text(first, 'ip');
  if (!isReachable(address)) return newBadRequest('address not allowed');
  return unreachable(`the proxy to pod ${pod.metadata.name}`, `the network of pods (${address})`);
}

/** Loopback, link-local, multicast and unspecified addresses are the server's own affair. */
function isReachable(address: string): boolean {
  if (isIP(address) === 4) {
    return !/^(?:0\.0\.0\.0$|127\.|169\.254\.|22[4-9]\.|23\d\.|255\.255\.255\.255$)/.test(address);
  }
  return isIP(address) === 6 && !/^(?:::1?$|f[ef]|::ffff:)/i.test(address);
}

/** `endpoints` undefined: the service has none. */
export function serviceProxyRefusal(
  service: ApiObject,
  { port }: ProxyTarget,
  endpoints: ApiObject | undefined,
): StatusError {
  const { name = '' } = service.metadata;
  const wanted = portName(service, port);
  if (wanted === undefined) {
    return newServiceUnavailable(`no service port ${port} found for service "${name}"`);
  }
  const served = items(endpoints, 'subsets').some((subset) => serves(subset as JsonObject, wanted));
  if (!served) return newServiceUnavailable(`no endpoints available for service "${name}"`);
  return unreachable(`the proxy to service ${name}`, 'the network of pods');
}

/** The name of a port that is asked for by number; undefined when there is none. */
function portName(service: ApiObject, port: string): string | undefined {
  if (!/^[0-9]+$/.test(port)) return port;
  const found = objects(part(service, 'spec'), 'ports').find(
    (each) => each['port'] === Number(port),
  );
  return found === undefined ? undefined : text(found, 'name');
}

function serves(subset: JsonObject, port: string): boolean {
  if (items(subset, 'addresses').length === 0) return false;
  return objects(subset, 'ports').some((each) => text(each, 'name') === port);
}

export function nodeProxyRefusal(node: ApiObject): StatusError {
  return unreachable(`the proxy to node ${node.metadata.name}`, 'its kubelet');
}

function unreachable(what: string, whom: string): StatusError {
  return newNotImplemented(`${what} is not served: this server does not connect to ${whom}`);
}

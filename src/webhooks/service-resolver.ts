/**
 * Where a service of the cluster is reached: at its cluster IP, or at one of its endpoints
 * (`--enable-aggregator-routing`).
 *
 * It makes no call; services and endpoints are given to it.
 *
 * Invariants: messages are those of the reference. Among ready endpoints one is chosen at random,
 * and those of the service's first address family come first.
 */
import { objects, part, text, texts } from '../apimachinery/members.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import type { Prng } from '../stdx/prng.ts';
import { randomBelow, turned } from '../stdx/prng.ts';
import { WebhookError } from './webhook-poster.ts';

export interface ServiceAddress {
  /** A name, or an IP address of either family, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** @throws WebhookError: there is no such service, it has no such port, or nobody is behind it. */
export type ResolveService = (namespace: string, name: string, port: number) => ServiceAddress;

/** A Service as it is stored; undefined: there is none. */
export type FindService = (namespace: string, name: string) => JsonObject | undefined;

/** The EndpointSlices of a service. */
export type FindEndpoints = (namespace: string, name: string) => readonly JsonObject[];

const routed: ReadonlySet<string> = new Set(['ClusterIP', 'NodePort', 'LoadBalancer']);

/** By the address of the service itself; by its name in DNS where it has not been given one. */
export function clusterResolver(find: FindService): ResolveService {
  return (namespace, name, port) => {
    const spec = specOf(find, namespace, name);
    const type = typeOf(spec);
    if (type === 'ExternalName') return { host: text(spec, 'externalName'), port };
    const address = text(spec, 'clusterIP');
    if (type === 'ClusterIP' && address === 'None') {
      throw unreachable('cannot route to service with ClusterIP "None"');
    }
    if (!routed.has(type)) throw unreachable(`unsupported service type "${type}"`);
    portOf(spec, name, port);
    return { host: address === '' ? `${name}.${namespace}.svc` : address, port };
  };
}

/** By whoever is ready behind it. */
export function endpointResolver(
  find: FindService,
  findEndpoints: FindEndpoints,
  prng: Prng,
): ResolveService {
  return (namespace, name, port) => {
    const spec = specOf(find, namespace, name);
    const type = typeOf(spec);
    if (!routed.has(type)) throw unreachable(`unsupported service type "${type}"`);
    const portName = text(portOf(spec, name, port), 'name');
    const [family = ''] = texts(spec, 'ipFamilies');
    const slices = findEndpoints(namespace, name);
    const isFirst = (slice: JsonObject): boolean => text(slice, 'addressType') === family;
    const others = slices.filter((slice) => !isFirst(slice));
    const inOrder = [...turned(slices.filter(isFirst), prng), ...turned(others, prng)];
    for (const slice of inOrder) {
      const found = readyIn(slice, portName, prng);
      if (found !== undefined) return found;
    }
    throw unreachable(`no endpoints available for service "${name}"`);
  };
}

function specOf(find: FindService, namespace: string, name: string): JsonObject {
  const service = find(namespace, name);
  if (service === undefined) throw unreachable(`service "${name}" not found`);
  return part(service, 'spec');
}

function typeOf(spec: JsonObject): string {
  return text(spec, 'type') || 'ClusterIP';
}

function portOf(spec: JsonObject, name: string, port: number): JsonObject {
  const found = objects(spec, 'ports').find((each) => each['port'] === port);
  if (found !== undefined) return found;
  throw unreachable(`no service port ${port} found for service "${name}"`);
}

function readyIn(slice: JsonObject, portName: string, prng: Prng): ServiceAddress | undefined {
  const port = objects(slice, 'ports').find(
    (each) => typeof each['port'] === 'number' && text(each, 'name') === portName,
  );
  const ready = objects(slice, 'endpoints').filter(
    (each) => part(each, 'conditions')['ready'] !== false && texts(each, 'addresses').length > 0,
  );
  if (port === undefined || ready.length === 0) return undefined;
  const [host = ''] = texts(ready[randomBelow(prng, ready.length)] ?? {}, 'addresses');
  return { host, port: Number(port['port']) };
}

function unreachable(why: string): WebhookError {
  return new WebhookError(why, false);
}

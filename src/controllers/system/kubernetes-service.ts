/**
 * Maintains the service default/kubernetes and its endpoints. Every server does this for itself.
 *
 *     Leases of servers ▶ who is there ─┐
 *     this server's own address ────────┴▶ EndpointSlices, Endpoints      every `intervalMs`
 *     the service                        ▶ made when it is not there, else left alone
 *
 *     stop ▶ the same without this server
 *
 * A server is there while its Lease changes: `absentMs` after the last change that this server saw,
 * by its own clock, it is not. So clocks need not agree. Without such Leases (one server, or the
 * gate is off) nobody is known to be gone: `peers` is undefined, and then, where the store is
 * shared, addresses are only added, and taken back by their own server.
 *
 * Invariants: nothing is written that is as it should be; each write is decided on the current
 * object. Slices of the service that this module would not write are deleted.
 * Bounds: one pass at a time, over the Leases of servers, which are as many as servers.
 */
import { isIPv6 } from 'node:net';
import { part, text } from '../../apimachinery/members.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { StatusReason } from '../../apimachinery/status-table.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { deleteObject } from '../../registry/delete.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { Timers } from '../../stdx/clock.ts';
import type { Controller } from '../controller.ts';
import { repeatWork } from '../repeated-work.ts';
import { asStored, ensureObject, noRepair } from './ensured-object.ts';
import {
  endpointsOf,
  kubernetesService,
  serversOf,
  serviceName,
  slicesOf,
} from './server-endpoints.ts';
import type { MainPort, ServerAddress } from './server-endpoints.ts';
import { formatAddress } from './server-endpoints.ts';

const kubernetesServiceTimes = { intervalMs: 10_000 } as const;

export interface KubernetesServiceDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly clusterIp: string;
  /** Of HTTPS here; what the service leads to. */
  readonly port: number;
  /** Undefined: nobody else reaches this server. */
  readonly own: ServerAddress | undefined;
  readonly peers: Peers;
  readonly onError: (error: unknown) => void;
}

/** `alone`: there is no other server; `unknown`: there may be. */
export type Peers =
  | { readonly kind: 'alone' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'known'; readonly present: () => readonly ServerAddress[] };

export function createKubernetesService(deps: KubernetesServiceDeps): Controller {
  const keep = (own: ServerAddress | undefined): Promise<void> => keepService(deps, own);
  const repeated = repeatWork({
    timers: deps.timers,
    work: () => keep(deps.own),
    afterSuccessMs: kubernetesServiceTimes.intervalMs,
    afterFailureMs: kubernetesServiceTimes.intervalMs / 10,
    onError: deps.onError,
  });
  return {
    start: repeated.start,
    async stop() {
      await repeated.stop();
      if (deps.own === undefined || deps.peers.kind === 'alone') return;
      await keep(undefined).catch(deps.onError);
    },
  };
}

async function keepService(
  deps: KubernetesServiceDeps,
  own: ServerAddress | undefined,
): Promise<void> {
  const { registry, clusterIp, port } = deps;
  const { scheme, identity } = registry;
  const main: MainPort = { family: isIPv6(clusterIp) ? 'IPv6' : 'IPv4', port };
  const services = scheme.findStorage({ group: '', resource: 'services' });
  if (services !== undefined) {
    await ensureObject(registry, services, kubernetesService(identity, clusterIp, port), noRepair);
  }
  const group = identity.fill('discovery.{domain}');
  const slices = scheme.findStorage({ group, resource: 'endpointslices' });
  const servers = liveServersFor(deps, own, slices);
  const endpoints = scheme.findStorage({ group: '', resource: 'endpoints' });
  if (endpoints !== undefined) {
    const wanted = endpointsOf(identity, servers, main);
    await ensureObject(registry, endpoints, wanted, (now) => corrected(now, wanted, ['subsets']));
  }
  if (slices !== undefined) await keepSlices(registry, slices, servers, main);
}

function liveServersFor(
  { registry, own: self, peers }: KubernetesServiceDeps,
  own: ServerAddress | undefined,
  slices: KindInfo | undefined,
): readonly ServerAddress[] {
  const others = (): readonly ServerAddress[] => {
    if (peers.kind === 'known') return peers.present();
    if (peers.kind === 'alone' || slices === undefined) return [];
    return serviceSlices(registry, slices).flatMap(serversOf);
  };
  const all = new Map<string, ServerAddress>();
  for (const each of others()) all.set(formatAddress(each), each);
  // One that has left may still be told of by what was read.
  if (self !== undefined && peers.kind === 'unknown') all.delete(formatAddress(self));
  if (own !== undefined) all.set(formatAddress(own), own);
  return [...all.values()];
}

function serviceSlices(registry: RegistryDeps, kind: KindInfo): readonly ApiObject[] {
  const { namespaces, labels } = registry.identity;
  const found: ApiObject[] = [];
  for (const entry of registry.streams.snapshot(kind.storage).entries(namespaces.default)) {
    if (entry.labels[labels.serviceName] === serviceName) found.push(decodeObject(entry.bytes));
  }
  return found;
}

async function keepSlices(
  registry: RegistryDeps,
  kind: KindInfo,
  servers: readonly ServerAddress[],
  main: MainPort,
): Promise<void> {
  const wanted = slicesOf(registry.identity, servers, main).map((each) => asStored(each, kind));
  const types = new Map(wanted.map((each) => [each.metadata.name, text(each, 'addressType')]));
  for (const slice of serviceSlices(registry, kind)) {
    // The type of a slice cannot be changed: it is made anew.
    if (types.get(slice.metadata.name) === text(slice, 'addressType')) continue;
    await removeSlice(registry, kind, slice);
  }
  for (const each of wanted) {
    const parts = ['endpoints', 'ports'];
    await ensureObject(registry, kind, each, (current) => corrected(current, each, parts));
  }
}

/** The current object with what is ours of it as it should be: these members and the labels. */
function corrected(
  current: ApiObject,
  wanted: ApiObject,
  members: readonly string[],
): ApiObject | undefined {
  const { labels } = wanted.metadata;
  const right =
    deepEqual(part(current.metadata, 'labels'), labels ?? {}) &&
    members.every((name) => deepEqual(current[name] ?? [], wanted[name] ?? []));
  if (right) return undefined;
  const next = { ...current, metadata: { ...current.metadata, labels } };
  const own = members.map((name) => [name, wanted[name] ?? []] as const);
  return { ...next, ...Object.fromEntries(own) };
}

async function removeSlice(
  registry: RegistryDeps,
  kind: KindInfo,
  { metadata }: ApiObject,
): Promise<void> {
  const { name = '', namespace = '', uid } = metadata;
  const options = { dryRun: false, preconditions: { uid, resourceVersion: undefined } };
  const deleted = await deleteObject(registry, { kind, namespace, name }, options);
  if (deleted.kind === 'refused' && !isOver.has(deleted.error.reason)) throw deleted.error;
}

/** Another server has done it, or has made it anew. */
const isOver: ReadonlySet<string> = new Set([StatusReason.notFound, StatusReason.conflict]);

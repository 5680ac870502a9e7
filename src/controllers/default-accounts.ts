/**
 * Makes what every namespace has: a service account `default`, and the ConfigMap with the CA that
 * its pods trust (spec 2, section 5.1).
 *
 *   a namespace appears, or one of the two is removed or altered ─▶ made, or put right
 *
 * Invariants: a namespace that is being deleted gets nothing; an account that exists is left as it
 * is; of the config map only its key is put right.
 */
import { part } from '../apimachinery/members.ts';
import { decodeObject } from '../apimachinery/object-encoding.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { serviceAccountsResource } from '../authentication/object-reader.ts';
import { createObject } from '../registry/create.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import { updateObject } from '../registry/update.ts';
import type { Timers } from '../stdx/clock.ts';
import type { Controller } from './controller.ts';
import { createKeyQueue, keysAtOnce } from './key-queue.ts';
import type { QueueMeters } from './queue-meters.ts';
import { isAwaited } from './system/ensured-object.ts';

const namespaces: GroupResource = { group: '', resource: 'namespaces' };
const configMaps: GroupResource = { group: '', resource: 'configmaps' };
const accountName = 'default';
const caKey = 'ca.crt';

export interface DefaultAccountsDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  readonly onError: (namespace: string, error: unknown) => void;
}

export function createDefaultAccounts(deps: DefaultAccountsDeps): Controller {
  const account = { resource: serviceAccountsResource, name: accountName };
  return inEachNamespace(deps, 'default-accounts', account, (namespace) =>
    makeAccount(deps.registry, namespace),
  );
}

export interface RootCaMapsDeps extends DefaultAccountsDeps {
  /** PEM of who signs the serving certificate. */
  readonly rootCa: string;
}

export function createRootCaMaps(deps: RootCaMapsDeps): Controller {
  const { registry, rootCa } = deps;
  const map = { resource: configMaps, name: registry.identity.configMaps.rootCa };
  return inEachNamespace(deps, 'root-ca-cert-publisher', map, (namespace) =>
    makeConfigMap(registry, namespace, rootCa),
  );
}

function inEachNamespace(
  { onError, queues, registry, timers }: DefaultAccountsDeps,
  name: string,
  object: { readonly resource: GroupResource; readonly name: string },
  make: (namespace: string) => Promise<void>,
): Controller {
  return createKeyQueue({
    name,
    streams: registry.streams,
    turns: registry.turns,
    timers,
    queues,
    atOnceMax: keysAtOnce,
    sources: [
      { resource: namespaces, keysOf: (_none, name) => [name] },
      {
        resource: object.resource,
        keysOf: (namespace, named) => (named === object.name ? [namespace] : []),
      },
    ],
    work: async (namespace) => {
      const entry = registry.streams.snapshot(namespaces).get('', namespace);
      if (entry === undefined) return;
      if (decodeObject(entry.bytes).metadata.deletionTimestamp === undefined) await make(namespace);
    },
    onError,
  });
}

async function makeAccount(registry: RegistryDeps, namespace: string): Promise<void> {
  const kind = registry.scheme.findStorage(serviceAccountsResource);
  const exists = registry.streams.snapshot(serviceAccountsResource).get(namespace, accountName);
  if (kind === undefined || exists !== undefined) return;
  const metadata = { name: accountName, namespace };
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
  const result = await createObject(registry, { kind, namespace }, account, { dryRun: false });
  if (result.kind === 'refused' && !skippedReasons.has(result.error.reason)) throw result.error;
}

async function makeConfigMap(
  registry: RegistryDeps,
  namespace: string,
  rootCa: string,
): Promise<void> {
  const { identity, scheme, streams } = registry;
  const kind = scheme.findStorage(configMaps);
  if (kind === undefined) return;
  const name = identity.configMaps.rootCa;
  if (isAwaited(registry, { kind, namespace, name })) return;
  const entry = streams.snapshot(configMaps).get(namespace, name);
  const found: ApiObject =
    entry === undefined
      ? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } }
      : decodeObject(entry.bytes);
  const data = part(found, 'data');
  if (data[caKey] === rootCa) return;
  const key = `${identity.labelDomain}/description`;
  const text = 'Whose certificates show that a server is the API server of this cluster.';
  const annotations = { ...found.metadata.annotations, [key]: text };
  const next: ApiObject = {
    ...found,
    metadata: { ...found.metadata, annotations },
    data: { ...data, [caKey]: rootCa },
  };
  const options = { dryRun: false, manager: 'root-ca-publisher' };
  const result =
    entry === undefined
      ? await createObject(registry, { kind, namespace }, next, options)
      : await updateObject(registry, { kind, namespace, name }, next, undefined, options);
  if (result.kind === 'refused' && !skippedReasons.has(result.error.reason)) throw result.error;
}

/** Somebody was faster, or the namespace is going: what changed comes back as a change. */
const skippedReasons: ReadonlySet<string> = new Set([
  StatusReason.alreadyExists,
  StatusReason.conflict,
  StatusReason.notFound,
  StatusReason.forbidden,
]);

/**
 * Objects that own each other, for tests of the collector: a few kinds of both scopes, made and
 * deleted over HTTP, and a way to know that the collector has nothing left to do.
 */
import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import type { ApiClient } from '../servers/test-server.ts';

/** Kinds without rules of their own that would get into the way. */
export const ownedKinds = {
  ConfigMap: { apiVersion: 'v1', collection: '/api/v1/namespaces/NS/configmaps' },
  Secret: { apiVersion: 'v1', collection: '/api/v1/namespaces/NS/secrets' },
  Role: {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    collection: '/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles',
  },
  ClusterRole: {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    collection: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  },
} as const;
export type OwnedKind = keyof typeof ownedKinds;

export interface Owned {
  readonly kind: OwnedKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion?: boolean;
}

export function referenceTo(owner: Owned, blockOwnerDeletion = true): OwnerReference {
  const { kind, name, uid } = owner;
  return { apiVersion: ownedKinds[kind].apiVersion, kind, name, uid, blockOwnerDeletion };
}

export function pathOf({ kind, namespace, name }: Omit<Owned, 'uid'>): string {
  return `${ownedKinds[kind].collection.replace('NS', namespace)}/${name}`;
}

export async function makeOwned(
  client: ApiClient,
  object: Omit<Owned, 'uid'>,
  metadata: object = {},
): Promise<Owned> {
  const { kind, namespace, name } = object;
  const collection = ownedKinds[kind].collection.replace('NS', namespace);
  const body = { metadata: { name, ...metadata } };
  const made = await client.request('POST', collection, { body });
  assert.equal(made.status, 201, made.text);
  return { ...object, uid: metadataIn(made.body)['uid'] as string };
}

/** The metadata now; undefined when the object, with its uid, is not there. */
export async function look(client: ApiClient, object: Owned): Promise<JsonObject | undefined> {
  const reply = await client.request('GET', pathOf(object));
  if (reply.status === 404) return undefined;
  const metadata = metadataIn(reply.body);
  return metadata['uid'] === object.uid ? metadata : undefined;
}

export async function deleteOwned(
  client: ApiClient,
  object: Owned,
  propagationPolicy?: string,
): Promise<number> {
  const body = { propagationPolicy, preconditions: { uid: object.uid } };
  return (await client.request('DELETE', pathOf(object), { body })).status;
}

export function ownerUids(metadata: JsonObject | undefined): string[] {
  const owners = (metadata?.['ownerReferences'] ?? []) as readonly { uid: string }[];
  return owners.map(({ uid }) => uid);
}

export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 20_000; attempt += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`not so after a while: ${what}`);
}

let canaries = 0;

/** The collector works in order: when an object without an owner that came later is collected, what
 * came earlier has been looked at. Several times, because one look leads to the next. */
export async function collectorPassed(client: ApiClient, namespace: string): Promise<void> {
  for (let i = 0; i < 4; i += 1) {
    canaries += 1;
    const name = `canary-${canaries}`;
    const owner = { kind: 'ConfigMap', namespace, name: 'nobody', uid: 'none' } as const;
    const canary = await makeOwned(
      client,
      { kind: 'ConfigMap', namespace, name },
      { ownerReferences: [referenceTo(owner)] },
    );
    await until(`${name} is collected`, async () => (await look(client, canary)) === undefined);
  }
}

function metadataIn(body: JsonObject): JsonObject {
  return body['metadata'] as JsonObject;
}

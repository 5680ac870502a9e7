/** Definitions of custom resources for tests, and waiting until they are served. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { objects, part } from '../../../src/apimachinery/members.ts';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import type { ApiClient } from '../servers/test-server.ts';

export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export interface DefinitionOptions {
  readonly plural: string;
  readonly kind: string;
  readonly group?: string | undefined;
  readonly scope?: 'Cluster' | 'Namespaced' | undefined;
  readonly names?: JsonObject | undefined;
  /** Of the spec. */
  readonly spec?: JsonObject | undefined;
  /** Of the only version, v1. */
  readonly version?: JsonObject | undefined;
  /** Of the schema's spec and status. */
  readonly properties?: JsonObject | undefined;
}

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export function definition(options: DefinitionOptions): JsonObject {
  const { group = 'shop.example', kind, names = {}, plural, scope = 'Namespaced' } = options;
  const properties = options.properties ?? { spec: anything, status: anything };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties } },
    ...options.version,
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names: { plural, kind, ...names }, versions: [version], ...options.spec },
  };
}

/** Creates it; resolves when it says that it is served. */
export async function established(client: ApiClient, body: JsonObject): Promise<JsonObject> {
  const made = await client.request('POST', definitionsPath, { body });
  assert.equal(made.status, 201, made.text);
  return whenEstablished(client, String(part(body, 'metadata')['name']));
}

export async function whenEstablished(client: ApiClient, name: string): Promise<JsonObject> {
  for (;;) {
    const { body } = await client.request('GET', `${definitionsPath}/${name}`);
    if (conditionsOf(body)['Established']?.startsWith('True')) return body;
    await pause(5);
  }
}

/** `True InitialNamesAccepted`, by type. */
export function conditionsOf(object: JsonObject): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    objects(part(object, 'status'), 'conditions').map(({ type, status, reason }) => [
      String(type),
      `${String(status)} ${String(reason)}`,
    ]),
  );
}

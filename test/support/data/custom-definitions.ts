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

export function whenEstablished(client: ApiClient, name: string): Promise<JsonObject> {
  return until(client, `${definitionsPath}/${name}`, (body) =>
    conditionsOf(body)['Established']?.startsWith('True'),
  );
}

/** A guard against waiting for ever, not a promise about time. */
const looksMax = 20_000;

/** What is there, once it is and looks so. */
export async function until(
  client: ApiClient,
  path: string,
  looks: (body: JsonObject) => boolean | undefined,
): Promise<JsonObject> {
  for (let looked = 0; looked < looksMax; looked += 1) {
    const { body, status } = await client.request('GET', path);
    if (status === 200 && looks(body) === true) return body;
    await pause(5);
  }
  return assert.fail(`${path} never came to look so`);
}

/** Resolves when nothing is there any more. */
export async function gone(client: ApiClient, path: string): Promise<void> {
  for (let looked = 0; looked < looksMax; looked += 1) {
    if ((await client.request('GET', path)).status === 404) return;
    await pause(5);
  }
  assert.fail(`${path} never went`);
}

/** Replaces the spec of what is there, however often it changes meanwhile. */
export async function replaced(
  client: ApiClient,
  path: string,
  change: (spec: JsonObject) => JsonObject,
): Promise<void> {
  for (;;) {
    const { body } = await client.request('GET', path);
    const next = { ...body, spec: change(part(body, 'spec')) };
    const reply = await client.request('PUT', path, { body: next });
    if (reply.status === 200) return;
    assert.equal(reply.status, 409, reply.text);
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

/** With every part that a version can have. */
export const widgetDefinition: DefinitionOptions = {
  plural: 'widgets',
  kind: 'Widget',
  names: { shortNames: ['wd'], categories: ['all'], singular: 'widget' },
  version: {
    subresources: {
      status: {},
      scale: {
        specReplicasPath: '.spec.count',
        statusReplicasPath: '.status.count',
        labelSelectorPath: '.status.selector',
      },
    },
    selectableFields: [{ jsonPath: '.spec.colour' }],
    additionalPrinterColumns: [
      { name: 'Colour', type: 'string', jsonPath: '.spec.colour' },
      { name: 'Count', type: 'integer', jsonPath: '.spec.count', priority: 1 },
    ],
  },
  properties: {
    spec: {
      type: 'object',
      properties: {
        colour: { type: 'string', default: 'grey', enum: ['grey', 'red', 'blue'] },
        count: { type: 'integer', minimum: 0 },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, size: { type: 'integer' } },
          },
        },
      },
      'x-kubernetes-validations': [
        { rule: '!has(self.count) || self.count < 100', message: 'too many' },
      ],
    },
    status: {
      type: 'object',
      properties: { count: { type: 'integer' }, selector: { type: 'string' } },
    },
  },
};

/** Of the group of these definitions. */
export function object(
  kind: string,
  name: string,
  more: JsonObject = {},
  version = 'v1',
): JsonObject {
  return { apiVersion: `shop.example/${version}`, kind, metadata: { name }, ...more };
}

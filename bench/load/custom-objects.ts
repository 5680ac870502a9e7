/**
 * Objects of custom types and config maps of the same size and shape, for comparisons: each has one
 * mark (objects.ts) in its one field.
 *
 * Collections that are listed, and those that are written to, are in namespaces of their own.
 */
import { fetchBytes } from './http-client.ts';
import { requestBytes, SEQUENCE_DIGITS } from './objects.ts';
import { define } from './prepare.ts';

const group = 'bench.example.org';
const rulesCount = 20;
/** Of the field; the object has 1 KB with what the server adds. */
const textBytes = 600;
/** What the server adds to a custom object is so much more: its group and its generation. */
const customMore = 49;

export interface Collection {
  readonly apiVersion: string;
  readonly kind: string;
  /** Of what has the text: `data` or `spec`. */
  readonly member: string;
  /** That is written to. */
  readonly path: string;
  /** That is listed. */
  readonly filled: string;
}

export const configMaps: Collection = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  member: 'data',
  path: '/api/v1/namespaces/default/configmaps',
  filled: '/api/v1/namespaces/filled/configmaps',
};

const custom = (kind: string, plural: string): Collection => ({
  apiVersion: `${group}/v1`,
  kind,
  member: 'spec',
  path: `/apis/${group}/v1/namespaces/default/${plural}`,
  filled: `/apis/${group}/v1/namespaces/filled/${plural}`,
});

export const widgets = custom('Widget', 'widgets');
export const ruled = custom('Ruled', 'ruleds');

/** Makes the types, and resolves when they are served. */
export async function defineCustomTypes(port: number): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'filled' } };
  await fetchBytes(port, 'POST', '/api/v1/namespaces', JSON.stringify(namespace));
  const rules = Array.from({ length: rulesCount }, (_, at) => ({
    rule: `self.p.size() > ${at} && !self.p.startsWith('${at}')`,
  }));
  await define(port, definitionOf('Widget', 'widgets', []), widgets.path);
  await define(port, definitionOf('Ruled', 'ruleds', rules), ruled.path);
}

function definitionOf(kind: string, plural: string, rules: readonly object[]): object {
  const p = { type: 'string', maxLength: 4096 };
  const validations = rules.length === 0 ? {} : { 'x-kubernetes-validations': rules };
  const spec = { type: 'object', required: ['p'], properties: { p }, ...validations };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural, kind }, versions },
  };
}

function textOf({ kind }: Collection, sequence: number): string {
  const bytes = kind === configMaps.kind ? textBytes + customMore : textBytes;
  return `~${String(sequence).padStart(SEQUENCE_DIGITS, '0')}`.padEnd(bytes, 'x');
}

export function postRequest(collection: Collection, name: string, sequence: number): Buffer {
  const { apiVersion, kind, member, path } = collection;
  const p = textOf(collection, sequence);
  const object = { kind, apiVersion, metadata: { name }, [member]: { p } };
  return requestBytes('POST', path, JSON.stringify(object));
}

export function patchRequest(collection: Collection, name: string, sequence: number): Buffer {
  const { member, path } = collection;
  const body = JSON.stringify({ [member]: { p: textOf(collection, sequence) } });
  return Buffer.from(
    `PATCH ${path}/${name} HTTP/1.1\r\nHost: bench\r\nAccept: application/json\r\n` +
      'Content-Type: application/merge-patch+json\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/**
 * What goes over the wire, byte for byte, beside what went before: a change of it is seen, and meant.
 * The goldens are tap's snapshots (tap-snapshots/); `TAP_SNAPSHOT=1 npm test -- <this file>` takes
 * them anew. That the bytes are right, other files ask of readers that nobody here wrote.
 *
 * What is chosen at random, read from a clock or counted since the start is replaced by as many
 * characters that are always the same.
 */
import t from 'tap';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { exchange } from '../support/clients/http-client.ts';
import type { HttpReply, HttpRequest } from '../support/clients/http-client.ts';
import { startTestServer } from '../support/servers/test-server.ts';

const at = '/api/v1/namespaces/default/configmaps';
const protobuf = 'application/vnd.kubernetes.protobuf';
const initialEvents =
  'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

interface Row extends HttpRequest {
  readonly title: string;
  readonly target: string;
}

const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'golden', labels: { app: 'x' }, annotations: { note: 'a "quoted" <b>ü</b>' } },
  data: { key: 'value', many: 'one\ntwo\n' },
  binaryData: { bytes: 'AAECAwQ=' },
};
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'golden' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'x' } },
    template: {
      metadata: { labels: { app: 'x' } },
      spec: {
        containers: [
          { name: 'c', image: 'i', resources: { limits: { cpu: '0.5', memory: '1024Mi' } } },
        ],
      },
    },
  },
};
const deployments = '/apis/apps/v1/namespaces/default/deployments';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const metadataOnly = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const medias: readonly (readonly [string, string])[] = [
  ['JSON', 'application/json'],
  ['YAML', 'application/yaml'],
  ['CBOR', 'application/cbor'],
  ['Protobuf', protobuf],
  ['a table', table],
  ['its metadata', metadataOnly],
];
const streams: readonly (readonly [string, string])[] = [
  ['JSON', 'application/json'],
  ['CBOR', 'application/cbor-seq'],
  ['Protobuf', `${protobuf};stream=watch`],
  ['tables', table],
];

const eventStreams = [...streams, ['metadata', metadataOnly] as const];
const fromTheStart = 'watch=true&resourceVersion=1&timeoutSeconds=1';
const listForms = [
  ['a table', table],
  ['their metadata', 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'],
  ['YAML', 'application/yaml'],
] as const;

/** A Status for each reason that a client may meet; those of the store are elsewhere. */
const refusals: readonly Row[] = [
  { title: 'who is not known', target: at, headers: { authorization: 'Bearer nobody' } },
  { title: 'what is forbidden', method: 'DELETE', target: '/api/v1/namespaces/kube-system' },
  { title: 'what a resource cannot do', method: 'POST', target: `${at}/golden`, body: configMap },
  { title: 'a form that is not served', target: at, headers: { accept: 'text/plain' } },
  {
    title: 'a form that is not read',
    method: 'POST',
    target: at,
    headers: { 'content-type': 'text/plain' },
    body: 'x',
  },
  {
    title: 'a write of an older version',
    method: 'PUT',
    target: `${at}/golden`,
    body: { ...configMap, metadata: { ...configMap.metadata, resourceVersion: '1' } },
  },
  {
    title: 'an apply of a field that another manager has',
    method: 'PATCH',
    target: `${deployments}/golden?fieldManager=other`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 3 } },
  },
  {
    title: 'a field that is not known',
    method: 'POST',
    target: `${at}?fieldValidation=Strict`,
    body: { ...configMap, dta: {} },
  },
  {
    title: 'a field that is not known, with a warning',
    method: 'POST',
    target: `${at}?fieldValidation=Warn&dryRun=All`,
    body: { metadata: { name: 'dry' }, dta: {} },
  },
  { title: 'a version that is not reached yet', target: `${at}?resourceVersion=99999999` },
  { title: 'a part of a list that is not known', target: `${at}?limit=1&continue=x` },
  { title: 'a path that is not there', target: '/apis/none/v1/things' },
];

const rows: readonly Row[] = [
  { title: 'a config map is created', method: 'POST', target: at, body: configMap },
  { title: 'a deployment is created', method: 'POST', target: deployments, body: deployment },
  ...medias.flatMap(([name, accept]): Row[] => [
    { title: `a config map in ${name}`, target: `${at}/golden`, headers: { accept } },
    { title: `a deployment in ${name}`, target: `${deployments}/golden`, headers: { accept } },
  ]),
  ...['application/json', 'application/cbor', protobuf].map((accept): Row => ({
    title: `a list in ${accept}`,
    target: deployments,
    headers: { accept },
  })),
  ...streams.map(([name, accept]): Row => ({
    title: `a streaming list in ${name}`,
    target: `${deployments}?${initialEvents}&timeoutSeconds=1`,
    headers: { accept },
  })),
  { title: 'what is not there', target: `${at}/absent` },
  {
    title: 'what is not there, in Protobuf',
    target: `${at}/absent`,
    headers: { accept: protobuf },
  },
  { title: 'what is there already', method: 'POST', target: at, body: configMap },
  {
    title: 'what is invalid',
    method: 'POST',
    target: deployments,
    body: { ...deployment, spec: { ...deployment.spec, replicas: -1, selector: {} } },
  },
  { title: 'what cannot be read', method: 'POST', target: at, body: '{"metadata":' },
  ...refusals,
  ...listForms.map(([name, accept]): Row => ({
    title: `a list in ${name}`,
    target: deployments,
    headers: { accept },
  })),
  { title: 'the versions of the core group', target: '/api' },
  { title: 'the versions of a group', target: '/apis/batch' },
  { title: 'the resources of a group', target: '/apis/autoscaling/v2' },
  {
    title: 'the resources of a group in Protobuf',
    target: '/apis/autoscaling/v2',
    headers: { accept: protobuf },
  },
  {
    title: 'the core group in one document',
    target: '/api',
    headers: { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' },
  },
  {
    title: 'a config map is patched',
    method: 'PATCH',
    target: `${at}/golden`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { data: { many: null } },
  },
  {
    title: 'a deletion of an older version',
    method: 'DELETE',
    target: `${at}/golden`,
    body: { preconditions: { resourceVersion: '1' } },
  },
  { title: 'a config map is deleted', method: 'DELETE', target: `${at}/golden` },
  ...eventStreams.map(([name, accept]): Row => ({
    title: `what became of a config map in ${name}`,
    target: `${at}?${fromTheStart}&fieldSelector=metadata.name%3Dgolden`,
    headers: { accept },
  })),
];

/** When what was there at the start is forgotten. */
const expiredRows: readonly Row[] = eventStreams.map(([name, accept]) => ({
  title: `a watch of what is forgotten, in ${name}`,
  target: `${at}?${fromTheStart}`,
  headers: { accept },
}));

/** What the rows make has this version or a later one: four digits, however the start went. */
const firstVersion = 1000;
const versionsMax = 200;

async function reachVersion(url: string): Promise<void> {
  for (let made = 0, version = 0; version < firstVersion; made += 1) {
    const body = { metadata: { name: `c${made}` } };
    const reply = await exchange(url, '/api/v1/namespaces/kube-public/configmaps', {
      method: 'POST',
      body,
    });
    version = Number((reply.body['metadata'] as JsonObject)['resourceVersion']);
  }
}

/** As many characters as there were, so that lengths stay. */
function masked(bytes: Buffer): Buffer {
  const text = bytes
    .toString('latin1')
    .replace(/"\d+s"/g, '"0s"')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:80')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g, '2000-01-01T00:00:00')
    // In Protobuf: seconds, in five bytes, of the fields creationTimestamp and time.
    .replace(/(?<=[B"][\x06\x08]\x08)[\x80-\xff]{4}[\x00-\x7f]/g, '\x80\x80\x80\x80\x01')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (uid) => uid.replace(/[0-9a-f]/g, '0'))
    // YAML quotes one that begins like a number.
    .replace(/uid: "(.{36})"/g, 'uid: $1')
    .replace(/(?<!\d)\d+/g, (number) => {
      const since = Number(number) - firstVersion;
      return since >= 0 && since < versionsMax ? '0'.repeat(number.length) : number;
    });
  return Buffer.from(text, 'latin1');
}

const shownHeaders = ['content-type', 'cache-control', 'vary', 'retry-after', 'warning'];

function shown({ bytes, headers, status }: HttpReply): string {
  const head = shownHeaders
    .filter((name) => headers[name] !== undefined)
    .map((name) => `${name}: ${String(headers[name])}`);
  const isText = /json|yaml|text/.test(headers['content-type'] ?? '');
  const body = masked(bytes);
  const lines = isText ? [body.toString('utf8')] : (body.toString('hex').match(/.{1,96}/g) ?? []);
  return [String(status), ...head, '', ...lines].join('\n');
}

// A guard against waiting for ever, no promise about time.
t.setTimeout(600_000);
void t.test('the wire', async (t) => {
  const options = { store: 'lmdb', 'feature-gates': 'CBORServingAndStorage=true' };
  let server = await startTestServer(options);
  t.teardown(() => server.remove());
  await reachVersion(server.url);
  for (const { title, target, ...request } of rows) {
    const reply = await exchange(server.url, target, request);
    t.matchSnapshot(shown(reply), title);
  }
  const { storage } = server.running.parts;
  await storage.compact(await storage.revision());
  await server.stop();
  server = await startTestServer({ ...options, 'data-dir': server.dataDir });
  for (const { title, target, ...request } of expiredRows) {
    t.matchSnapshot(shown(await exchange(server.url, target, request)), title);
  }
});

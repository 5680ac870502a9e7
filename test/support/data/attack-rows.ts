/**
 * What one caller can send to stop the others, row by row: each was found to do so once.
 *
 * What it is not: a judgement of times. A row says which answers are right; how long everybody else
 * waited meanwhile is told by whoever runs it.
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { statusOf } from '../clients/http-client.ts';
import { makeRequest } from './signing-requests.ts';

export interface AttackRow {
  readonly title: string;
  /** Every answer is one of these; 0: the connection was ended. */
  readonly right: readonly number[];
  /** The statuses of its answers. `of` gives a size: the first in every run, the second at full
   * size. */
  run(port: number, of: SizeOf): Promise<readonly number[]>;
}

export type SizeOf = (small: number, full: number) => number;

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string | Buffer;
  readonly accept?: string;
}

const configMaps = '/api/v1/namespaces/default/configmaps';
const review = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const yaml = 'application/yaml';
const json = 'application/json';
const protobuf = 'application/vnd.kubernetes.protobuf';

export function send(port: number, sent: Sent): Promise<number> {
  const { accept, body, method = 'POST', path, type = json } = sent;
  const headers = {
    ...(body === undefined ? {} : { 'content-type': type }),
    ...(accept === undefined ? {} : { accept }),
  };
  return statusOf(`http://127.0.0.1:${port}`, path, { method, headers, body });
}

function posts(path: string, type: string, bodies: readonly (string | Buffer)[]) {
  return async (port: number): Promise<readonly number[]> =>
    Promise.all(bodies.map((body) => send(port, { path, type, body })));
}

function configMap(metadata: object, more: object = {}): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, ...more });
}

function many<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

function record<T>(count: number, make: (i: number) => T): Record<string, T> {
  return Object.fromEntries(many(count, (i) => [`k${i}`, make(i)]));
}

/** A line of bytes as it is: for methods that no client library sends. */
function raw(port: number, head: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(head));
    socket.once('data', (bytes) => {
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1'))?.[1] ?? 0));
      socket.destroy();
    });
    socket.on('error', () => resolve(0));
    socket.on('close', () => resolve(0));
  });
}

/** Connections that begin a body and never end it; resolves when all have been ended. */
async function unfinishedBodies(port: number, count: number, bytes: number): Promise<number[]> {
  const chunk = Buffer.alloc(64 * 1024, 'a');
  const sockets = many(count, () => connect(port, '127.0.0.1'));
  for (const socket of sockets) {
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(`POST ${configMaps} HTTP/1.1\r\nHost: a\r\nContent-Type: ${json}\r\n`);
    socket.write(`Content-Length: ${bytes}\r\n\r\n`);
    for (let sent = 0; sent + chunk.length < bytes; sent += chunk.length) socket.write(chunk);
  }
  await sleep(500);
  for (const socket of sockets) socket.destroy();
  return sockets.map(() => 0);
}

/** Asks for a large answer again and again, and takes nothing of it. */
async function readersOfNothing(port: number, count: number, path: string): Promise<number[]> {
  const sockets = many(count, () => connect(port, '127.0.0.1'));
  for (const socket of sockets) {
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  }
  await sleep(500);
  for (const socket of sockets) socket.destroy();
  return sockets.map(() => 0);
}

const refused = [400, 413, 422];

const bodies: readonly AttackRow[] = [
  ...['closed', 'open'].map((end) => ({
    title: `YAML of 6 KB, 1,000 levels deep, ${end}`,
    right: end === 'open' ? [400] : [201, 400, 422],
    run: (port: number) => {
      const body = `{a: `.repeat(1000) + '1' + (end === 'open' ? '' : '}'.repeat(1000));
      return posts(review, yaml, [body, body])(port);
    },
  })),
  ...['&a ', '!!str ', '[', '{a: ', '- ', '? ', '*a ', '"', "'", '|\n'].map((piece) => ({
    title: `YAML: ${JSON.stringify(piece)} repeated`,
    right: refused,
    run: (port: number, of: SizeOf) => {
      const bytes = of(64 * 1024, 1024 * 1024);
      return posts(review, yaml, [piece.repeat(Math.floor(bytes / piece.length))])(port);
    },
  })),
  {
    title: 'JSON: [ repeated',
    right: refused,
    run: (port, of) => posts(configMaps, json, ['['.repeat(of(64 * 1024, 3_000_000))])(port),
  },
];

const counts: readonly AttackRow[] = [
  {
    title: 'ownerReferences',
    right: refused,
    run: (port, of) => {
      const ownerReferences = many(of(3_000, 30_000), (i) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: `o${i}`,
        uid: `u${i}`,
      }));
      return posts(configMaps, json, [configMap({ name: 'owned', ownerReferences })])(port);
    },
  },
  {
    title: 'managedFields',
    right: [201, ...refused],
    run: (port, of) => {
      const managedFields = many(of(1_000, 27_000), (i) => ({
        manager: `m${i}`,
        operation: 'Update',
        apiVersion: 'v1',
        time: '2024-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {},
      }));
      return posts(configMaps, json, [configMap({ name: 'managed', managedFields })])(port);
    },
  },
  ...['ipFamilies', 'clusterIPs', 'externalIPs', 'loadBalancerSourceRanges'].map((field) => ({
    title: `strings in spec.${field}`,
    right: refused,
    run: (port: number, of: SizeOf) => {
      const spec = { ports: [{ port: 80 }], [field]: many(of(30_000, 300_000), (i) => `x${i}`) };
      const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec };
      return posts('/api/v1/namespaces/default/services', json, [JSON.stringify(service)])(port);
    },
  })),
  ...['externalIPs', 'loadBalancerSourceRanges'].map((field) => ({
    title: `addresses that are right in spec.${field}`,
    right: [201],
    run: (port: number, of: SizeOf) => {
      const end = field === 'externalIPs' ? '' : '/32';
      const given = many(of(2_000, 24_000), (i) => `10.0.${i >> 8}.${i & 255}${end}`);
      const spec = { type: 'LoadBalancer', ports: [{ port: 80 }], [field]: given };
      const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec };
      const path = '/api/v1/namespaces/default/services?dryRun=All';
      return posts(path, json, [JSON.stringify(service)])(port);
    },
  })),
  {
    title: 'ranges that are right in ipBlock.except',
    right: [201],
    run: (port, of) => {
      const except = many(of(2_000, 24_000), (i) => `10.0.${i >> 8}.${i & 255}/32`);
      const ingress = [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except } }] }];
      const spec = { podSelector: {}, ingress };
      const body = JSON.stringify({ metadata: { name: 'ranges' }, spec });
      const path = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies?dryRun=All';
      return posts(path, json, [body])(port);
    },
  },
  ...(['labels', 'annotations'] as const).map((field) => ({
    title: field,
    right: [201, ...refused],
    run: (port: number, of: SizeOf) =>
      posts(configMaps, json, [
        configMap({ name: `of-${field}`, [field]: record(of(10_000, 100_000), () => 'v') }),
      ])(port),
  })),
  {
    title: 'finalizers',
    right: refused,
    run: (port, of) => {
      const finalizers = many(of(10_000, 100_000), (i) => `example.com/f${i}`);
      return posts(configMaps, json, [configMap({ name: 'finalized', finalizers })])(port);
    },
  },
  {
    title: 'data of many keys; the same applied',
    right: [200, 201, ...refused],
    run: async (port, of) => {
      const data = record(of(5_000, 100_000), () => 'v');
      const body = configMap({ name: 'wide' }, { data });
      const path = `${configMaps}/wider?fieldManager=a`;
      const applied = configMap({ name: 'wider' }, { data });
      const type = 'application/apply-patch+yaml';
      return [
        await send(port, { path: configMaps, body }),
        await send(port, { method: 'PATCH', path, type, body: applied }),
        await send(port, { method: 'PATCH', path, type, body: applied }),
      ];
    },
  },
];

/** A definition of as many fields as a body may hold, at full size, from its creation to its end. */
async function wideDefinition(port: number, count: number): Promise<readonly number[]> {
  const description = 'What this field is for, in some lines of text that people';
  const field = (i: number): object =>
    i % 4 === 0
      ? { type: 'array', description, items: { type: 'string', maxLength: 64 } }
      : { type: 'string', description };
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: record(count, field) } },
  };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
  const definition = (more: object = {}): string =>
    JSON.stringify({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'wides.attack.example.org', ...more },
      spec: {
        group: 'attack.example.org',
        scope: 'Namespaced',
        names: { plural: 'wides', kind: 'Wide' },
        versions: [version],
      },
    });
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const own = `${path}/wides.attack.example.org`;
  const objects = '/apis/attack.example.org/v1/namespaces/default/wides';
  const wide = { apiVersion: 'attack.example.org/v1', kind: 'Wide', metadata: { name: 'a' } };
  const patch = { method: 'PATCH', path: own };
  const merge = 'application/merge-patch+json';
  const apply = 'application/apply-patch+yaml';
  const forced = `${own}?fieldManager=a&force=true`;
  const statuses = [await send(port, { path, body: definition() })];
  while ((await send(port, { method: 'GET', path: objects })) !== 200) await sleep(20);
  const changed = definition({ labels: { a: 'b' } });
  const steps: readonly Sent[] = [
    { path: objects, body: JSON.stringify(wide) },
    { ...patch, type: merge, body: '{"metadata":{"labels":{"a":"c"}}}' },
    { ...patch, type: merge, body: definition({ labels: { a: 'd' } }) },
    { ...patch, path: forced, type: apply, body: changed },
    { method: 'DELETE', path: own },
  ];
  for (const each of steps) statuses.push(await send(port, each));
  return statuses;
}

const others: readonly AttackRow[] = [
  {
    title: 'a definition of many fields: created, used, patched, applied, deleted',
    right: [200, 201],
    run: (port, of) => wideDefinition(port, of(1_000, 11_000)),
  },
  {
    title: 'a CertificateSigningRequest of 30 KB',
    right: [201, ...refused],
    run: async (port, of) => {
      const names = many(of(200, 2_000), (i) => ({ type: 'dns' as const, value: `n${i}` }));
      const { base64 } = await makeRequest({ commonName: 'c', names });
      const spec = {
        request: base64,
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth'],
      };
      const body = JSON.stringify({
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { generateName: 'large-' },
        spec,
      });
      const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
      return posts(path, json, [body, body])(port);
    },
  },
  {
    title: 'lists by a selector of many requirements',
    right: [400],
    run: (port, of) => {
      const selector = many(1_500, (i) => `!k${i}`).join();
      const path = `${configMaps}?labelSelector=${encodeURIComponent(selector)}`;
      return Promise.all(many(of(2, 20), () => send(port, { method: 'GET', path })));
    },
  },
  {
    title: 'lists by a selector of many values',
    right: [200],
    run: (port, of) => {
      const selector = `k notin (${many(1_500, (i) => `v${i}`).join()})`;
      const path = `${configMaps}?limit=1&labelSelector=${encodeURIComponent(selector)}`;
      return Promise.all(many(of(2, 20), () => send(port, { method: 'GET', path })));
    },
  },
  {
    title: 'reviews of access with a selector as long as a body',
    right: [413, 422],
    run: (port, of) => {
      const rawSelector = 'metadata.name!=a,'.repeat(of(2_000, 150_000));
      const resourceAttributes = { verb: 'list', resource: 'pods', fieldSelector: { rawSelector } };
      const body = JSON.stringify({
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes },
      });
      return posts('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', json, [body])(port);
    },
  },
  {
    title: 'a collection whose deletion is only tried',
    right: [200],
    run: async (port) => [await send(port, { method: 'DELETE', path: `${configMaps}?dryRun=All` })],
  },
  {
    title: 'quotas of many names at once',
    right: [201],
    run: (port, of) => {
      const hard = record(of(50, 200), () => '5');
      const names = Object.fromEntries(
        Object.keys(hard).map((name) => [`count/${name}.example.com`, '5']),
      );
      const quota = {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { generateName: 'many-' },
        spec: { hard: names },
      };
      const path = '/api/v1/namespaces/kube-public/resourcequotas';
      const bodies = many(of(10, 100), () => JSON.stringify(quota));
      return posts(path, json, bodies)(port);
    },
  },
  {
    title: 'lists in Protobuf at once',
    right: [200, 429],
    run: (port, of) => {
      const list = { method: 'GET', path: configMaps, accept: protobuf };
      return Promise.all(many(of(10, 200), () => send(port, list)));
    },
  },
  {
    title: 'lists in YAML of clients that go',
    right: [0],
    run: async (port, of) => {
      const count = of(10, 200);
      const sockets = many(count, () => connect(port, '127.0.0.1'));
      for (const socket of sockets) {
        socket.on('error', () => undefined);
        socket.write(`GET ${configMaps} HTTP/1.1\r\nHost: a\r\nAccept: ${yaml}\r\n\r\n`);
      }
      await sleep(50);
      for (const socket of sockets) socket.destroy();
      return sockets.map(() => 0);
    },
  },
  {
    title: 'bodies of 3 MiB that do not end',
    right: [0],
    run: (port, of) => unfinishedBodies(port, of(20, 600), 3 * 1024 * 1024),
  },
  {
    title: 'a body in chunks of one byte',
    right: [0],
    run: async (port, of) => {
      const head = `POST ${configMaps} HTTP/1.1\r\nHost: a\r\nContent-Type: ${json}\r\n`;
      const chunks = '1\r\n \r\n'.repeat(of(100_000, 1_000_000));
      return [await raw(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)];
    },
  },
  {
    title: 'readers of OpenAPI that take nothing',
    right: [0],
    run: (port, of) => readersOfNothing(port, of(20, 1_000), '/openapi/v2'),
  },
  {
    title: 'health checks that come in one segment',
    right: [0, 200],
    run: async (port, of) => {
      const line = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n';
      return [await raw(port, line.repeat(of(1_000, 20_000)))];
    },
  },
  {
    title: 'names that every object has, as methods and types',
    right: [201, 400, 405, 422, 0],
    run: async (port) => {
      const statuses = [];
      for (const name of ['CONSTRUCTOR', '__PROTO__', 'TOSTRING', 'HASOWNPROPERTY']) {
        const head = `${name} ${configMaps} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
        statuses.push(await raw(port, head));
      }
      for (const type of ['constructor', '__proto__', 'toString']) {
        const body = `{"apiVersion":"v1","kind":"Secret","metadata":{"generateName":"s-"},"type":"${type}"}`;
        statuses.push(await send(port, { path: '/api/v1/namespaces/default/secrets', body }));
      }
      return statuses;
    },
  },
];

export const attackRows: readonly AttackRow[] = [...bodies, ...counts, ...others];

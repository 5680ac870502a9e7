/**
 * What one caller can make the server do to itself, beyond what a single body holds: rows like
 * those of attack-rows.ts, of several requests each.
 */
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from './attack-rows.ts';
import type { AttackRow } from './attack-rows.ts';
import { exchange } from '../clients/http-client.ts';
import { startRemoteService } from '../servers/remote-service.ts';
import { tlsPair, tlsServerOptions } from './tls-pair.ts';

const inDefault = (group: string, resource: string): string =>
  `${group}/namespaces/default/${resource}`;
const configMaps = inDefault('/api/v1', 'configmaps');
const pods = inDefault('/api/v1', 'pods');
const leases = inDefault('/apis/coordination.k8s.io/v1', 'leases');
const slices = inDefault('/apis/discovery.k8s.io/v1', 'endpointslices');
const roleBindings = inDefault('/apis/rbac.authorization.k8s.io/v1', 'rolebindings');
const reviews = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
const webhooks = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const yaml = 'application/yaml';
const mergePatch = 'application/merge-patch+json';

const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** So many at a time, as one caller would send them. */
async function inParts(
  count: number,
  atOnce: number,
  each: (i: number) => Promise<number>,
): Promise<number[]> {
  const statuses: number[] = [];
  for (let from = 0; from < count; from += atOnce) {
    const part = many(Math.min(atOnce, count - from), (i) => each(from + i));
    statuses.push(...(await Promise.all(part)));
  }
  return statuses;
}

const post = (port: number, path: string, body: object): Promise<number> =>
  send(port, { path, body: JSON.stringify(body) });

/** Texts of one scalar each: many escapes, quotes, lines, or bytes that are no characters. */
const texts: readonly AttackRow[] = [
  ['escapes', (count: number) => `"${'\\n'.repeat(count)}"`] as const,
  ['quotes', (count: number) => `'${"''".repeat(count)}'`] as const,
  ['lines', (count: number) => `|\n${'    x\n'.repeat(count / 4)}`] as const,
  ['comments', (count: number) => `a\n${'#\n'.repeat(count)}`] as const,
  ['bytes', (count: number) => `!!binary ${'aaaa'.repeat(count / 2)}`] as const,
].map(([what, scalar]) => ({
  title: `YAML: a text of many ${what}`,
  right: [201, 422],
  async run(port, of) {
    const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: text-}\ndata:\n  a: ';
    const body = `${head}${scalar(of(4_000, 1_400_000))}\n`;
    return [await send(port, { path: configMaps, type: yaml, body })];
  },
}));

/** Answers whatever it is asked with the same. */
async function startHook(said: object) {
  const { close, port } = await startRemoteService((body, _request, response) => {
    const { apiVersion, kind, request: asked } = JSON.parse(body) as AskedReview;
    const answer = { uid: asked.uid, allowed: true, ...said };
    response.end(JSON.stringify({ apiVersion, kind, response: answer }));
  }, tlsServerOptions);
  const caBundle = Buffer.from(tlsPair.certificatePem).toString('base64');
  return { clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle }, close };
}

interface AskedReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string };
}

function mutating(clientConfig: object, failurePolicy = 'Fail'): object {
  const core = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
  const webhook = {
    name: 'grows.example.com',
    clientConfig,
    failurePolicy,
    rules: [{ ...core, operations: ['CREATE'] }],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'grows' },
    webhooks: [webhook],
  };
}

function definition(name: string): object {
  const field = (i: number) => [`field${i}`, { type: 'string', description: `the field ${i}` }];
  const properties = { spec: { type: 'object', properties: Object.fromEntries(many(60, field)) } };
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  const kind = name.toUpperCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}s.attack.example.com` },
    spec: {
      group: 'attack.example.com',
      scope: 'Namespaced',
      names: { plural: `${name}s`, singular: name, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

function watches(port: number, path: string, count: number): readonly Socket[] {
  return many(count, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume().write(`GET ${path}?watch=true HTTP/1.1\r\nHost: a\r\n\r\n`);
    return socket;
  });
}

const others: readonly AttackRow[] = [
  {
    title: 'a webhook that makes an object of many keys',
    right: [200, 201, 413],
    async run(port, of) {
      const value = 'v'.repeat(of(10, 130));
      const keys = Object.fromEntries(many(of(6_000, 20_000), (i) => [`key-${i}`, value]));
      const patch = JSON.stringify([{ op: 'add', path: '/data', value: keys }]);
      const patchType = 'JSONPatch';
      const hook = await startHook({ patchType, patch: Buffer.from(patch).toString('base64') });
      const statuses = [await post(port, webhooks, mutating(hook.clientConfig))];
      await sleep(500);
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'grown-' } };
      for (let i = 0; i < 3; i += 1) statuses.push(await post(port, configMaps, body));
      statuses.push(await send(port, { method: 'DELETE', path: `${webhooks}/grows` }));
      await sleep(500);
      hook.close();
      return statuses;
    },
  },
  {
    title: 'a webhook that has many warnings and annotations',
    right: [200, 201],
    async run(port, of) {
      const warnings = many(of(2_000, 9_000), (i) => `${'w'.repeat(100)}${i}`);
      const told = many(of(2_000, 9_000), (i) => [`k${i}`, 'v'.repeat(100)] as const);
      const hook = await startHook({ warnings, auditAnnotations: Object.fromEntries(told) });
      const statuses = [await post(port, webhooks, mutating(hook.clientConfig))];
      await sleep(500);
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'warned-' } };
      for (let i = 0; i < 3; i += 1) statuses.push(await post(port, configMaps, body));
      statuses.push(await send(port, { method: 'DELETE', path: `${webhooks}/grows` }));
      await sleep(500);
      hook.close();
      return statuses;
    },
  },
  {
    title: 'a webhook whose CA bundle has many certificates',
    right: [200, 201],
    async run(port, of) {
      const hook = await startHook({});
      const caBundle = Buffer.from(tlsPair.certificatePem.repeat(of(200, 2_000))).toString(
        'base64',
      );
      const clientConfig = { ...hook.clientConfig, caBundle };
      const statuses = [await post(port, webhooks, mutating(clientConfig, 'Ignore'))];
      await sleep(500);
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'bundled-' } };
      for (let i = 0; i < 5; i += 1) statuses.push(await post(port, configMaps, body));
      statuses.push(await send(port, { method: 'DELETE', path: `${webhooks}/grows` }));
      await sleep(500);
      hook.close();
      return statuses;
    },
  },
  {
    title: 'pods that are created together',
    right: [201, 429],
    run: (port, of) => {
      const containers = [{ name: 'c', image: 'nginx' }];
      const metadata = { generateName: 'together-' };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } };
      return Promise.all(many(of(16, 400), () => post(port, pods, pod)));
    },
  },
  {
    title: 'an EndpointSlice of many addresses',
    right: [201],
    run: async (port, of) => {
      const address = (i: number, j: number) => `2001:db8::${i.toString(16)}:${j.toString(16)}`;
      const endpoints = many(of(10, 235), (i) => ({
        addresses: many(100, (j) => address(i + 1, j + 1)),
      }));
      const metadata = { generateName: 'many-' };
      const body = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata };
      return [await post(port, slices, { ...body, addressType: 'IPv6', endpoints })];
    },
  },
  {
    title: 'watches that go at once',
    right: [0],
    run: async (port, of) => {
      const sockets = watches(port, configMaps, of(50, 4_000));
      await sleep(of(200, 2_000));
      for (const socket of sockets) socket.destroy();
      return [0];
    },
  },
  {
    title: 'a definition that goes while many watch, and OpenAPI of many',
    right: [200, 201],
    async run(port, of) {
      const count = of(5, 300);
      const statuses = await inParts(count, 20, (i) =>
        post(port, definitions, definition(`t${i}`)),
      );
      await sleep(of(300, 3_000));
      statuses.push(await send(port, { method: 'GET', path: '/openapi/v2' }));
      const path = '/apis/attack.example.com/v1/t0s';
      const sockets = watches(port, path, of(20, 2_000));
      await sleep(of(200, 1_000));
      statuses.push(await send(port, { method: 'DELETE', path: definitions }));
      await sleep(of(300, 2_000));
      for (const socket of sockets) socket.destroy();
      return statuses;
    },
  },
  {
    title: 'readers of OpenAPI right after a definition has changed',
    right: [200, 201],
    async run(port, of) {
      const statuses = [await post(port, definitions, definition('t0'))];
      const sockets = many(of(30, 300), () => connect(port, '127.0.0.1'));
      for (const socket of sockets) socket.on('error', () => undefined).pause();
      await sleep(of(100, 1_000));
      statuses.push(await post(port, definitions, definition('t1')));
      for (const socket of sockets) socket.write('GET /openapi/v2 HTTP/1.1\r\nHost: a\r\n\r\n');
      await sleep(of(500, 2_000));
      for (const socket of sockets) socket.destroy();
      statuses.push(await send(port, { method: 'DELETE', path: definitions }));
      await sleep(of(200, 1_000));
      return statuses;
    },
  },
  {
    title: 'reviews of rules with many bindings',
    right: [201, 200],
    async run(port, of) {
      const apiGroup = 'rbac.authorization.k8s.io';
      const binding = (i: number) => ({
        apiVersion: `${apiGroup}/v1`,
        kind: 'RoleBinding',
        metadata: { name: `many-${i}` },
        roleRef: { apiGroup, kind: 'ClusterRole', name: 'view' },
        subjects: [{ apiGroup, kind: 'Group', name: 'system:unauthenticated' }],
      });
      const count = of(20, 5_000);
      const statuses = await inParts(count, 50, (i) => post(port, roleBindings, binding(i)));
      const spec = { namespace: 'default' };
      const kind = 'SelfSubjectRulesReview';
      const review = { apiVersion: 'authorization.k8s.io/v1', kind, spec };
      statuses.push(...(await Promise.all(many(of(3, 20), () => post(port, reviews, review)))));
      return [...statuses, await send(port, { method: 'DELETE', path: roleBindings })];
    },
  },
  {
    title: 'leases that are created and renewed',
    right: [200, 201],
    async run(port, of) {
      const count = of(50, 10_000);
      const lease = (i: number) => ({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: `lease-${i}` },
        spec: { holderIdentity: 'a', leaseDurationSeconds: 1 },
      });
      const created = await inParts(count, 50, (i) => post(port, leases, lease(i)));
      const body = JSON.stringify({ spec: { renewTime: '2026-01-01T00:00:00.000000Z' } });
      const renew = (i: number) => {
        const path = `${leases}/lease-${i}`;
        return send(port, { method: 'PATCH', path, type: mergePatch, body });
      };
      return [...created, ...(await inParts(count, 50, renew))];
    },
  },
  {
    title: 'an owner of many that is deleted in the foreground, and looked at again',
    right: [200, 201],
    async run(port, of) {
      const body = { metadata: { generateName: 'owner-' } };
      const made = await exchange(`http://127.0.0.1:${port}`, configMaps, { method: 'POST', body });
      const { name, uid } = made.body['metadata'] as { name: string; uid: string };
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true };
      const held = { ownerReferences: [owner], finalizers: ['example.com/hold'] };
      const count = of(50, 8_000);
      const dependent = (i: number) => ({ metadata: { name: `${name}-${i}`, ...held } });
      const statuses = await inParts(count, 50, (i) => post(port, configMaps, dependent(i)));
      const patch = (path: string, metadata: object) =>
        send(port, { method: 'PATCH', path, type: mergePatch, body: JSON.stringify({ metadata }) });
      const path = `${configMaps}/${name}`;
      const asked = JSON.stringify({ propagationPolicy: 'Foreground' });
      statuses.push(await send(port, { method: 'DELETE', path, body: asked }));
      for (let i = 0; i < 20; i += 1) statuses.push(await patch(path, { labels: { i: `${i}` } }));
      const release = (i: number) => patch(`${path}-${i}`, { finalizers: null });
      return [made.status, ...statuses, ...(await inParts(count, 50, release))];
    },
  },
];

export const attackServerRows: readonly AttackRow[] = [...texts, ...others];

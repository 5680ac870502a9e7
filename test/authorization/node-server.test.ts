/** The Node authorizer over HTTP: what an agent may read follows the pods that are bound to it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KeyPair } from '../../src/pki/certificate-authority.ts';
import { asAdmin } from '../support/clients/access-setup.ts';
import { startSecureServer } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';
import { podSpec } from '../support/data/valid-objects.ts';

const namespace = '/api/v1/namespaces/default';

describe('a node that reads', () => {
  let server: SecureServer;
  let n1: KeyPair;
  let n2: KeyPair;
  before(async () => {
    server = await startSecureServer({ 'authorization-mode': 'Node,RBAC', controllers: '' });
    n1 = await server.clientCertificate('system:node:n1', ['system:nodes']);
    n2 = await server.clientCertificate('system:node:n2', ['system:nodes']);
    for (const name of ['n1', 'n2']) {
      await made('/api/v1/nodes', { metadata: { name } });
    }
  });
  after(() => server.remove());

  async function made(path: string, body: object): Promise<void> {
    const reply = await asAdmin(server, 'POST', path, body);
    assert.equal(reply.status, 201, reply.text);
  }

  /** What is bound is seen a moment after it is written. */
  async function until(status: number, path: string, as: KeyPair): Promise<void> {
    let reply = await server.secure(path, { as });
    for (let tries = 0; reply.status !== status && tries < 20_000; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      reply = await server.secure(path, { as });
    }
    assert.equal(reply.status, status, reply.text);
  }

  it('has what its pods name, from their binding to their end, and nothing else', async () => {
    for (const [name, secret] of [
      ['mine', 'of-mine'],
      ['theirs', 'of-theirs'],
    ] as const) {
      await made(`${namespace}/secrets`, { metadata: { name: secret } });
      await made(`${namespace}/configmaps`, { metadata: { name: secret } });
      const volumes = [
        { name: 's', secret: { secretName: secret } },
        { name: 'c', configMap: { name: secret } },
      ];
      await made(`${namespace}/pods`, { metadata: { name }, spec: podSpec({ volumes }) });
    }
    const [secret, map] = [`${namespace}/secrets/of-mine`, `${namespace}/configmaps/of-mine`];
    const before = await server.secure(secret, { as: n1 });
    assert.equal(before.status, 403);
    assert.match(
      String(before.body['message']),
      /User "system:node:n1" cannot get resource "secrets" .*: no relationship found between node "n1" and this object/,
    );
    const bind = (name: string, node: string) =>
      made(`${namespace}/pods/${name}/binding`, { metadata: { name }, target: { name: node } });
    await bind('mine', 'n1');
    await bind('theirs', 'n2');
    await until(200, secret, n1);
    await until(200, map, n1);
    await until(200, secret.replace('mine', 'theirs'), n2);
    assert.equal((await server.secure(secret, { as: n2 })).status, 403);
    assert.equal((await server.secure(secret.replace('mine', 'theirs'), { as: n1 })).status, 403);
    const gone = await asAdmin(server, 'DELETE', `${namespace}/pods/mine`, {
      gracePeriodSeconds: 0,
    });
    assert.equal(gone.status, 200, gone.text);
    await until(403, secret, n1);
    await until(403, map, n1);
    await until(200, secret.replace('mine', 'theirs'), n2);
  });

  it('has the volumes of its pods and what is attached to it', async () => {
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }];
    const spec = podSpec({ nodeName: 'n1', volumes });
    await made(`${namespace}/pods`, { metadata: { name: 'with-volume' }, spec });
    await made('/api/v1/persistentvolumes', {
      metadata: { name: 'pv' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        claimRef: { namespace: 'default', name: 'claim' },
        hostPath: { path: '/x' },
      },
    });
    const storage = '/apis/storage.k8s.io/v1/volumeattachments';
    const source = { persistentVolumeName: 'pv' };
    const attached = { attacher: 'csi.example.com', nodeName: 'n1', source };
    await made(storage, { metadata: { name: 'va' }, spec: attached });
    for (const path of ['/api/v1/persistentvolumes/pv', `${storage}/va`]) {
      await until(200, path, n1);
      assert.equal((await server.secure(path, { as: n2 })).status, 403);
    }
    assert.equal((await asAdmin(server, 'DELETE', `${storage}/va`)).status, 200);
    await until(403, `${storage}/va`, n1);
    // It is held by the volume controller's finalizer, and goes without it.
    const volume = '/api/v1/persistentvolumes/pv';
    await asAdmin(server, 'DELETE', volume);
    const free = { metadata: { finalizers: null } };
    const headers = { 'content-type': 'application/merge-patch+json' };
    await asAdmin(server, 'PATCH', volume, free, headers);
    await until(403, volume, n1);
  });

  it('has one secret of its pods at a time, and lists of its pods alone', async () => {
    const rows: readonly [string, number][] = [
      [`${namespace}/secrets`, 403],
      ['/api/v1/secrets', 403],
      ['/api/v1/pods', 403],
      ['/api/v1/pods?fieldSelector=spec.nodeName%3Dn2', 403],
      ['/api/v1/pods?fieldSelector=spec.nodeName%3Dn1', 200],
      ['/api/v1/nodes/n1', 200],
      ['/api/v1/nodes/n2', 403],
      ['/api/v1/services', 200],
    ];
    for (const [path, status] of rows) {
      const reply = await server.secure(path, { as: n1 });
      assert.equal(reply.status, status, `${path}: ${reply.text}`);
    }
  });

  it('is told that a pod is gone when it reports on it too late', async () => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const body = { status: { phase: 'Succeeded' } };
    const pod = `${namespace}/pods/late`;
    const requests = [
      [`${pod}/status`, { method: 'PATCH', body, headers }],
      [pod, { method: 'DELETE' }],
      [`${pod}/eviction`, { method: 'POST', body: { metadata: { name: 'late' } } }],
    ] as const;
    for (const [path, request] of requests) {
      const reply = await server.secure(path, { ...request, as: n1 });
      assert.equal(reply.status, 404, `${request.method} ${path}: ${reply.text}`);
      assert.match(reply.text, /pods \\"late\\" not found/);
    }
    assert.equal((await server.secure(pod, { as: n1 })).status, 403);
  });

  it('registers itself and reports, and mirrors a pod', async () => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const n3 = await server.clientCertificate('system:node:n3', ['system:nodes']);
    const own = await server.secure('/api/v1/nodes', {
      method: 'POST',
      body: { metadata: { name: 'n3', labels: { 'kubernetes.io/hostname': 'n3' } } },
      as: n3,
    });
    assert.equal(own.status, 201, own.text);
    const body = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    const status = { method: 'PATCH', body, headers, as: n3 };
    assert.equal((await server.secure('/api/v1/nodes/n3/status', status)).status, 200);
    assert.equal((await server.secure('/api/v1/nodes/n1/status', status)).status, 403);
    const { uid } = (own.body as unknown as { metadata: { uid: string } }).metadata;
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n3', uid, controller: true };
    const metadata = {
      name: 'static-n3',
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [owner],
    };
    const pod = { metadata, spec: podSpec({ nodeName: 'n3' }) };
    const mirrored = await server.secure(`${namespace}/pods`, {
      method: 'POST',
      body: pod,
      as: n3,
    });
    assert.equal(mirrored.status, 201, mirrored.text);
    const path = `${namespace}/pods/static-n3`;
    await until(200, path, n3);
    const unmirror = { metadata: { annotations: { 'kubernetes.io/config.mirror': null } } };
    const refusals = [
      await server.secure(`${path}/status`, { method: 'PATCH', body: unmirror, headers, as: n3 }),
      await asAdmin(server, 'PATCH', path, unmirror, headers),
    ];
    for (const refused of refusals) {
      assert.equal(refused.status, 422, refused.text);
      assert.match(refused.text, /may not remove or update mirror pod annotation/);
    }
    const removed = await server.secure(path, { method: 'DELETE', as: n3 });
    assert.equal(removed.status, 200, removed.text);
  });
});

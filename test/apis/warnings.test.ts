/** Warnings of the built-in kinds over HTTP: what is accepted, and what is said of it. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

interface Row {
  /** `apps/v1 deployments`, of the namespace default. */
  readonly at: string;
  readonly title: string;
  readonly object: JsonObject;
  readonly warnings?: readonly string[];
}

const rows = parse(
  readFileSync(
    path.join(process.cwd(), 'test', 'support', 'data', 'warning-rows', 'created.yaml'),
    'utf8',
  ),
) as readonly Row[];

const ofCluster = new Set(['nodes', 'persistentvolumes', 'runtimeclasses', 'storageclasses']);

function collectionOf(at: string): string {
  const [version = '', resource = ''] = at.split(' ');
  const root = version.includes('/') ? `/apis/${version}` : `/api/${version}`;
  return ofCluster.has(resource) ? `${root}/${resource}` : `${root}/namespaces/default/${resource}`;
}

/** The texts of the headers, which Node joins with commas. */
function warningsOf({ headers }: Reply): readonly string[] {
  const value = String(headers['warning'] ?? '');
  return [...value.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(/\\(.)/g, '$1'),
  );
}

describe('a creation', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.remove());

  for (const { at, object, title, warnings = [] } of rows) {
    it(`of ${at}: ${title}`, async () => {
      const body = { ...object, metadata: { name: 'x', ...(object['metadata'] as object) } };
      const target = `${collectionOf(at)}?dryRun=All&fieldValidation=Strict`;
      const reply = await server.request('POST', target, { body });
      assert.equal(reply.status, 201, reply.text);
      // Of the version, and of what nothing here acts on.
      const others = /is deprecated in v1\.\d+\+|^this server does not /;
      const own = warningsOf(reply).filter((text) => !others.test(text));
      assert.deepEqual(own, warnings);
    });
  }

  it('of a key that is not the certificate’s', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const own = (name: string): string =>
      readFileSync(path.join(process.cwd(), 'test', 'support', 'data', name), 'utf8');
    const create = async (crt: string, key: string): Promise<readonly string[]> => {
      const body = {
        metadata: { name: 'tls' },
        type: 'kubernetes.io/tls',
        stringData: { 'tls.crt': crt, 'tls.key': key },
      };
      const target = '/api/v1/namespaces/default/secrets?dryRun=All';
      return warningsOf(await server.request('POST', target, { body }));
    };
    const [crt, key] = [own('tls-certificate.pem'), own('tls-key.pem')];
    assert.deepEqual(await create(crt, key), []);
    const [other = ''] = await create(crt, privateKey);
    assert.match(other, /^tls: private key (type )?does not match public key/);
    assert.deepEqual(await create('x', key), [
      'tls: failed to find any PEM data in certificate input',
    ]);
    assert.deepEqual(await create(crt, crt), [
      'tls: found a certificate rather than a key in the PEM for the private key',
    ]);
    assert.deepEqual(await create(crt, 'x'), ['tls: failed to find any PEM data in key input']);
    assert.deepEqual(await create(key, key), [
      'tls: failed to find certificate PEM data in certificate input, but did find a private ' +
        'key; PEM inputs may have been switched',
    ]);
  });
});

describe('a write over an object', () => {
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  const env = [
    { name: 'A', value: '1' },
    { name: 'A', value: '2' },
  ];
  const spec = (more: object): object => ({
    replicas: 1,
    selector: { matchLabels: { a: 'b' } },
    template: {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'c', image: 'i', ...more }] },
    },
  });
  const hides =
    'spec.template.spec.containers[0].env[1]: hides previous definition of "A", ' +
    'which may be dropped when using apply';
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    const body = { metadata: { name: 'd' }, spec: spec({}) };
    assert.deepEqual(warningsOf(await server.request('POST', deployments, { body })), []);
  });
  after(() => server.remove());

  const patch = (type: string, target: string, body: object): Promise<Reply> =>
    server.request('PATCH', target, { headers: { 'content-type': type }, body });

  it('says it when the spec changes, by PUT, by patch and by apply, in a dry run too', async () => {
    const body = { metadata: { name: 'd' }, spec: spec({ env }) };
    const put = await server.request('PUT', `${deployments}/d?dryRun=All`, { body });
    assert.deepEqual([put.status, warningsOf(put)], [200, [hides]]);
    const merge = 'application/merge-patch+json';
    const patched = await patch(merge, `${deployments}/d?dryRun=All`, { spec: spec({ env }) });
    assert.deepEqual([patched.status, warningsOf(patched)], [200, [hides]]);
    const intent = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'e' } };
    const applied = await patch(
      'application/apply-patch+yaml',
      `${deployments}/e?fieldManager=m&dryRun=All`,
      { ...intent, spec: spec({ ports: [{ containerPort: 80, hostIP: '10.0.0.1' }] }) },
    );
    assert.deepEqual(
      [applied.status, warningsOf(applied)],
      [
        201,
        [
          'spec.template.spec.containers[0].ports[0]: hostIP set without hostPort: ' +
            '{Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:10.0.0.1}',
        ],
      ],
    );
  });

  it('does not say it again until the spec changes again', async () => {
    const body = { metadata: { name: 'd' }, spec: spec({ env }) };
    const first = await server.request('PUT', `${deployments}/d`, { body });
    assert.deepEqual(warningsOf(first), [hides]);
    const again = await server.request('PUT', `${deployments}/d`, { body });
    assert.deepEqual([again.status, warningsOf(again)], [200, []]);
    const labels = { metadata: { labels: { x: 'y' } } };
    const merge = 'application/merge-patch+json';
    assert.deepEqual(warningsOf(await patch(merge, `${deployments}/d`, labels)), []);
    const scaled = await patch(merge, `${deployments}/d/scale`, { spec: { replicas: 2 } });
    assert.deepEqual([scaled.status, warningsOf(scaled)], [200, [hides]]);
  });

  it('says nothing of the spec when the status is written', async () => {
    const merge = 'application/merge-patch+json';
    const status = { status: { observedGeneration: 1 } };
    const reply = await patch(merge, `${deployments}/d/status`, status);
    assert.deepEqual([reply.status, warningsOf(reply)], [200, []]);
  });

  it('says of a status what is in it', async () => {
    const services = '/api/v1/namespaces/default/services';
    const body = { metadata: { name: 's' }, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } };
    await server.request('POST', services, { body });
    const merge = 'application/merge-patch+json';
    const status = { status: { loadBalancer: { ingress: [{ ip: '010.1.2.3' }] } } };
    assert.deepEqual(warningsOf(await patch(merge, `${services}/s/status`, status)), [
      'status.loadBalancer.ingress[0]: non-standard IP address "010.1.2.3" will be considered ' +
        'invalid in a future Kubernetes release: use "10.1.2.3"',
    ]);
  });

  it('says nothing of what is refused', async () => {
    const body = { metadata: { name: 'f' }, spec: spec({ env, image: '' }) };
    const reply = await server.request('POST', deployments, { body });
    assert.deepEqual([reply.status, warningsOf(reply)], [422, []]);
  });

  it('is not slow for ports, paths and addresses in great numbers', async () => {
    const ports = Array.from({ length: 600 }, () => ({ containerPort: 80 }));
    const items = Array.from({ length: 300 }, (_, at) => ({ key: 'k', path: `a/${at % 7}` }));
    const body = {
      metadata: { name: 'many' },
      spec: {
        containers: [{ name: 'c', image: 'i', ports }],
        volumes: [{ name: 'v', configMap: { name: 'm', items } }],
      },
    };
    const reply = await server.request('POST', '/api/v1/namespaces/default/pods?dryRun=All', {
      body,
    });
    assert.equal(reply.status, 201, reply.text.slice(0, 300));
    const found = warningsOf(reply);
    assert.ok(found.length > 0 && found.length < 100, `${found.length} warnings`);
  });
});

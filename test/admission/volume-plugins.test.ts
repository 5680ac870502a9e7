/** Built-in plugins of volumes, ingresses, services and owners, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { MutatePass, Proposed, Review, ValidatePass } from '../../src/admission/admission.ts';
import { denyExternalIps } from '../../src/admission/external-ips.ts';
import { inUseProtection } from '../../src/admission/volumes/in-use-protection.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const merge = { 'content-type': 'application/merge-patch+json' };
const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
const storageClasses = '/apis/storage.k8s.io/v1/storageclasses';
const ingressClasses = '/apis/networking.k8s.io/v1/ingressclasses';
const ingresses = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
const services = '/api/v1/namespaces/default/services';

describe('volumes, ingresses and services', () => {
  let server: TestServer;
  const post = (target: string, body: object): Promise<Reply> =>
    server.request('POST', target, { body });
  const patch = (target: string, body: object): Promise<Reply> =>
    server.request('PATCH', target, { body, headers: merge });
  const claim = (name: string, spec: JsonObject = {}, metadata: JsonObject = {}): object => ({
    metadata: { name, ...metadata },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
  });
  const specOf = (reply: Reply): JsonObject => {
    assert.ok(reply.status < 300, reply.text);
    return reply.body['spec'] as JsonObject;
  };
  const refusal = (reply: Reply): string => {
    assert.equal(reply.status, 403, reply.text);
    return String(reply.body['message']);
  };
  const storageClass = (name: string, more: JsonObject = {}, value?: string): object => ({
    metadata: {
      name,
      annotations:
        value === undefined ? {} : { 'storageclass.kubernetes.io/is-default-class': value },
    },
    provisioner: 'example.com/p',
    ...more,
  });

  before(async () => {
    server = await startTestServer({ 'enable-admission-plugins': 'DenyServiceExternalIPs' });
  });
  after(() => server.remove());

  it('a claim has no class until one is the default, then that one, in a dry run too', async () => {
    assert.equal(specOf(await post(claims, claim('before')))['storageClassName'], undefined);
    await post(storageClasses, storageClass('other', {}, 'false'));
    await post(storageClasses, storageClass('b-default', {}, 'true'));
    await post(storageClasses, storageClass('nearly', {}, 'True'));
    for (const query of ['?dryRun=All', '']) {
      const made = await post(`${claims}${query}`, claim('after'));
      assert.equal(specOf(made)['storageClassName'], 'b-default');
    }
  });

  it('of two defaults the newer counts, of one second the first by name', async () => {
    await post(storageClasses, storageClass('a-default', {}, 'true'));
    assert.equal(specOf(await post(claims, claim('two')))['storageClassName'], 'a-default');
    await server.request('DELETE', `${storageClasses}/a-default`);
    assert.equal(specOf(await post(claims, claim('one')))['storageClassName'], 'b-default');
  });

  it('a claim that says a class, or that it wants none, keeps its word', async () => {
    const none = await post(claims, claim('none', { storageClassName: '' }));
    assert.equal(specOf(none)['storageClassName'], '');
    const annotations = { 'volume.beta.kubernetes.io/storage-class': 'old' };
    const old = await post(claims, claim('old', {}, { annotations }));
    assert.equal(specOf(old)['storageClassName'], undefined);
  });

  it('volumes and claims are born with a finalizer, once', async () => {
    const made = await post(claims, claim('kept', {}, { finalizers: ['example.com/mine'] }));
    assert.deepEqual((made.body['metadata'] as JsonObject)['finalizers'], [
      'example.com/mine',
      'kubernetes.io/pvc-protection',
    ]);
    const volume = await post('/api/v1/persistentvolumes', {
      metadata: { name: 'v', finalizers: ['kubernetes.io/pv-protection'] },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/x' },
      },
    });
    assert.deepEqual((volume.body['metadata'] as JsonObject)['finalizers'], [
      'kubernetes.io/pv-protection',
    ]);
    const gone = await server.request('DELETE', `${claims}/kept`);
    assert.equal(gone.status, 200, gone.text);
    assert.equal((await server.request('GET', `${claims}/kept`)).status, 200, 'it is still in use');
    const taken = await patch(`${claims}/kept`, { metadata: { finalizers: null } });
    assert.equal(taken.status, 200, taken.text);
    assert.equal((await server.request('GET', `${claims}/kept`)).status, 404);
  });

  it('a claim grows if it is bound and its class lets it', async () => {
    await post(storageClasses, storageClass('grows', { allowVolumeExpansion: true }));
    await post(storageClasses, storageClass('stays', { allowVolumeExpansion: false }));
    const grow = (name: string) =>
      patch(`${claims}/${name}`, { spec: { resources: { requests: { storage: '2Gi' } } } });
    const bind = (name: string) =>
      patch(`${claims}/${name}/status`, { status: { phase: 'Bound' } });
    const which = (name: string): string => `persistentvolumeclaims "${name}" is forbidden:`;
    for (const storageClassName of ['grows', 'stays', 'gone']) {
      const named = { storageClassName, volumeName: 'v' };
      await post(claims, claim(storageClassName, named));
      await bind(storageClassName);
    }
    assert.equal((await grow('grows')).status, 200);
    for (const name of ['stays', 'gone']) {
      assert.equal(
        refusal(await grow(name)),
        `${which(name)} only dynamically provisioned pvc can be resized and ` +
          'the storageclass that provisions the pvc must support resize',
      );
    }
  });

  it('an ingress has the default class where it says none', async () => {
    const rules = { defaultBackend: { service: { name: 's', port: { number: 80 } } } };
    const ingress = (
      name: string,
      more: JsonObject = {},
      annotations: JsonObject = {},
    ): object => ({
      metadata: { name, annotations },
      spec: { ...rules, ...more },
    });
    assert.equal(specOf(await post(ingresses, ingress('before')))['ingressClassName'], undefined);
    await post(ingressClasses, {
      metadata: {
        name: 'usual',
        annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' },
      },
      spec: { controller: 'example.com/c' },
    });
    assert.equal(specOf(await post(ingresses, ingress('after')))['ingressClassName'], 'usual');
    const own = await post(ingresses, ingress('own', { ingressClassName: 'mine' }));
    assert.equal(specOf(own)['ingressClassName'], 'mine');
    const old = ingress('old', {}, { 'kubernetes.io/ingress.class': 'mine' });
    assert.equal(specOf(await post(ingresses, old))['ingressClassName'], undefined);
  });

  it('a service takes no addresses from outside, and gives up what it has', async () => {
    const service = (name: string, externalIPs: readonly string[]): object => ({
      metadata: { name },
      spec: { ports: [{ port: 80 }], externalIPs },
    });
    const denied = 'Use of external IPs is denied by admission control';
    assert.equal(
      refusal(await post(services, service('s', ['203.0.113.1']))),
      `services "s" is forbidden: ${denied}`,
    );
    assert.equal((await post(services, service('s', []))).status, 201);
    const more = await patch(`${services}/s`, { spec: { externalIPs: ['203.0.113.1'] } });
    assert.equal(refusal(more), `services "s" is forbidden: ${denied}`);
  });

  it('a service keeps addresses from outside, gives some up, and takes no others for them', () => {
    const [a, b, c] = ['203.0.113.1', '203.0.113.2', '203.0.113.3'];
    const rows: readonly (readonly [readonly string[], readonly string[] | undefined, boolean])[] =
      [
        [[a, b], [a, b], true],
        [[a, b], [b, a], true],
        [[a, b], [b], true],
        [[a, b], [], true],
        [[a, b], undefined, true],
        [[a, b], [a, b, c], false],
        [[a, b], [a, c], false],
        [[a], [b], false],
        [[], [a], false],
      ];
    for (const [before, after, allowed] of rows) {
      const of = (externalIPs: readonly string[] | undefined) => ({ spec: { externalIPs } });
      const review = { current: of(before), next: of(after) } as unknown as Review;
      const refused = denyExternalIps.validate?.(review, {} as ValidatePass);
      assert.equal(refused === undefined, allowed, `${before.join()} to ${after?.join()}`);
    }
  });

  it('a class of attributes is born with a finalizer', () => {
    const { admit, resources } = inUseProtection(identityOf('kubernetes'));
    const resource = { group: 'storage.k8s.io', resource: 'volumeattributesclasses' };
    assert.ok(resources?.includes('storage.k8s.io/volumeattributesclasses'));
    for (const finalizers of [undefined, ['kubernetes.io/vac-protection']]) {
      const next = { metadata: { name: 'gold', ...(finalizers && { finalizers }) } };
      const made = admit?.({ next, resource } as unknown as Proposed, {} as MutatePass);
      assert.deepEqual((made as ApiObject).metadata.finalizers, ['kubernetes.io/vac-protection']);
    }
  });
});

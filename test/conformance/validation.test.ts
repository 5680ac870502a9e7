/**
 * Validation over HTTP: 422 with a cause for each field, nothing written, under either way of
 * validating; resource slices from their gate to their selectors.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const slices = '/apis/resource.k8s.io/v1alpha3/resourceslices';
const served = { 'runtime-config': 'resource.k8s.io/v1alpha3=true,resource.k8s.io/v1beta2=true' };
const gate = 'DynamicResourceAllocation=true';
const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };

function slice(name: string, spec: object = {}): object {
  const devices = [{ name: 'd', basic: { attributes: { a: { int: 1 } } } }];
  return { metadata: { name }, spec: { driver: 'd.io', pool, nodeName: 'n', devices, ...spec } };
}

function causes(reply: Reply): readonly string[] {
  assert.equal(reply.status, 422, reply.text);
  const details = reply.body['details'] as { causes: { field: string; reason: string }[] };
  return details.causes.map(({ field, reason }) => `${field} ${reason}`);
}

function metadataOf(reply: Reply): JsonObject {
  assert(reply.status < 300, reply.text);
  return reply.body['metadata'] as JsonObject;
}

describe('a resource slice', () => {
  for (const gates of [
    'DeclarativeValidation=false',
    'DeclarativeValidation=true',
    'DeclarativeValidation=true,DeclarativeValidationTakeover=true',
  ]) {
    describe(`with ${gates}`, () => {
      let server: TestServer;
      before(async () => {
        server = await startTestServer({ ...served, 'feature-gates': `${gate},${gates}` });
      });
      after(() => server.remove());

      it('counts its generation with its spec only', async () => {
        const made = await server.request('POST', slices, { body: slice('a') });
        assert.equal(metadataOf(made)['generation'], 1);
        const { resourceVersion } = metadataOf(made);
        const again = { ...made.body, metadata: { ...metadataOf(made), labels: { a: 'b' } } };
        const labelled = await server.request('PUT', `${slices}/a`, { body: again });
        assert.equal(metadataOf(labelled)['generation'], 1);
        assert.notEqual(metadataOf(labelled)['resourceVersion'], resourceVersion);
        const newer = slice('a', { pool: { ...pool, generation: 2 } });
        const changed = await server.request('PUT', `${slices}/a`, { body: newer });
        assert.equal(metadataOf(changed)['generation'], 2);
      });

      it('is refused with a cause for each field, and not written', async () => {
        const wrong = slice('b', { driver: '', pool: { ...pool, resourceSliceCount: 0 } });
        const refused = await server.request('POST', slices, { body: wrong });
        assert.deepEqual([...causes(refused)].sort(), [
          'spec.driver FieldValueRequired',
          'spec.pool.resourceSliceCount FieldValueInvalid',
        ]);
        assert.equal((await server.request('GET', `${slices}/b`)).status, 404);
      });

      it('keeps its driver', async () => {
        await server.request('POST', slices, { body: slice('c') });
        const moved = slice('c', { driver: 'e.io' });
        const refused = await server.request('PUT', `${slices}/c`, { body: moved });
        assert.deepEqual(causes(refused), ['spec.driver FieldValueInvalid']);
      });

      it('is selected by its driver and its node', async () => {
        await server.request('POST', slices, { body: slice('e', { nodeName: 'm' }) });
        const names = async (selector: string): Promise<readonly unknown[]> => {
          const query = `fieldSelector=${encodeURIComponent(selector)}`;
          const list = await server.request('GET', `${slices}?${query}`);
          const items = list.body['items'] as { metadata: { name: string } }[];
          return items.map((item) => item.metadata.name);
        };
        assert.deepEqual(await names('spec.nodeName=m'), ['e']);
        assert.deepEqual(await names('spec.nodeName=m,spec.driver=other.io'), []);
      });

      it('of a newer version needs no attributes', async () => {
        const newer = '/apis/resource.k8s.io/v1beta2/resourceslices';
        const body = slice('f', { devices: [{ name: 'd' }] });
        const made = await server.request('POST', newer, { body });
        assert.equal(made.status, 201, made.text);
        const read = await server.request('GET', `${newer}/f`);
        assert.deepEqual((read.body['spec'] as JsonObject)['devices'], [{ name: 'd' }]);
      });

      it('has its mistakes where the version that was written has them', async () => {
        const newer = '/apis/resource.k8s.io/v1beta2/resourceslices';
        const post = (path: string, device: object): Promise<Reply> =>
          server.request('POST', path, { body: slice('g', { devices: [device] }) });
        const attributes = { a: {} };
        assert.deepEqual(causes(await post(slices, { name: 'd' })), [
          'spec.devices[0].basic FieldValueRequired',
        ]);
        assert.deepEqual(causes(await post(slices, { name: 'd', basic: { attributes } })), [
          'spec.devices[0].basic.attributes[a] FieldValueRequired',
        ]);
        assert.deepEqual(causes(await post(newer, { name: 'd', attributes })), [
          'spec.devices[0].attributes[a] FieldValueRequired',
        ]);
      });

      it('has its capacities in the form of each version', async () => {
        const devices = [{ name: 'd', basic: { capacity: { memory: '1024Mi' } } }];
        await server.request('POST', slices, { body: slice('h', { devices }) });
        const read = await server.request('GET', '/apis/resource.k8s.io/v1beta2/resourceslices/h');
        assert.deepEqual((read.body['spec'] as JsonObject)['devices'], [
          { name: 'd', capacity: { memory: { value: '1Gi' } } },
        ]);
        assert.equal(metadataOf(read)['annotations'], undefined);
      });

      it('is judged alike by both, as the metrics say', async () => {
        const { text } = await server.request('GET', '/metrics');
        assert.match(text, /^declarative_validation_mismatch_total 0$/m);
        assert.match(text, /^declarative_validation_panic_total 0$/m);
      });
    });
  }

  it('is not served without its gate', async () => {
    const server = await startTestServer(served);
    assert.equal((await server.request('GET', slices)).status, 404);
    await server.remove();
  });
});

describe('an object with mistakes', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({});
  });
  after(() => server.remove());

  it('is answered with all of them', async () => {
    const pod = {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'C', image: '', ports: [{ containerPort: 0 }] }] },
    };
    const path = '/api/v1/namespaces/default/pods';
    const refused = await server.request('POST', path, { body: pod });
    assert.deepEqual(causes(refused), [
      'spec.containers[0].name FieldValueInvalid',
      'spec.containers[0].image FieldValueRequired',
      'spec.containers[0].ports[0].containerPort FieldValueRequired',
    ]);
    assert.equal((await server.request('GET', `${path}/p`)).status, 404);
  });

  it('cannot change what is immutable, and stays as it was', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const deployment = (app: string): object => ({
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { app } },
        template: {
          metadata: { labels: { app } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
      },
    });
    const made = await server.request('POST', path, { body: deployment('a') });
    assert.equal(made.status, 201, made.text);
    const refused = await server.request('PUT', `${path}/d`, { body: deployment('b') });
    assert.deepEqual(causes(refused), ['spec.selector FieldValueInvalid']);
    assert.deepEqual((await server.request('GET', `${path}/d`)).body, made.body);
  });
});

describe('what is missing', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.remove());

  it('is said to be required once, with the reason where there is one', async () => {
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: {} };
    const spec = { containers: [{ name: 'c', image: 'i' }], affinity: { nodeAffinity } };
    const body = { metadata: { name: 'p' }, spec };
    const refused = await server.request('POST', '/api/v1/namespaces/default/pods', { body });
    const path = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution';
    assert.deepEqual(causes(refused), [`${path}.nodeSelectorTerms FieldValueRequired`]);
    assert.match(refused.text, /must have at least one node selector term/);
  });

  it('of a selector that nothing gives is said beside what it does not select', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: {} };
    const body = { metadata: { name: 'd' }, spec: { template } };
    const collection = '/apis/apps/v1/namespaces/default/deployments';
    const refused = await server.request('POST', collection, { body });
    assert.deepEqual(causes(refused), [
      'spec.selector FieldValueRequired',
      'spec.template.spec.containers FieldValueRequired',
      'spec.template.metadata.labels FieldValueInvalid',
    ]);
  });
});

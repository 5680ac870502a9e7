/**
 * Times with fractions have six digits, however many were sent; the others have none. Each format
 * carries them alike (spec 1, section 1.5).
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

/** As sent, and as shown. */
const rows: readonly (readonly [string, string])[] = [
  ['2024-01-01T00:00:00.123456Z', '2024-01-01T00:00:00.123456Z'],
  ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000000Z'],
  ['2024-01-01T00:00:00.5Z', '2024-01-01T00:00:00.500000Z'],
  ['2024-01-01T00:00:00.123456789Z', '2024-01-01T00:00:00.123456Z'],
  ['2024-01-01T02:00:00.000001+02:00', '2024-01-01T00:00:00.000001Z'],
];

const formats = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/cbor',
];

describe('times of a lease', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      'feature-gates': 'CBORServingAndStorage=true',
    });
  });
  after(() => server.remove());

  rows.forEach(([sent, shown], at) => {
    test(`${sent} is ${shown}`, async () => {
      const target = `${leases}/lease-${at}`;
      const body = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: `lease-${at}` },
        spec: { holderIdentity: 'me', leaseDurationSeconds: 1, renewTime: sent },
      };
      const made = await server.request('POST', leases, { body });
      assert.equal(made.status, 201, made.text);
      for (const format of formats) {
        const read = await server.request('GET', target, { headers: { accept: format } });
        assert.equal(read.status, 200, format);
        const written = await server.request('PUT', target, {
          body: read.bytes,
          headers: { 'content-type': format, accept: 'application/json' },
        });
        assert.equal(written.status, 200, written.text);
        assert.equal((written.body['spec'] as JsonObject)['renewTime'], shown, format);
      }
    });
  });

  test('an event of one group is read in the other with its own names', async () => {
    const eventTime = '2024-01-01T00:00:00.123456Z';
    const about = { apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'shop' };
    const made = await server.request('POST', '/apis/events.k8s.io/v1/namespaces/default/events', {
      body: {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: 'shop.1' },
        eventTime,
        type: 'Normal',
        reason: 'Checked',
        action: 'Checking',
        note: 'all is well',
        reportingController: 'example.com/checker',
        reportingInstance: 'checker-0',
        regarding: about,
      },
    });
    assert.equal(made.status, 201, made.text);
    const { body } = await server.request('GET', '/api/v1/namespaces/default/events/shop.1');
    assert.equal(body['message'], 'all is well');
    assert.equal(body['reportingComponent'], 'example.com/checker');
    assert.deepEqual(body['involvedObject'], about);
    assert.equal(body['eventTime'], eventTime);
  });
});

/**
 * Conversion webhooks behind a service of the cluster: reached at its address under its DNS name,
 * trusted by the CA of the definition, which may come after the definition; and a long list, of
 * which each call has a batch. SLUICE_CONVERSION_LIST (1,200) says how long.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { objects, part, text } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { makeAuthority, makeCertificate } from '../../src/pki/certificate-authority.ts';
import {
  conditionsOf,
  definition,
  definitionsPath,
  replaced,
  until,
  whenEstablished,
} from '../support/data/custom-definitions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { startRemoteService } from '../support/servers/remote-service.ts';
import type { RemoteService } from '../support/servers/remote-service.ts';

const listed = Number(process.env['SLUICE_CONVERSION_LIST'] ?? 1200);
const batchMax = 500;
const hourMs = 3_600_000;
const definitionPath = `${definitionsPath}/lamps.shop.example`;
const place = (version: string): string => `/apis/shop.example/${version}/namespaces/default/lamps`;
/** As generators of definitions write it where the CA comes later: a line feed. */
const placeholder = 'Cg==';

const version = (name: string, storage: boolean): JsonObject => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { seenBy: { type: 'string' } } } },
    },
  },
});

describe('a conversion webhook behind a service', () => {
  let server: TestServer;
  let hook: RemoteService;
  let authority = '';
  let port = 0;
  const asked: number[] = [];
  const paths: string[] = [];

  before(async () => {
    const nowMs = Date.now();
    const validity = { notBeforeMs: nowMs - hourMs, notAfterMs: nowMs + hourMs };
    const ca = await makeAuthority({ commonName: 'of the webhook', ...validity });
    const dnsNames = ['converter.hooks.svc'];
    const leaf = { commonName: 'converter', dnsNames, ...validity };
    const pair = await makeCertificate(leaf, '1.3.6.1.5.5.7.3.1', ca);
    authority = Buffer.from(ca.certificatePem).toString('base64');
    hook = await startRemoteService(
      (body, request, response) => {
        paths.push(request.url ?? '');
        const review = JSON.parse(body) as JsonObject;
        const { uid } = part(review, 'request');
        const given = objects(part(review, 'request'), 'objects');
        asked.push(given.length);
        const apiVersion = text(part(review, 'request'), 'desiredAPIVersion');
        const spec = { seenBy: 'webhook' };
        const convertedObjects = given.map((each) => ({ ...each, apiVersion, spec }));
        const answer = { uid: uid ?? null, result: { status: 'Success' }, convertedObjects };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ ...review, request: null, response: answer }));
      },
      { cert: pair.certificatePem, key: pair.keyPem },
    );
    ({ port } = hook);
    server = await startTestServer({ 'service-cluster-ip-range': '127.0.0.0/24' });
  });
  after(async () => {
    await server.remove();
    hook.close();
  });

  it('a definition whose CA is still to come is established when it has come', async () => {
    const service = { name: 'converter', namespace: 'hooks', path: '/to/here', port };
    const webhook = {
      clientConfig: { service, caBundle: placeholder },
      conversionReviewVersions: ['v1beta1'],
    };
    const conversion = { strategy: 'Webhook', webhook };
    const versions = [version('v1', true), version('v2', false)];
    const body = definition({ plural: 'lamps', kind: 'Lamp', spec: { versions, conversion } });
    const made = await server.request('POST', definitionsPath, { body });
    assert.equal(made.status, 201, made.text);
    const waiting = await until(server, definitionPath, (each) =>
      conditionsOf(each)['Established']?.includes('InvalidCABundle'),
    );
    assert.match(conditionsOf(waiting)['NamesAccepted'] ?? '', /^True/);
    assert.equal((await server.request('GET', '/apis/shop.example/v1')).status, 404);
    await replaced(server, definitionPath, (spec) => ({
      ...spec,
      conversion: { strategy: 'Webhook', webhook: withBundle(webhook, authority) },
    }));
    await whenEstablished(server, 'lamps.shop.example');
    const { body: current } = await server.request('GET', definitionPath);
    const worse = {
      ...part(current, 'spec'),
      conversion: { strategy: 'Webhook', webhook: withBundle(webhook, placeholder) },
    };
    const refused = await server.request('PUT', definitionPath, {
      body: { ...current, spec: worse },
    });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /spec\.conversion\.webhookClientConfig\.caBundle/);
  });

  it('is not there without its service, and is called at its path when it is', async () => {
    const lamp = { apiVersion: 'shop.example/v1', kind: 'Lamp', metadata: { name: 'a' } };
    const spec = { seenBy: 'nobody' };
    await server.request('POST', place('v1'), { body: { ...lamp, spec } });
    const without = await server.request('GET', `${place('v2')}/a`);
    assert.equal(without.status, 500);
    assert.match(without.text, /service \\"converter\\" not found/);
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hooks' } };
    await server.request('POST', '/api/v1/namespaces', { body: namespace });
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'converter' },
      spec: { clusterIP: '127.0.0.1', ports: [{ port }] },
    };
    const made = await server.request('POST', '/api/v1/namespaces/hooks/services', {
      body: service,
    });
    assert.equal(made.status, 201, made.text);
    const read = await server.request('GET', `${place('v2')}/a`);
    assert.deepEqual(read.body['spec'], { seenBy: 'webhook' }, read.text);
    assert.equal(paths.at(-1), '/to/here');
  });

  it('a long list is converted in batches, whole and in pages', async () => {
    for (let at = 1; at < listed; at += 1) {
      const metadata = { name: `l${String(at).padStart(6, '0')}` };
      const body = { apiVersion: 'shop.example/v1', kind: 'Lamp', metadata };
      const made = await server.request('POST', place('v1'), { body });
      assert.equal(made.status, 201, made.text);
    }
    asked.length = 0;
    const list = await server.request('GET', place('v2'));
    assert.equal(objects(list.body, 'items').length, listed);
    assert.ok(
      objects(list.body, 'items').every((each) => part(each, 'spec')['seenBy'] === 'webhook'),
    );
    assert.equal(asked.length, Math.ceil(listed / batchMax));
    assert.ok(asked.every((count) => count <= batchMax));
    const page = await server.request('GET', `${place('v2')}?limit=7`);
    assert.equal(objects(page.body, 'items').length, 7);
    assert.equal(asked.at(-1), 7, 'no more than the page is converted');
  });
});

function withBundle(webhook: JsonObject, caBundle: string): JsonObject {
  return { ...webhook, clientConfig: { ...part(webhook, 'clientConfig'), caBundle } };
}

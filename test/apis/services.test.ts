/** The two fields of a service's addresses: what is stored of what is written. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { strategiesOf } from '../../src/apis/strategies.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';

function strategy() {
  const built = buildScheme({ identity: kubernetes });
  const kind = built.kind === 'ok' ? built.scheme.findKind('', 'v1', 'Service') : undefined;
  assert.ok(kind);
  return strategiesOf(kubernetes)(kind);
}

const { prepareForCreate, prepareForUpdate } = strategy();

function service(spec: JsonObject): ApiObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { type: 'ClusterIP', ...spec },
    status: { loadBalancer: {} },
  };
}

const a = '10.0.0.1';
const b = 'fd00::1';
const c = '10.0.0.3';
const both = { clusterIP: a, clusterIPs: [a, b] };
const single = { clusterIP: a, clusterIPs: [a] };
const headless = { clusterIP: 'None', clusterIPs: ['None'] };
const local = { internalTrafficPolicy: 'Local' };
const elsewhere = { type: 'ExternalName', externalName: 'example.org' };

/** Title, what is written, what was there (nothing: it is new), what is stored of the addresses. */
const rows: readonly (readonly [string, JsonObject, JsonObject | undefined, JsonObject])[] = [
  ['no address', {}, undefined, {}],
  ['the older field alone', { clusterIP: a }, undefined, single],
  ['no address on purpose', { clusterIP: 'None' }, undefined, headless],
  ['the newer field alone', { clusterIPs: [a] }, undefined, { clusterIPs: [a] }],
  ['both', both, undefined, both],
  ['an update by an older client', { clusterIP: a }, both, both],
  ['an update that says nothing of them', {}, both, both],
  ['an update that clears the older one', { clusterIPs: [a, b] }, both, both],
  ['an update that says nothing of a headless service', {}, headless, headless],
  ['an address where there was none', { clusterIP: a }, {}, single],
  [
    'another address by an older client',
    { clusterIP: c, clusterIPs: [a, b] },
    both,
    { clusterIP: c, clusterIPs: [c] },
  ],
  [
    'another address in both',
    { clusterIP: c, clusterIPs: [c] },
    both,
    { clusterIP: c, clusterIPs: [c] },
  ],
  ['one address less', { clusterIP: a, clusterIPs: [a] }, both, single],
  ['a name elsewhere', { ...elsewhere, ...both }, both, {}],
  ['a name elsewhere, and another address', { ...elsewhere, clusterIP: c }, both, { clusterIP: c }],
  ['a service that was a name elsewhere', { clusterIP: a }, elsewhere, single],
  ['the traffic of a name elsewhere', { ...elsewhere, ...local }, undefined, {}],
  ['the traffic of what was one before', { ...elsewhere, ...local }, elsewhere, {}],
  ['its own traffic', { ...single, ...local }, single, { ...single, ...local }],
];

describe('addresses of a service', () => {
  for (const [title, written, was, stored] of rows) {
    it(`${was === undefined ? 'new' : 'changed'}: ${title}`, () => {
      const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
      const next = { ...service(written), status };
      const prepared =
        was === undefined ? prepareForCreate(next) : prepareForUpdate(next, service(was), 0);
      const { type: _type, externalName: _name, ...addresses } = prepared['spec'] as JsonObject;
      assert.deepEqual(addresses, stored);
      // As of every kind with a status: it begins empty, and only a write to it changes it.
      assert.deepEqual(prepared['status'], { loadBalancer: {} });
    });
  }

  it('that say nothing new leave the object as it is', () => {
    const next = service(both);
    assert.equal(prepareForUpdate(next, service(both), 0)['spec'], next['spec']);
  });
});

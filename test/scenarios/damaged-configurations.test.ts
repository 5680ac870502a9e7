/**
 * Configurations of admission whose records are damaged: after a restart nobody knows what they
 * would have refused, so everything is refused that they might have been about, by name, until they
 * are deleted. While the server runs, what was in force stays so.
 */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import type { Log } from '../../src/server/compose/log.ts';
import type { StoreKey } from '../../src/storage/storage.ts';
import {
  bindingOf,
  mutatingBindingOf,
  mutatingPolicyOf,
  policyOf,
} from '../support/data/policy-objects.ts';
import { webhookOf } from '../support/data/webhook-objects.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestOptions, TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-damaged');

const group = 'admissionregistration.k8s.io';
const gates = ['AllowUnsafeMalformedObjectDeletion=true', 'MutatingAdmissionPolicy=true'].join(',');
const unsafe = { ignoreStoreReadErrorWithClusterBreakingPotential: true };

/** It refuses what the title says. */
const denying = policyOf('denying', '/v1/configmaps', { validations: [{ expression: 'false' }] });
const idle = mutatingPolicyOf('idle', '/v1/configmaps', {
  mutations: [
    { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/x"}]' } },
  ],
});
const hooks = (kind: string): JsonObject => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name: 'hooks' },
  webhooks: [webhookOf('x', { url: 'https://127.0.0.1:1' })],
});

interface Row {
  readonly resource: string;
  readonly version: string;
  /** The last of them is damaged. */
  readonly objects: readonly (readonly [resource: string, object: JsonObject])[];
  /** Who says that it is closed. */
  readonly plugin: string;
}

const rows: readonly Row[] = [
  {
    resource: 'validatingwebhookconfigurations',
    version: 'v1',
    objects: [['validatingwebhookconfigurations', hooks('ValidatingWebhookConfiguration')]],
    plugin: 'ValidatingAdmissionWebhook',
  },
  {
    resource: 'mutatingwebhookconfigurations',
    version: 'v1',
    objects: [['mutatingwebhookconfigurations', hooks('MutatingWebhookConfiguration')]],
    plugin: 'MutatingAdmissionWebhook',
  },
  {
    resource: 'validatingadmissionpolicies',
    version: 'v1',
    objects: [
      ['validatingadmissionpolicybindings', bindingOf('denying')],
      ['validatingadmissionpolicies', denying],
    ],
    plugin: 'ValidatingAdmissionPolicy',
  },
  {
    resource: 'validatingadmissionpolicybindings',
    version: 'v1',
    objects: [
      ['validatingadmissionpolicies', denying],
      ['validatingadmissionpolicybindings', bindingOf('denying')],
    ],
    plugin: 'ValidatingAdmissionPolicy',
  },
  {
    resource: 'mutatingadmissionpolicies',
    version: 'v1alpha1',
    objects: [
      ['mutatingadmissionpolicybindings', mutatingBindingOf('idle')],
      ['mutatingadmissionpolicies', idle],
    ],
    plugin: 'MutatingAdmissionPolicy',
  },
];

/** What has been overwritten. */
async function overwrite(server: TestServer, place: string, value: Uint8Array) {
  const { storage } = server.running.parts;
  const key = place as StoreKey;
  const read = await storage.read(key);
  assert(read.kind === 'ok' && read.value !== undefined, key);
  const { revision, state, value: before } = read.value;
  const operation = { kind: 'put', state, value } as const;
  const expect = { kind: 'revision', revision } as const;
  const [outcome] = await storage.commit([{ key, expect, conditions: [], operation }]);
  assert.equal(outcome?.kind, 'applied');
  await server.running.parts.streams.waitUntilCurrent();
  return before;
}

function damage(server: TestServer, place: string): ReturnType<typeof overwrite> {
  return overwrite(server, place, Buffer.from('damaged'));
}

let dataDir = '';
let running: TestServer | undefined;

/** One after the other over the same data. */
async function started(options: TestOptions = {}, log?: Log): Promise<TestServer> {
  await running?.stop();
  running = undefined;
  if (dataDir === '') dataDir = directories.make();
  running = await startTestServer({ store: 'lmdb', 'data-dir': dataDir, ...options }, log);
  return running;
}

afterEach(async () => {
  await running?.stop();
  running = undefined;
  await directories.removeAll();
  dataDir = '';
});

function configMap(server: TestServer, name: string): Promise<Reply> {
  const body = { metadata: { name }, data: {} };
  return server.request('POST', '/api/v1/namespaces/default/configmaps', { body });
}

describe('a damaged configuration of admission', () => {
  for (const { objects, plugin, resource, version } of rows) {
    it(`closes admission after a restart until it is deleted: ${resource}`, async () => {
      const options = {
        'feature-gates': gates,
        'runtime-config': `${group}/v1alpha1=true`,
      } as const;
      const place = `/apis/${group}/${version}`;
      const first = await started(options);
      let name = '';
      for (const [where, object] of objects) {
        const made = await first.request('POST', `${place}/${where}`, { body: object });
        assert.equal(made.status, 201, made.text);
        ({ name } = object['metadata'] as { name: string });
      }
      const { parts } = first.running;
      await parts.streams.waitUntilCurrent();
      await Promise.all([parts.policies.settled(), parts.webhooks.settled()]);
      const before = await configMap(first, 'a');
      await damage(first, `${group}/${resource}//${name}`);
      const still = await configMap(first, 'a');
      assert.equal(still.status === 201, before.status === 201, 'what was in force stays so');

      const told: unknown[] = [];
      const quiet = { warn: () => undefined, info: () => undefined, debug: () => undefined };
      const log = { ...quiet, error: (what: unknown) => void told.push(what) };
      const server = await started(options, log);
      const refused = await configMap(server, 'b');
      assert.equal(refused.status, 403, refused.text);
      assert.equal(
        refused.body['message'],
        `configmaps "b" is forbidden: not yet ready to handle request: ${resource} "${name}" ` +
          'cannot be read',
      );
      const later = await configMap(server, 'b');
      assert.equal(later.status, 403, 'nothing is waited for, and nothing forgotten');
      assert.equal(told.length, 1, 'it is told once');
      const health = '/readyz/admission-configurations';
      assert.equal((await server.request('GET', health)).status, 500);
      const metric = `sluice_admission_closed{name="${plugin}"}`;
      const closed = async (): Promise<boolean> =>
        (await server.request('GET', '/metrics')).text.includes(`${metric} 1`);
      assert.equal(await closed(), true);
      const read = await server.request('GET', '/api/v1/namespaces/default/configmaps');
      assert.equal(read.status, 200, 'reads go on');

      const deletion = { body: unsafe };
      const deleted = await server.request('DELETE', `${place}/${resource}/${name}`, deletion);
      assert.equal(deleted.status, 200, deleted.text);
      const open = await configMap(server, 'b');
      assert.equal(open.status, 201, open.text);
      assert.equal((await server.request('GET', health)).status, 200);
      assert.equal(await closed(), false);
    });
  }

  it('closes nothing where its plugin is off', async () => {
    const first = await started();
    const place = `/apis/${group}/v1/validatingwebhookconfigurations`;
    await first.request('POST', place, { body: hooks('ValidatingWebhookConfiguration') });
    await damage(first, `${group}/validatingwebhookconfigurations//hooks`);
    const off = { 'disable-admission-plugins': 'ServiceAccount,ValidatingAdmissionWebhook' };
    const server = await started(off);
    const made = await configMap(server, 'b');
    assert.equal(made.status, 201, made.text);
    assert.equal((await server.request('GET', '/readyz')).status, 200);
  });
});

/** What bounds the writes of its namespace. */
const bounding = [
  {
    resource: 'limitranges',
    kind: 'LimitRange',
    spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] },
    plugin: 'LimitRanger',
    refusal: 'not yet ready to handle request: limitranges "bound" cannot be read',
    /** Nobody limits those. */
    configMaps: 201,
    beyond: /maximum cpu usage per Container is 1, but limit is 2/,
  },
  {
    resource: 'resourcequotas',
    kind: 'ResourceQuota',
    spec: { hard: { 'limits.cpu': '1' } },
    plugin: 'ResourceQuota',
    refusal: 'status unknown for quota: bound: it cannot be read',
    configMaps: 403,
    beyond: /exceeded quota: bound, requested: limits.cpu=2, used: limits.cpu=0, limited/,
  },
] as const;

function pod(server: TestServer, namespace: string): Promise<Reply> {
  const resources = { limits: { cpu: '2' }, requests: { cpu: '2' } };
  const body = { metadata: { name: 'p' }, spec: { containers: [container(resources)] } };
  return server.request('POST', `/api/v1/namespaces/${namespace}/pods`, { body });
}

function container(resources: JsonObject): JsonObject {
  return { name: 'c', image: 'i', resources };
}

describe('a damaged bound of a namespace', () => {
  for (const { beyond, configMaps, kind, plugin, refusal, resource, spec } of bounding) {
    const place = `/api/v1/namespaces/bounded/${resource}`;
    const record = `/${resource}/bounded/bound`;
    const refused = (name: string): string => `${name} is forbidden: ${refusal}`;

    async function damagedServer(told: unknown[]) {
      const gated = { 'feature-gates': gates };
      const first = await started(gated);
      const namespace = { metadata: { name: 'bounded' } };
      await first.request('POST', '/api/v1/namespaces', { body: namespace });
      const body = { apiVersion: 'v1', kind, metadata: { name: 'bound' }, spec };
      const made = await first.request('POST', place, { body });
      assert.equal(made.status, 201, made.text);
      const kept = await first.request('POST', '/api/v1/namespaces/bounded/services', {
        body: { metadata: { name: 'kept' }, spec: { ports: [{ port: 80 }] } },
      });
      assert.equal(kept.status, 201, kept.text);
      const good = await damage(first, record);
      const quiet = { warn: () => undefined, info: () => undefined, debug: () => undefined };
      const log = { ...quiet, error: (what: unknown) => void told.push(what) };
      return { server: await started(gated, log), good };
    }

    it(`closes it after a restart until it is deleted: ${resource}`, async () => {
      const told: unknown[] = [];
      const { server } = await damagedServer(told);
      const closed = await pod(server, 'bounded');
      assert.equal(closed.status, 403, closed.text);
      assert.equal(closed.body['message'], refused('pods "p"'));
      const map = { body: { metadata: { name: 'm' } } };
      const other = await server.request('POST', '/api/v1/namespaces/bounded/configmaps', map);
      assert.equal(other.status, configMaps, other.text);
      const label = {
        body: { metadata: { labels: { a: 'b' } } },
        headers: { 'content-type': 'application/merge-patch+json' },
      };
      const kept = '/api/v1/namespaces/bounded/services/kept';
      const patched = await server.request('PATCH', kept, label);
      assert.equal(patched.status, 200, `what takes nothing more is written: ${patched.text}`);
      assert.equal((await server.request('DELETE', kept)).status, 200, 'and may go');
      const elsewhere = await pod(server, 'default');
      assert.equal(elsewhere.status, 201, elsewhere.text);
      const health = '/readyz/admission-configurations';
      assert.equal((await server.request('GET', health)).status, 500);
      const metric = `sluice_admission_closed{name="${plugin}"}`;
      assert.match((await server.request('GET', '/metrics')).text, new RegExp(`${metric} 1`));
      assert.equal(told.length, 1, `it is told once, and nothing else: ${JSON.stringify(told)}`);

      const deleted = await server.request('DELETE', `${place}/bound`, { body: unsafe });
      assert.equal(deleted.status, 200, deleted.text);
      const open = await pod(server, 'bounded');
      assert.equal(open.status, 201, open.text);
      assert.equal((await server.request('GET', health)).status, 200);
      assert.match((await server.request('GET', '/metrics')).text, new RegExp(`${metric} 0`));
    });

    it(`bounds it again when it is mended: ${resource}`, async () => {
      const { good, server } = await damagedServer([]);
      assert.equal((await pod(server, 'bounded')).body['message'], refused('pods "p"'));
      await overwrite(server, record, good);
      const bounded = await pod(server, 'bounded');
      assert.equal(bounded.status, 403, bounded.text);
      assert.match(bounded.text, beyond);
    });
  }
});

describe('a damaged object that sets a policy up', () => {
  it('is not one that is not there', async () => {
    const first = await started();
    const policy = policyOf('with-params', '/v1/secrets', {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [{ expression: 'params.data.open == "yes"' }],
    });
    const binding = bindingOf('with-params', {
      paramRef: { name: 'limits', namespace: 'default', parameterNotFoundAction: 'Allow' },
    });
    await configMap(first, 'limits');
    const place = `/apis/${group}/v1`;
    await first.request('POST', `${place}/validatingadmissionpolicies`, { body: policy });
    await first.request('POST', `${place}/validatingadmissionpolicybindings`, { body: binding });
    await damage(first, '/configmaps/default/limits');
    const server = await started();
    const body = { metadata: { name: 's' } };
    const refused = await server.request('POST', '/api/v1/namespaces/default/secrets', { body });
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.text, /a param for policy binding is stored and cannot be read/);
  });
});

/**
 * Versions over HTTP: what is stored through one version is read, listed and watched through every
 * other; what an older release stored is read; an emulated release serves what it served.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseJsonText, stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import { formatGroupVersion } from '../../src/apimachinery/schema.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { toStorageVersion, toVersion } from '../../src/registry/versions.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { randomObject } from '../support/data/random-objects.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-versions');

function pathOf(kind: KindInfo, namespace = 'default'): string {
  const root = kind.group === '' ? '/api' : '/apis';
  const scope = kind.namespaced ? `/namespaces/${namespace}` : '';
  return `${root}/${formatGroupVersion(kind)}${scope}/${kind.resource}`;
}

/** As stored: without the revision, and with every digit. */
function withoutVersion(object: ApiObject): ApiObject {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function parsed(reply: Reply): ApiObject {
  assert.equal(reply.status, 200, reply.text);
  return parseJsonText(reply.text) as ApiObject;
}

/** The rules of a role that aggregates others are the server's. */
function withoutAggregation(object: ApiObject): ApiObject {
  const { aggregationRule: _rule, ...rest } = object;
  return rest;
}

/** Puts the object into the store as a write through this version would, whatever is in it. */
async function store(server: TestServer, kind: KindInfo, object: ApiObject): Promise<void> {
  const { registry } = server.running.parts;
  const namespace = object.metadata.namespace ?? '';
  const outcome = await registry.actors.execute(
    { ...kind.storage, namespace, name: object.metadata.name ?? '' },
    {
      type: 'create',
      object: toStorageVersion(object, kind),
      conditions: [],
      warnings: [],
      dryRun: false,
      nowMs: 0,
      qualifiedResource: kind,
    },
  );
  assert.equal(outcome.kind, 'created');
}

for (const release of ['1.33', '1.24', '1.21', '1.16']) {
  describe(`every version that ${release} serves`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({
        'runtime-config': 'api/all=true',
        'feature-gates': 'AllAlpha=true,AllBeta=true',
        'emulated-version': release,
      });
    });
    after(() => server.remove());

    it('shows what was stored through any other, whole: get, list and watch', async () => {
      const { scheme } = server.running.parts.registry;
      let pairs = 0;
      for (const from of scheme.kinds) {
        const family = scheme.kinds.filter(
          (kind) =>
            kind.storage.group === from.storage.group &&
            kind.storage.resource === from.storage.resource,
        );
        const { schema } = from;
        if (family.length < 2 || schema === undefined || from.operation === true) continue;
        // A controller writes what they are at once: changed-versions.test.ts has them.
        if (from.kind === 'CustomResourceDefinition') continue;
        const objects = [1, 2, 3].map((seed) => {
          const own = {
            name: `x-${from.group.split('.')[0]}-${from.version}-${seed}`,
            ...(from.namespaced ? { namespace: 'default' } : {}),
            uid: `${from.resource}-${from.version}-${seed}`,
          };
          const labels = { apiVersion: formatGroupVersion(from), kind: from.kind };
          const prng = seededPrng(seed * 31);
          const object = randomObject(schema, labels, { prng, density: 0.6 }, own);
          return withoutAggregation(object);
        });
        const list = parsed(await server.request('GET', pathOf(from)));
        const since = `watch=true&resourceVersion=${list.metadata.resourceVersion}`;
        const watches = await Promise.all(
          family.map((kind) => server.openWatch(`${pathOf(kind)}?${since}`)),
        );
        for (const object of objects) await store(server, from, object);
        for (const [index, to] of family.entries()) {
          for (const object of objects) {
            pairs += 1;
            const expected = toVersion(toStorageVersion(object, from), storageOf(to), to);
            const title: string = `${schema.name}, ${pathOf(to)}`;
            const url = `${pathOf(to)}/${object.metadata.name}`;
            const got = withoutVersion(parsed(await server.request('GET', url)));
            assert.deepEqual(got, expected, title);
            if (to === from) assert.deepEqual(got, object, title);
            const listed = parsed(await server.request('GET', pathOf(to)))['items'];
            const item = (listed as unknown as ApiObject[]).find(
              (each) => each.metadata.name === object.metadata.name,
            );
            assert.ok(item);
            assert.deepEqual(withoutVersion(item), expected, title);
            const event = await watches[index]?.next();
            const shown = withoutVersion(event?.object as unknown as ApiObject);
            assert.deepEqual(shown, JSON.parse(stringifyJson(expected)), title);
          }
        }
        for (const watch of watches) watch.close();
      }
      assert.ok(pairs > 20, `${pairs} pairs`);
    });
  });
}

function storageOf(kind: KindInfo) {
  const { group } = kind.storage;
  return { group, version: kind.storageVersion, kind: kind.kind, conversions: kind.conversions };
}

const scalers = (version: string) =>
  `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
const scaler = (version: string, spec: JsonObject): JsonObject => ({
  apiVersion: `autoscaling/${version}`,
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'h' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
    maxReplicas: 3,
    ...spec,
  },
});
const cpu = (percentage: number): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percentage } },
});
const memory: JsonObject = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
};

function specOf(reply: Reply): JsonObject {
  return parsed(reply)['spec'] as JsonObject;
}

describe('what an older release stored', () => {
  it('is read, changed, watched and deleted by a newer one, and by the older one again', async () => {
    const dataDir = directories.make();
    const at = (release: string) =>
      startTestServer({ store: 'lmdb', 'data-dir': dataDir, 'emulated-version': release });
    try {
      // 1.22 stores v1; 1.24 stores v2 and still knows v1.
      let server = await at('1.22');
      const made = await server.request('POST', scalers('v2beta2'), {
        body: scaler('v2beta2', { metrics: [memory, cpu(60)] }),
      });
      assert.equal(made.status, 201, made.text);
      const { resourceVersion, uid } = (made.body as unknown as ApiObject).metadata;
      await server.stop();

      server = await at('1.33');
      for (const url of [`${scalers('v2')}/h`, `${scalers('v1')}/h`]) {
        const { metadata } = parsed(await server.request('GET', url));
        assert.deepEqual([metadata.resourceVersion, metadata.uid], [resourceVersion, uid]);
      }
      const { metrics } = specOf(await server.request('GET', `${scalers('v2')}/h`));
      assert.deepEqual(metrics, [memory, cpu(60)]);
      const watch = await server.openWatch(`${scalers('v2')}?watch=true`);
      const [first] = await watch.take(1);
      assert.deepEqual((first?.object['spec'] as JsonObject)['metrics'], [memory, cpu(60)]);
      const old = parsed(await server.request('GET', `${scalers('v1')}/h`));
      const changed = { ...old, spec: { ...(old['spec'] as JsonObject), maxReplicas: 5 } };
      const put = await server.request('PUT', `${scalers('v1')}/h`, { body: changed });
      assert.equal(put.status, 200, put.text);
      const [second] = await watch.take(1);
      assert.deepEqual((second?.object['spec'] as JsonObject)['maxReplicas'], 5);
      assert.deepEqual((second?.object['spec'] as JsonObject)['metrics'], [memory, cpu(60)]);
      await server.stop();

      server = await at('1.24');
      const back = specOf(await server.request('GET', `${scalers('v2beta2')}/h`));
      assert.deepEqual([back['maxReplicas'], back['metrics']], [5, [memory, cpu(60)]]);
      assert.equal((await server.request('DELETE', `${scalers('v1')}/h`)).status, 200);
      await server.stop();
    } finally {
      await directories.removeAll();
    }
  });
});

describe('events of both groups', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.remove());
  const core = '/api/v1/namespaces/default/events';
  const group = '/apis/events.k8s.io/v1/namespaces/default/events';

  it('are one store: made in one, seen, selected and watched in the other', async () => {
    const watch = await server.openWatch(`${group}?watch=true&fieldSelector=regarding.name%3Dp`);
    const made = await server.request('POST', core, {
      body: {
        metadata: { name: 'e' },
        involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
        reason: 'Started',
        message: 'it runs',
        type: 'Normal',
        count: 2,
        source: { component: 'kubelet' },
      },
    });
    assert.equal(made.status, 201, made.text);
    const [event] = await watch.take(1);
    const shown = event?.object as JsonObject;
    assert.deepEqual(
      [shown['apiVersion'], shown['note'], shown['deprecatedCount'], shown['regarding']],
      ['events.k8s.io/v1', 'it runs', 2, { kind: 'Pod', name: 'p', namespace: 'default' }],
    );
    const count = async (url: string) =>
      (parsed(await server.request('GET', url))['items'] as unknown as unknown[]).length;
    assert.equal(await count(`${core}?fieldSelector=involvedObject.name%3Dp,type%3DNormal`), 1);
    assert.equal(await count(`${core}?fieldSelector=involvedObject.name%3Dq`), 0);
    assert.equal(await count(`${group}?fieldSelector=regarding.kind%3DPod`), 1);
    assert.equal(await count(`${group}?fieldSelector=regarding.kind%3DNode`), 0);
    assert.equal(
      (await server.request('GET', `${group}?fieldSelector=involvedObject.name%3Dp`)).status,
      400,
    );
    assert.equal((await server.request('DELETE', `${group}/e`)).status, 200);
    assert.equal((await server.request('GET', `${core}/e`)).status, 404);
  });
});

describe('an emulated release', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ 'emulated-version': '1.21' });
  });
  after(() => server.remove());
  const ingresses = (version: string) => `/apis/${version}/namespaces/default/ingresses`;
  const ingress = {
    metadata: { name: 'i' },
    spec: {
      backend: { serviceName: 'd', servicePort: 'http' },
      rules: [
        { http: { paths: [{ path: '/a', backend: { serviceName: 's', servicePort: 80 } }] } },
      ],
    },
  };

  it("is told by /version beside the program's own", async () => {
    const { body } = await server.request('GET', '/version');
    assert.deepEqual(
      [
        body['minor'],
        body['emulationMajor'],
        body['emulationMinor'],
        body['minCompatibilityMinor'],
      ],
      ['33', '1', '21', '20'],
    );
  });

  it('serves removed versions, warns in the words of the reference, and counts their use', async () => {
    for (const [version, since] of [
      ['extensions/v1beta1', '1.14'],
      ['networking.k8s.io/v1beta1', '1.19'],
    ] as const) {
      const made = await server.request('POST', ingresses(version), { body: ingress });
      assert.equal(made.status, 201, made.text);
      assert.equal(
        made.headers['warning'],
        `299 - "${version} Ingress is deprecated in v${since}+, unavailable in v1.22+; use networking.k8s.io/v1 Ingress"`,
      );
      const { spec } = made.body as { spec?: JsonObject };
      assert.deepEqual(spec?.['backend'], ingress.spec.backend);
      const stable = await server.request('GET', `${ingresses('networking.k8s.io/v1')}/i`);
      assert.equal(stable.headers['warning'], undefined);
      assert.deepEqual(specOf(stable)['defaultBackend'], {
        service: { name: 'd', port: { name: 'http' } },
      });
      assert.equal((await server.request('DELETE', `${ingresses(version)}/i`)).status, 200);
    }
    const { text } = await server.request('GET', '/metrics');
    assert.match(text, /# HELP apiserver_requested_deprecated_apis \[STABLE\]/);
    for (const group of ['extensions', 'networking.k8s.io']) {
      const labels = `group="${group}",version="v1beta1",resource="ingresses",subresource="",removed_release="1.22"`;
      assert.ok(text.includes(`apiserver_requested_deprecated_apis{${labels}} 1`), text);
    }
    const deprecated = text.split('\n').filter((line) => line.includes('requested_deprecated'));
    assert.ok(!deprecated.some((line) => line.includes('version="v1",')), text);
    // Whoever asks how often it was used joins both by their labels.
    const used = 'group="extensions",version="v1beta1",resource="ingresses",subresource=""';
    const counted = `apiserver_request_total{verb="POST",dry_run="",${used},scope="resource",component="apiserver",code="201"} 1`;
    assert.ok(text.includes(counted), text);
  });

  it('does not serve what came later, or had gone', async () => {
    for (const url of [
      '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
      '/apis/apps/v1beta1/namespaces/default/deployments',
      '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    ]) {
      assert.equal((await server.request('GET', url)).status, 404, url);
    }
  });
});

describe('fields that a manager owns through one version', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.remove());

  it('conflict with an apply through another version that changes what they mean', async () => {
    const made = await server.request('POST', `${scalers('v1')}?fieldManager=first`, {
      body: scaler('v1', { targetCPUUtilizationPercentage: 60 }),
    });
    assert.equal(made.status, 201, made.text);
    const apply = (percentage: number) =>
      server.request('PATCH', `${scalers('v2')}/h?fieldManager=second`, {
        body: JSON.stringify(scaler('v2', { metrics: [cpu(percentage)] })),
        headers: { 'content-type': 'application/apply-patch+yaml' },
      });
    const conflict = await apply(70);
    assert.equal(conflict.status, 409, conflict.text);
    const { causes } = conflict.body['details'] as { causes?: readonly JsonObject[] };
    assert.deepEqual(
      causes?.map((cause) => cause['field']),
      ['.spec.targetCPUUtilizationPercentage'],
    );
    const agreed = await apply(60);
    assert.equal(agreed.status, 200, agreed.text);
    const shown = specOf(await server.request('GET', `${scalers('v1')}/h`));
    assert.equal(shown['targetCPUUtilizationPercentage'], 60);
  });

  it('are patched at the version of the request', async () => {
    const patched = await server.request('PATCH', `${scalers('v1')}/h`, {
      body: JSON.stringify({ spec: { targetCPUUtilizationPercentage: 80 } }),
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
    });
    assert.equal(patched.status, 200, patched.text);
    assert.equal(patched.body['apiVersion'], 'autoscaling/v1');
    const { metrics } = specOf(await server.request('GET', `${scalers('v2')}/h`));
    assert.deepEqual(metrics, [cpu(80)]);
  });
});

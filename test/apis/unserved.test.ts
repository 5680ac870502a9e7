/**
 * What is accepted although nothing acts on it says so: a row for each, over HTTP, at a create, an
 * update, a patch and an apply; and what does not need it is taken in silence.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { reconcileServiceCidrs } from '../../src/controllers/system/service-cidrs.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

interface Row {
  readonly title: string;
  readonly object: JsonObject;
  readonly collection: string;
  /** What the warning says; absent: there is none. */
  readonly says?: RegExp;
}

const rows: readonly Row[] = [
  {
    title: 'migrations of what is stored',
    collection: '/apis/storagemigration.k8s.io/v1alpha1/storageversionmigrations',
    object: {
      apiVersion: 'storagemigration.k8s.io/v1alpha1',
      kind: 'StorageVersionMigration',
      metadata: { name: 'a' },
      spec: { resource: { group: '', version: 'v1', resource: 'secrets' } },
    },
    says: /^this server does not migrate what is stored: /,
  },
  {
    title: 'candidates of elections',
    collection: '/apis/coordination.k8s.io/v1alpha2/namespaces/default/leasecandidates',
    object: {
      apiVersion: 'coordination.k8s.io/v1alpha2',
      kind: 'LeaseCandidate',
      metadata: { name: 'a' },
      spec: {
        leaseName: 'a',
        binaryVersion: '1.33.0',
        emulationVersion: '1.33.0',
        strategy: 'OldestEmulationVersion',
      },
    },
    says: /^this server does not elect leaders: /,
  },
  {
    title: 'limit ranges, which are applied',
    collection: '/api/v1/namespaces/default/limitranges',
    object: {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'a' },
      spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] },
    },
  },
  {
    title: 'a deployment, which is for another program',
    collection: '/apis/apps/v1/namespaces/default/deployments',
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'a', image: 'a' }] },
        },
      },
    },
  },
];

function warningsOf({ headers }: Reply): readonly string[] {
  const header = headers['warning'] ?? '';
  const all = [...String(header).matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)];
  return all.map(([, said = '']) => said).filter((said) => said.startsWith('this server'));
}

describe('what nothing acts on says so', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ 'runtime-config': 'api/all=true' });
  });
  after(() => server.remove());

  for (const { title, object, collection, says } of rows) {
    const wanted = (reply: Reply, verb: string): void => {
      assert.ok(reply.status < 300, `${verb}: ${reply.text}`);
      const said = warningsOf(reply);
      assert.equal(said.length, says === undefined ? 0 : 1, `${verb}: ${said.join()}`);
      if (says !== undefined) assert.match(said[0] ?? '', says, verb);
    };
    it(says === undefined ? `nothing is said of ${title}` : title, async () => {
      const { name } = object['metadata'] as { name: string };
      const at = `${collection}/${name}`;
      wanted(await server.request('POST', `${collection}?dryRun=All`, { body: object }), 'dry run');
      const made = await server.request('POST', collection, { body: object });
      wanted(made, 'create');
      const labels = { ...(made.body as { metadata: JsonObject }).metadata, name };
      const body = { ...made.body, metadata: labels };
      wanted(await server.request('PUT', at, { body }), 'update');
      const patch = { metadata: { annotations: { note: 'x' } } };
      const merge = { 'content-type': 'application/merge-patch+json' };
      wanted(await server.request('PATCH', at, { body: patch, headers: merge }), 'patch');
      const apply = { 'content-type': 'application/apply-patch+yaml' };
      const applied = `${at}?fieldManager=me&force=true`;
      wanted(await server.request('PATCH', applied, { body: object, headers: apply }), 'apply');
      await server.request('DELETE', at);
      const anew = { body: object, headers: apply };
      if (!collection.endsWith('/namespaces')) {
        wanted(await server.request('PATCH', applied, anew), 'apply of what is not there');
      }
    });
  }

  it('a write that is refused says nothing of it', async () => {
    const collection = '/api/v1/namespaces/default/limitranges';
    const object = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'A b' }, spec: {} };
    const reply = await server.request('POST', collection, { body: object });
    assert.equal(reply.status, 422);
    assert.deepEqual(warningsOf(reply), []);
  });
});

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

interface Conditioned extends JsonObject {
  readonly metadata: JsonObject;
  readonly status: { readonly conditions?: readonly (Condition & JsonObject)[] } & JsonObject;
}

describe('what nothing acts on says so in its status', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.remove());

  async function send(method: string, target: string, body: object): Promise<Conditioned> {
    const reply = await server.request(method, target, { body });
    assert.ok(reply.status < 300, reply.text);
    return reply.body as unknown as Conditioned;
  }
  const said = ({ status }: Conditioned): readonly string[] =>
    (status.conditions ?? []).map((each) => `${each.type} ${each.status} ${each.reason}`);

  it('an address range, until it is gone', async () => {
    const { registry } = server.running.parts;
    const ranges = '/apis/networking.k8s.io/v1/servicecidrs';
    await send('POST', ranges, {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      metadata: { name: 'mine' },
      spec: { cidrs: ['10.9.0.0/24', 'fd00:9::/112'] },
    });
    const found = async (): Promise<readonly string[]> => {
      await reconcileServiceCidrs(registry, ['10.0.0.0/24']);
      const reply = await server.request('GET', `${ranges}/mine`);
      return reply.status === 404 ? ['gone'] : said(reply.body as unknown as Conditioned);
    };
    assert.deepEqual(await found(), ['Ready True ']);
    const addresses = '/apis/networking.k8s.io/v1/ipaddresses';
    for (const name of ['10.9.0.5', 'fd00:9::5', '10.8.0.5']) {
      await send('POST', addresses, {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'IPAddress',
        metadata: { name },
        spec: { parentRef: { resource: 'services', namespace: 'default', name: 'a' } },
      });
    }
    await server.request('DELETE', `${ranges}/mine`);
    assert.deepEqual(await found(), ['Ready False Terminating']);
    await server.request('DELETE', `${addresses}/10.9.0.5`);
    assert.deepEqual(await found(), ['Ready False Terminating']);
    await server.request('DELETE', `${addresses}/fd00:9::5`);
    assert.deepEqual(await found(), ['gone']);
  });
});

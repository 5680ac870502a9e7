/** What may only be taken where a quota covers it, over HTTP: `limitedResources`. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { limitedConfiguration, limitedRows } from '../support/data/limited-quota-rows.ts';
import type { Step } from '../support/data/quota-rows.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('limited');

describe('what only quotas allow', () => {
  const folder = directories.make();
  const file = (configuration: JsonObject): string => {
    const name = path.join(folder, 'admission.yaml');
    const plugins = [{ name: 'ResourceQuota', configuration }];
    const head = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration' };
    writeFileSync(name, JSON.stringify({ ...head, plugins }));
    return name;
  };
  const options = (configuration: JsonObject) => ({
    controllers: 'resourcequota,systempriorityclasses',
    'admission-control-config-file': file(configuration),
  });
  let server: TestServer;
  before(async () => {
    server = await startTestServer(options(limitedConfiguration));
  });
  after(async () => {
    await server.remove();
    await directories.removeAll();
  });

  const send = (base: string, { body, method = 'POST', path: to }: Step): Promise<Reply> => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    return server.request(method, `${base}/${to}`, { body, headers: { 'content-type': type } });
  };

  let made = 0;
  async function namespace(quotas: readonly JsonObject[]): Promise<string> {
    const name = `limited-${(made += 1)}`;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    assert.equal((await server.request('POST', '/api/v1/namespaces', { body })).status, 201);
    const base = `/api/v1/namespaces/${name}`;
    for (const [at, spec] of quotas.entries()) {
      const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: `q${at}` }, spec };
      const reply = await send(base, { path: 'resourcequotas', body: quota });
      assert.equal(reply.status, 201, reply.text);
    }
    return base;
  }

  for (const { quotas, steps, title } of limitedRows) {
    it(title, async () => {
      const base = await namespace(quotas);
      for (const step of steps) {
        const reply = await send(base, step);
        const { method = 'POST', path: to } = step;
        assert.equal(reply.status, step.status ?? 201, `${method} ${to}: ${reply.text}`);
        if (step.message !== undefined) assert.equal(reply.body['message'], step.message);
      }
    });
  }

  it('holds for other groups, and what no quota names there has a refusal without a reason', async () => {
    const base = (await namespace([])).replace('/api/v1', '/apis/apps/v1');
    const labels = { app: 'a' };
    const body = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    };
    const refused = await send(base, { path: 'deployments', body });
    assert.equal(
      refused.body['message'],
      'deployments.apps "a" is forbidden: insufficient quota to consume: count/deployments.apps',
    );
    const spec = { activeDeadlineSeconds: 5, containers: [{ name: 'c', image: 'i' }] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec };
    const scoped = await send(base.replace('/apis/apps/v1', '/api/v1'), {
      path: 'pods',
      body: pod,
    });
    assert.deepEqual(scoped.body, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'insufficient quota to match these scopes: [{Terminating Exists []}]',
      code: 500,
    });
  });

  it('ends the start of a server that cannot be told what it is', async () => {
    const wrong = { ...limitedConfiguration, limitedResources: [{ matchContains: ['cpu'] }] };
    await assert.rejects(
      startTestServer(options(wrong)),
      /--admission-control-config-file: .*plugins\[0\]\.configuration: limitedResources\[0\]\.resource: Required value/,
    );
    const without = await startTestServer({
      ...options(wrong),
      'disable-admission-plugins': 'ResourceQuota',
    });
    await without.remove();
  });
});

/** A whole server that posts its audit events to a webhook: one that is there, and one that is not. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stringify } from 'yaml';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestOptions, TestServer } from '../support/servers/test-server.ts';
import { kubeconfigFor } from '../support/data/kubeconfig.ts';
import { startRemoteService } from '../support/servers/remote-service.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-audit');

interface Hook {
  readonly url: string;
  readonly authorizations: Set<string | undefined>;
  readonly events: JsonObject[];
  /** Of each list. */
  readonly counts: number[];
  status: number;
  close(): void;
}

async function startHook(): Promise<Hook> {
  const service = await startRemoteService((body, request, response) => {
    hook.authorizations.add(request.headers.authorization);
    if (hook.status === 200) {
      const list = JSON.parse(body) as { items: JsonObject[] };
      hook.events.push(...list.items);
      hook.counts.push(list.items.length);
    }
    response.writeHead(hook.status).end();
  });
  const hook: Hook = {
    url: `${service.url}/audit`,
    authorizations: new Set(),
    events: [],
    counts: [],
    status: 200,
    close: () => service.close(),
  };
  return hook;
}

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: [
    { level: 'None', nonResourceURLs: ['/metrics'] },
    { level: 'Request', resources: [{ group: '', resources: ['configmaps'] }] },
  ],
};
const configMaps = '/api/v1/namespaces/default/configmaps';
const token = 'secret-of-the-webhook';

describe('audit to a webhook', () => {
  let dir = '';
  let hook: Hook;
  before(async () => {
    dir = directories.make();
    hook = await startHook();
    await writeFile(path.join(dir, 'policy.yaml'), stringify(policy));
    await writeFile(path.join(dir, 'webhook.yaml'), kubeconfigFor({ server: hook.url }, { token }));
  });
  after(async () => {
    hook.close();
    await directories.removeAll();
  });

  function start(options: TestOptions): Promise<TestServer> {
    hook.status = 200;
    hook.events.length = 0;
    hook.counts.length = 0;
    return startTestServer({
      'audit-policy-file': path.join(dir, 'policy.yaml'),
      'audit-webhook-config-file': path.join(dir, 'webhook.yaml'),
      'audit-webhook-initial-backoff': '1ms',
      ...options,
    });
  }
  const create = (server: TestServer, name: string) =>
    server.request('POST', configMaps, { body: { metadata: { name } } });
  const metrics = async (server: TestServer): Promise<string> =>
    (await server.request('GET', '/metrics')).text;

  it('batch: lists of events, the last when the server ends, with the webhook’s credential', async () => {
    const server = await start({ 'audit-webhook-batch-max-size': '4' });
    for (let at = 0; at < 5; at += 1) {
      assert.equal((await create(server, `a${at}`)).status, 201);
    }
    assert.match(await metrics(server), /apiserver_audit_level_total\{level="Request"\} 5/);
    await server.remove();
    assert.equal(hook.events.length, 10);
    assert.ok(Math.max(...hook.counts) <= 4, String(hook.counts));
    assert.deepEqual([...hook.authorizations], [`Bearer ${token}`]);
    const stages = new Set(hook.events.map((event) => event['stage']));
    assert.deepEqual([...stages].sort(), ['ResponseComplete', 'RequestReceived'].sort());
  });

  it('blocking-strict: what is not written is not done: 500, and nothing has changed', async () => {
    const server = await start({ 'audit-webhook-mode': 'blocking-strict' });
    assert.equal((await create(server, 'a')).status, 201);
    assert.equal(hook.events.length, 2, 'both are there before the answer is');
    hook.status = 503;
    const refused = await create(server, 'b');
    assert.equal(refused.status, 500);
    assert.equal(refused.body['reason'], 'InternalError');
    assert.match(String(refused.body['message']), /failed to store audit event/);
    const watch = await server.request('GET', `${configMaps}?watch=true`);
    assert.equal(watch.status, 500);
    const text = await metrics(server);
    assert.match(text, /apiserver_audit_requests_rejected_total 2/);
    assert.match(text, /apiserver_audit_error_total\{plugin="webhook"\} 2/);
    hook.status = 200;
    const list = await server.request('GET', configMaps);
    const names = (list.body['items'] as { metadata: JsonObject }[]).map(
      (each) => each.metadata['name'],
    );
    assert.deepEqual(names, ['a']);
    await server.remove();
  });

  it('blocking: a dead webhook costs the events, not the requests', async () => {
    const server = await start({ 'audit-webhook-mode': 'blocking' });
    hook.status = 500;
    assert.equal((await create(server, 'a')).status, 201);
    const text = await metrics(server);
    assert.match(text, /apiserver_audit_error_total\{plugin="webhook"\} 2/);
    assert.match(text, /apiserver_audit_requests_rejected_total 0/);
    assert.deepEqual(hook.events, []);
    await server.remove();
  });

  it('batch: a webhook that is not there lets the server start, serve and end', async () => {
    const server = await start({ 'audit-webhook-batch-max-wait': '10ms' });
    hook.status = 404;
    for (let at = 0; at < 3; at += 1) {
      assert.equal((await create(server, `a${at}`)).status, 201);
    }
    await server.remove();
    assert.deepEqual(hook.events, []);
  });

  it('too large a body is left out, of the webhook’s events only', async () => {
    const server = await start({
      'audit-webhook-mode': 'blocking',
      'audit-webhook-truncate-enabled': 'true',
      'audit-webhook-truncate-max-event-size': '1500',
    });
    const body = { metadata: { name: 'a' }, data: { k: 'v'.repeat(2000) } };
    assert.equal((await server.request('POST', configMaps, { body })).status, 201);
    const event = hook.events.at(-1);
    assert.equal(event?.['requestObject'], undefined);
    assert.equal((event?.['annotations'] as JsonObject)['audit.k8s.io/truncated'], 'true');
    await server.remove();
  });

  const wrong: readonly (readonly [TestOptions, RegExp])[] = [
    [{ 'audit-webhook-config-file': '/does/not/exist' }, /^--audit-webhook-config-file: .*ENOENT/],
    [{ 'audit-webhook-version': 'audit.k8s.io/v1beta1' }, /^--audit-webhook-version: "audit.k8s/],
    [{ 'audit-webhook-mode': 'sometimes' }, /^--audit-webhook-mode: "sometimes" is not one of/],
    [
      { 'audit-webhook-batch-throttle-qps': '0' },
      /^--audit-webhook-batch-throttle-qps: "0" is not/,
    ],
    [{ 'audit-webhook-batch-throttle-burst': '0' }, /^--audit-webhook-batch-throttle-burst: "0"/],
    [{ 'audit-webhook-batch-max-size': '0' }, /^--audit-webhook-batch-max-size: "0" is not/],
    [
      { 'audit-log-truncate-enabled': 'true', 'audit-log-truncate-max-batch-size': '5' },
      /^--audit-log-truncate-max-event-size: "102400" is not at most that of --audit-log-trunc/,
    ],
    [{ 'audit-log-format': 'xml' }, /^--audit-log-format: "xml" is not one of json, legacy/],
  ];
  for (const [options, message] of wrong) {
    it(`${JSON.stringify(options)} ends the start with one line`, async () => {
      await assert.rejects(start(options), { name: 'OptionsError', message });
    });
  }
});

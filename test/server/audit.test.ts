import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stringify } from 'yaml';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import {
  definition,
  definitionsPath,
  object,
  whenEstablished,
} from '../support/data/custom-definitions.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { ApiClient, Reply, TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitManagedFields: true,
  rules: [
    { level: 'None', nonResourceURLs: ['/metrics', '/healthz*'] },
    { level: 'Metadata', resources: [{ group: '', resources: ['configmaps'] }], verbs: ['watch'] },
    { level: 'RequestResponse', resources: [{ group: '', resources: ['configmaps', 'secrets'] }] },
    {
      level: 'RequestResponse',
      resources: [{ group: 'shop.example', resources: ['lamps', 'lamps/status'] }],
    },
    { level: 'Metadata', omitStages: ['RequestReceived'] },
  ],
};

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const configMaps = '/api/v1/namespaces/default/configmaps';

describe('audit over HTTP', () => {
  const directories = testDirectories('sluice-audit');
  let dir = '';
  let file = '';
  let server: TestServer;

  before(async () => {
    dir = directories.make();
    file = path.join(dir, 'audit.log');
    await writeFile(path.join(dir, 'policy.yaml'), stringify(policy));
    server = await startSecureServer({
      'audit-policy-file': path.join(dir, 'policy.yaml'),
      'audit-log-path': file,
    });
  });
  after(async () => {
    await server.remove();
    await directories.removeAll();
  });

  async function events(auditId: unknown): Promise<readonly JsonObject[]> {
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const all = lines.map((line) => JSON.parse(line) as JsonObject);
    return all.filter((event) => event['auditID'] === auditId);
  }

  async function audited(reply: Reply): Promise<readonly JsonObject[]> {
    const id = reply.headers['audit-id'];
    assert.ok(typeof id === 'string' && id !== '', 'the answer names its event');
    return events(id);
  }

  const send = (
    client: ApiClient,
    method: string,
    target: string,
    options: object,
  ): Promise<Reply> => client.request(method, target, options);

  it('a create has both stages, its bodies, its object and the decision, and no token', async () => {
    const reply = await send(server, 'POST', configMaps, {
      body: { metadata: { name: 'a' }, data: { k: 'v' } },
      headers: {
        ...bearer(tokens.admin),
        'audit-id': 'my-id',
        'x-forwarded-for': '10.1.2.3, nonsense',
        'user-agent': 'u'.repeat(2000),
      },
    });
    assert.equal(reply.status, 201, reply.text);
    assert.equal(reply.headers['audit-id'], 'my-id');
    const [received, complete, ...rest] = await events('my-id');
    assert.deepEqual(rest, []);
    assert.equal(received?.['stage'], 'RequestReceived');
    assert.equal(received['responseStatus'], undefined);
    assert.ok(complete);
    assert.equal(complete['stage'], 'ResponseComplete');
    assert.equal(complete['apiVersion'], 'audit.k8s.io/v1');
    assert.equal(complete['level'], 'RequestResponse');
    assert.equal(complete['verb'], 'create');
    assert.equal(complete['requestURI'], configMaps);
    assert.deepEqual(complete['sourceIPs'], ['10.1.2.3', '127.0.0.1']);
    assert.equal(complete['userAgent'], `${'u'.repeat(1024)}...TRUNCATED`);
    assert.equal((complete['user'] as JsonObject)['username'], 'root');
    assert.deepEqual(complete['objectRef'], {
      resource: 'configmaps',
      namespace: 'default',
      name: 'a',
      apiVersion: 'v1',
    });
    assert.deepEqual(complete['responseStatus'], { metadata: {}, code: 201 });
    assert.deepEqual((complete['requestObject'] as JsonObject)['data'], { k: 'v' });
    const answer = complete['responseObject'] as { metadata: JsonObject };
    assert.equal(answer.metadata['name'], 'a');
    assert.equal(answer.metadata['managedFields'], undefined);
    assert.equal((complete['annotations'] as JsonObject)['authorization.k8s.io/decision'], 'allow');
    assert.match(String(complete['stageTimestamp']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  it('a custom type is told like any other: its bodies, its subresources, its group', async () => {
    const headers = bearer(tokens.admin);
    const admin: ApiClient = {
      ...server,
      request: (method, target, options) => server.request(method, target, { ...options, headers }),
    };
    const version = { subresources: { status: {} } };
    const body = definition({ plural: 'lamps', kind: 'Lamp', version });
    const defined = await admin.request('POST', definitionsPath, { body });
    const ofDefinition = (await audited(defined)).at(-1);
    assert.deepEqual(
      [ofDefinition?.['level'], ofDefinition?.['requestObject'], ofDefinition?.['responseObject']],
      ['Metadata', undefined, undefined],
    );
    await whenEstablished(admin, 'lamps.shop.example');
    const lamps = '/apis/shop.example/v1/namespaces/default/lamps';
    const sent = object('Lamp', 'a', { spec: { colour: 'red' } });
    const made = await admin.request('POST', lamps, { body: sent });
    const complete = (await audited(made)).at(-1);
    const reference = { resource: 'lamps', namespace: 'default', name: 'a', apiVersion: 'v1' };
    assert.deepEqual(complete?.['objectRef'], { ...reference, apiGroup: 'shop.example' });
    assert.deepEqual((complete['requestObject'] as JsonObject)['spec'], { colour: 'red' });
    const answer = complete['responseObject'] as { metadata: JsonObject; spec: JsonObject };
    assert.deepEqual(answer.spec, { colour: 'red' });
    assert.equal(answer.metadata['managedFields'], undefined);
    assert.notEqual((made.body['metadata'] as JsonObject)['managedFields'], undefined);
    const status = { ...made.body, status: { on: true } };
    const written = await admin.request('PUT', `${lamps}/a/status`, { body: status });
    const ofStatus = (await audited(written)).at(-1);
    assert.equal((ofStatus?.['objectRef'] as JsonObject)['subresource'], 'status');
    assert.deepEqual((ofStatus?.['responseObject'] as JsonObject)['status'], { on: true });
  });

  it('a refusal by authorization is told with its reason', async () => {
    const reply = await send(server, 'GET', configMaps, { headers: bearer(tokens.alice) });
    assert.equal(reply.status, 403);
    const event = (await audited(reply)).at(-1);
    const status = event?.['responseStatus'] as JsonObject;
    assert.equal(status['code'], 403);
    assert.equal(status['status'], 'Failure');
    assert.equal(status['reason'], 'Forbidden');
    assert.deepEqual(status['details'], { kind: 'configmaps' });
    assert.match(String(status['message']), /User "alice" cannot list/);
    assert.equal((event?.['annotations'] as JsonObject)['authorization.k8s.io/decision'], 'forbid');
  });

  it('wrong credentials are told without them', async () => {
    const reply = await send(server, 'GET', configMaps, { headers: bearer('wrong-token-of-x') });
    assert.equal(reply.status, 401);
    const [event, ...rest] = await audited(reply);
    assert.deepEqual(rest, [], 'one stage');
    assert.equal(event?.['stage'], 'ResponseStarted');
    assert.deepEqual(event['user'], {});
    assert.deepEqual(event['responseStatus'], {
      metadata: {},
      status: 'Failure',
      message: 'Authentication failed, attempted: bearer',
      reason: 'Unauthorized',
      code: 401,
    });
  });

  it('who acts as another is told beside the other', async () => {
    const reply = await send(server, 'GET', configMaps, {
      headers: { ...bearer(tokens.admin), 'impersonate-user': 'carol' },
    });
    assert.equal(reply.status, 403);
    const event = (await audited(reply)).at(-1);
    assert.equal((event?.['user'] as JsonObject)['username'], 'root');
    assert.equal((event?.['impersonatedUser'] as JsonObject)['username'], 'carol');
  });

  it('a watch has the stage ResponseStarted and ends when it ends', async () => {
    const headers = { ...bearer(tokens.admin), 'audit-id': 'the-watch' };
    const reply = await send(server, 'GET', `${configMaps}?watch=true&timeoutSeconds=1`, {
      headers,
    });
    assert.equal(reply.status, 200);
    const stages = (await events('the-watch')).map((event) => event['stage']);
    assert.deepEqual(stages, ['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
  });

  it('a watch that is refused has been started, too', async () => {
    const reply = await send(server, 'GET', `${configMaps}?watch=true`, {
      headers: bearer(tokens.alice),
    });
    assert.equal(reply.status, 403);
    const stages = (await audited(reply)).map((event) => event['stage']);
    assert.deepEqual(stages, ['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
  });

  it('a list is told as a whole, and only a watch is started', async () => {
    const reply = await send(server, 'GET', configMaps, { headers: bearer(tokens.admin) });
    const [, complete, ...rest] = await audited(reply);
    assert.deepEqual(rest, []);
    assert.equal((complete?.['responseObject'] as JsonObject)['kind'], 'ConfigMapList');
  });

  it('what a secret holds is not written, whatever the policy says', async () => {
    const body = { metadata: { name: 's' }, stringData: { password: 'hunter2' } };
    const path = '/api/v1/namespaces/default/secrets';
    const reply = await send(server, 'POST', path, { body, headers: bearer(tokens.admin) });
    assert.equal(reply.status, 201);
    const all = await audited(reply);
    assert.deepEqual(
      all.map((event) => event['level']),
      ['Metadata', 'Metadata'],
    );
    const ref = all.at(-1)?.['objectRef'] as JsonObject;
    assert.equal(ref['name'], 's', 'which one is told all the same');
    assert.ok(!JSON.stringify(all).includes('hunter2'));
  });

  it('what the policy leaves out is not there, and no credential is in the file', async () => {
    const reply = await send(server, 'GET', '/metrics', { headers: bearer(tokens.admin) });
    assert.match(reply.text, /apiserver_audit_error_total\{plugin="log"\} 0/);
    assert.deepEqual(await audited(reply), []);
    const version = await send(server, 'GET', '/version', { headers: bearer(tokens.admin) });
    const stages = (await audited(version)).map((event) => event['stage']);
    assert.deepEqual(stages, ['ResponseComplete'], 'omitStages');
    const text = await readFile(file, 'utf8');
    for (const secret of [...Object.values(tokens), 'wrong-token-of-x', 'Bearer']) {
      assert.ok(!text.includes(secret), secret);
    }
  });
});

describe('audit at start', () => {
  it('a policy that is wrong, or a log that cannot be, is one clear line', async () => {
    const directories = testDirectories('sluice-audit');
    const dir = directories.make();
    const wrong = path.join(dir, 'wrong.yaml');
    await writeFile(wrong, stringify({ ...policy, rules: [{ level: 'All', user: [] }] }));
    const good = path.join(dir, 'good.yaml');
    await writeFile(good, stringify(policy));
    const log = path.join(dir, 'a.log');
    const start = (flags: Record<string, string>) => () => startTestServer(flags);
    await assert.rejects(
      start({ 'audit-policy-file': wrong, 'audit-log-path': log }),
      /^OptionsError: --audit-policy-file: .*rules\[0\]\.user: unknown field; rules\[0\]\.level: one of None/,
    );
    await assert.rejects(
      start({ 'audit-policy-file': good, 'audit-log-path': path.join(dir, 'no', 'a.log') }),
      /^OptionsError: --audit-log-path: ENOENT/,
    );
    await assert.rejects(start({ 'audit-log-path': log }), /make no sense without each other/);
    await assert.rejects(start({ 'audit-policy-file': good }), /make no sense without each other/);
    await directories.removeAll();
  });

  it('without a policy there is an Audit-ID all the same, and its figures are 0', async () => {
    const server = await startTestServer();
    const reply = await server.request('GET', '/metrics');
    await server.remove();
    assert.match(String(reply.headers['audit-id']), /^[0-9a-f-]{36}$/);
    const figures = [...reply.text.matchAll(/^apiserver_audit_\w+(?:\{.*\})? (.+)$/gm)];
    assert.ok(figures.length > 0);
    for (const [line, value] of figures) assert.equal(value, '0', line);
  });

  it('in mode batch all that was buffered is in the file when the server has stopped', async () => {
    const directories = testDirectories('sluice-audit');
    const dir = directories.make();
    const good = path.join(dir, 'good.yaml');
    await writeFile(good, stringify(policy));
    const log = path.join(dir, 'a.log');
    const server = await startTestServer({
      'audit-policy-file': good,
      'audit-log-path': log,
      'audit-log-mode': 'batch',
    });
    for (let at = 0; at < 20; at += 1) await server.request('GET', '/version');
    await server.remove();
    const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
    assert.equal(lines.length, 20);
    assert.deepEqual((await readdir(dir)).sort(), ['a.log', 'good.yaml']);
    await directories.removeAll();
  });
});

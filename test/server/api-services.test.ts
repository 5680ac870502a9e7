/** APIServices over HTTP: those of the server itself from start to start, and those of others. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { objects, part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { sleep, systemTimers } from '../../src/stdx/clock.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { partialDeepEqual } from '../support/checks/partial-equal.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestOptions, TestServer } from '../support/servers/test-server.ts';

const directories = testDirectories('sluice-api-services');
after(() => directories.removeAll());

const group = 'apiregistration.k8s.io';
const path = `/apis/${group}/v1/apiservices`;
const label = 'kube-aggregator.kubernetes.io/automanaged';

interface Named extends JsonObject {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

async function listed(server: TestServer, target = path): Promise<readonly Named[]> {
  const reply = await server.request('GET', target);
  assert.equal(reply.status, 200, reply.text);
  return reply.body['items'] as unknown as readonly Named[];
}

const namesOf = (items: readonly Named[]): readonly string[] =>
  items.map(({ metadata }) => metadata.name);

function service(version: string, own: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: `${group}/v1`,
    kind: 'APIService',
    metadata: { name: `${version}.${own}` },
    spec: { group: own, version, groupPriorityMinimum: 100, versionPriority: 100, ...spec },
  };
}

async function send(
  server: TestServer,
  method: string,
  target: string,
  body?: object | string,
  contentType = 'application/json',
): Promise<JsonObject> {
  const headers = { 'content-type': contentType };
  const reply = await server.request(method, target, { body, headers });
  assert.ok(reply.status < 300, `${method} ${target}: ${reply.text}`);
  return reply.body;
}

const merge = 'application/merge-patch+json';

describe('the APIServices of the server itself', () => {
  const served = async (server: TestServer): Promise<readonly string[]> => {
    const { groups } = (await server.request('GET', '/apis')).body as unknown as {
      groups: readonly { name: string; versions: readonly { version: string }[] }[];
    };
    const named = groups.flatMap(({ name, versions }) =>
      name.startsWith('apiregistration.')
        ? []
        : versions.map(({ version }) => `${version}.${name}`),
    );
    return ['v1.', ...named].sort();
  };

  it('are there at once, available, as many as there are versions, under each identity', async () => {
    for (const [identity, domain, labels] of [
      ['svc', 'svc.io', 'svc.io'],
      ['kubernetes', 'k8s.io', 'kubernetes.io'],
    ] as const) {
      const server = await startTestServer({ identity, 'runtime-config': 'api/all=true' });
      try {
        const items = await listed(server, `/apis/apiregistration.${domain}/v1/apiservices`);
        assert.deepEqual([...namesOf(items)].sort(), await served(server));
        for (const item of items) {
          const { [`kube-aggregator.${labels}/automanaged`]: automanaged } =
            item.metadata.labels ?? {};
          assert.equal(automanaged, 'onstart');
          partialDeepEqual(
            item['status'],
            { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
            item.metadata.name,
          );
        }
        const apps = items.find(({ metadata }) => metadata.name === 'v1.apps');
        const priorities = { groupPriorityMinimum: 17800, versionPriority: 15 };
        assert.deepEqual(apps?.['spec'], { group: 'apps', version: 'v1', ...priorities });
        const core = items.find(({ metadata }) => metadata.name === 'v1.');
        const first = { groupPriorityMinimum: 18000, versionPriority: 1 };
        assert.deepEqual(core?.['spec'], { version: 'v1', ...first });
      } finally {
        await server.remove();
      }
    }
  });

  it('are not written again by a start that finds them right', async () => {
    const stored: TestOptions = { store: 'lmdb', 'data-dir': directories.make() };
    const first = await startTestServer(stored);
    const before = await listed(first);
    await first.stop();
    const second = await startTestServer(stored);
    assert.deepEqual(await listed(second), before);
    await second.stop();
  });

  it('are put right by the next start, and not before', async () => {
    const stored: TestOptions = { store: 'lmdb', 'data-dir': directories.make() };
    const first = await startTestServer(stored);
    const all = namesOf(await listed(first));
    await send(first, 'DELETE', `${path}/v1.batch`);
    await send(first, 'PATCH', `${path}/v1.apps`, { spec: { versionPriority: 3 } }, merge);
    const unmanaged = { metadata: { labels: { [label]: null } }, spec: { versionPriority: 4 } };
    await send(first, 'PATCH', `${path}/v1.policy`, unmanaged, merge);
    for (const [version, labels] of [
      ['v1', { [label]: 'onstart' }],
      ['v2', { [label]: 'true' }],
      ['v3', {}],
    ] as const) {
      const made = service(version, 'gone.example.com');
      const metadata = { ...(made['metadata'] as JsonObject), labels };
      await send(first, 'POST', path, { ...made, metadata });
    }
    assert.equal((await first.request('GET', `${path}/v1.batch`)).status, 404);
    await first.stop();

    const second = await startTestServer(stored);
    const items = await listed(second);
    assert.deepEqual(namesOf(items), [...all, 'v3.gone.example.com'].sort());
    const priority = (name: string): unknown =>
      (items.find(({ metadata }) => metadata.name === name)?.['spec'] as JsonObject)[
        'versionPriority'
      ];
    assert.deepEqual(
      ['v1.batch', 'v1.apps', 'v1.policy'].map(priority),
      [15, 15, 4],
      'what has no label any more is left alone',
    );
    await second.stop();
  });

  it('go with the versions that are not served any more, and come back with them', async () => {
    const stored: TestOptions = { store: 'lmdb', 'data-dir': directories.make() };
    for (const [config, there] of [
      ['', true],
      ['batch/v1=false', false],
      [`${group}/v1=false,batch/v1=false`, undefined],
      ['', true],
    ] as const) {
      const server = await startTestServer({ ...stored, 'runtime-config': config });
      if (there === undefined) assert.equal((await server.request('GET', path)).status, 404);
      else assert.equal(namesOf(await listed(server)).includes('v1.batch'), there, config);
      await server.stop();
    }
  });
});

describe('an APIService of another server', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ controllers: 'apiserviceavailability' });
  });
  after(() => server.remove());

  const remote = { service: { namespace: 'a', name: 'b' }, insecureSkipTLSVerify: true };
  /** As soon as there is one. */
  const conditionOf = async (name: string): Promise<JsonObject> => {
    for (;;) {
      const found = (await server.request('GET', `${path}/${name}`)).body;
      const [condition] = objects(part(found, 'status'), 'conditions');
      if (condition !== undefined) return condition;
      await sleep(systemTimers, 5);
    }
  };

  it('is stored with its defaults, and says that its service is not there', async () => {
    const made = await send(server, 'POST', path, service('v1', 'one.example.com', remote));
    partialDeepEqual(made, { spec: { service: { namespace: 'a', name: 'b', port: 443 } } }, '');
    const { lastTransitionTime: _time, ...condition } = await conditionOf('v1.one.example.com');
    assert.deepEqual(condition, {
      type: 'Available',
      status: 'False',
      reason: 'ServiceNotFound',
      message: 'service/b in "a" is not present',
    });
  });

  it('is listed, and its version is out of reach', async () => {
    await send(server, 'POST', path, service('v1', 'two.example.com', remote));
    await conditionOf('v1.two.example.com');
    assert.ok((await server.request('GET', '/apis')).text.includes('two.example.com'));
    assert.equal((await server.request('GET', '/apis/two.example.com')).status, 200);
    for (const target of ['/v1', '/v1/', '/v1/wheels', '/v1/namespaces/a/wheels/b']) {
      const reply = await server.request('GET', `/apis/two.example.com${target}`);
      assert.deepEqual([reply.status, reply.text], [503, 'service unavailable\n'], target);
    }
    assert.equal((await server.request('GET', '/apis/two.example.com/v2/wheels')).status, 404);
    const metrics = (await server.request('GET', '/metrics')).text;
    const labels = (verb: string, below: string, scope: string): string =>
      `verb="${verb}",group="two.example.com",version="v1",resource="",` +
      `subresource="${below}",scope="${scope}",component="aggregator",code="503"`;
    for (const counted of [labels('LIST', '', 'cluster'), labels('GET', '', 'resource')]) {
      const line = `apiserver_request_terminations_total{${counted}} 1\n`;
      assert.ok(metrics.includes(line), line);
    }
    const discovery = `apiserver_request_terminations_total{${labels('GET', '/apis', '')}} 2\n`;
    assert.ok(metrics.includes(discovery), metrics);
  });

  it('keeps the conditions of others, and the server its own', async () => {
    await send(server, 'POST', path, service('v1', 'three.example.com', remote));
    const target = `${path}/v1.three.example.com`;
    await conditionOf('v1.three.example.com');
    const conditions = [{ type: 'Other', status: 'Unknown' }];
    await send(server, 'PATCH', `${target}/status`, { status: { conditions } }, merge);
    let said: readonly JsonObject[] = [];
    while (said.length < 2) {
      said = objects(part((await server.request('GET', target)).body, 'status'), 'conditions');
      await sleep(systemTimers, 5);
    }
    partialDeepEqual(
      { said },
      {
        said: [
          { type: 'Other', status: 'Unknown' },
          { type: 'Available', status: 'False', reason: 'ServiceNotFound' },
        ],
      },
      '',
    );
    const wrong = { status: { conditions: [{ type: 'Other', status: 'Perhaps' }] } };
    const refused = await server.request('PATCH', `${target}/status`, {
      body: wrong,
      headers: { 'content-type': merge },
    });
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.text, /status\.conditions\[0\]\.status: Unsupported value/);
  });

  it('becomes local when its service goes', async () => {
    await send(server, 'POST', path, service('v1', 'four.example.com', remote));
    const local = { spec: { service: null, insecureSkipTLSVerify: null } };
    await send(server, 'PATCH', `${path}/v1.four.example.com`, local, merge);
    assert.equal((await conditionOf('v1.four.example.com'))['reason'], 'Local');
  });

  it('cannot change its name, group or version, and a PUT names what it replaces', async () => {
    const body = service('v1', 'five.example.com', remote);
    await send(server, 'POST', path, body);
    const target = `${path}/v1.five.example.com`;
    const renamed = await server.request('PATCH', target, {
      body: { spec: { version: 'v2' } },
      headers: { 'content-type': merge },
    });
    assert.equal(renamed.status, 422, renamed.text);
    assert.match(renamed.text, /metadata\.name: Invalid value/);
    assert.equal((await server.request('PUT', target, { body })).status, 422);
  });

  it('is not changed by a PUT of what was read, nor is a local one', async () => {
    await send(server, 'POST', path, service('v1', 'seven.example.com', remote));
    await conditionOf('v1.seven.example.com');
    for (const name of ['v1.seven.example.com', 'v1.apps']) {
      const target = `${path}/${name}`;
      const read = await send(server, 'GET', target);
      assert.deepEqual(await send(server, 'PUT', target, read), read);
      assert.deepEqual(await send(server, 'PUT', `${target}/status`, read), read);
    }
  });

  it('is shown in a Table with who answers and whether', async () => {
    await send(server, 'POST', path, service('v1', 'six.example.com', remote));
    await conditionOf('v1.six.example.com');
    const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
    const table = (await server.request('GET', path, { headers: { accept } })).body;
    const columns = table['columnDefinitions'] as readonly JsonObject[];
    assert.deepEqual(
      columns.map(({ name }) => name),
      ['Name', 'Service', 'Available', 'Age'],
    );
    const rows = (table['rows'] as readonly { cells: readonly string[] }[]).map(({ cells }) =>
      cells.slice(0, 3),
    );
    const shown = (name: string) => rows.find(([own]) => own === name);
    assert.deepEqual(shown('v1.apps'), ['v1.apps', 'Local', 'True']);
    const six = ['v1.six.example.com', 'a/b', 'False (ServiceNotFound)'];
    assert.deepEqual(shown('v1.six.example.com'), six);
  });
});

describe('APIServices of an earlier release', () => {
  it('1.21 has the older version beside the stable one, with a warning; 1.22 has not', async () => {
    const older = `/apis/${group}/v1beta1/apiservices`;
    const server = await startTestServer({ 'emulated-version': '1.21' });
    try {
      const remote = { service: { namespace: 'a', name: 'b' } };
      const body = { ...service('v1', 'example.com', remote), apiVersion: `${group}/v1beta1` };
      const made = await server.request('POST', older, { body });
      assert.equal(made.status, 201, made.text);
      assert.equal(made.body['apiVersion'], `${group}/v1beta1`);
      assert.match(
        String(made.headers['warning']),
        /v1beta1 APIService is deprecated in v1\.19\+, unavailable in v1\.22\+; use .*\/v1 APIService/,
      );
      const [old, stable] = [await listed(server, older), await listed(server)];
      const content = ({ apiVersion: _version, ...rest }: JsonObject) => rest;
      assert.deepEqual(old.map(content), stable.map(content));
      assert.ok(namesOf(stable).includes('v1beta1.batch'), 'a version of that release');
    } finally {
      await server.remove();
    }
    const later = await startTestServer({ 'emulated-version': '1.22' });
    assert.equal((await later.request('GET', older)).status, 404);
    assert.equal((await later.request('GET', path)).status, 200);
    await later.remove();
  });
});

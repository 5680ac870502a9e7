/**
 * Versions that another server answers for: who is told what about the caller, what comes back, and
 * what of a server that is not there, misbehaves or is somebody else.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { objects, part, text } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { sleep, systemTimers } from '../../src/stdx/clock.ts';
import { backendGroup, ok, startApiBackend } from '../support/servers/api-backend.ts';
import type { ApiBackend } from '../support/servers/api-backend.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';
import type { ApiClient } from '../support/servers/test-server.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const service = `/apis/apiregistration.k8s.io/v1/apiservices/v1.${backendGroup}`;
const own = `/apis/${backendGroup}/v1`;
const merge = { 'content-type': 'application/merge-patch+json' };
const controllers = 'apiserviceavailability';
const loopback = { controllers, 'service-cluster-ip-range': '127.0.0.0/24' } as const;

const widgets: JsonObject = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${backendGroup}/v1`,
  resources: [
    {
      name: 'widgets',
      singularName: 'widget',
      namespaced: true,
      kind: 'Widget',
      verbs: ['get', 'list'],
      shortNames: ['wd'],
    },
    { name: 'widgets/status', singularName: '', namespaced: true, kind: 'Widget', verbs: ['get'] },
  ],
};

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(systemTimers, 5);
  }
}

function conditionIn(client: ApiClient, reason: string): Promise<JsonObject> {
  return until(async () => {
    const reply = await client.request('GET', service);
    const [condition] = objects(part(reply.body, 'status'), 'conditions');
    return condition !== undefined && text(condition, 'reason') === reason ? condition : undefined;
  });
}

interface Discovered {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly JsonObject[];
  }[];
}

async function discovered(client: ApiClient): Promise<Discovered> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  return (await client.request('GET', '/apis', { headers: { accept } }))
    .body as unknown as Discovered;
}

describe('a version that another server answers for', () => {
  let server: SecureServer;
  let backend: ApiBackend;
  before(async () => {
    server = await startSecureServer({ controllers });
    backend = await startApiBackend();
    backend.answers.set(own, ok(widgets));
    backend.answers.set('/apis', (_request, response) => response.writeHead(404).end());
    await backend.serve(asAdmin(), {}, { type: 'ExternalName', externalName: 'localhost' });
    await conditionIn(asAdmin(), 'Passed');
  });
  after(async () => {
    await server.remove();
    backend.close();
  });
  afterEach(() => void backend.asked.splice(0));

  const as = (token: string): ApiClient => ({
    ...server,
    request: (method, target, options) =>
      server.request(method, target, {
        ...options,
        headers: { ...options?.headers, authorization: `Bearer ${token}` },
      }),
  });
  const asAdmin = (): ApiClient => as(tokens.admin);
  const definitionHere = async (name: string): Promise<JsonObject> => {
    const { definitions } = (await asAdmin().request('GET', '/openapi/v2')).body;
    const { description: _people, ...found } = part(definitions as JsonObject, name);
    return found;
  };
  const passed = () => backend.asked.filter(({ url }) => url.startsWith(`${own}/`));

  it('is counted by its version, whatever of it is asked for', async () => {
    const made = ['a', 'b'].map((each) => `${own}/namespaces/n/${each}/x`);
    for (const target of made) await asAdmin().request('PUT', target, { body: {} });
    const { text: metrics } = await asAdmin().request('GET', '/metrics');
    const counted = metrics.match(/^apiserver_request_total\{verb="PUT",.*component="agg.*$/gm);
    assert.equal(counted?.length, 1, metrics);
    assert.match(
      counted[0] ?? '',
      /group="[^"]+",version="v1",resource="",subresource="",scope="resource",.* 2$/,
    );
  });

  it('is asked for by who the caller is, and never with what he has shown or claims', async () => {
    const target = `${own}/namespaces/a/widgets/w?pretty=1&x=%2F`;
    const headers = {
      'x-remote-user': 'somebody',
      'X-Remote-Group': 'system:masters',
      'x-remote-extra-scopes': 'all',
      'x-remote-uid': '7',
      'x-own': 'kept',
      'audit-id': 'the-id',
    };
    const reply = await asAdmin().request('PUT', target, { headers, body: { a: 1 } });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers['audit-id'], 'the-id');
    const [asked] = passed();
    assert.deepEqual(
      [asked?.method, asked?.url, asked?.body, asked?.caller],
      ['PUT', target, '{"a":1}', 'front-proxy-client'],
    );
    const told = asked?.headers ?? {};
    assert.deepEqual(
      Object.entries(told).filter(([name]) => name.startsWith('x-remote-')),
      [
        ['x-remote-user', 'root'],
        ['x-remote-uid', 'uid-0'],
        ['x-remote-group', 'system:masters, system:authenticated'],
      ],
    );
    assert.equal(told.authorization, undefined);
    assert.deepEqual([told['x-own'], told['audit-id']], ['kept', 'the-id']);
  });

  it('is asked for as the user who is impersonated', async () => {
    const headers = {
      'impersonate-user': 'zoe',
      'impersonate-group': 'g',
      'impersonate-extra-a': 'b',
    };
    const reply = await asAdmin().request('GET', `${own}/widgets`, { headers });
    assert.equal(reply.status, 403, 'who is impersonated has no right');
    assert.deepEqual(passed(), []);
    const masters = { ...headers, 'impersonate-group': 'system:masters' };
    assert.equal(
      (await asAdmin().request('GET', `${own}/widgets`, { headers: masters })).status,
      200,
    );
    const told = passed()[0]?.headers ?? {};
    assert.deepEqual([told['x-remote-user'], told['x-remote-extra-a']], ['zoe', 'b']);
    assert.ok(!Object.keys(told).some((name) => name.startsWith('impersonate-')));
  });

  it('is out of reach for who has no right to it', async () => {
    const reply = await as(tokens.alice).request('GET', `${own}/namespaces/a/widgets`);
    assert.equal(reply.status, 403);
    assert.match(reply.text, /User \\"alice\\" cannot list resource \\"widgets\\" in API group/);
    // Discovery is everybody's; what that server would read as an object is not.
    for (const path of ['/namespaces/a/widgets%2fw', '/namespaces%2Fa%2Fwidgets']) {
      const disguised = await as(tokens.alice).request('GET', `${own}${path}`);
      assert.equal(disguised.status, 400, path);
    }
    assert.deepEqual(passed(), []);
  });

  it('is in discovery, in every form', async () => {
    const { groups } = (await asAdmin().request('GET', '/apis')).body as unknown as {
      groups: readonly JsonObject[];
    };
    const names = groups.map(({ name }) => name);
    assert.equal(names[0], 'apiregistration.k8s.io');
    assert.equal(names.at(-1), backendGroup, 'of a lower priority than all that is built in');
    const group = (await asAdmin().request('GET', `/apis/${backendGroup}`)).body;
    const version = { groupVersion: `${backendGroup}/v1`, version: 'v1' };
    assert.deepEqual(group, {
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: backendGroup,
      versions: [version],
      preferredVersion: version,
    });
    assert.deepEqual((await asAdmin().request('GET', own)).body, widgets);
    const shown = await until(async () => {
      const { items } = await discovered(asAdmin());
      const found = items.find(({ metadata }) => metadata.name === backendGroup)?.versions[0];
      return found?.['freshness'] === 'Current' ? found : undefined;
    });
    const kind = { group: '', version: '', kind: 'Widget' };
    assert.deepEqual(shown['resources'], [
      {
        resource: 'widgets',
        responseKind: kind,
        scope: 'Namespaced',
        singularResource: 'widget',
        verbs: ['get', 'list'],
        shortNames: ['wd'],
        subresources: [{ subresource: 'status', responseKind: kind, verbs: ['get'] }],
      },
    ]);
  });

  it('streams a watch as it comes, and is left when the client leaves', async () => {
    let gone: () => void = () => undefined;
    const left = new Promise<void>((resolve) => (gone = resolve));
    backend.answers.set(`${own}/widgets`, (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.write('{"type":"ADDED","object":{"metadata":{"name":"w"}}}\n');
      response.on('close', gone);
    });
    const watch = await server.openWatch(`${own}/widgets?watch=true`, {
      authorization: `Bearer ${tokens.admin}`,
    });
    const event = await watch.next();
    assert.equal(event?.type, 'ADDED');
    watch.close();
    await left;
    backend.answers.delete(`${own}/widgets`);
  });

  it('is offered the subprotocols of a WebSocket, but for the one that is a credential', async () => {
    backend.answers.set(`${own}/consoles`, (_request, response) => response.writeHead(403).end());
    const credential = Buffer.from(tokens.admin).toString('base64url');
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      'sec-websocket-protocol': `plain.example, base64url.bearer.authorization.k8s.io.${credential}`,
    };
    const reply = await server.secure(`${own}/consoles`, { headers });
    assert.equal(reply.status, 403, reply.text);
    const told = passed()[0]?.headers ?? {};
    assert.deepEqual(
      [told.upgrade, told['sec-websocket-protocol']],
      ['websocket', 'plain.example'],
    );
    backend.answers.delete(`${own}/consoles`);
  });

  it('leads nowhere else, and shows no path that may be read in two ways', async () => {
    backend.answers.set(`${own}/widgets`, (_request, response) =>
      response.writeHead(302, { Location: 'https://example.com/' }).end(),
    );
    const reply = await asAdmin().request('GET', `${own}/widgets`);
    assert.deepEqual(
      [reply.status, reply.text],
      [502, 'the backend attempted to redirect this request, which is not permitted\n'],
    );
    backend.answers.delete(`${own}/widgets`);
    for (const path of ['/a/%2e%2e/b', '/a/%2E/b', '/a/.%2e', '/a/b/c/d%2f..%2Fe', '/a%2Fb']) {
      assert.equal((await asAdmin().request('GET', `${own}${path}`)).status, 400, path);
    }
    assert.ok(passed().every(({ url }) => url === `${own}/widgets`));
  });

  it('is not asked for twice where its server leads back here', async () => {
    const target = `${own}/widgets/back`;
    backend.answers.set(target, ({ headers: { via = '' } }, response) => {
      void asAdmin()
        .request('GET', target, { headers: { via } })
        .then(({ status, text: said }) => response.writeHead(status).end(said));
    });
    const headers = { via: '1.1 of-the-caller' };
    const reply = await asAdmin().request('GET', target, { headers });
    assert.equal(reply.status, 508);
    assert.equal(reply.text, 'the service of this version leads back to this server\n');
    assert.equal(passed().length, 1);
    assert.match(passed()[0]?.headers.via ?? '', /^1\.1 of-the-caller, 1\.1 [0-9a-f-]{36}$/);
  });

  it('is in the document of everything, under names of its own where they mean another thing', async () => {
    const reference = (name: string) => ({ $ref: `#/definitions/${name}` });
    const status = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';
    const preconditions = 'io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions';
    const document = {
      swagger: '2.0',
      info: { title: 'w', version: '1' },
      parameters: { shared: { name: 'shared', in: 'query', type: 'string' } },
      paths: {
        [`${own}/widgets`]: {
          get: {
            parameters: [{ $ref: '#/parameters/shared' }],
            responses: { 200: { description: 'OK', schema: reference('com.example.Widget') } },
          },
        },
        '/apis/another.example.com/v1/others': {},
        '/api/v1/pods': {},
      },
      definitions: {
        'com.example.Widget': {
          type: 'object',
          properties: { a: reference(status), b: reference(preconditions) },
        },
        [status]: { type: 'object', properties: { own: { type: 'string' } } },
        [preconditions]: await definitionHere(preconditions),
        unused: { type: 'object' },
      },
    };
    backend.answers.set('/openapi/v2', ok(document));
    await asAdmin().request('PATCH', service, {
      headers: merge,
      body: { spec: { versionPriority: 12 } },
    });
    const { definitions, paths } = await until(async () => {
      const found = (await asAdmin().request('GET', '/openapi/v2')).body;
      return `${own}/widgets` in part(found, 'paths') ? found : undefined;
    });
    const named = definitions as Record<string, JsonObject>;
    assert.deepEqual(named['com.example.Widget']?.['properties'], {
      a: reference(`${status}_v2`),
      b: reference(preconditions),
    });
    assert.deepEqual(named[`${status}_v2`], document.definitions[status]);
    assert.ok(!(`${preconditions}_v2` in named) && !('unused' in named));
    const { parameters } = part(part(paths as JsonObject, `${own}/widgets`), 'get');
    assert.deepEqual(parameters, [document.parameters.shared]);
    assert.deepEqual(part(paths as JsonObject, '/apis/another.example.com/v1/others'), {});
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const packed = await asAdmin().request('GET', '/openapi/v2', { headers: { accept } });
    assert.ok(packed.text.includes('com.example.Widget'));

    // One that leads nowhere is none.
    const broken = { ...document, definitions: {} };
    backend.answers.set('/openapi/v2', ok(broken));
    await asAdmin().request('PATCH', service, {
      headers: merge,
      body: { spec: { versionPriority: 13 } },
    });
    await until(async () => {
      const found = (await asAdmin().request('GET', '/openapi/v2')).body;
      return `${own}/widgets` in part(found, 'paths') ? undefined : true;
    });
  });

  it('has a document for its group in the index, and its paths at the root', async () => {
    const { paths } = (await asAdmin().request('GET', '/openapi/v3')).body;
    const group = part(paths as JsonObject, `apis/${backendGroup}`);
    const found = await asAdmin().request('GET', text(group, 'serverRelativeURL'));
    assert.deepEqual(Object.keys(part(found.body, 'paths')), [`/apis/${backendGroup}/`]);
    const root = (await asAdmin().request('GET', '/')).body as unknown as { paths: string[] };
    assert.deepEqual(
      root.paths.filter((path) => path.includes(backendGroup)),
      [`/apis/${backendGroup}`, own],
    );
  });

  it('has its document of OpenAPI there', async () => {
    const url = `/openapi/v3${own}?hash=A`;
    backend.answers.set(
      '/openapi/v3',
      ok({ paths: { [own.slice(1)]: { serverRelativeURL: url } } }),
    );
    backend.answers.set(`/openapi/v3${own}`, ok({ openapi: '3.0.0' }));
    // Another server begins to ask anew.
    await asAdmin().request('PATCH', service, {
      headers: merge,
      body: { spec: { versionPriority: 11 } },
    });
    await until(async () => {
      const { paths } = (await asAdmin().request('GET', '/openapi/v3')).body;
      return (
        text(part(paths as JsonObject, own.slice(1)), 'serverRelativeURL') === url || undefined
      );
    });
    assert.deepEqual((await asAdmin().request('GET', url)).body, { openapi: '3.0.0' });
  });
});

describe('another server that is not there', () => {
  let server: TestServer;
  let backend: ApiBackend;
  before(async () => {
    server = await startTestServer(loopback);
    backend = await startApiBackend();
  });
  after(async () => {
    await server.remove();
    backend.close();
  });

  const answer = async (target = `${own}/widgets`): Promise<readonly unknown[]> => {
    const { status, text: said } = await server.request('GET', target);
    return [status, said];
  };
  const unavailable = [503, 'service unavailable\n'];

  it('is said to be not there, by what is missing, and comes back', async () => {
    backend.answers.set(own, (_request, response) => response.writeHead(500).end());
    await backend.serve(server);
    const failed = await conditionIn(server, 'FailedDiscoveryCheck');
    assert.match(text(failed, 'message'), /^failing or missing response from .*: bad status from/);
    assert.deepEqual(await answer(), unavailable);
    const [group] = (await discovered(server)).items.filter(
      ({ metadata }) => metadata.name === backendGroup,
    );
    assert.deepEqual(group?.versions, [{ version: 'v1', resources: [], freshness: 'Stale' }]);
    backend.answers.set(own, ok(widgets));
    await conditionIn(server, 'Passed');
    assert.equal((await answer())[0], 200);

    const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/backend-1';
    const [notReady] = [{ addresses: ['10.1.2.3'], conditions: { ready: false } }];
    await server.request('PATCH', slices, { headers: merge, body: { endpoints: [notReady] } });
    const missing = await conditionIn(server, 'MissingEndpoints');
    assert.equal(
      text(missing, 'message'),
      'endpoints for service/backend in "default" have no addresses with port name ""',
    );
    assert.deepEqual(await answer(), unavailable);
    await server.request('DELETE', slices);
    await conditionIn(server, 'EndpointsNotFound');
    const port = { spec: { ports: [{ port: 1 }] } };
    const services = '/api/v1/namespaces/default/services/backend';
    await server.request('PATCH', services, { headers: merge, body: port });
    await conditionIn(server, 'ServicePortError');
    await server.request('DELETE', services);
    await conditionIn(server, 'ServiceNotFound');
    const metrics = (await server.request('GET', '/metrics')).text;
    const lost = `aggregator_unavailable_apiservice{name="v1.${backendGroup}"} 1`;
    assert.ok(metrics.includes(lost));
    assert.match(metrics, /aggregator_unavailable_apiservice_total\{.*MissingEndpoints"\} 1/);
    await server.request('DELETE', service);
    await until(async () => ((await server.request('GET', own)).status === 404 ? true : undefined));
  });
});

describe('another server that is not the one that is meant', () => {
  it('is told nothing: its certificate is not that of the service', async () => {
    const server = await startTestServer(loopback);
    const [backend, other] = [await startApiBackend(), await startApiBackend('another')];
    try {
      backend.answers.set(own, ok(widgets));
      await backend.serve(server, { caBundle: other.caBundle });
      await conditionIn(server, 'Passed');
      const reply = await server.request('GET', `${own}/widgets`);
      assert.equal(reply.status, 503);
      assert.match(reply.text, /^error trying to reach service: .*certificate/);
      assert.ok(!backend.asked.some(({ url }) => url.startsWith(`${own}/`)));
    } finally {
      await server.remove();
      backend.close();
      other.close();
    }
  });
});

/** Discovery, version and health over HTTP (spec 1, 9; spec 2, 4.1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario } from '../support/checks/scenario.ts';
import { startTestServer } from '../support/servers/test-server.ts';

const aggregated = (version: string): Record<string, string> => ({
  accept: `application/json;g=apidiscovery.$domain;v=${version};as=APIGroupDiscoveryList`,
});

const fallback: Record<string, string> = {
  accept:
    'application/json;g=apidiscovery.$domain;v=v2;as=APIGroupDiscoveryList,' +
    'application/json;g=apidiscovery.$domain;v=v2beta1;as=APIGroupDiscoveryList,application/json',
};

interface AggregatedList {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly { readonly resource: string; readonly verbs: string[] }[];
    }[];
  }[];
}

const discovery: Scenario = {
  title: 'discovery tells what is served, whole or level by level',
  steps: [
    { request: 'GET /api', status: 200, expect: { kind: 'APIVersions', versions: ['v1'] } },
    { request: 'GET /api/', status: 200, expect: { kind: 'APIVersions' } },
    { request: 'GET /apis', status: 200, expect: { kind: 'APIGroupList', apiVersion: 'v1' } },
    {
      request: 'GET /apis/apps',
      status: 200,
      expect: {
        kind: 'APIGroup',
        name: 'apps',
        preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
      },
    },
    {
      request: 'GET /apis/apps/v1',
      headers: { accept: 'application/json, */*' },
      status: 200,
      expect: { kind: 'APIResourceList', groupVersion: 'apps/v1' },
      headersExpected: { etag: null },
    },
    { request: 'GET /apis/nope', status: 404, reason: 'NotFound' },
    { request: 'GET /apis/apps/v2', status: 404, reason: 'NotFound' },
    {
      request: 'GET /apis',
      headers: { accept: 'text/html' },
      status: 406,
      reason: 'NotAcceptable',
    },
    {
      request: 'GET /apis/apps',
      headers: aggregated('v2'),
      status: 406,
      reason: 'NotAcceptable',
    },
    ...['v2', 'v2beta1'].map((version) => ({
      request: 'GET /apis',
      headers: aggregated(version),
      status: 200,
      expect: { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.$domain/${version}` },
      headersExpected: {
        'content-type': `application/json;g=apidiscovery.$domain;v=${version};as=APIGroupDiscoveryList`,
        etag: /^"[0-9A-F]{128}"$/,
        vary: 'Accept',
      },
    })),
    {
      request: 'GET /api',
      headers: fallback,
      status: 200,
      expect: { apiVersion: 'apidiscovery.$domain/v2' },
      check: (reply, variables) => {
        variables.set('etag', String(reply.headers['etag']));
        const list = JSON.parse(reply.text) as AggregatedList;
        const resources = list.items[0]?.versions[0]?.resources.map((each) => each.resource);
        assert(resources?.includes('configmaps'));
      },
    },
    {
      request: 'GET /api',
      headers: { ...fallback, 'if-none-match': '$etag' },
      status: 304,
      headersExpected: { etag: '$etag' },
      check: (reply) => assert.equal(reply.text, ''),
    },
    { request: 'GET /api', headers: { ...fallback, 'if-none-match': '"x"' }, status: 200 },
    { request: 'GET /', status: 200, expect: { paths: present } },
    { request: 'HEAD /apis', status: 200 },
  ],
};

const health: Scenario = {
  title: 'version and health answer in their own forms',
  steps: [
    {
      request: 'GET /version',
      status: 200,
      expect: { major: '1', minor: '33', gitVersion: /^v1\.33\.0/, platform: present },
    },
    { request: 'GET /version/', status: 200, expect: { major: '1' } },
    ...['livez', 'readyz', 'healthz'].flatMap((name) => [
      {
        request: `GET /${name}`,
        status: 200,
        headersExpected: {
          'content-type': 'text/plain; charset=utf-8',
          'x-content-type-options': 'nosniff',
        },
        check: (reply: { readonly text: string }) => assert.equal(reply.text, 'ok'),
      },
      {
        request: `GET /${name}?verbose`,
        status: 200,
        check: (reply: { readonly text: string }) => {
          assert.match(reply.text, new RegExp(`^\\[\\+\\]ping ok\n(.*\n)*${name} check passed\n$`));
        },
      },
      {
        request: `GET /${name}?verbose&exclude=ping&exclude=nope`,
        status: 200,
        check: (reply: { readonly text: string }) => {
          assert.match(reply.text, /\[\+\]ping excluded: ok\n/);
          assert.match(
            reply.text,
            /warn: some health checks cannot be excluded: no matches for "nope"\n/,
          );
        },
      },
      {
        request: `GET /${name}/ping`,
        status: 200,
        check: (reply: { readonly text: string }) => assert.equal(reply.text, 'ok'),
      },
      { request: `GET /${name}/nope`, status: 404 },
    ]),
    { request: 'GET /metrics', status: 200, headersExpected: { 'content-type': /^text\/plain/ } },
  ],
};

runScenarios('server paths', [discovery, health]);

for (const identity of ['kubernetes', 'svc'] as const) {
  test(`everything that discovery lists can be listed (${identity})`, async () => {
    const server = await startTestServer({ identity });
    const domain = identity === 'kubernetes' ? 'k8s.io' : 'svc.io';
    const accept = `application/json;g=apidiscovery.${domain};v=v2;as=APIGroupDiscoveryList`;
    let count = 0;
    for (const root of ['/api', '/apis']) {
      const reply = await server.request('GET', root, { headers: { accept } });
      for (const group of (reply.body as unknown as AggregatedList).items) {
        for (const { version, resources } of group.versions) {
          const base = root === '/api' ? '/api' : `/apis/${group.metadata.name}`;
          for (const { resource, verbs } of resources) {
            if (!verbs.includes('list')) continue;
            const listed = await server.request('GET', `${base}/${version}/${resource}`);
            assert.equal(listed.status, 200, `${base}/${version}/${resource}: ${listed.text}`);
            count += 1;
          }
        }
      }
    }
    assert(count > 50, `${count} resources`);
    await server.remove();
  });
}

test('the version and the list of paths are indented for whoever reads them as they are', async () => {
  const server = await startTestServer();
  try {
    for (const path of ['/version', '/']) {
      const { body, text } = await server.request('GET', path);
      assert.equal(text, JSON.stringify(body, undefined, 2));
    }
  } finally {
    await server.remove();
  }
});

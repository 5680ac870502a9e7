/** Requests as they are counted: by what is served, and by nothing that a client makes up. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const body = { metadata: { name: 'a' } };
const headers = { 'content-type': 'application/apply-patch+yaml' };
const applied = { apiVersion: 'v1', kind: 'ConfigMap', ...body };

interface Row {
  readonly request: readonly [method: string, path: string, options?: object];
  /** verb, dry_run, group, version, resource, subresource, scope, code */
  readonly counted: readonly string[];
}

const rows: readonly Row[] = [
  {
    request: ['POST', `${maps}?dryRun=All`, { body }],
    counted: ['POST', 'All', '', 'v1', 'configmaps', '', 'resource', '201'],
  },
  {
    request: ['PATCH', `${maps}/a?fieldManager=m`, { body: applied, headers }],
    counted: ['APPLY', '', '', 'v1', 'configmaps', '', 'resource', '201'],
  },
  { request: ['GET', maps], counted: ['LIST', '', '', 'v1', 'configmaps', '', 'namespace', '200'] },
  {
    request: ['GET', '/api/v1/configmaps'],
    counted: ['LIST', '', '', 'v1', 'configmaps', '', 'cluster', '200'],
  },
  {
    request: ['GET', `${maps}?watch=true&timeoutSeconds=1`],
    counted: ['WATCH', '', '', 'v1', 'configmaps', '', 'namespace', '200'],
  },
  {
    request: ['GET', '/api/v1/namespaces/default/pods/p/status'],
    counted: ['GET', '', '', 'v1', 'pods', 'status', 'resource', '404'],
  },
  {
    request: ['DELETE', maps],
    counted: ['DELETECOLLECTION', '', '', 'v1', 'configmaps', '', 'namespace', '200'],
  },
  { request: ['GET', '/readyz/ping'], counted: ['GET', '', '', '', '', '/readyz', '', '200'] },
];

/** Each of them would be a series of its own if a client could make some. */
const madeUp: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/apis/made.up/v1/things'],
  ['GET', '/apis/made.up.too/v1/things'],
  ['GET', '/api/v1/things/x'],
  ['GET', '/made/up'],
  ['GET', '/made-up'],
];

describe('apiserver_request_total', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({});
  });
  after(() => server.remove());

  async function series(): Promise<readonly string[]> {
    const { text } = await server.request('GET', '/metrics');
    return text.split('\n').filter((line) => line.startsWith('apiserver_request_total{'));
  }

  for (const { request, counted } of rows) {
    it(`counts ${request[0]} ${request[1]}`, async () => {
      const reply = await server.request(...request);
      const [verb, dryRun, group, version, resource, subresource, scope, code] = counted;
      assert.equal(String(reply.status), code, reply.text);
      const labels =
        `verb="${verb}",dry_run="${dryRun}",group="${group}",version="${version}",` +
        `resource="${resource}",subresource="${subresource}",scope="${scope}",` +
        `component="apiserver",code="${code}"`;
      const lines = await series();
      assert.ok(lines.includes(`apiserver_request_total{${labels}} 1`), lines.join('\n'));
    });
  }

  it('has one series for all that is not served', async () => {
    const before = await series();
    for (const [method, path] of madeUp) {
      assert.equal((await server.request(method, path)).status, 404);
    }
    const unserved =
      'apiserver_request_total{verb="GET",dry_run="",group="",version="",resource="",' +
      'subresource="",scope="",component="apiserver",code="404"}';
    const added = (await series()).filter((line) => !before.includes(line));
    assert.deepEqual(
      added
        .filter((line) => line.includes('404'))
        .map((line) => line.replace(/ \d+$/, ''))
        .sort(),
      [unserved, unserved.replace('"GET"', '"LIST"')],
    );
  });
});

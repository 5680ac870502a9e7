/** If-None-Match against a tag, and the documents that have tags over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { matchesEntityTag } from '../../src/endpoints/entity-tags.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const rows: readonly (readonly [string | undefined, boolean])[] = [
  ['"A"', true],
  ['W/"A"', true],
  ['*', true],
  [' * ', true],
  ['"B", "A"', true],
  ['"B","A"', true],
  ['W/"B" , W/"A" ,', true],
  ['"B,C", "A"', true],
  [undefined, false],
  ['', false],
  ['"B"', false],
  ['A', false],
  ['"a"', false],
  ['"AA"', false],
  ['"B, "A', false],
  ['"A" "B"', false],
  ['w/"A"', false],
  ['**', false],
  ['"B", *', false],
  ['"B""A"', false],
];

describe('If-None-Match', () => {
  for (const [header, has] of rows) {
    it(`${header ?? 'that is absent'} ${has ? 'names' : 'does not name'} "A"`, () => {
      assert.equal(matchesEntityTag('"A"', header), has);
    });
  }
});

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

describe('a document that the client has', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.remove());

  for (const [path, accept] of [
    ['/apis', aggregated],
    ['/api', aggregated],
    ['/apis', aggregated.replace('v=v2', 'v=v2beta1')],
    ['/openapi/v2', 'application/json'],
    ['/openapi/v3', 'application/json'],
    ['/openapi/v3/apis/batch/v1', 'application/json'],
    ['/openapi/v3/apis/batch/v1', 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'],
  ] as const) {
    it(`is not sent again: ${path} as ${accept}`, async () => {
      const first = await server.request('GET', path, { headers: { accept } });
      assert.equal(first.status, 200, first.text);
      const etag = String(first.headers.etag);
      assert.match(etag, /^"[0-9A-F]{128}"$/);
      for (const asked of [etag, `W/${etag}`, `"x", ${etag}`, `${etag}, "x"`, '*']) {
        const headers = { accept, 'if-none-match': asked };
        const again = await server.request('GET', path, { headers });
        assert.equal(again.status, 304, asked);
        assert.equal(again.bytes.length, 0);
        assert.equal(again.headers.etag, etag);
        assert.equal(again.headers.vary, first.headers.vary);
      }
      for (const asked of ['"x"', etag.slice(1, -1), 'x, *']) {
        const headers = { accept, 'if-none-match': asked };
        const again = await server.request('GET', path, { headers });
        assert.equal(again.status, 200, asked);
        assert.deepEqual(again.bytes, first.bytes);
      }
    });
  }

  it('is always sent where it has no tag', async () => {
    for (const path of ['/apis', '/apis/apps', '/api/v1', '/version']) {
      const headers = { 'if-none-match': '*' };
      assert.equal((await server.request('GET', path, { headers })).status, 200, path);
    }
  });
});

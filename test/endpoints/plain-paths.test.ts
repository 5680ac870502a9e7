/** Paths that are no resource, with other methods than those that read. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const rows: readonly (readonly [paths: string, status: number])[] = [
  ['/ /api /api/v1 /apis/ /apis/apps /apis/apps/v1 /openapi/v2 /livez/ping /version', 405],
  ['/api/v2 /apis/nope /apis/nope/v1 /apis/apps/v9 /openapi/v4 /livez/nope /nope', 404],
];

describe('methods that read nothing', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.remove());

  for (const [paths, status] of rows) {
    it(`get ${status} at ${paths}`, async () => {
      for (const path of paths.split(' ')) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          const reply = await server.request(method, path, { body: {} });
          assert.equal(reply.status, status, `${method} ${path}`);
        }
      }
    });
  }
});

/** Requests to other servers: how their paths are written. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { it } from 'node:test';
import { openRequest } from '../../src/proxy/open-request.ts';
import { fakeExchange } from '../support/doubles/fake-exchange.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { startRemoteService } from '../support/servers/remote-service.ts';

it('what is not ASCII in a path is encoded, what is no UTF-8 is not sent, U+FFFD encoded is', async () => {
  const asked: (string | undefined)[] = [];
  const server = await startRemoteService((_body, { url }, response) => {
    asked.push(url);
    response.end();
  });
  const agent = new http.Agent();
  const open = (target: string) => {
    const passed = {
      url: new URL(server.url),
      target,
      method: 'GET',
      headers: [],
      agent,
      body: undefined,
      dialTimeoutMs: 1_000,
      unreachable: () => assert.fail('it is not passed on here'),
    };
    return openRequest(passed, undefined, fakeExchange('GET', {}, ''), manualTime().timers);
  };
  const opened = await open('/é/漢%2F😀?q=ü&r=%zz&s=%EF%BF%BD');
  assert.equal(opened.kind, 'answered');
  const unknown = await open('/a\ufffdb');
  assert.ok(unknown.kind === 'failed');
  assert.equal(unknown.why, 'the path holds what is no UTF-8');
  assert.deepEqual(asked, ['/%C3%A9/%E6%BC%A2%2F%F0%9F%98%80?q=%C3%BC&r=%zz&s=%EF%BF%BD']);
  agent.destroy();
  server.close();
});

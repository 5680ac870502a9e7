/** A poster that is closed sends nothing any more, whatever it is at. */
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { systemTimers } from '../../src/stdx/clock.ts';
import type { WebhookTarget } from '../../src/webhooks/kubeconfig-target.ts';
import { createWebhookPoster } from '../../src/webhooks/webhook-poster.ts';

/** Answers the first call, and no other. */
async function silentHook() {
  let asked = 0;
  const heard = new EventTarget();
  const server = http.createServer((request, response) => {
    request.resume();
    asked += 1;
    if (asked === 1) response.end('{}');
    else heard.dispatchEvent(new Event('asked'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const second = new Promise((resolve) => heard.addEventListener('asked', resolve));
  return { url: new URL(`http://127.0.0.1:${port}/`), second, asked: () => asked };
}

describe('a poster that is closed', () => {
  it('ends the call that it waits for, and tries it on no other connection', async () => {
    const { asked, second, url } = await silentHook();
    const target: WebhookTarget = {
      url,
      ca: undefined,
      serverName: undefined,
      insecureSkipVerify: false,
      certificate: undefined,
      authorization: () => undefined,
    };
    const poster = createWebhookPoster(target, systemTimers);
    assert.equal(String(await poster.post('{}', 60_000)), '{}');
    const pending = assert.rejects(poster.post('{}', 60_000), { name: 'WebhookError' });
    await second;
    poster.close();
    await pending;
    assert.equal(asked(), 2);
    await assert.rejects(poster.post('{}', 60_000), { message: 'not called any more' });
    assert.equal(asked(), 2);
  });
});

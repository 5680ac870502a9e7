/** Calling a webhook: what is tried again, and how often. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import type { Timers } from '../../src/stdx/clock.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import { createWebhookClient, webhookLimits } from '../../src/webhooks/webhook-client.ts';
import { startRemoteService } from '../support/servers/remote-service.ts';
import type { RemoteService } from '../support/servers/remote-service.ts';

describe('a webhook that answers with an error', () => {
  let status = 200;
  let askedCount = 0;
  let service: RemoteService;
  before(async () => {
    service = await startRemoteService((_body, _request, response) => {
      askedCount += 1;
      response.writeHead(status).end('{}');
    });
  });
  after(() => service.close());

  // Pauses are over at once; the time of the whole call is far longer than they are together.
  const hasty: Timers = {
    ...systemTimers,
    after: (delayMs, callback) => systemTimers.after(delayMs < 60_000 ? 0 : delayMs, callback),
  };
  const clientOf = () => {
    const target = {
      url: new URL(service.url),
      ca: undefined,
      serverName: undefined,
      insecureSkipVerify: false,
      certificate: undefined,
      authorization: () => undefined,
    };
    return createWebhookClient(target, 120_000, {
      clock: systemClock,
      timers: hasty,
      turns: createTurns({ clock: systemClock, timers: systemTimers }),
    });
  };

  for (const [code, tries] of [
    [503, webhookLimits.triesMax],
    [500, webhookLimits.triesMax],
    [429, webhookLimits.triesMax],
    [400, 1],
    [302, 1],
  ] as const) {
    it(`${code} is asked ${tries === 1 ? 'once' : `${tries} times`}`, async () => {
      status = code;
      askedCount = 0;
      const client = clientOf();
      await assert.rejects(client.call({}), { message: `answered with status ${code}` });
      client.close();
      assert.equal(askedCount, tries);
    });
  }

  it('is asked nothing once the client is closed', async () => {
    status = 200;
    askedCount = 0;
    const client = clientOf();
    assert.deepEqual(await client.call({}), {});
    client.close();
    await assert.rejects(client.call({}), { message: 'not called any more' });
    assert.equal(askedCount, 1);
  });
});

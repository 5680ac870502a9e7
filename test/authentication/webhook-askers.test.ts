/** A question to a token webhook ends with the last request that shows the token. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { TokenCacheCounts } from '../../src/authentication/token-cache-counts.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { createWebhookTokens } from '../../src/authentication/webhook-token-authenticator.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import type { Requester } from '../../src/stdx/requester.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import { departingRequester } from '../support/doubles/departing-requester.ts';
import type { DepartingRequester } from '../support/doubles/departing-requester.ts';
import { startRemoteService } from '../support/servers/remote-service.ts';

describe('webhook tokens', () => {
  test('a question ends when the last who shows the token goes, and serves who is left', async () => {
    const calls = { begun: 0, closed: 0 };
    let reply: ServerResponse | undefined;
    const { close, url } = await startRemoteService((_body, _request, response) => {
      calls.begun += 1;
      reply = response;
      response.once('close', () => (calls.closed += 1));
    });
    const webhook = createWebhookTokens({
      identity: identityOf('kubernetes'),
      clock: systemClock,
      cacheCounts: new TokenCacheCounts(systemClock),
      timers: systemTimers,
      turns: createTurns({ clock: systemClock, timers: systemTimers }),
      server: { url },
      version: 'v1',
      cacheTtlMs: 120_000,
      audiences: ['api'],
    });
    const until = async (is: () => boolean): Promise<void> => {
      for (let looked = 0; !is(); looked += 1) {
        assert.ok(looked < 1_000, 'it never came');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const show = async (requester: Requester) =>
      (await webhook.authenticateToken('a', [], undefined, requester)).kind;
    const [first, second, third] = [1, 2, 3].map(() => departingRequester()) as [
      DepartingRequester,
      DepartingRequester,
      DepartingRequester,
    ];
    const shown = [show(first), show(second)];
    await until(() => calls.begun === 1);
    first.go();
    assert.equal(await shown[0], 'rejected');
    assert.equal(calls.closed, 0);
    second.go();
    assert.equal(await shown[1], 'rejected');
    await until(() => calls.closed === 1);
    const known = show(third);
    await until(() => calls.begun === 2);
    const head = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' };
    const user = { username: 'ann' };
    reply?.end(JSON.stringify({ ...head, status: { authenticated: true, user } }));
    assert.equal(await known, 'authenticated');
    assert.equal(third.waiting, 0);
    close();
  });
});

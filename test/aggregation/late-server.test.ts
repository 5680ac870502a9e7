/** What becomes of a request that another server takes and does not answer in time. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { it } from 'node:test';
import { passTo } from '../../src/aggregation/passed-on.ts';
import { anonymousUser } from '../../src/apimachinery/user-info.ts';
import { StatusError } from '../../src/apimachinery/status-error.ts';
import { fakeExchange } from '../support/doubles/fake-exchange.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { startRemoteService } from '../support/servers/remote-service.ts';

it('a server that has not answered after a minute is a 504, as in the reference', async () => {
  let asked: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const silent = await startRemoteService(() => asked());
  const { advance, timers } = manualTime();
  const agent = new http.Agent();
  try {
    const backend = { namespace: 'a', name: 'b', port: 1, ca: '', insecureSkipVerify: true };
    const order = { groupPriority: 1, versionPriority: 1, isAvailable: true };
    const service = { name: 'v1.w.example', group: 'w.example', version: 'v1', backend, ...order };
    const exchange = fakeExchange('GET', {}, '');
    const about = {
      exchange,
      user: anonymousUser,
      body: undefined,
      auditId: '',
      nature: 'brief',
      protocols: [],
      subpath: '',
    } as const;
    const origin = new URL(silent.url);
    const reach = () => ({ kind: 'reached', origin, agent, fresh: agent }) as const;
    const pass = passTo(service, about, { backends: { reach }, pseudonym: 'here', timers });
    assert.ok(typeof pass === 'function');
    const passed = pass(exchange);
    await isAsked;
    advance(59_999);
    advance(1);
    const refusal = await passed;
    assert.ok(refusal instanceof StatusError);
    const { code, message, reason } = refusal;
    assert.deepEqual(
      [code, reason, message],
      [504, 'Timeout', 'Timeout: request did not complete within the allotted timeout'],
    );
  } finally {
    agent.destroy();
    silent.close();
  }
});

/** Connections to servers behind this one: which of them share what. */
import assert from 'node:assert/strict';
import type http from 'node:http';
import type https from 'node:https';
import { describe, it } from 'node:test';
import type { Backend } from '../../src/aggregation/api-service.ts';
import { createBackends } from '../../src/aggregation/backends.ts';
import { systemTimers } from '../../src/stdx/clock.ts';

const resolve = () => ({ host: '127.0.0.1', port: 1 });

function backend(given: Partial<Backend> = {}): Backend {
  return { namespace: 'a', name: 'b', port: 443, ca: '', insecureSkipVerify: true, ...given };
}

function reaching() {
  const backends = createBackends({
    resolve,
    certificate: () => undefined,
    timers: systemTimers,
  });
  return (given?: Partial<Backend>): http.Agent => {
    const reached = backends.reach(backend(given));
    assert.ok(reached.kind === 'reached');
    return reached.agent;
  };
}

const trustOf = (agent: http.Agent): unknown =>
  (agent as https.Agent).options.secureContext ?? assert.fail('it has read no certificates');

describe('backends', () => {
  it('one server has one agent, however many APIServices name it', () => {
    const agentOf = reaching();
    const agents = new Set(Array.from({ length: 1_000 }, () => agentOf()));
    assert.equal(agents.size, 1);
  });

  it('another server, and another word on whom to trust, has another one', () => {
    const agentOf = reaching();
    const others = [{}, { name: 'c' }, { namespace: 'c' }, { port: 1 }];
    const all = [...others, { insecureSkipVerify: false }].map(agentOf);
    assert.equal(new Set(all).size, all.length);
  });

  it('certificates are read once for all who are to be trusted by them', () => {
    const agentOf = reaching();
    const trusts = Array.from({ length: 600 }, (_, at) => trustOf(agentOf({ name: `s${at}` })));
    assert.equal(new Set(trusts).size, 1);
    assert.notEqual(trustOf(agentOf({ insecureSkipVerify: false })), trusts[0]);
  });
});

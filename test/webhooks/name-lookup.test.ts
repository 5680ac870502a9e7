import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createNameLookup, nameLookupLimits } from '../../src/webhooks/name-lookup.ts';
import type { NameLookupPorts } from '../../src/webhooks/name-lookup.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const { keptMs, patienceMs, waitMaxMs } = nameLookupLimits;

type System = NonNullable<NameLookupPorts['system']>;

/** A system whose questions are answered when the test says so. */
function lookups() {
  const time = manualTime();
  const open = new Map<string, Parameters<System>[2]>();
  const asked: string[] = [];
  const told: string[] = [];
  const system: System = (hostname, _options, done) => {
    asked.push(hostname);
    open.set(hostname, done);
  };
  const lookup = createNameLookup({ clock: time.clock, timers: time.timers, system });
  const ask = (hostname: string): void => {
    lookup(hostname, { all: true }, (error, addresses) => {
      const found = Array.isArray(addresses) ? addresses.map((each) => each.address) : [];
      told.push(`${hostname} ${error?.code ?? found.join()}`);
    });
  };
  const done = (hostname: string) => {
    const answer = open.get(hostname);
    assert(answer !== undefined, `${hostname} was not asked for`);
    open.delete(hostname);
    return answer;
  };
  return {
    time,
    asked,
    told,
    ask,
    good(hostname: string, address: string) {
      done(hostname)({ kind: 'addresses', addresses: [{ address, family: 4 }] });
    },
    bad(hostname: string, code: string) {
      done(hostname)({ kind: 'failed', error: Object.assign(new Error(code), { code }) });
    },
  };
}

describe('names of other servers', () => {
  it('are asked for once by all who ask at once, and anew by who comes later', () => {
    const { ask, asked, good, told } = lookups();
    for (let i = 0; i < 3; i += 1) ask('a');
    assert.deepEqual(asked, ['a']);
    good('a', '10.0.0.1');
    ask('a');
    good('a', '10.0.0.2');
    assert.deepEqual(told, ['a 10.0.0.1', 'a 10.0.0.1', 'a 10.0.0.1', 'a 10.0.0.2']);
  });

  it('that hang hold one thread, whatever their number; others are answered beside them', () => {
    const { ask, asked, bad, good, time, told } = lookups();
    for (const name of ['dead-1', 'dead-2']) ask(name);
    time.advance(10_000);
    for (const name of ['dead-1', 'dead-2']) bad(name, 'EAI_AGAIN');
    for (const name of ['dead-1', 'dead-2', 'new', 'other']) ask(name);
    assert.deepEqual(asked.slice(2), ['dead-1', 'new']);
    good('new', '10.0.0.1');
    good('other', '10.0.0.2');
    time.advance(10_000);
    bad('dead-1', 'EAI_AGAIN');
    assert.deepEqual(asked.slice(2), ['dead-1', 'new', 'other', 'dead-2']);
    assert.deepEqual(told.slice(2), ['new 10.0.0.1', 'other 10.0.0.2', 'dead-1 EAI_AGAIN']);
  });

  it('that are not answered have the addresses of last time, for a while', async () => {
    const { ask, bad, good, time, told } = lookups();
    ask('a');
    good('a', '10.0.0.1');
    ask('a');
    time.advance(patienceMs - 1);
    assert.equal(told.length, 1);
    time.advance(1);
    assert.deepEqual(told, ['a 10.0.0.1', 'a 10.0.0.1']);
    ask('a');
    await Promise.resolve();
    assert.equal(told.length, 3, 'who comes behind does not wait');
    bad('a', 'EAI_AGAIN');
    time.advance(keptMs);
    ask('a');
    time.advance(patienceMs);
    assert.equal(told.length, 3);
    bad('a', 'EAI_AGAIN');
    assert.equal(told.at(-1), 'a EAI_AGAIN');
  });

  it('that do not exist have none, though they had some', () => {
    const { ask, bad, good, time, told } = lookups();
    ask('a');
    good('a', '10.0.0.1');
    ask('a');
    bad('a', 'ENOTFOUND');
    ask('a');
    time.advance(patienceMs);
    bad('a', 'EAI_AGAIN');
    assert.deepEqual(told, ['a 10.0.0.1', 'a ENOTFOUND', 'a EAI_AGAIN']);
  });

  it('whose askers have waited too long are not asked for any more', () => {
    const { ask, asked, bad, time, told } = lookups();
    for (const name of ['dead-1', 'dead-2', 'late']) ask(name);
    time.advance(waitMaxMs + 1);
    bad('dead-1', 'EAI_AGAIN');
    assert.deepEqual(told, ['dead-1 EAI_AGAIN', 'late EAI_AGAIN']);
    assert.deepEqual(asked, ['dead-1', 'dead-2']);
  });

  it('are told in the form that is asked for', () => {
    const time = manualTime();
    const system: System = (_hostname, options, done) => {
      done({ kind: 'addresses', addresses: [{ address: '::1', family: Number(options.family) }] });
    };
    const lookup = createNameLookup({ clock: time.clock, timers: time.timers, system });
    lookup('a', { family: 6 }, (error, address, family) => {
      assert.deepEqual([error, address, family], [null, '::1', 6]);
    });
  });
});

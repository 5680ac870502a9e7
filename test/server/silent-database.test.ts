/** A server whose FoundationDB says nothing: what requests are answered, and how soon. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { companionRules } from '../../src/admission/companions/companion-rules.ts';
import { plainRecords } from '../../src/storage/encrypted-records.ts';
import { testedRecords } from '../../src/server/compose/open-storage.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { openFdbStorage } from '../../src/storage/fdb/fdb-storage.ts';
import { createFdbDouble } from '../support/doubles/fdb-double.ts';
import type { FdbDouble } from '../support/doubles/fdb-double.ts';
import { startSlowServer } from '../support/servers/slow-server.ts';
import type { SlowServer } from '../support/servers/slow-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const requestTimeoutMs = 3_000;
/** Of manual time, beyond the limit: the steps in which it passes, and an answer's way. */
const slackMs = 500;

describe('--request-timeout=3s over a database that says nothing', () => {
  let server: SlowServer;
  let double: FdbDouble;
  before(async () => {
    server = await startSlowServer({ 'request-timeout': '3s' }, ({ clock, timers }) => {
      double = createFdbDouble({ nowMs: () => clock.nowMs(), timers });
      return openFdbStorage({
        db: double.connect(),
        prefix: 'silent',
        identity: 'kubernetes',
        clock,
        timers,
        prng: seededPrng(1),
        requestTimeoutMs,
        ...testedRecords,
        rules: companionRules(plainRecords),
      });
    });
    const made = server.request('POST', maps, { body: { metadata: { name: 'a' } } });
    assert.equal((await server.answered(made)).value.status, 201);
    double.faults.unreachable = true;
  });
  after(async () => {
    double.faults.unreachable = false;
    await server.stop();
  });

  const asked = [
    ['GET', `${maps}/a`],
    ['GET', maps],
    ['GET', '/api/v1/pods?limit=1'],
    ['POST', maps, { metadata: { name: 'b' } }],
    ['DELETE', `${maps}/a`],
  ] as const;
  for (const [method, target, body] of asked) {
    it(`${method} ${target} is 504 within the limit, with the reason and Retry-After`, async () => {
      const { value, tookMs } = await server.answered(server.request(method, target, { body }));
      assert.equal(value.status, 504, value.text);
      assert.equal(value.body['reason'], 'Timeout');
      assert.match(String(value.body['message']), /has not answered in time|behind the store/);
      assert.match(value.headers['retry-after'] ?? '', /^[1-9]\d*$/);
      assert.ok(tookMs <= requestTimeoutMs + slackMs, `${tookMs}`);
    });
  }

  it('a read that comes behind others waits no longer than they do', async () => {
    const reads = Array.from({ length: 20 }, () => server.request('GET', `${maps}/a`));
    const { value, tookMs } = await server.answered(Promise.all(reads));
    assert.deepEqual(new Set(value.map(({ status }) => status)), new Set([504]));
    assert.ok(tookMs <= requestTimeoutMs + slackMs, `${tookMs}`);
  });
});

/** A server that falls behind its store, or loses it: what clients and probes are told. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SlowServer } from '../support/servers/slow-server.ts';
import { startSlowServer } from '../support/servers/slow-server.ts';
import type { Reply } from '../support/servers/test-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('a server that lags', () => {
  let server: SlowServer;
  before(async () => {
    server = await startSlowServer();
  });
  after(() => server.stop());

  const get = async (target: string): Promise<Reply> =>
    (await server.answered(server.request('GET', target))).value;
  const metric = async (name: string): Promise<number> => {
    const { text } = await get('/metrics');
    const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
    assert.ok(value, `${name} is on the page`);
    return Number(value);
  };
  const create = async (name: string): Promise<void> => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
    const { value } = await server.answered(server.request('POST', configMaps, { body }));
    assert.equal(value.status, 201);
  };

  it('that keeps up says so', async () => {
    await create('first');
    assert.equal((await get('/readyz')).text, 'ok');
    assert.match((await get('/readyz?verbose')).text, /^\[\+\]informer-sync ok$/m);
    assert.equal((await get('/readyz/informer-sync')).text, 'ok');
    assert.equal(await metric('sluice_log_lag_seconds'), 0);
    assert.equal(await metric('sluice_consistent_reads_waiting'), 0);
    assert.equal(
      await metric('sluice_log_applied_revision'),
      await metric('sluice_store_revision'),
    );
  });

  it('is not ready within 2 s of being asked, and alive all the time', async () => {
    server.log.pause();
    await create('unseen');
    const { value, tookMs } = await server.answered(server.request('GET', '/readyz'));
    assert.equal(value.status, 500);
    assert.match(value.text, /^\[-\]informer-sync failed: reason withheld$/m);
    assert.match(value.text, /^\[\+\]etcd ok$/m);
    assert.ok(tookMs <= 3_000, `${tookMs}`);
    assert.equal((await get('/readyz/informer-sync')).status, 500);
    assert.equal((await get('/readyz?exclude=informer-sync')).status, 200);
    for (const path of ['/livez', '/livez/etcd', '/healthz']) {
      const alive = await server.answered(server.request('GET', path));
      assert.equal(alive.value.status, 200);
      assert.ok(alive.tookMs < 2_000);
    }
    assert.equal((await get('/livez/informer-sync')).status, 404);
  });

  it('refuses what has to be current with 504 and Retry-After, and never answers from the past', async () => {
    for (const target of [`${configMaps}/unseen`, configMaps, `${configMaps}?limit=1`]) {
      const { value, tookMs } = await server.answered(server.request('GET', target));
      assert.equal(value.status, 504, target);
      assert.equal(value.body['reason'], 'Timeout');
      assert.equal(value.headers['retry-after'], '1');
      assert.ok(tookMs >= 7_000 && tookMs <= 9_500, `${tookMs}`);
    }
    const newer = await get(
      `${configMaps}?resourceVersion=999999&resourceVersionMatch=NotOlderThan`,
    );
    assert.equal(newer.status, 504);
    const opened = await server.answered(server.openWatch(`${configMaps}?watch=true`));
    const { value: events } = await server.answered(opened.value.rest());
    assert.equal(events.length, 1);
    assert.equal(events[0]?.type, 'ERROR');
    assert.equal((events[0]?.object as { code?: number } | undefined)?.code, 504);
  });

  it('still answers who takes what is there', async () => {
    const any = await server.answered(server.request('GET', `${configMaps}?resourceVersion=0`));
    assert.equal(any.value.status, 200);
    assert.ok(any.tookMs < 3_000);
    const names = (any.value.body['items'] as { metadata: { name: string } }[]).map(
      ({ metadata }) => metadata.name,
    );
    assert.deepEqual(names, ['first']);
  });

  it('shows how far it is behind', async () => {
    assert.ok((await metric('sluice_log_lag_seconds')) >= 8);
    const applied = await metric('sluice_log_applied_revision');
    assert.ok((await metric('sluice_store_revision')) > applied);
    const waiting = server.request('GET', `${configMaps}/unseen`);
    await server.answered(server.request('GET', '/livez'));
    server.time.advance(1_000);
    assert.equal(await metric('sluice_consistent_reads_waiting'), 1);
    assert.ok((await metric('sluice_consistent_read_oldest_seconds')) >= 1);
    assert.equal((await server.answered(waiting)).value.status, 504);
  });

  it('serves again when it has caught up', async () => {
    server.log.resume();
    assert.equal((await get(`${configMaps}/unseen`)).status, 200);
    assert.equal((await get('/readyz')).status, 200);
    assert.equal(await metric('sluice_log_lag_seconds'), 0);
  });
});

describe('a server whose store cannot be reached', () => {
  let server: SlowServer;
  before(async () => {
    server = await startSlowServer();
  });
  after(() => server.stop());

  it('is not ready within 2 s, asks once however many probe, and recovers', async () => {
    server.unreachable = true;
    for (let round = 0; round < 3; round += 1) {
      const probes = Array.from({ length: 50 }, () => server.request('GET', '/readyz'));
      const { value, tookMs } = await server.answered(Promise.all(probes));
      assert.deepEqual(new Set(value.map(({ status }) => status)), new Set([500]));
      assert.ok(tookMs <= 3_000, `${tookMs}`);
    }
    // How far the store is, and whether the log has come as far: one question each.
    assert.ok(server.questionsCount <= 2, `${server.questionsCount} questions are open`);
    const alive = await server.answered(server.request('GET', '/livez'));
    assert.equal(alive.value.status, 200);
    const page = await server.answered(server.request('GET', '/metrics'));
    assert.match(page.value.text, /^sluice_store_revision(?:\{[^}]*\})? NaN$/m);
    assert.ok(page.tookMs <= 3_000, `${page.tookMs}`);
    const read = await server.answered(server.request('GET', `${configMaps}/x`));
    assert.equal(read.value.status, 504);

    server.unreachable = false;
    const ready = await server.answered(server.request('GET', '/readyz'));
    assert.equal(ready.value.status, 200);
    const served = await server.answered(server.request('GET', `${configMaps}/x`));
    assert.equal(served.value.status, 404);
  });
});

describe('a server that lags when it is told to stop', () => {
  // It followed the log no longer: 500, "the write operation could not be completed", for a read.
  it('answers the reads that wait when the log has come', async () => {
    const server = await startSlowServer();
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } };
    server.log.pause();
    const made = server.request('POST', configMaps, { body });
    assert.equal((await server.answered(made)).value.status, 201);
    const read = server.request('GET', `${configMaps}/late`);
    for (let step = 0; step < 10; step += 1) {
      if (step === 2) server.beginStop();
      for (let i = 0; i < 40; i += 1) await nextTurn();
      server.time.advance(50);
    }
    server.log.resume();
    const { value } = await server.answered(read);
    assert.equal(value.status, 200, value.text);
    await server.stop();
  });
});

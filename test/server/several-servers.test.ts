/**
 * Several servers over one FoundationDB double, with and without its faults: quotas, cluster IPs
 * and node ports hold for all of them together.
 *
 * What it is not: other processes, or a real FoundationDB (simulation/fdb-servers.ts).
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seededPrng } from '../../src/stdx/prng.ts';
import {
  madeNamespace,
  madeQuota,
  sharedQuotaChecks,
  sharedQuotaFlags,
} from '../support/checks/shared-quota.ts';
import { startServersOverFdb } from '../support/servers/servers-over-fdb.ts';
import type { ServerOverFdb, ServersOverFdb } from '../support/servers/servers-over-fdb.ts';

const faults = { readOneIn: 60, commitOneIn: 3, watchOneIn: 20 };
/** Each strikes once at least; with what is late they strike by seed, too. */
const fates = ['conflict', 'unknown-applied', 'unknown-lost', 'changed-applied'] as const;

for (const [title, faulty] of [
  ['quotas and addresses over several servers', false],
  ['and where commits conflict, fail and are answered by nobody', true],
] as const) {
  describe(title, () => {
    let servers: ServersOverFdb;
    before(async () => {
      servers = await startServersOverFdb(3, sharedQuotaFlags);
      if (!faulty) return;
      servers.double.faults.rates = { ...faults, prng: seededPrng(7) };
      servers.double.faults.script.push(...fates);
    });
    after(async () => {
      const { struck } = servers.double.faults;
      await servers.removeAll();
      if (!faulty) return;
      for (const fate of fates) assert.ok(struck.has(fate), `${fate} has struck`);
    });

    for (const check of sharedQuotaChecks) it(check.title, () => check.run(servers.all));

    it('a server that has not heard of a quota is not slipped by', async () => {
      const base = await madeNamespace(servers.all, 'behind');
      const [current, , behind] = servers.all as [ServerOverFdb, ServerOverFdb, ServerOverFdb];
      behind.log.pause();
      await madeQuota(current, base, { 'count/configmaps': '0' });
      const body = { metadata: { name: 'a' } };
      const slipping = behind.request('POST', `${base}/configmaps`, { body });
      assert.equal((await current.request('GET', `${base}/configmaps/a`)).status, 404);
      behind.log.resume();
      const reply = await slipping;
      assert.equal(reply.status, 403, reply.text);
      assert.equal((await current.request('GET', `${base}/configmaps/a`)).status, 404);
    });
  });
}

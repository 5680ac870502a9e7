/**
 * Several servers over one FoundationDB double, with and without its faults: quotas, cluster IPs
 * and node ports hold for all of them together, and what a user defines at one is served by all.
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
import { definition, definitionsPath, gone, until } from '../support/data/custom-definitions.ts';
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

    it('a type that is defined at any of them is served by all', async () => {
      for (const [at, one] of servers.all.entries()) {
        const plural = `shared${at}`;
        const body = definition({ plural, kind: `Shared${at}`, group: 'all.example' });
        const made = await one.request('POST', definitionsPath, { body });
        assert.equal(made.status, 201, made.text);
        const path = `/apis/all.example/v1/namespaces/default/${plural}`;
        await Promise.all(servers.all.map((each) => until(each, path, () => true)));
        const object = {
          apiVersion: 'all.example/v1',
          kind: `Shared${at}`,
          metadata: { name: 'a' },
        };
        for (const each of servers.all) {
          const reply = await each.request('POST', path, { body: object });
          assert.equal(reply.status, each === servers.all[0] ? 201 : 409, reply.text);
        }
        await one.request('DELETE', `${definitionsPath}/${plural}.all.example`);
        await Promise.all(servers.all.map((each) => gone(each, path)));
      }
    });

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

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bind, rbacPath, asAdmin, untilAllowed } from '../support/clients/access-setup.ts';
import { RawConnection, headerOf } from '../support/clients/raw-http.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const flags = {
  'enable-priority-and-fairness': 'false',
  'max-mutating-requests-inflight': '2',
  'max-watches': '2',
};

for (const transport of ['uws', 'node'] as const) {
  describe(`requests in flight over ${transport}`, () => {
    let server: SecureServer;
    const open: RawConnection[] = [];
    const connect = (): RawConnection => {
      const connection = new RawConnection(Number(new URL(server.url).port));
      open.push(connection);
      return connection;
    };
    const asks = (token: string, method: string, target: string, more = ''): RawConnection => {
      const connection = connect();
      connection.request(method, target, `Authorization: Bearer ${token}\r\n${more}`);
      return connection;
    };
    const get = (token: string, target: string) => asks(token, 'GET', target).response();
    const gauge = async (name: string): Promise<number> => {
      const { body } = await get(tokens.admin, '/metrics');
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body.toString())?.[1]);
    };

    before(async () => {
      server = await startSecureServer({ ...flags, transport });
      const rules = [{ verbs: ['*'], apiGroups: [''], resources: ['configmaps'] }];
      await asAdmin(server, 'POST', rbacPath('', 'clusterroles'), {
        metadata: { name: 'maps' },
        rules,
      });
      for (const name of ['alice', 'bob']) {
        await bind(server, '', `maps-${name}`, 'maps', { kind: 'User', name });
        await untilAllowed(
          server,
          { user: name },
          { verb: 'create', resource: 'configmaps', namespace: '' },
        );
      }
    });
    after(async () => {
      for (const connection of open) connection.destroy();
      await server.remove();
    });

    test('writes above the bound are told to come again, and others get in', async () => {
      const body = JSON.stringify({ metadata: { name: 'slow' } });
      const half = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      const slow = [0, 1].map(() => asks(tokens.alice, 'POST', maps, half));
      await untilRefused(() => asks(tokens.alice, 'DELETE', `${maps}/none`).response());
      const refused = await asks(tokens.alice, 'DELETE', `${maps}/none`).response();
      assert.equal(refused.status, 429);
      assert.deepEqual(headerOf(refused, 'retry-after'), ['1']);
      assert.deepEqual(headerOf(refused, 'content-type'), ['text/plain; charset=utf-8']);
      assert.equal(refused.body.toString(), 'Too many requests, please try again later.\n');
      assert.equal((await get(tokens.alice, maps)).status, 200, 'reads are counted apart');
      assert.equal((await asks(tokens.bob, 'DELETE', `${maps}/none`).response()).status, 404);
      assert.equal((await asks(tokens.admin, 'DELETE', `${maps}/none`).response()).status, 404);
      assert.equal((await get(tokens.alice, '/livez')).status, 200);
      for (const connection of slow) connection.write(body);
      const codes = await Promise.all(slow.map(async (each) => (await each.response()).status));
      assert.deepEqual(codes.sort(), [201, 409]);
      assert.equal((await asks(tokens.alice, 'DELETE', `${maps}/slow`).response()).status, 200);
    });

    test('a client that goes gives its place back', async () => {
      const half = 'Content-Type: application/json\r\nContent-Length: 100\r\n';
      const slow = [0, 1].map(() => asks(tokens.alice, 'POST', maps, half));
      await untilRefused(() => asks(tokens.alice, 'DELETE', `${maps}/none`).response());
      for (const connection of slow) connection.destroy();
      const ask = () => asks(tokens.alice, 'DELETE', `${maps}/none`).response();
      while ((await ask()).status === 429);
      assert.equal((await ask()).status, 404);
    });

    test('watches have a bound of their own, which ended ones leave', async () => {
      const watch = () => asks(tokens.alice, 'GET', `${maps}?watch=true`);
      const watches = [watch(), watch()];
      for (const each of watches) assert.equal((await each.head()).status, 200);
      assert.equal(await gauge('sluice_watches_open'), 2);
      const refused = await watch().response();
      assert.equal(refused.status, 429);
      assert.equal((await get(tokens.alice, maps)).status, 200);
      watches[0]?.destroy();
      let next = watch();
      while ((await next.head().catch(() => ({ status: 429 }))).status === 429) next = watch();
      assert.equal(await gauge('sluice_watches_open'), 2);
    });

    async function untilRefused(ask: () => Promise<{ status: number }>): Promise<void> {
      while ((await ask()).status !== 429);
    }
  });
}

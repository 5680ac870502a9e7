/** Connections that an agent keeps for later are few, to however many servers they lead. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { keepAtMost } from '../../src/webhooks/kept-connections.ts';
import { eventually } from '../support/clients/watch-client.ts';

function keptBy({ freeSockets, sockets }: http.Agent): readonly number[] {
  const count = (of: NodeJS.ReadOnlyDict<readonly unknown[]>): number =>
    Object.values(of).flat().length;
  return [count(freeSockets), count(sockets)];
}

describe('an agent with a bound', () => {
  it('keeps so many connections in all, and uses those again', async () => {
    const agent = new http.Agent({ keepAlive: true, maxFreeSockets: 4 });
    keepAtMost(agent, 3);
    const servers = Array.from({ length: 5 }, () =>
      http.createServer((_request, response) => response.end('ok')),
    );
    try {
      for (let round = 0; round < 3; round += 1) {
        for (const server of servers) {
          if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
          const { port } = server.address() as AddressInfo;
          const request = http.get({ agent, host: '127.0.0.1', port });
          const [response] = (await once(request, 'response')) as [http.IncomingMessage];
          await once(response.resume(), 'end');
        }
        await eventually('all are idle', () => keptBy(agent)[1] === 0);
        assert.deepEqual(keptBy(agent), [3, 0]);
      }
      servers[0]?.closeAllConnections();
      await eventually('one has ended', () => keptBy(agent)[0] === 2);
    } finally {
      agent.destroy();
      for (const server of servers) server.close();
    }
  });
});

/**
 * What every transport adapter does, seen through bare sockets. Each property is one test with a
 * server of its own; all run at the same time, because the slow ones mostly wait.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultTransportLimits } from '../../src/transport/http-exchange.ts';
import type { ExchangeHandler, Listen } from '../../src/transport/http-exchange.ts';
import { RawConnection, headerOf } from '../support/clients/raw-http.ts';
import type { Notes, TransportTraits } from './transport-bench.ts';
import { hostileProperties } from './transport-hostile.ts';
import { requestProperties } from './transport-requests.ts';
import { streamProperties } from './transport-streams.ts';
import { webSocketProperties } from './transport-web-sockets.ts';
import { freePort } from '../support/servers/free-port.ts';

export function transportContract(name: string, listen: Listen, traits: TransportTraits): void {
  const properties = [
    ...requestProperties,
    ...streamProperties,
    ...webSocketProperties,
    ...hostileProperties,
  ];
  describe(`transport ${name}`, { concurrency: 8 }, () => {
    for (const [title, handler, check, limits] of properties) {
      it(title, { timeout: 240_000 }, async () => {
        const notes: Notes = { log: [] };
        const server = await listen(
          {
            address: '127.0.0.1',
            port: 0,
            limits: { ...defaultTransportLimits, ...limits },
            tls: traits.tls,
          },
          handler(notes),
        );
        const connections: RawConnection[] = [];
        const open = (): RawConnection => {
          const connection = connectTo(server.port, traits);
          connections.push(connection);
          return connection;
        };
        try {
          await check({ traits, server, connect: open }, notes);
        } finally {
          for (const connection of connections) connection.destroy();
          await server.close();
        }
      });
    }
    lifeCycle(listen, traits);
  });
}

function connectTo(port: number, { tls }: TransportTraits): RawConnection {
  return new RawConnection(port, '127.0.0.1', tls !== undefined);
}

function lifeCycle(listen: Listen, traits: TransportTraits): void {
  const { tls } = traits;
  const limits = defaultTransportLimits;
  it('stopAccepting refuses connections and lets exchanges in flight finish', async () => {
    let finish: (() => void) | undefined;
    const server = await listen({ address: '127.0.0.1', port: 0, limits, tls }, (exchange) => {
      finish = () => exchange.send(200, [], 'finished');
    });
    const client = connectTo(server.port, traits);
    client.request('GET', '/');
    while (finish === undefined) await new Promise((done) => setTimeout(done, 5));
    server.stopAccepting();
    const late = connectTo(server.port, traits);
    await late.closed;
    assert.equal(late.receivedBytes, 0);
    finish();
    const response = await client.response();
    assert.equal(response.body.toString(), 'finished');
    assert.deepEqual(headerOf(response, 'connection'), ['close']);
    await client.closed;
    await server.close();
  });

  it('close cuts what is left and frees the port; a port in use is refused', async () => {
    let aborts = 0;
    const serve: ExchangeHandler = (exchange) => {
      exchange.stream(200, [], Buffer.from(' '));
      exchange.onAbort(() => (aborts += 1));
    };
    // Not port 0: a port that the system chose is not taken over from lingering connections.
    const again = { address: '127.0.0.1', port: await freePort(), limits, tls };
    const first = await listen(again, serve);
    await assert.rejects(listen(again, serve));
    const client = connectTo(first.port, traits);
    client.request('GET', '/');
    await client.head();
    await first.close();
    await client.closed;
    assert.equal(aborts, 1);
    const second = await listen(again, serve);
    assert.equal(second.port, first.port);
    await second.close();
  });
}

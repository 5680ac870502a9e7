/** Sessions of HTTP/2 as the listener has them: how they end. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultTransportLimits } from '../../src/transport/http-exchange.ts';
import { listenNode } from '../../src/transport/node/listen-node.ts';
import { openRawHttp2, streamFrames, wrongFrames } from '../support/clients/raw-http2.ts';
import { tlsPair } from '../support/data/tls-pair.ts';

describe('a session of HTTP/2', () => {
  it('that its client has ended by a wrong frame is closed, and all that waits for it', async () => {
    let open = 0;
    const options = { address: '127.0.0.1', port: 0, limits: defaultTransportLimits, tls: tlsPair };
    const server = await listenNode(options, (exchange) => {
      open += 1;
      exchange.onClosed(() => void (open -= 1));
    });
    for (const wrong of wrongFrames()) {
      for (const waiting of [0, 3]) {
        const session = await openRawHttp2(server.port);
        session.socket.write(streamFrames('/', waiting, false));
        while (open < waiting) await sleep(5);
        session.socket.write(wrong);
        while (!session.socket.destroyed || open > 0) await sleep(5);
        assert.notEqual(session.goAwayCode, undefined, 'it is told why');
      }
    }
    await server.close();
  });
});

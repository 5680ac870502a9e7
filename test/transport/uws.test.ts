import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { it } from 'node:test';
import { listenUws } from '../support/servers/listen-uws.ts';
import { defaultTransportLimits } from '../../src/transport/http-exchange.ts';
import { loadUws } from '../../src/transport/uws/uws-binding.ts';
import { transportContract } from '../contract/transport-contract.ts';

const load = await loadUws();
if (load.ok) {
  transportContract('uws', listenUws, {
    // The library closes a connection that has a second request while the first is unanswered.
    queuesPipelined: false,
    // Its parser takes everything it does not understand for an incomplete head.
    answersGarbage: false,
    // It shows a connection only once there is a request on it.
    countsConnections: false,
    // It looks at its sockets every four seconds, and its longest limit is ten.
    longMs: 17_000,
  });

  it('uws: idle connections are left to the end of the process, and nobody is served on them', async () => {
    const options = { address: '127.0.0.1', port: 0, limits: defaultTransportLimits };
    let served = 0;
    const server = await listenUws(options, (exchange) => {
      served += 1;
      exchange.send(200, [], 'ok');
    });
    const socket = connect(server.port, '127.0.0.1');
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    socket.write(request);
    await once(socket, 'data');
    await server.close(true);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(socket.closed, false);
    socket.on('data', () => assert.fail('it was answered'));
    socket.on('error', () => undefined);
    socket.write(request);
    await once(socket, 'close');
    assert.equal(served, 1);
  });
} else {
  it('without a native binding the uws transport refuses to listen and says why', async () => {
    const options = { address: '127.0.0.1', port: 0, limits: {} as never };
    await assert.rejects(
      listenUws(options, () => {}),
      /not available/,
    );
  });
}

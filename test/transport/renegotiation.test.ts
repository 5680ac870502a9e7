/** A session of TLS 1.2 keeps the certificates that it began with: no port renegotiates. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connect } from 'node:tls';
import { defaultTransportLimits } from '../../src/transport/http-exchange.ts';
import type { Listen } from '../../src/transport/http-exchange.ts';
import { listenNode } from '../../src/transport/node/listen-node.ts';
import { loadUws } from '../../src/transport/uws/uws-binding.ts';
import { tlsPair } from '../support/data/tls-pair.ts';
import { listenUws } from '../support/servers/listen-uws.ts';

/** What comes of a wish to renegotiate: the code of an error. */
function renegotiated(port: number): Promise<string | undefined> {
  const options = { host: '127.0.0.1', port, rejectUnauthorized: false } as const;
  return new Promise((resolve) => {
    const socket = connect({ ...options, maxVersion: 'TLSv1.2' }, () => {
      socket.renegotiate({ rejectUnauthorized: false }, (error) => {
        socket.destroy();
        resolve(codeOf(error));
      });
    });
    socket.on('error', (error) => resolve(codeOf(error)));
  });
}

function codeOf(error: Error | null): string | undefined {
  return error === null ? undefined : (error as NodeJS.ErrnoException).code;
}

const load = await loadUws();

describe('a client of TLS 1.2 that wants to renegotiate', () => {
  const noUws = load.ok ? false : `no uWebSockets.js loads here: ${load.why}`;
  const cases: readonly (readonly [string, Listen, string | undefined, string | false])[] = [
    ['node', listenNode, tlsPair.certificatePem, false],
    ['uws', listenUws, undefined, noUws],
  ];
  for (const [name, listen, clientCaPem, skip] of cases) {
    it(`is refused by ${name}`, { skip }, async () => {
      const tls = { ...tlsPair, clientCaPem };
      const options = { address: '127.0.0.1', port: 0, limits: defaultTransportLimits, tls };
      const server = await listen(options, (exchange) => exchange.send(200, [], ''));
      assert.match((await renegotiated(server.port)) ?? 'it was not', /NO_RENEGOTIATION$/);
      await server.close();
    });
  }
});

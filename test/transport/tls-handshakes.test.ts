/** The queue of handshakes before a server of node: what counts as a client's certificates. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { connect } from 'node:tls';
import { systemTimers } from '../../src/stdx/clock.ts';
import { handshakeLimits } from '../../src/transport/node/handshake-queue.ts';
import { queueHandshakes } from '../../src/transport/node/tls-handshakes.ts';
import { tlsPair } from '../support/data/tls-pair.ts';

/** Nothing that is owed is ever worked off. */
const still = { nowMs: () => 0, monotonicMs: () => 0 };

/** What a hello may hold: names of protocols that nobody speaks. */
const longHello = Array.from({ length: 60 }, (_, i) => `${'p'.repeat(200)}${i}`);

async function serve() {
  const server = createSecureServer({
    key: tlsPair.keyPem,
    cert: tlsPair.certificatePem,
    requestCert: true,
    rejectUnauthorized: false,
  });
  queueHandshakes(server, 60_000, still, systemTimers);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  /** Whether a handshake comes to its end. */
  const shakesHands = async (protocols: string[]): Promise<boolean> => {
    const where = { port, host: '127.0.0.1', rejectUnauthorized: false };
    const client = connect({ ...where, ALPNProtocols: protocols });
    const done = await Promise.race([
      once(client, 'secureConnect').then(() => true),
      once(client, 'close').then(() => false),
    ]).catch(() => false);
    client.destroy();
    return done;
  };
  return { server, shakesHands };
}

describe('handshakes of one address', () => {
  // Before, 200 of these kept everybody behind the same proxy waiting for two minutes.
  it('do not wait for long hellos that failed: no certificate has come with them', async () => {
    const { server, shakesHands } = await serve();
    const hellos = 4 + Math.ceil(handshakeLimits.unverifiedBytesMax / 10_000);
    for (let i = 0; i < hellos; i += 1) assert.equal(await shakesHands(longHello), false);
    assert.equal(await shakesHands(['h2']), true);
    server.close();
  });
});

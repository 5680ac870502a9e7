/** Heads of HTTP/2: what no header may have makes its request malformed, the rest is served. */
import assert from 'node:assert/strict';
import { connect, constants } from 'node:http2';
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { defaultTransportLimits } from '../../src/transport/http-exchange.ts';
import { listenNode } from '../../src/transport/node/listen-node.ts';
import { headerFrames, openRawHttp2 } from '../support/clients/raw-http2.ts';
import { tlsPair } from '../support/data/tls-pair.ts';

async function serve() {
  const seen: (readonly [name: string, value: string])[] = [];
  const options = { address: '127.0.0.1', port: 0, limits: defaultTransportLimits, tls: tlsPair };
  const server = await listenNode(options, (exchange) => {
    seen.push(...exchange.headers());
    exchange.send(200, [], 'ok');
  });
  return { server, seen };
}

function get(client: ClientHttp2Session, headers: OutgoingHttpHeaders): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stream = client.request({ ':path': '/', ...headers }, { weight: 7 });
    stream.on('response', (head) => resolve(head[':status'])).on('error', reject);
    stream.resume();
    stream.end();
  });
}

describe('a head of HTTP/2', () => {
  it('with a header that none may be is refused, and nobody is shown the rest of it', async () => {
    const { server, seen } = await serve();
    const session = await openRawHttp2(server.port);
    const values = ['bob\x01', '\0bob', 'b\nob', 'b\rob', 'bob\x7f', ' bob', 'bob '];
    const wrong = values.map((value) => ['impersonate-user', value] as const);
    for (const [i, [name, value]] of [...wrong, ['impersonate user', 'bob'] as const].entries()) {
      session.socket.write(headerFrames(4 * i + 1, name, value));
      session.socket.write(headerFrames(4 * i + 3, name, value, 7));
    }
    const refused = 2 * (values.length + 1);
    while (session.heads < refused) await sleep(5);
    assert.equal(session.malformed, refused);
    assert.equal(seen.length, 0);
    const next = 4 * (values.length + 1) + 1;
    session.socket.write(headerFrames(next, 'impersonate-user', 'b\tob'));
    session.socket.write(headerFrames(next + 2, 'impersonate-user', 'b\xf6b', 7));
    while (session.heads < refused + 2) await sleep(5);
    assert.equal(session.malformed, refused);
    assert.deepEqual(
      seen.flatMap(([name, value]) => (name === 'impersonate-user' ? [value.length] : [])),
      [4, 3],
    );
    session.socket.destroy();
    await server.close();
  });

  it('is served as it is, however it is compressed, padded and ordered', async () => {
    const { server, seen } = await serve();
    const client = connect(`https://127.0.0.1:${server.port}`, {
      rejectUnauthorized: false,
      paddingStrategy: constants.PADDING_STRATEGY_MAX,
    });
    const name = fc.integer({ min: 0, max: 30 }).map((n) => `x-${'n'.repeat(n)}`);
    const text = fc.stringMatching(/^([!-~]([ -~]{0,300}[!-~])?)?$/);
    const headers = fc.dictionary(name, fc.oneof(text, fc.array(text, { maxLength: 4 })));
    await fc.assert(
      fc.asyncProperty(fc.array(headers, { minLength: 1, maxLength: 8 }), async (heads) => {
        seen.length = 0;
        const answers = await Promise.all(heads.map((head) => get(client, head)));
        assert.deepEqual(new Set(answers), new Set([200]));
        const sent = heads.flatMap((head) => Object.values(head).flat()).length;
        assert.equal(seen.filter(([key]) => key.startsWith('x-')).length, sent);
      }),
      { numRuns: 60 },
    );
    client.destroy();
    await server.close();
  });
});

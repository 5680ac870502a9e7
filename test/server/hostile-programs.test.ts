/**
 * Programs behind a pod's proxy that do not speak HTTP as they should: every client has an answer, or
 * the end of its connection, whatever they say.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { eventually } from '../support/clients/watch-client.ts';
import { podSpec } from '../support/data/valid-objects.ts';
import { reachableAddress, startRawProgram } from '../support/servers/raw-program.ts';
import type { RawProgram } from '../support/servers/raw-program.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';

const pods = '/api/v1/namespaces/default/pods';
const authorization = `Bearer ${tokens.admin}`;

interface Behind {
  readonly server: SecureServer;
  readonly program: RawProgram;
  readonly proxy: string;
}

async function withProgram(
  answer: (socket: Socket, head: string) => void,
  use: (behind: Behind) => Promise<void>,
): Promise<void> {
  const program = await startRawProgram(answer, { host: reachableAddress ?? '' });
  const server = await startSecureServer();
  const send = (method: string, target: string, body: object) =>
    server.request(method, target, {
      headers: { authorization, 'content-type': typeOf[method] ?? '' },
      body: JSON.stringify(body),
    });
  try {
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
    await send('POST', pods, { metadata: { name: 'p' }, spec: podSpec() });
    const status = { podIP: reachableAddress, podIPs: [{ ip: reachableAddress }] };
    assert.equal((await send('PATCH', `${pods}/p/status`, { status })).status, 200);
    await use({ server, program, proxy: `${pods}/p:${program.port}/proxy` });
  } finally {
    program.close();
    await server.remove();
  }
}

const typeOf: Readonly<Record<string, string>> = {
  POST: 'application/json',
  PATCH: 'application/merge-patch+json',
};

/** Over HTTP/2: the status, or 0 for a stream that is cut before it. */
function overHttp2({ proxy, server }: Behind, path: string): Promise<number> {
  const session = connect(server.secureUrl, { ca: server.caPem });
  return new Promise<number>((resolve) => {
    const stream = session.request({ ':path': `${proxy}/${path}`, authorization });
    let status = 0;
    stream.on('response', (head) => (status = head[':status'] ?? 0));
    stream.on('error', () => undefined);
    stream.on('close', () => resolve(status));
    stream.resume();
  }).finally(() => session.destroy());
}

async function overHttp1({ proxy, server }: Behind, path: string): Promise<readonly number[]> {
  const headers = { authorization };
  const asked = [server.request, (_: string, target: string) => server.secure(target, { headers })];
  return Promise.all(
    asked.map((ask) =>
      ask('GET', `${proxy}/${path}`, { headers }).then(
        ({ status }) => status,
        () => 0,
      ),
    ),
  );
}

const skip = reachableAddress === undefined ? 'this machine has no address but loopback' : false;

describe('a program that lies', { skip }, () => {
  it('about the status has failed', async () => {
    await withProgram(
      (socket, head) => {
        const [, status = ''] = /^GET \/(\d+)/.exec(head) ?? [];
        socket.end(`HTTP/1.1 ${status} x\r\nContent-Length: 2\r\n\r\nok`);
      },
      async (behind) => {
        for (const status of ['000', '099', '101', '600', '999']) {
          assert.deepEqual(await overHttp1(behind, status), [503, 503], status);
          assert.equal(await overHttp2(behind, status), 503, status);
        }
        assert.deepEqual(await overHttp1(behind, '299'), [299, 299]);
      },
    );
  });

  it('in a body that comes with the head is cut, and so is its client', async () => {
    await withProgram(
      (socket) => void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
      async (behind) => {
        assert.deepEqual(await overHttp1(behind, 'x'), [0, 0]);
        await overHttp2(behind, 'x');
        await eventually('nothing is left', () => behind.program.open.size === 0);
      },
    );
  });

  it('in headers that one version of HTTP takes once only is heard in each', async () => {
    const twice = 'Content-Type: a\r\nContent-Type: b\r\nETag: 1\r\nETag: 2\r\n';
    const head = `HTTP/1.1 200 OK\r\n${twice}Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n`;
    await withProgram(
      (socket) => void socket.write(`${head}Content-Length: 2\r\n\r\nok`),
      async (behind) => {
        assert.deepEqual(await overHttp1(behind, 'x'), [200, 200]);
        assert.equal(await overHttp2(behind, 'x'), 200);
      },
    );
  });
});

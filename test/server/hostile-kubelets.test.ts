/**
 * Kubelets that do not speak SPDY as they should: the client of a command hears of its end, and what
 * comes in crumbs costs no more than what comes whole.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { podSpec } from '../support/data/valid-objects.ts';
import { startRawProgram } from '../support/servers/raw-program.ts';
import { startTestServer } from '../support/servers/test-server.ts';

const pods = '/api/v1/namespaces/default/pods';
const switched =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n';
const streams = { error: 1, stdout: 3 } as const;

function dataFrame(stream: number, bytes: string, isLast = false): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(stream, 0);
  head.writeUInt32BE(Buffer.byteLength(bytes), 4);
  head[4] = isLast ? 1 : 0;
  return Buffer.concat([head, Buffer.from(bytes)]);
}

interface Heard {
  readonly stdout: string;
  readonly error: string;
  readonly messages: number;
}

/** What a client hears of a command until its connection is closed. */
async function heardOf(say: (socket: Socket) => void): Promise<Heard> {
  const kubelet = await startRawProgram(say, { host: '127.0.0.1', secure: true });
  const server = await startTestServer({});
  const send = async (method: string, target: string, body: object): Promise<void> => {
    const patch = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { 'content-type': patch };
    const { status } = await server.request(method, target, {
      headers,
      body: JSON.stringify(body),
    });
    assert.ok(status < 300, target);
  };
  try {
    await send('POST', '/api/v1/nodes', { metadata: { name: 'n' } });
    await send('PATCH', '/api/v1/nodes/n/status', {
      status: {
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
      },
    });
    await server.request('POST', '/api/v1/namespaces', {
      body: JSON.stringify({ metadata: { name: 'default' } }),
    });
    await send('POST', pods, { metadata: { name: 'p' }, spec: podSpec({ nodeName: 'n' }) });
    const url = `${server.url.replace('http', 'ws')}${pods}/p/exec?command=x&stdout=1`;
    const socket = new WebSocket(url, ['v4.channel.k8s.io']);
    let [stdout, error, messages] = ['', '', 0];
    socket.on('message', (message: Buffer) => {
      messages += 1;
      if (message[0] === 1) stdout += message.subarray(1).toString();
      if (message[0] === 3) error += message.subarray(1).toString();
    });
    await once(socket, 'close');
    return { stdout, error, messages };
  } finally {
    kubelet.close();
    await server.remove();
  }
}

describe('a kubelet', () => {
  it('that ends the connection with its first words has broken off', async () => {
    const { error } = await heardOf((socket) => socket.end(switched));
    assert.match(error, /the connection to the container broke off/);
  });

  it('whose last word goes deeper than any stack is heard word for word', async () => {
    const word = `{"status":"Failure","details":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    const { error } = await heardOf((socket) => {
      const said = [dataFrame(streams.error, word, true), dataFrame(streams.stdout, '', true)];
      socket.write(Buffer.concat([Buffer.from(switched), ...said]));
    });
    assert.equal(error, word);
  });

  it('that says a byte in each frame is heard in few messages', async () => {
    const frames = Array.from({ length: 3_000 }, (_, at) =>
      dataFrame(streams.stdout, String(at % 10)),
    );
    const { messages, stdout } = await heardOf((socket) => {
      const last = [dataFrame(streams.stdout, '', true), dataFrame(streams.error, '', true)];
      socket.write(Buffer.concat([Buffer.from(switched), ...frames, ...last]));
    });
    assert.equal(stdout, '0123456789'.repeat(300));
    assert.ok(messages < 300, `${messages} messages`);
  });
});

describe('a node whose address is this machine', () => {
  it('is proxied to by none of the spellings of that address', async () => {
    const server = await startTestServer({});
    const body = (object: object): string => JSON.stringify(object);
    try {
      await server.request('POST', '/api/v1/nodes', { body: body({ metadata: { name: 'n' } }) });
      for (const address of [
        '127.0.0.1',
        '127.1',
        '2130706433',
        '0x7f.1',
        '0::1',
        '0:0::ffff:7f00:1',
      ]) {
        const status = { addresses: [{ type: 'InternalIP', address }] };
        const patched = await server.request('PATCH', '/api/v1/nodes/n/status', {
          headers: { 'content-type': 'application/merge-patch+json' },
          body: body({ status }),
        });
        assert.equal(patched.status, 200, patched.text);
        for (const name of ['n', 'http:n:1']) {
          const reply = await server.request('GET', `/api/v1/nodes/${name}/proxy/x`);
          assert.match(reply.text, /address not allowed/, address);
        }
      }
    } finally {
      await server.remove();
    }
  });
});

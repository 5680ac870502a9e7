/**
 * Connections to kubelets: logs, commands and ports, on both transports, with a kubelet whose SPDY
 * is read by a library that nobody here wrote (support/servers/kubelet.ts).
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { eventually } from '../support/clients/watch-client.ts';
import { podSpec } from '../support/data/valid-objects.ts';
import { startKubelet } from '../support/servers/kubelet.ts';
import type { Kubelet, KubeletTraits } from '../support/servers/kubelet.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestOptions, TestServer } from '../support/servers/test-server.ts';

const pod = '/api/v1/namespaces/default/pods/p';

/** Parts of the library that its types leave out: its client refuses the names of these protocols. */
interface Frames {
  readonly Receiver: new (options: { isServer: boolean }) => Writable;
  readonly Sender: new (socket: Socket) => {
    send(data: Buffer, options: Readonly<Record<string, boolean>>): void;
  };
}
const { Receiver, Sender } = createRequire(import.meta.url)('ws') as Frames;

type Upgraded = [http.IncomingMessage, Socket];

interface Cluster {
  readonly server: TestServer;
  readonly kubelet: Kubelet;
}

/** A server, a node and a pod on it. */
async function withNode(
  traits: KubeletTraits,
  use: (cluster: Cluster) => Promise<void>,
  options: TestOptions = {},
): Promise<void> {
  const kubelet = await startKubelet(traits);
  const server = await startTestServer(options);
  try {
    await create(server, '/api/v1/nodes', { metadata: { name: 'n' } });
    const status = {
      addresses: [
        { type: 'ExternalIP', address: '192.0.2.1' },
        { type: 'InternalIP', address: '127.0.0.1' },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
    };
    const patched = await server.request('PATCH', '/api/v1/nodes/n/status', {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ status }),
    });
    assert.equal(patched.status, 200);
    const namespace = { metadata: { name: 'default' } };
    await server.request('POST', '/api/v1/namespaces', { body: JSON.stringify(namespace) });
    await create(server, '/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: podSpec({ nodeName: 'n' }),
    });
    await use({ server, kubelet });
  } finally {
    kubelet.close();
    await server.remove();
  }
}

async function create(server: TestServer, path: string, object: object): Promise<void> {
  const { status, body } = await server.request('POST', path, { body: JSON.stringify(object) });
  assert.equal(status, 201, JSON.stringify(body));
}

interface Talk {
  readonly socket: WebSocket;
  /** What has come on each channel. */
  readonly said: Map<number, string>;
  readonly closed: Promise<unknown>;
}

async function talk(server: TestServer, path: string, protocol: string): Promise<Talk> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, [protocol]);
  const said = new Map<number, string>();
  const isText = protocol.includes('base64');
  socket.on('message', (message: Buffer) => {
    const channel = isText ? Number(message.subarray(0, 1).toString()) : (message[0] as number);
    const rest = message.subarray(1);
    const bytes = isText ? Buffer.from(rest.toString(), 'base64') : rest;
    said.set(channel, `${said.get(channel) ?? ''}${bytes.toString()}`);
  });
  const closed = once(socket, 'close');
  await once(socket, 'open');
  assert.equal(socket.protocol, protocol);
  return { socket, said, closed };
}

function message(protocol: string, channel: number, text: string): Buffer | string {
  if (protocol.includes('base64')) return `${channel}${Buffer.from(text).toString('base64')}`;
  return Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
}

describe('the log of a container', () => {
  it('comes from its kubelet as it is written, and only what was asked for is passed on', async () => {
    const more: (() => void)[] = [];
    const log: KubeletTraits['log'] = (_request, response) => {
      response.write('one\n');
      more.push(() => response.end('two\n'));
    };
    await withNode({ log }, async ({ server, kubelet }) => {
      const token = readFileSync(path.join(server.dataDir, 'pki', 'admin.token'), 'utf8').trim();
      const target = `${server.url}${pod}/log?follow=true&tailLines=5&timestamps=0&pretty=1`;
      const request = http.get(target, {
        headers: { 'x-mine': 'yes', authorization: `Bearer ${token}` },
      });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      assert.equal(response.statusCode, 200);
      assert.equal(response.headers['content-type'], 'text/plain');
      const [first] = (await once(response, 'data')) as [Buffer];
      assert.match(first.toString(), /one\n$/);
      more[0]?.();
      const [second] = (await once(response, 'data')) as [Buffer];
      assert.equal(second.toString(), 'two\n');
      assert.deepEqual(kubelet.asked, ['GET /containerLogs/default/p/c?follow=true&tailLines=5']);
      assert.equal(kubelet.headers().authorization, undefined);
      assert.equal(kubelet.headers()['x-mine'], 'yes');
      assert.match(JSON.stringify(kubelet.subject()), /system:masters/);
    });
  });

  for (const [status, reason, message] of [
    [400, 'BadRequest', 'container "c" is waiting to start'],
    [500, 'InternalError', 'Internal error occurred: container "c" is waiting to start'],
    [404, '', 'the server responded with status code 404: container "c" is waiting to start'],
  ] as const) {
    it(`says why its kubelet refuses with ${status}`, async () => {
      const log: KubeletTraits['log'] = (_request, response) =>
        response.writeHead(status).end('container "c" is waiting to start');
      await withNode({ log }, async ({ server }) => {
        const reply = await server.request('GET', `${pod}/log`);
        const said = reply.body as Record<string, unknown>;
        assert.equal(said['reason'] ?? '', reason);
        assert.equal(said['message'], message);
      });
    });
  }

  it('is no longer asked for when its reader has gone', async () => {
    const log: KubeletTraits['log'] = (_request, response) => response.write('one\n');
    await withNode({ log }, async ({ server, kubelet }) => {
      const request = http.get(`${server.url}${pod}/log?follow=true`);
      await once(request, 'response');
      request.destroy();
      await kubelet.over();
    });
  });
});

for (const transport of ['uws', 'node'] as const) {
  describe(`a log over WebSocket, ${transport}`, () => {
    for (const protocol of [undefined, 'binary.k8s.io', 'base64.binary.k8s.io']) {
      it(`${protocol ?? 'no protocol'}: what is written is a message, and its end the end`, async () => {
        const more: (() => void)[] = [];
        const log: KubeletTraits['log'] = (_request, response) => {
          response.write('one\n');
          more.push(() => response.end('zwei \u00fc\n'));
        };
        const run = async ({ server }: Cluster): Promise<void> => {
          const url = `${server.url.replace('http', 'ws')}${pod}/log?follow=true`;
          const socket = new WebSocket(url, protocol === undefined ? [] : ['other', protocol]);
          const closed = once(socket, 'close');
          const heard = async (): Promise<string> => {
            const [bytes, isBinary] = (await once(socket, 'message')) as [Buffer, boolean];
            const isBase64 = protocol?.startsWith('base64') === true;
            assert.equal(isBinary, !isBase64);
            return isBase64 ? Buffer.from(bytes.toString(), 'base64').toString() : bytes.toString();
          };
          assert.equal(await heard(), 'one\n');
          assert.equal(socket.protocol, protocol ?? '');
          const second = heard();
          more[0]?.();
          assert.equal(await second, 'zwei \u00fc\n');
          const [code] = await closed;
          assert.equal(code, 1000);
        };
        await withNode({ log }, run, { transport });
      });
    }

    it('a short one that says its length, and one whose kubelet breaks off', async () => {
      const ways: NonNullable<KubeletTraits['log']>[] = [
        (_request, response) => response.writeHead(200, { 'content-length': 4 }).end('all\n'),
        (_request, response) => response.write('all\n', () => response.destroy()),
      ];
      for (const [i, log] of ways.entries()) {
        const run = async ({ server }: Cluster): Promise<void> => {
          const socket = new WebSocket(`${server.url.replace('http', 'ws')}${pod}/log`);
          const said: string[] = [];
          socket.on('message', (bytes: Buffer) => said.push(bytes.toString()));
          const [code] = await once(socket, 'close');
          assert.equal(said.join(''), 'all\n');
          assert.equal(code === 1000, i === 0, `${code}`);
        };
        await withNode({ log }, run, { transport });
      }
    });

    it('refuses protocols that nobody knows, and says what its kubelet says', async () => {
      const log: KubeletTraits['log'] = (_request, response) =>
        response.writeHead(400).end('no such container');
      const run = async ({ server }: Cluster): Promise<void> => {
        const refusal = async (protocols: string[]): Promise<number | undefined> => {
          const url = `${server.url.replace('http', 'ws')}${pod}/log`;
          const socket = new WebSocket(url, protocols);
          socket.on('error', () => undefined);
          const [, response] = await once(socket, 'unexpected-response');
          return (response as http.IncomingMessage).statusCode;
        };
        assert.equal(await refusal(['v5.channel.k8s.io']), 400);
        assert.equal(await refusal(['binary.k8s.io']), 400);
      };
      await withNode({ log }, run, { transport });
    });
  });
}

const asked = 'stdin=true&stdout=true&stderr=true&command=cat&command=-';

for (const transport of ['uws', 'node'] as const) {
  describe(`a command over WebSocket, ${transport}`, () => {
    for (const protocol of ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'v4.base64.channel.k8s.io']) {
      it(`${protocol}: both directions, and the Status at the end`, async () => {
        const status = JSON.stringify({ metadata: {}, status: 'Failure', reason: 'X' });
        await withNode(
          { status, stderr: 'oh' },
          async ({ server, kubelet }) => {
            const { closed, said, socket } = await talk(server, `${pod}/exec?${asked}`, protocol);
            socket.send(message(protocol, 0, 'hello '));
            socket.send(message(protocol, 0, 'there'));
            await eventually(
              'it is there',
              () => said.get(1) === 'hello there' && said.get(2) === 'oh',
            );
            if (protocol.startsWith('v5')) {
              socket.send(Buffer.from([255, 0]));
              await closed;
              assert.equal(said.get(3), status);
            } else {
              socket.terminate();
              await kubelet.over();
            }
            const query = 'input=1&output=1&error=1&command=cat&command=-';
            assert.deepEqual(kubelet.asked, [`POST /exec/default/p/c?${query}`]);
          },
          { transport },
        );
      });
    }

    it('a kubelet that cannot be reached, or refuses, is told of on the error channel', async () => {
      await withNode(
        { refusal: 'the container has gone' },
        async ({ server, kubelet }) => {
          const path = `${pod}/attach?stdout=true`;
          const refused = await talk(server, path, 'v5.channel.k8s.io');
          await refused.closed;
          const status = JSON.parse(refused.said.get(3) ?? '{}') as Record<string, unknown>;
          assert.equal(status['status'], 'Failure');
          assert.equal(status['message'], 'unable to upgrade connection: the container has gone');
          kubelet.close();
          const alone = await talk(server, path, 'v5.channel.k8s.io');
          await alone.closed;
          assert.match(alone.said.get(3) ?? '', /error dialing backend: .*ECONNREFUSED/);
        },
        { transport },
      );
    });

    it('thousands of small messages at once are all heard, in their order', async () => {
      await withNode(
        {},
        async ({ server }) => {
          const path = `${pod}/exec?stdin=1&stdout=1&command=cat`;
          const { said, socket } = await talk(server, path, 'v5.channel.k8s.io');
          const sent = Array.from({ length: 3_000 }, (_, at) => `${at};`);
          for (const each of sent) socket.send(message('v5', 0, each));
          await eventually('all of them came back', () => said.get(1) === sent.join(''));
          socket.terminate();
        },
        { transport },
      );
    });

    it('the size of a terminal is passed on', async () => {
      await withNode(
        {},
        async ({ server }) => {
          const path = `${pod}/exec?stdin=1&stdout=1&tty=1&command=sh`;
          const { said, socket } = await talk(server, path, 'v5.channel.k8s.io');
          socket.send(message('v5', 4, '{"Width":80,"Height":25}'));
          await eventually('it is there', () => said.get(1) === '{"Width":80,"Height":25}');
          socket.terminate();
        },
        { transport },
      );
    });

    it('ports: the bytes of SPDY in messages, with the protocol that the kubelet chose', async () => {
      await withNode(
        {},
        async ({ server, kubelet }) => {
          const { receiver, sender, socket } = await openPort(server);
          const got: Buffer[] = [];
          receiver.on('message', (data: Buffer) => got.push(data));
          const sent = Buffer.alloc(300_000, 'x');
          sender.send(sent, { mask: true, binary: true, fin: true, compress: false });
          await eventually('it is there', () => Buffer.concat(got).equals(sent));
          assert.deepEqual(kubelet.asked, ['POST /portForward/default/p']);
          socket.destroy();
          await kubelet.over();
        },
        { transport },
      );
    });

    it('ports: a kubelet that does not read yet gets all of it, and its client nothing twice', async () => {
      let read: () => void = () => undefined;
      const reads = new Promise<void>((resolve) => (read = resolve));
      await withNode(
        { reads },
        async ({ server }) => {
          const { receiver, sender, socket } = await openPort(server);
          const [sent, got] = [createHash('sha256'), createHash('sha256')];
          let bytes = 0;
          receiver.on('message', (data: Buffer) => {
            got.update(data);
            bytes += data.length;
          });
          const parts = 100;
          const part = 512 * 1024;
          for (let at = 0; at < parts; at += 1) {
            const data = Buffer.alloc(part, `${at},`);
            sent.update(data);
            sender.send(data, { mask: true, binary: true, fin: true, compress: false });
          }
          if (transport === 'uws') {
            await eventually('it is on the disk', async () => (await spooled(server)) > 0);
          }
          read();
          await eventually('it is there', () => bytes === parts * part);
          assert.equal(got.digest('hex'), sent.digest('hex'));
          assert.equal(await spooled(server), 0);
          assert.deepEqual(readdirSync(server.dataDir).filter(isSpool), []);
          socket.destroy();
        },
        { transport },
      );
    });
  });
}

/** The tunnel of kubectl's port-forward. */
async function openPort(server: TestServer) {
  const protocol = 'SPDY/3.1+portforward.k8s.io';
  const request = http.request(`${server.url}${pod}/portforward`, {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': protocol,
    },
  });
  request.end();
  const [response, socket] = (await once(request, 'upgrade')) as Upgraded;
  assert.equal(response.headers['sec-websocket-protocol'], protocol);
  const receiver = new Receiver({ isServer: false });
  socket.pipe(receiver);
  return { receiver, sender: new Sender(socket), socket };
}

async function spooled(server: TestServer): Promise<number> {
  const { text } = await server.request('GET', '/metrics');
  const [, bytes = ''] = /^sluice_spooled_bytes (\S+)$/m.exec(text) ?? [];
  return Number.parseFloat(bytes);
}

function isSpool(name: string): boolean {
  return name.startsWith('.spool');
}

describe('a connection in another protocol', () => {
  it("is the kubelet's and the client's, byte for byte, until one of them ends it", async () => {
    await withNode(
      {},
      async ({ server, kubelet }) => {
        const request = http.request(`${server.url}${pod}/portforward?ports=80&ports=81`, {
          method: 'POST',
          headers: {
            connection: 'Upgrade',
            upgrade: 'SPDY/3.1',
            'x-stream-protocol-version': 'portforward.k8s.io',
          },
        });
        request.end();
        const [response, socket] = (await once(request, 'upgrade')) as Upgraded;
        assert.equal(response.headers['x-stream-protocol-version'], 'portforward.k8s.io');
        socket.write('there and back');
        const [back] = (await once(socket, 'data')) as [Buffer];
        assert.equal(back.toString(), 'there and back');
        assert.deepEqual(kubelet.asked, ['POST /portForward/default/p?port=80%2C81']);
        socket.destroy();
        await kubelet.over();
      },
      { transport: 'node' },
    );
  });

  it('WebSocket is passed on with what is offered, but for who asks', async () => {
    await withNode(
      {},
      async ({ server, kubelet }) => {
        const token = readFileSync(path.join(server.dataDir, 'pki', 'admin.token'), 'utf8').trim();
        const shown = Buffer.from(token).toString('base64url');
        const url = `${server.url.replace('http', 'ws')}${pod}/portforward?ports=80`;
        const socket = new WebSocket(url, [
          `base64url.bearer.authorization.k8s.io.${shown}`,
          'v4.channel.k8s.io',
          'v4.base64.channel.k8s.io',
        ]);
        await once(socket, 'open');
        assert.equal(socket.protocol, 'v4.channel.k8s.io');
        const { 'sec-websocket-protocol': offered } = kubelet.headers();
        assert.equal(offered, 'v4.channel.k8s.io, v4.base64.channel.k8s.io');
        socket.close();
        await once(socket, 'close');
      },
      { transport: 'node' },
    );
  });

  it('is refused in words where only WebSocket is spoken', async () => {
    await withNode(
      {},
      async ({ server }) => {
        const reply = await server.request('POST', `${pod}/exec?command=id`, {
          headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1' },
        });
        assert.equal(reply.status, 400);
        assert.match(JSON.stringify(reply.body), /SPDY is spoken at the secure port/);
      },
      { transport: 'uws' },
    );
  });
});

it('one caller has a quarter of the places, and is told to come again above them', async () => {
  const log: KubeletTraits['log'] = (_request, response) => response.write('one\n');
  await withNode(
    { log },
    async ({ server, kubelet }) => {
      const open = http.get(`${server.url}${pod}/log?follow=true`);
      await once(open, 'response');
      const second = await server.request('GET', `${pod}/log`);
      assert.equal(second.status, 429);
      assert.equal(second.headers['retry-after'], '5');
      open.destroy();
      await kubelet.over();
    },
    { 'max-passed-connections': '4' },
  );
});

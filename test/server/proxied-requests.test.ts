/**
 * Proxied requests to pods: what the program behind the proxy is sent, and what becomes of its
 * answer. It listens on an address of this machine that is not loopback, where callers may not be
 * led; where the machine has none these tests are skipped.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { isReachable } from '../../src/apimachinery/reachable-address.ts';
import { podSpec } from '../support/data/valid-objects.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestOptions, TestServer } from '../support/servers/test-server.ts';

const pods = '/api/v1/namespaces/default/pods';

const address = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .map((each) => each.address)
  .find((each) => isReachable(each) && !each.includes(':'));

interface Program {
  readonly port: number;
  readonly requests: { readonly head: IncomingMessage; readonly body: string }[];
  /** Resolves when the connection of the last request is over. */
  readonly over: () => Promise<void>;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function withProgram(
  answer: Answer,
  use: (server: TestServer, program: Program, proxy: string) => Promise<void>,
  options: TestOptions = {},
): Promise<void> {
  const requests: { head: IncomingMessage; body: string }[] = [];
  let over: Promise<void> = Promise.resolve();
  const program = http.createServer((head, response) => {
    over = new Promise((resolve) => response.once('close', resolve));
    const parts: Buffer[] = [];
    head.on('data', (part: Buffer) => parts.push(part));
    head.on('end', () => {
      requests.push({ head, body: Buffer.concat(parts).toString() });
      answer(head, response);
    });
  });
  program.on('upgrade', (head: IncomingMessage, socket: Socket) => {
    requests.push({ head, body: '' });
    socket.on('error', () => undefined);
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n',
    );
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => program.listen(0, address, resolve));
  const server = await startTestServer(options);
  try {
    const create = async (path: string, object: object): Promise<void> => {
      await server.request('POST', path, { body: JSON.stringify(object) });
    };
    await create('/api/v1/namespaces', { metadata: { name: 'default' } });
    await create(pods, { metadata: { name: 'p' }, spec: podSpec() });
    const status = { podIP: address, podIPs: [{ ip: address }] };
    const patched = await server.request('PATCH', `${pods}/p/status`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ status }),
    });
    assert.equal(patched.status, 200);
    const { port } = program.address() as AddressInfo;
    await use(server, { port, requests, over: () => over }, `${pods}/p:${port}/proxy`);
  } finally {
    program.closeAllConnections();
    program.close();
    await server.remove();
  }
}

/** As it comes: the client of the tests would unpack it. */
async function fetchPacked(server: TestServer, path: string): Promise<Buffer> {
  const { hostname, port } = new URL(server.url);
  const token = readFileSync(join(server.dataDir, 'pki', 'admin.token'), 'utf8').trim();
  const headers = { authorization: `Bearer ${token}` };
  const request = http.get({ hostname, port, path, headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return buffer(response);
}

const skip = address === undefined ? 'this machine has no address but loopback' : false;

describe('a proxied request', { skip }, () => {
  it('reaches the program as it was sent, with who sent it, and without credentials', async () => {
    await withProgram(
      (_request, response) => response.writeHead(201, { 'x-answer': 'yes' }).end('{"made":1}'),
      async (server, { requests }, proxy) => {
        const reply = await server.request('POST', `${proxy}/a//b%2Fc/?x=1&dry=2`, {
          headers: {
            'x-mine': 'yes',
            'content-type': 'text/odd',
            connection: 'x-hop',
            'x-hop': '1',
            'x-remote-user': 'root',
            'x-remote-extra-a': 'b',
            'x-forwarded-uri': '/forged',
            'x-forwarded-host': 'forged',
          },
          body: 'a body',
        });
        assert.equal(reply.status, 201);
        assert.equal(reply.headers['x-answer'], 'yes');
        assert.equal(reply.headers['cache-control'], 'no-cache, private');
        assert.deepEqual(reply.body, { made: 1 });
        const [{ head, body }] = requests as [(typeof requests)[number]];
        assert.equal(`${head.method} ${head.url}`, 'POST /a//b%2Fc/?x=1&dry=2');
        assert.equal(body, 'a body');
        assert.equal(head.headers['x-mine'], 'yes');
        assert.equal(head.headers['content-type'], 'text/odd');
        assert.equal(head.headers['x-hop'], undefined);
        assert.equal(head.headers['authorization'], undefined);
        assert.equal(head.headers['x-remote-user'], undefined);
        assert.equal(head.headers['x-remote-extra-a'], undefined);
        assert.equal(head.headers['x-forwarded-host'], new URL(server.url).host);
        assert.equal(head.headers['x-forwarded-for'], '127.0.0.1');
        assert.equal(head.headers['x-forwarded-uri'], `${proxy}/a//b%2Fc/`);
      },
    );
  });

  it('for a head alone says how long the body would be, but of a page that is changed', async () => {
    await withProgram(
      ({ url }, response) => {
        const type = url === '/page' ? 'text/html' : 'text/plain';
        response.writeHead(200, { 'content-type': type, 'content-length': 5_000_000_000 }).end();
      },
      async (server, _program, proxy) => {
        const lengthOf = async (path: string) =>
          (await server.request('HEAD', `${proxy}${path}`)).headers['content-length'];
        assert.deepEqual(
          [await lengthOf('/plain'), await lengthOf('/page')],
          ['5000000000', undefined],
        );
      },
    );
  });

  it('of the program itself is sent on to its slash, and redirects lead through the proxy', async () => {
    const locations = ['/login', 'relative', 'http://elsewhere.example/x'];
    await withProgram(
      (request, response) => {
        const location = locations[Number(request.url?.slice(1))] ?? '';
        response.writeHead(302, { location, 'access-control-allow-origin': '*' }).end();
      },
      async (server, _program, proxy) => {
        const bare = await server.request('GET', `${proxy}?q=1`);
        assert.equal(bare.status, 301);
        assert.equal(bare.headers['location'], `${proxy}/?q=1`);
        const seen: unknown[] = [];
        for (const at of locations.keys()) {
          const { headers } = await server.request('GET', `${proxy}/${at}`);
          assert.equal(headers['access-control-allow-origin'], undefined);
          seen.push(headers['location']);
        }
        assert.deepEqual(seen, [`${proxy}/login`, 'relative', 'http://elsewhere.example/x']);
      },
    );
  });

  it('for a page gets one whose links lead through the proxy, packed or not', async () => {
    const page = (at: string): string =>
      `<a href="${at}/login">one</a><img src="x.png"><a href="http://elsewhere.example/y">`;
    await withProgram(
      ({ url, method }, response) => {
        const isPacked = url === '/packed';
        const bytes = isPacked ? gzipSync(page('')) : Buffer.from(page(''));
        response.writeHead(200, {
          'content-type': 'text/html; charset=utf-8',
          'content-length': bytes.length,
          ...(isPacked && { 'content-encoding': 'gzip' }),
        });
        response.end(method === 'HEAD' ? undefined : bytes);
      },
      async (server, _program, proxy) => {
        const plain = await server.request('GET', `${proxy}/plain`);
        assert.equal(plain.text, page(proxy));
        const packed = await fetchPacked(server, `${proxy}/packed`);
        assert.equal(gunzipSync(packed).toString(), page(proxy));
        const head = await server.request('HEAD', `${proxy}/plain`);
        assert.equal(head.status, 200);
        assert.equal(head.text, '');
      },
    );
  });

  it('for a page that breaks off, or cannot be unpacked, breaks off', async () => {
    await withProgram(
      ({ url }, response) => {
        const isPacked = url === '/packed';
        response.writeHead(200, {
          'content-type': 'text/html',
          ...(isPacked && { 'content-encoding': 'gzip' }),
        });
        response.write('<a href="/x">', () => (isPacked ? response.end() : response.destroy()));
      },
      async (server, _program, proxy) => {
        await assert.rejects(server.request('GET', `${proxy}/plain`));
        await assert.rejects(fetchPacked(server, `${proxy}/packed`));
      },
    );
  });

  it('whose program is not there, or breaks off, says so; one whose client goes is cut', async () => {
    await withProgram(
      (request, response) => {
        if (request.url === '/break') response.destroy();
        else response.write('begun');
      },
      async (server, { over, requests }, proxy) => {
        const broken = await server.request('GET', `${proxy}/break`);
        assert.equal(broken.status, 503);
        assert.match(JSON.stringify(broken.body), /error trying to reach service: /);
        const nobody = await server.request('GET', `${pods}/p:1/proxy/x`);
        assert.equal(nobody.status, 503);
        assert.match(JSON.stringify(nobody.body), /ECONNREFUSED/);
        const open = http.get(`${server.url}${proxy}/open`);
        await once(open, 'response');
        open.destroy();
        await over();
        assert.equal(requests.length, 2);
      },
    );
  });

  it('that asks for another protocol gets it where the connection can be handed over', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'echo' };
    await withProgram(
      (_request, response) => response.end(),
      async (server, { requests }, proxy) => {
        const request = http.get(`${server.url}${proxy}/ws`, { headers });
        const [response, socket] = (await once(request, 'upgrade')) as [IncomingMessage, Socket];
        assert.equal(response.headers.upgrade, 'echo');
        socket.write('there and back');
        const [back] = (await once(socket, 'data')) as [Buffer];
        assert.equal(back.toString(), 'there and back');
        socket.destroy();
        assert.equal(requests[0]?.head.url, '/ws');
      },
      { transport: 'node' },
    );
    await withProgram(
      (_request, response) => response.end(),
      async (server, { requests }, proxy) => {
        const refused = await server.request('GET', `${proxy}/ws`, { headers });
        assert.equal(refused.status, 400);
        assert.match(JSON.stringify(refused.body), /at the secure port only/);
        assert.equal(requests.length, 0);
      },
      { transport: 'uws' },
    );
  });
});

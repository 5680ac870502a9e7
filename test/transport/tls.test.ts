import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2, constants as http2Constants } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { request } from 'node:https';
import path from 'node:path';
import { describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { defaultTransportLimits } from '../../src/transport/http-exchange.ts';
import type {
  ExchangeHandler,
  HttpServer,
  ResponseStream,
  TransportLimits,
} from '../../src/transport/http-exchange.ts';
import { listenNode } from '../../src/transport/node/listen-node.ts';
import { pattern } from '../contract/transport-streams.ts';

// A self-signed pair made for these tests; the PEM files stay with the sources.
const pem = (name: string): string =>
  readFileSync(path.join(process.cwd(), 'test', 'support', 'data', name), 'utf8');
const certificatePem = pem('tls-certificate.pem');
const keyPem = pem('tls-key.pem');

async function withServer(
  handler: ExchangeHandler,
  check: (server: HttpServer) => Promise<void>,
  extra: { limits?: Partial<TransportLimits>; clientCaPem?: string } = {},
): Promise<void> {
  const server = await listenNode(
    {
      address: '127.0.0.1',
      port: 0,
      tls: { certificatePem, keyPem, clientCaPem: extra.clientCaPem },
      limits: { ...defaultTransportLimits, ...extra.limits },
    },
    handler,
  );
  try {
    await check(server);
  } finally {
    await server.close();
  }
}

function session(server: HttpServer): ClientHttp2Session {
  const client = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: certificatePem });
  client.on('error', () => {});
  return client;
}

function head(stream: ClientHttp2Stream): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    stream.on('response', resolve);
    stream.on('error', reject);
  });
}

async function whole(stream: ClientHttp2Stream, pauseMs = 0): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) {
    pieces.push(piece as Buffer);
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return Buffer.concat(pieces);
}

/** node's client writes header text as Latin-1. */
const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

const echo: ExchangeHandler = (exchange) => {
  void exchange.readBody(100_000).then((body) => {
    if (body.kind === 'too-large') exchange.send(413, [], 'too large');
    if (body.kind !== 'complete') return;
    const { method, path, query, scheme } = exchange;
    const seen = { method, path, query, scheme, host: exchange.header('host') !== undefined };
    const pseudo = exchange.headers().some(([name]) => name.startsWith(':'));
    const bytes = body.bytes.byteLength;
    exchange.send(
      200,
      [
        ['Warning', 'é1'],
        ['Warning', '2'],
      ],
      JSON.stringify({ ...seen, pseudo, bytes, name: exchange.header('x-name') }),
    );
  });
};

describe('transport node over TLS', { timeout: 240_000 }, () => {
  it('HTTP/2: head, body, repeated headers and UTF-8 are as in HTTP/1.1', async () => {
    await withServer(echo, async (server) => {
      const client = session(server);
      const stream = client.request({
        ':method': 'POST',
        ':path': '/a%20b?c=d',
        'x-name': utf8('café!'),
      });
      stream.end(Buffer.alloc(100_000));
      const headers = await head(stream);
      assert.equal(headers[':status'], 200);
      assert.equal(Buffer.from(String(headers['warning']), 'latin1').toString(), 'é1, 2');
      assert.deepEqual(JSON.parse((await whole(stream)).toString()), {
        method: 'POST',
        path: '/a%20b',
        query: 'c=d',
        scheme: 'https',
        host: true,
        pseudo: false,
        bytes: 100_000,
        name: 'café!',
      });
      client.destroy();
    });
  });

  it('HTTP/2: a body above the limit gets 413 and the other streams go on', async () => {
    await withServer(echo, async (server) => {
      const client = session(server);
      const large = client.request({ ':method': 'POST', ':path': '/' });
      large.on('error', () => {});
      large.end(Buffer.alloc(300_000));
      assert.equal((await head(large))[':status'], 413);
      const small = client.request({ ':path': '/' });
      assert.equal((await head(small))[':status'], 200);
      client.destroy();
    });
  });

  it('HTTP/2: HEAD has the length and no body', async () => {
    const handler: ExchangeHandler = (exchange) => exchange.send(200, [], 'five!');
    await withServer(handler, async (server) => {
      const client = session(server);
      const stream = client.request({ ':method': 'HEAD', ':path': '/' });
      assert.equal((await head(stream))['content-length'], '5');
      assert.equal((await whole(stream)).length, 0);
      client.destroy();
    });
  });

  it('HTTP/2: a quiet stream has its head at once, outlives idle time, and streams do not mix', async () => {
    const streams: ResponseStream[] = [];
    const handler: ExchangeHandler = (exchange) => {
      const stream = exchange.stream(200, [], Buffer.from(' '));
      if (exchange.path === '/quiet') {
        streams.push(stream);
        return;
      }
      const content = pattern(Number(exchange.query), 3_000_000);
      let at = 0;
      const more = (): void => {
        while (at < content.length) {
          at += 70_000;
          if (!stream.write(content.subarray(at - 70_000, at))) return;
        }
        stream.end();
      };
      stream.onDrain(more);
      more();
    };
    const limits = { idleTimeoutMs: 2_000 };
    const check = async (server: HttpServer): Promise<void> => {
      const client = session(server);
      const quiet = client.request({ ':path': '/quiet' });
      assert.equal((await head(quiet))[':status'], 200);
      const reads = [1, 2, 3].map(async (seed) => {
        const body = await whole(client.request({ ':path': `/?${seed}` }), 1);
        assert.ok(body.equals(pattern(seed, 3_000_000)));
      });
      await Promise.all(reads);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      streams[0]?.end();
      await whole(quiet);
      await new Promise((resolve) => client.on('close', resolve));
    };
    await withServer(handler, check, { limits });
  });

  it('HTTP/2: a stream that is reset aborts its exchange only', async () => {
    const log: string[] = [];
    const handler: ExchangeHandler = (exchange) => {
      exchange.stream(200, [], Buffer.from(' '));
      exchange.onAbort(() => log.push(exchange.path));
    };
    await withServer(handler, async (server) => {
      const client = session(server);
      const [gone, stays] = [client.request({ ':path': '/1' }), client.request({ ':path': '/2' })];
      await Promise.all([head(gone), head(stays)]);
      gone.close();
      while (log.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      assert.deepEqual(log, ['/1']);
      client.destroy();
      while (log.length === 1) await new Promise((resolve) => setTimeout(resolve, 5));
      assert.deepEqual(log, ['/1', '/2']);
    });
  });

  it('HTTP/2: streams that are reset behind their heads hold up none that stays', async () => {
    let begun = 0;
    const handler: ExchangeHandler = (exchange) => {
      begun += 1;
      exchange.send(200, [], 'ok');
    };
    await withServer(handler, async (server) => {
      const client = session(server);
      await new Promise((resolve) => client.once('remoteSettings', resolve));
      const count = 200;
      const closed = Array.from({ length: count }, () => {
        const stream = client.request({ ':path': '/reset' });
        stream.on('error', () => {});
        stream.close(http2Constants.NGHTTP2_CANCEL);
        return new Promise((resolve) => stream.once('close', resolve));
      });
      await Promise.all(closed);
      const stays = Array.from({ length: 100 }, () => whole(client.request({ ':path': '/' })));
      for (const body of await Promise.all(stays)) assert.equal(body.toString(), 'ok');
      assert.ok(begun < 100 + count, `${begun} begun, as many as were opened`);
      client.destroy();
    });
  });

  it('HTTP/2: stopAccepting lets streams in flight finish and then ends the session', async () => {
    let finish: (() => void) | undefined;
    const handler: ExchangeHandler = (exchange) => {
      finish = () => exchange.send(200, [], 'finished');
      exchange.onAbort(() => assert.fail('aborted'));
    };
    await withServer(handler, async (server) => {
      const client = session(server);
      const stream = client.request({ ':path': '/' });
      while (finish === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
      server.stopAccepting();
      setTimeout(finish, 50);
      assert.equal((await whole(stream)).toString(), 'finished');
      await new Promise((resolve) => client.on('close', resolve));
    });
  });

  it('HTTP/2: close() lets answers reach their clients that were given just before', async () => {
    const text = 'an answer '.repeat(20_000);
    const requests = 8;
    let given = 0;
    let closing: Promise<void> | undefined;
    let close = (): void => assert.fail('closed before it listens');
    const answer: ExchangeHandler = (exchange) => {
      exchange.send(200, [], text);
      given += 1;
      if (given === requests) close();
    };
    await withServer(answer, async (server) => {
      close = () => void (closing = server.close());
      const client = session(server);
      const streams = Array.from({ length: requests }, () => client.request({ ':path': '/a' }));
      const bodies = await Promise.all(streams.map((stream) => whole(stream)));
      for (const body of bodies) assert.equal(body.toString(), text);
      await closing;
    });
  });

  it('HTTP/2: close() waits for no client that takes nothing', async () => {
    let started = (): void => undefined;
    const begun = new Promise<void>((resolve) => (started = resolve));
    const never: ExchangeHandler = () => started();
    await withServer(never, async (server) => {
      const client = session(server);
      const stream = client.request({ ':path': '/a' });
      const cut = new Promise((resolve) => stream.on('close', resolve).on('error', () => {}));
      await begun;
      await server.close();
      await cut;
    });
  });

  it('HTTP/1.1 is served by ALPN on the same port', async () => {
    await withServer(echo, async (server) => {
      const { port } = server;
      const options = { port, host: '127.0.0.1', ca: certificatePem, path: '/x?y', agent: false };
      const body = await new Promise<string>((resolve, reject) => {
        const client = request(options, (response) => {
          let text = '';
          response.on('data', (piece: Buffer) => (text += piece.toString()));
          response.on('end', () => resolve(text));
        });
        client.on('error', reject);
        client.end();
      });
      assert.match(body, /"path":"\/x","query":"y","scheme":"https"/);
    });
  });

  it('with a client CA a certificate is asked for and not demanded', async () => {
    const handler: ExchangeHandler = (exchange) => exchange.send(200, [], 'ok');
    for (const own of [{}, { cert: certificatePem, key: keyPem }]) {
      const check = async (server: HttpServer): Promise<void> => {
        const { port } = server;
        const socket = connectTls({ port, host: '127.0.0.1', ca: certificatePem, ...own });
        socket.write('GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n');
        let text = '';
        for await (const piece of socket) text += String(piece);
        assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
      };
      await withServer(handler, check, { clientCaPem: certificatePem });
    }
  });

  it('a client that does not finish its handshake, or speaks no TLS, is cut off', async () => {
    const handler: ExchangeHandler = (exchange) => exchange.send(200, [], 'ok');
    const check = async (server: HttpServer): Promise<void> => {
      const { RawConnection } = await import('../support/clients/raw-http.ts');
      const silent = new RawConnection(server.port);
      const plain = new RawConnection(server.port);
      plain.write('GET / HTTP/1.1\r\nHost: t\r\n\r\n');
      await Promise.all([silent.closed, plain.closed]);
    };
    await withServer(handler, check, { limits: { requestTimeoutMs: 500 } });
  });
});

/**
 * Requests that never become one, on both transports: what comes back is a Status, or what the
 * README says of the library that sends nothing.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect as connectH2 } from 'node:http2';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { defaultTransportLimits } from '../../src/transport/http-exchange.ts';
import type { ExchangeHandler, HttpServer } from '../../src/transport/http-exchange.ts';
import { listenNode } from '../../src/transport/node/listen-node.ts';
import { tlsPair } from '../support/data/tls-pair.ts';
import { listenUws } from '../support/servers/listen-uws.ts';
import { loadUws } from '../../src/transport/uws/uws-binding.ts';

const limits = { ...defaultTransportLimits, requestTimeoutMs: 1_000 };
const at = { address: '127.0.0.1', port: 0, limits };

const handler: ExchangeHandler = (exchange) => {
  const text = `${exchange.method} ${exchange.path} ${exchange.headers().length}`;
  if (exchange.method !== 'POST') return exchange.send(200, [], text);
  void exchange.readBody(1_000).then(() => exchange.send(200, [], text));
};

/** Everything that comes until the connection ends, or the answer with its whole body. */
function ask(port: number, request: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const done = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      if (/^HTTP\/1\.1 200 .*\r\n\r\n./s.test(text)) done();
    });
    socket.on('error', done);
    socket.on('close', done);
    socket.write(request, 'latin1');
  });
}

const headers = (count: number): string =>
  Array.from({ length: count }, (_, i) => `X-${i}: v\r\n`).join('');

const host = 'Host: t\r\n';
const long = `X-Long: ${'x'.repeat(20_000)}\r\n`;
const chunked = 'Transfer-Encoding: chunked\r\n';

/** A request, and the answer of each transport: a body, or a Status by code and reason; '' is an
 * end without one. */
interface Row {
  readonly what: string;
  readonly request: string;
  readonly node: string;
  readonly uws: string;
}

const tooLarge = '431 - the request head is larger than 16384 bytes';
const noMethod =
  '405 MethodNotAllowed the server does not allow this method on the requested resource';
const noCoding = '400 BadRequest the only transfer coding known here is chunked';

const rows: readonly Row[] = [
  {
    what: 'a method that nobody knows',
    request: `BREW / HTTP/1.1\r\n${host}\r\n`,
    node: noMethod,
    uws: '',
  },
  {
    what: 'a method in lower case',
    request: `get / HTTP/1.1\r\n${host}\r\n`,
    node: noMethod,
    uws: '',
  },
  {
    what: 'a method of another protocol over HTTP',
    request: `PROPFIND /x HTTP/1.1\r\n${host}\r\n`,
    node: 'PROPFIND /x 1',
    uws: '',
  },
  {
    what: 'TRACE',
    request: `TRACE /x HTTP/1.1\r\n${host}\r\n`,
    node: 'TRACE /x 1',
    uws: 'TRACE /x 1',
  },
  { what: 'CONNECT', request: `CONNECT t:1 HTTP/1.1\r\n${host}\r\n`, node: noMethod, uws: '' },
  {
    what: 'no HTTP at all',
    request: 'hello\r\n\r\n',
    node: '400 BadRequest the request is not HTTP',
    uws: '',
  },
  {
    what: 'no Host',
    request: 'GET / HTTP/1.1\r\n\r\n',
    node: '400 BadRequest missing required Host header',
    uws: '',
  },
  {
    what: 'two Hosts',
    request: `GET / HTTP/1.1\r\n${host}X: y\r\nhost: t\r\n\r\n`,
    node: '400 BadRequest too many Host headers',
    uws: '400 BadRequest too many Host headers',
  },
  {
    what: 'a target that is no path',
    request: `OPTIONS * HTTP/1.1\r\n${host}\r\n`,
    node: '400 BadRequest the request target is not a path',
    uws: '',
  },
  {
    what: '48 headers',
    request: `GET / HTTP/1.1\r\n${host}${headers(47)}\r\n`,
    node: 'GET / 48',
    uws: 'GET / 48',
  },
  {
    what: '49 headers',
    request: `GET / HTTP/1.1\r\n${host}${headers(48)}\r\n`,
    node: 'GET / 49',
    uws: '',
  },
  {
    what: '1,000 headers',
    request: `GET / HTTP/1.1\r\n${host}${headers(1_000)}\r\n`,
    node: 'GET / 1001',
    uws: '',
  },
  {
    what: '2,500 headers, above what node counts by itself',
    request: `GET / HTTP/1.1\r\n${host}${'a:\r\n'.repeat(2_500)}\r\n`,
    node: 'GET / 2501',
    uws: '',
  },
  {
    what: 'a large head',
    request: `GET / HTTP/1.1\r\n${host}${long}\r\n`,
    node: tooLarge,
    uws: tooLarge,
  },
  {
    what: 'another transfer coding',
    request: `POST / HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    node: noCoding,
    uws: noCoding,
  },
  {
    what: 'a head that does not end',
    request: `GET / HTTP/1.1\r\n${host}X: `,
    node: '408 Timeout the request did not arrive in time',
    uws: '',
  },
  {
    what: 'a chunk without a size',
    request: `POST / HTTP/1.1\r\n${host}${chunked}\r\nx\r\n`,
    node: '400 BadRequest Parse Error: Invalid character in chunk size',
    uws: '',
  },
];

function said(answer: string): string {
  if (answer === '') return '';
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
  if (/^HTTP\/1\.1 200 /.test(head)) return body;
  assert.match(head, /\r\nContent-Type: application\/json(?:\r\n|$)/i);
  assert.match(head, /\r\nConnection: close(?:\r\n|$)/i);
  const status = JSON.parse(body) as Record<string, unknown>;
  assert.deepEqual(
    [status['kind'], status['apiVersion'], status['status']],
    ['Status', 'v1', 'Failure'],
  );
  assert.equal(Number(head.split(' ')[1]), status['code']);
  return [status['code'], status['reason'] ?? '-', status['message']].join(' ');
}

const load = await loadUws();

for (const transport of ['node', 'uws'] as const) {
  const skip = transport === 'uws' && !load.ok ? 'no uWebSockets.js loads here' : false;
  describe(`what never becomes a request (${transport})`, { skip, concurrency: true }, () => {
    let server: HttpServer;
    before(async () => {
      server = await (transport === 'node' ? listenNode : listenUws)(at, handler);
    });
    after(() => server.close());
    for (const row of rows) {
      it(`${row.what}: ${row[transport] === '' ? 'ends' : row[transport]}`, async () => {
        assert.equal(said(await ask(server.port, row.request)), row[transport]);
      });
    }
  });
}

describe('headers over HTTP/2', () => {
  it('are taken in any number that the head has room for', async () => {
    const pem = (name: string): string =>
      readFileSync(new URL(`../../../test/support/data/${name}`, import.meta.url), 'utf8');
    const tls = { certificatePem: pem('tls-certificate.pem'), keyPem: pem('tls-key.pem') };
    const server = await listenNode({ ...at, tls }, handler);
    const session = connectH2(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
    const ask = async (length: number): Promise<string> => {
      const many = Object.fromEntries(Array.from({ length }, (_, i) => [`x-${i}`, 'v']));
      const stream = session.request({ ':path': '/many', ...many });
      let text = '';
      stream.setEncoding('utf8');
      for await (const piece of stream) text += String(piece);
      return text;
    };
    // The second one is sent before the client has read how large a head may be.
    const [text, refused] = await Promise.all([ask(300), ask(500)]);
    session.close();
    await server.close();
    assert.match(text, /^GET \/many 30\d$/);
    assert.match(refused, /the request head is larger than 16384 bytes/);
  });

  it('over HTTP/2 refuse CONNECT with a status, and serve the session on', async () => {
    const server = await listenNode({ ...at, tls: tlsPair }, handler);
    const session = connectH2(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
    const answerTo = async (headers: Record<string, string>): Promise<[unknown, string]> => {
      const stream = session.request(headers);
      const answered = once(stream, 'response') as Promise<[Record<string, unknown>]>;
      let text = '';
      stream.setEncoding('utf8');
      for await (const piece of stream) text += String(piece);
      return [(await answered)[0][':status'], text];
    };
    const [status, body] = await answerTo({ ':method': 'CONNECT', ':authority': 't:1' });
    assert.equal(status, 405);
    assert.equal((JSON.parse(body) as { reason: unknown }).reason, 'MethodNotAllowed');
    assert.equal(session.remoteSettings.enableConnectProtocol, false);
    assert.equal((await answerTo({ ':path': '/on' }))[0], 200);
    session.close();
    await server.close();
  });
});

/** The part of the transport contract about ordinary requests and their answers. */
import assert from 'node:assert/strict';
import { headerOf } from '../support/clients/raw-http.ts';
import { answer, echo, post, requestPieces, text } from './transport-bench.ts';
import type { Property } from './transport-bench.ts';

export const requestProperties: readonly Property[] = [
  [
    'the head is readable after an await: method, raw path, raw query, headers in order',
    () => (exchange) => {
      setTimeout(() => {
        const { method, path, query, scheme, remoteAddress } = exchange;
        const heads = exchange.headers().filter(([name]) => name !== 'host');
        const joined = exchange.header('x-a');
        const absent = exchange.header('x-none') === undefined;
        const seen = { method, path, query, scheme, remoteAddress, heads, joined, absent };
        exchange.send(200, [], JSON.stringify(seen));
      }, 5);
    },
    async ({ connect, traits }) => {
      const client = connect();
      client.request('DELETE', '/a%20b/%2F?x=%20y?z', 'X-A: 1\r\nX-B: b\r\nx-a:  2 \r\n');
      assert.deepEqual(JSON.parse((await client.response()).body.toString()), {
        method: 'DELETE',
        path: '/a%20b/%2F',
        query: 'x=%20y?z',
        scheme: traits.tls === undefined ? 'http' : 'https',
        remoteAddress: '127.0.0.1',
        heads: [
          ['x-a', '1'],
          ['x-b', 'b'],
          ['x-a', '2'],
        ],
        joined: '1, 2',
        absent: true,
      });
    },
  ],
  [
    'header text is UTF-8 both ways, repeated response headers stay apart, no value breaks its line',
    () => (exchange) => {
      const seen = exchange.header('x-name') ?? '';
      const headers = [
        ['Warning', `299 - "${seen}"`],
        ['Warning', 'second\r\nInjected: yes'],
        ['Content-Length', '3'],
      ] as const;
      const body = JSON.stringify([seen, exchange.header('x-bad')]);
      if (exchange.path === '/whole') return exchange.send(200, headers, body);
      const stream = exchange.stream(200, headers, Buffer.from(' '));
      stream.write(Buffer.from(body));
      return stream.end();
    },
    async ({ connect }) => {
      for (const path of ['/whole', '/streamed']) {
        const client = connect();
        client.request('GET', path, 'X-Name: caf\xc3\xa9!\r\nX-Bad: !\xff!\r\n');
        const response = await client.response();
        assert.deepEqual(JSON.parse(response.body.toString()), ['café!', '!\ufffd!']);
        assert.deepEqual(headerOf(response, 'warning'), [
          '299 - "caf\xc3\xa9!"',
          'second Injected: yes',
        ]);
      }
    },
  ],
  [
    'an exchange tells what it was answered with, and nothing before',
    (notes) => (exchange) => {
      const told = [exchange.answered, exchange.status];
      if (exchange.path === '/stream') exchange.stream(202, text, Buffer.from(' ')).end();
      else exchange.send(418, text, '');
      notes.log.push([...told, exchange.answered, exchange.status].join(' '));
    },
    async ({ connect }, notes) => {
      for (const path of ['/', '/stream']) {
        const client = connect();
        client.request('GET', path);
        await client.response();
      }
      assert.deepEqual(notes.log, ['false 0 true 418', 'false 0 true 202']);
    },
  ],
  [
    'HEAD has the Content-Length of GET and no body, and the connection goes on',
    () => (exchange) => {
      const stated = [...text, ['Content-Length', '7'] as const];
      if (exchange.path === '/stream') exchange.stream(200, stated, Buffer.from(' ')).end();
      else exchange.send(200, text, exchange.path === '/large' ? 'é'.repeat(50_000) : 'five!');
    },
    async ({ connect }) => {
      const client = connect();
      for (const [path, length] of [
        ['/', '5'],
        ['/large', '100000'],
      ] as const) {
        client.request('HEAD', path);
        const head = await client.response();
        assert.deepEqual([headerOf(head, 'content-length'), head.body.length], [[length], 0]);
        client.request('GET', path);
        assert.equal((await client.response()).body.length, Number(length));
      }
      client.request('HEAD', '/stream');
      const stated = await client.response();
      assert.deepEqual([stated.status, headerOf(stated, 'content-length')], [200, ['7']]);
      client.request('GET', '/stream');
      assert.deepEqual(headerOf(await client.response(), 'content-length'), []);
    },
  ],
  [
    'keep-alive: many requests, one connection; Connection: close ends it after the answer',
    answer('ok'),
    async ({ connect }) => {
      const client = connect();
      for (let i = 0; i < 20; i += 1) {
        client.request('GET', `/${i}`);
        assert.equal((await client.response()).body.toString(), 'ok');
      }
      client.request('GET', '/', 'Connection: close\r\n');
      await client.response();
      await client.closed;
    },
  ],
  [
    'Connection: close ends it also when it is one of many options',
    answer('ok'),
    async ({ connect }) => {
      for (const options of ['TE, close', 'Close,TE', 'keep-alive ,\tclose']) {
        const client = connect();
        client.request('GET', '/', `Connection: ${options}\r\nTE: trailers\r\n`);
        assert.deepEqual(headerOf(await client.response(), 'connection'), ['close'], options);
        await client.closed;
      }
      const kept = connect();
      for (let i = 0; i < 2; i += 1) {
        kept.request('GET', '/', 'Connection: TE, closed\r\nTE: trailers\r\n');
        assert.equal((await kept.response()).status, 200);
      }
    },
  ],
  [
    'pipelined requests that are answered at once are answered in order',
    () => (exchange) => exchange.send(200, [], exchange.path),
    async ({ connect }) => {
      const client = connect();
      const paths = ['/1', '/2', '/3', '/4'];
      client.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: t\r\n\r\n`).join(''));
      for (const path of paths) assert.equal((await client.response()).body.toString(), path);
    },
  ],
  [
    'a pipelined request before the answer to the first is queued, or ends the connection',
    () => (exchange) => void setTimeout(() => exchange.send(200, [], exchange.path), 20),
    async ({ connect, traits }) => {
      const client = connect();
      client.write('GET /1 HTTP/1.1\r\nHost: t\r\n\r\nGET /2 HTTP/1.1\r\nHost: t\r\n\r\n');
      if (!traits.queuesPipelined) return client.closed;
      assert.equal((await client.response()).body.toString(), '/1');
      assert.equal((await client.response()).body.toString(), '/2');
      return undefined;
    },
  ],
  [
    'a body of exactly the limit is complete; one byte more is too large, and 413 is readable',
    echo(100_000),
    async ({ connect }, notes) => {
      for (const framing of ['length', 'chunked'] as const) {
        for (const size of [100_000, 100_001]) {
          const client = connect();
          post(client, framing, Buffer.alloc(size, 'b'));
          const response = await client.response();
          assert.equal(response.status, size === 100_000 ? 200 : 413);
          if (size === 100_000) assert.equal(response.body.length, size);
        }
      }
      assert.deepEqual(notes.log, ['complete', 'too-large', 'complete', 'too-large']);
    },
  ],
  [
    'bodies are exact however they are cut, with a length or chunked, and the connection goes on',
    echo(1 << 20),
    async ({ connect }) => {
      const body = Buffer.from(Array.from({ length: 80 }, (_, i) => (i * 7) & 0xff));
      for (const framing of ['length', 'chunked'] as const) {
        const client = connect();
        for (const step of [1, 7, 1000]) {
          const bytes = Buffer.concat(requestPieces(framing, body));
          client.expectResponse('POST');
          for (let at = 0; at < bytes.length; at += step) {
            client.write(bytes.subarray(at, at + step));
            await new Promise((resolve) => setImmediate(resolve));
          }
          assert.deepEqual((await client.response()).body, body);
        }
      }
    },
  ],
  [
    'a body asked for late, long after it began to arrive, is exact',
    echo(4 << 20, 150),
    async ({ connect }) => {
      const body = Buffer.alloc(3_000_000, 'late body ');
      for (const framing of ['length', 'chunked'] as const) {
        const client = connect();
        post(client, framing, body);
        assert.ok((await client.response()).body.equals(body));
        client.request('GET', '/');
        assert.equal((await client.response()).body.length, 0);
      }
    },
  ],
  [
    'an answer given without reading the body arrives, and the connection goes on',
    answer('no'),
    async ({ connect }) => {
      const client = connect();
      for (let i = 0; i < 3; i += 1) {
        post(client, 'length', Buffer.alloc(1_000_000));
        assert.equal((await client.response()).body.toString(), 'no');
      }
    },
  ],
  [
    'Expect: 100-continue is answered before the body',
    echo(100),
    async ({ connect }) => {
      const client = connect();
      client.write(
        'POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n',
      );
      assert.equal((await client.response()).status, 100);
      client.write('hello');
      assert.equal((await client.response()).body.toString(), 'hello');
    },
  ],
  [
    '204 and 304 have neither body nor length',
    () => (exchange) => exchange.send(exchange.path === '/204' ? 204 : 304, [], ''),
    async ({ connect }) => {
      const client = connect();
      for (const path of ['/204', '/304', '/204']) {
        client.request('GET', path);
        const response = await client.response();
        assert.equal(`/${response.status}`, path);
        assert.deepEqual(headerOf(response, 'content-length'), []);
      }
    },
  ],
];

/** Requests and answers over HTTP/2, frame by frame (RFC 9113, 8). */
import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import type { ClientHttp2Session, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpExchange } from '../../src/transport/http-exchange.ts';
import { serveExchanges } from '../support/clients/http2-exchanges.ts';
import { frameOf } from '../support/clients/http2-frame.ts';
import {
  blockOf,
  connectPeer,
  dataOf,
  endHeaders,
  endStream,
  getOf,
  headersOf,
  postOf,
  requestFields,
  types,
} from '../support/clients/http2-peer.ts';

const none = new Uint8Array();

interface Answer {
  readonly head: IncomingHttpHeaders;
  readonly body: string;
  readonly continues: number;
}

function ask(
  client: ClientHttp2Session,
  head: OutgoingHttpHeaders,
  send?: (stream: ReturnType<ClientHttp2Session['request']>) => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = client.request({ ':path': '/', ...head }, { endStream: send === undefined });
    let answered: IncomingHttpHeaders = {};
    let body = '';
    let continues = 0;
    stream.on('continue', () => (continues += 1)).on('error', reject);
    stream.on('response', (headers) => (answered = headers));
    stream.on('data', (bytes: Buffer) => (body += bytes.toString()));
    stream.on('close', () => resolve({ head: answered, body, continues }));
    send?.(stream);
  });
}

function openClient(port: number): ClientHttp2Session {
  return connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
}

async function echo(exchange: HttpExchange, waitMs = 0): Promise<void> {
  if (waitMs > 0) await sleep(waitMs);
  const body = await exchange.readBody(8 * 1024 * 1024);
  if (body.kind === 'complete') exchange.send(200, [], body.bytes);
  else if (body.kind !== 'aborted') exchange.send(413, [], 'too large');
}

describe('an answer over HTTP/2', () => {
  it('has a body of megabytes whole, of a client that had to wait for its reader', async (t) => {
    const serving = await serveExchanges(t, (exchange) => void echo(exchange, 50));
    const client = openClient(serving.port);
    const bodies = [5 * 1024 * 1024, 300_000, 65_535, 65_536, 1, 0].map((bytes, i) =>
      Buffer.alloc(bytes, `${i}${'abcdefghijk'.slice(i)}`),
    );
    const answers = await Promise.all(
      bodies.map((body) => ask(client, { ':method': 'POST' }, (stream) => stream.end(body))),
    );
    for (const [i, { body, head }] of answers.entries()) {
      assert.equal(head[':status'], 200);
      assert.ok(Buffer.from(body).equals(bodies[i] as Buffer));
    }
    await serving.untilQuiet();
    client.destroy();
  });

  it('that comes before the body is whole, and then its client need not send more', async (t) => {
    const serving = await serveExchanges(t, (exchange) => {
      exchange.stream(413, [], none).end();
      if (exchange.path === '/read') void exchange.readBody(1_000);
    });
    const peer = await connectPeer(serving.port);
    for (const [stream, path] of [
      [1, '/'],
      [3, '/read'],
    ] as const) {
      peer.send(postOf(stream, path), dataOf(stream, Buffer.alloc(1_000)));
      await peer.until(() => peer.resetCode(stream) !== undefined);
      const kinds = peer.of(stream).map(({ type }) => type);
      assert.deepEqual(kinds, [types.headers, types.data, types.reset]);
      assert.equal(peer.ended(stream), true);
      assert.equal(peer.resetCode(stream), 0);
    }
    // What was on its way is no error.
    peer.send(dataOf(1, Buffer.alloc(1_000)), dataOf(1, Buffer.alloc(10), endStream), getOf(5));
    await peer.until(() => peer.ended(5));
    assert.equal(peer.goawayCode, undefined);
    await serving.untilQuiet();
    assert.ok(serving.told.every(({ aborts }) => aborts === 0));
    peer.socket.destroy();
  });

  it('waits for the rest of a body that nobody wants, so that its client reads it', async (t) => {
    const serving = await serveExchanges(t, (exchange) => exchange.send(413, [], 'too large'));
    const peer = await connectPeer(serving.port);
    peer.send(postOf(1), dataOf(1, Buffer.alloc(1_000)));
    await peer.until(() => serving.told.length === 1);
    await sleep(20);
    assert.equal(peer.of(1, types.headers).length, 0);
    peer.send(dataOf(1, Buffer.alloc(10), endStream));
    await peer.until(() => peer.ended(1));
    assert.equal(peer.resetCode(1), undefined);
    assert.equal(peer.body(1).toString(), 'too large');
    // And not for ever.
    peer.send(postOf(3), dataOf(3, Buffer.alloc(10)));
    await peer.until(() => peer.resetCode(3) !== undefined);
    assert.equal(peer.body(3).toString(), 'too large');
    assert.equal(peer.resetCode(3), 0);
    peer.socket.destroy();
  });

  it('to HEAD and of 204 and 304 ends with its head', async (t) => {
    const serving = await serveExchanges(t, (exchange) => {
      const status = Number(exchange.path.slice(1));
      if (exchange.query === 'stream')
        exchange.stream(status, [['Content-Length', '7']], none).end();
      else exchange.send(status, [], status === 200 ? 'hello' : '');
    });
    const peer = await connectPeer(serving.port);
    const asked = [
      [1, 'HEAD', '/200', '5'],
      [3, 'HEAD', '/200?stream', '7'],
      [5, 'GET', '/204', undefined],
      [7, 'GET', '/304', undefined],
      [9, 'GET', '/204?stream', undefined],
    ] as const;
    for (const [stream, method, path, length] of asked) {
      peer.send(headersOf(stream, requestFields(method, path), true));
      await peer.until(() => peer.ended(stream));
      assert.equal(peer.of(stream).length, 1, path);
      const fields = peer.fieldsOf(stream);
      const at = fields.indexOf('content-length');
      assert.equal(at < 0 ? undefined : fields[at + 1], length, path);
      assert.ok(fields.includes('date'));
    }
    await serving.untilQuiet();
    peer.socket.destroy();
  });

  it('comes behind 100 for a client that waits for it, and for nobody else', async (t) => {
    const serving = await serveExchanges(t, (exchange) => void echo(exchange));
    const client = openClient(serving.port);
    const expects = { ':method': 'POST', expect: '100-continue' };
    const waited = await ask(client, expects, (stream) => {
      stream.on('continue', () => stream.end('body'));
    });
    assert.deepEqual([waited.continues, waited.body], [1, 'body']);
    const plain = await ask(client, { ':method': 'POST' }, (stream) => stream.end('body'));
    assert.deepEqual([plain.continues, plain.body], [0, 'body']);
    client.destroy();
    const peer = await connectPeer(serving.port);
    peer.send(headersOf(1, requestFields('POST', '/', [['expect', '100-continue']]), true));
    await peer.until(() => peer.ended(1));
    assert.equal(peer.of(1, types.headers).length, 1, 'it has sent its body already');
    peer.send(headersOf(3, requestFields('POST', '/', [['expect', 'miracles']]), true));
    await peer.until(() => peer.ended(3));
    assert.ok(peer.fieldsOf(3).includes('417'));
    peer.socket.destroy();
  });

  it('has each of the repeated headers, and so does the request', async (t) => {
    const serving = await serveExchanges(t, (exchange) => {
      assert.deepEqual(exchange.headerValues('x-twice'), ['a', 'b']);
      assert.equal(exchange.header('x-twice'), 'a, b');
      exchange.setAnswerHeader('X-First', '1');
      const repeated = [
        ['Warning', 'one'],
        ['Warning', 'two'],
        ['Bad', 'a\r\nb'],
      ] as const;
      exchange.send(200, [...repeated, ['Connection', 'close'], ['Content-Length', '99']], 'ok');
    });
    const peer = await connectPeer(serving.port);
    const twice = [
      ['x-twice', 'a'],
      ['x-twice', 'b'],
    ] as const;
    peer.send(headersOf(1, requestFields('GET', '/', twice), true));
    await peer.until(() => peer.ended(1));
    const fields = peer.fieldsOf(1);
    const expected = ['x-first', '1', 'warning', 'one', 'warning', 'two', 'bad', 'a b'];
    assert.deepEqual(fields.slice(2, 10), expected);
    assert.ok(!fields.includes('connection'));
    assert.equal(fields[fields.indexOf('content-length') + 1], '2');
    peer.socket.destroy();
  });
});

describe('a request over HTTP/2', () => {
  it('may have trailers, and is malformed with others', async (t) => {
    const serving = await serveExchanges(t, (exchange) => void echo(exchange));
    const peer = await connectPeer(serving.port);
    const begun = (stream: number): Buffer =>
      Buffer.concat([postOf(stream), dataOf(stream, Buffer.from('body'))]);
    peer.send(begun(1), headersOf(1, [['x-checksum', 'a']], true));
    await peer.until(() => peer.ended(1));
    assert.equal(peer.body(1).toString(), 'body');
    const wrong = [
      headersOf(3, [['x-checksum', 'a']], false),
      headersOf(5, [[':path', '/other']], true),
      headersOf(7, [['X-Upper', 'a']], true),
      headersOf(9, [['x-control', 'a\nb']], true),
    ];
    for (const [i, trailers] of wrong.entries()) {
      const stream = 2 * i + 3;
      peer.send(begun(stream), trailers);
      await peer.until(() => peer.resetCode(stream) !== undefined);
      assert.equal(peer.resetCode(stream), 1);
    }
    assert.equal(peer.goawayCode, undefined);
    await serving.untilQuiet();
    assert.ok(serving.told.slice(1).every(({ aborts }) => aborts === 1));
    peer.socket.destroy();
  });

  it('whose body is not as long as it says is reset, and nobody has the body', async (t) => {
    const kinds: string[] = [];
    const serving = await serveExchanges(t, (exchange) => {
      void exchange.readBody(1_000).then(({ kind }) => kinds.push(kind));
    });
    const peer = await connectPeer(serving.port);
    const long = [['content-length', '5']] as const;
    const wrong: readonly (readonly Buffer[])[] = [
      [postOf(1, '/', long), dataOf(1, Buffer.alloc(6))],
      [postOf(3, '/', long), dataOf(3, Buffer.alloc(4), endStream)],
      [postOf(5, '/', long), dataOf(5, Buffer.alloc(3)), dataOf(5, Buffer.alloc(3), endStream)],
      [postOf(7, '/', long), dataOf(7, Buffer.alloc(4)), headersOf(7, [['x-a', 'b']], true)],
      [headersOf(9, requestFields('POST', '/', long), true)],
    ];
    for (const [i, frames] of wrong.entries()) {
      peer.send(...frames);
      await peer.until(() => peer.resetCode(2 * i + 1) !== undefined);
      assert.equal(peer.resetCode(2 * i + 1), 1);
    }
    await serving.untilQuiet();
    await sleep(1);
    assert.deepEqual([...new Set(kinds)], ['aborted']);
    assert.ok(serving.told.every(({ aborts, closes }) => aborts === 1 && closes === 1));
    peer.send(postOf(11, '/', long), dataOf(11, Buffer.alloc(5), endStream));
    await peer.until(() => kinds.includes('complete'));
    peer.socket.destroy();
  });

  it('that is malformed is answered with a Status, and then is an error', async (t) => {
    const serving = await serveExchanges(t, (exchange) => exchange.send(200, [], 'served'));
    const peer = await connectPeer(serving.port);
    const get = requestFields('GET');
    const without = (name: string) => get.filter(([each]) => each !== name);
    const malformed = [
      [...get, ['bad name', 'a']],
      [...get, ['X-Upper', 'a']],
      [...get, ['x-control', 'a\x01b']],
      [...get, ['connection', 'close']],
      [...get, ['keep-alive', '1']],
      [...get, ['proxy-connection', 'close']],
      [...get, ['transfer-encoding', 'chunked']],
      [...get, ['upgrade', 'h2c']],
      [...get, ['te', 'gzip']],
      without(':method'),
      without(':scheme'),
      without(':path'),
      [...get, [':path', '/again']],
      [...get, [':protocol', 'websocket']],
      [...get, ['x-a', 'b'], [':late', 'c']],
      [['x-first', 'a'], ...get],
      [...without(':path'), [':path', '']],
      [...without(':path'), [':path', 'no-path']],
      [...without(':path'), [':path', '*']],
      [...without(':authority'), [':authority', 'a host']],
      [...without(':authority'), ['host', 'a/b']],
      [...get, ['host', 'another']],
      [...get, ['content-length', '1x']],
      [...get, ['content-length', '-1']],
      [...get, ['content-length', '1'], ['content-length', '2']],
      requestFields(''),
      requestFields('G T'),
    ] as const;
    for (const [i, fields] of malformed.entries()) {
      const stream = 2 * i + 1;
      peer.send(headersOf(stream, fields as typeof get, true));
      const what = JSON.stringify(fields);
      await peer.until(() => peer.ended(stream));
      const answered = peer.body(stream).toString();
      assert.match(answered, /"kind":"Status".*"code":400\}\n$/, `${what}: ${answered}`);
      await peer.until(() => peer.resetCode(stream) !== undefined);
      assert.equal(peer.resetCode(stream), 1, what);
    }
    assert.equal(serving.told.length, 0);
    peer.send(headersOf(101, [...get, ['te', 'trailers'], ['host', 'a']], true));
    await peer.until(() => peer.ended(101));
    assert.equal(peer.body(101).toString(), 'served');
    assert.equal(peer.goawayCode, undefined);
    peer.socket.destroy();
  });

  it('is refused without an error where only what it asks for is wrong', async (t) => {
    const serving = await serveExchanges(t, (exchange) => exchange.send(200, [], 'served'));
    const peer = await connectPeer(serving.port);
    peer.send(
      headersOf(
        1,
        [
          [':method', 'CONNECT'],
          [':authority', 'a'],
        ],
        true,
      ),
    );
    await peer.until(() => peer.ended(1));
    assert.match(peer.body(1).toString(), /"code":405\}/);
    const filler = Array.from({ length: 16 }, (_, i) => [`x-${i}`, 'f'.repeat(1_400)] as const);
    const large = blockOf(requestFields('GET', '/', filler));
    peer.send(
      frameOf(types.headers, endStream, 3, large.subarray(0, 10_000)),
      frameOf(types.continuation, endHeaders, 3, large.subarray(10_000)),
    );
    await peer.until(() => peer.ended(3));
    assert.match(peer.body(3).toString(), /"code":431\}/);
    peer.send(getOf(5));
    await peer.until(() => peer.ended(5));
    assert.equal(peer.body(5).toString(), 'served');
    peer.socket.destroy();
  });
});

/** What every transport adapter does for clients that ask for another protocol: WebSocket or not. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type {
  ExchangeHandler,
  HttpExchange,
  ResponseStream,
} from '../../src/transport/http-exchange.ts';
import { eventually } from '../support/clients/watch-client.ts';
import { headerOf } from '../support/clients/raw-http.ts';
import { echo, text } from './transport-bench.ts';
import type { Bench, Notes, Property } from './transport-bench.ts';

const none = new Uint8Array(0);

interface Opened {
  readonly socket: WebSocket;
  readonly messages: string[];
  readonly binary: boolean[];
  readonly status: number;
  readonly header: (name: string) => string | undefined;
}

/** Resolves with the answer, whatever it is. */
function ask({ server, traits }: Bench, protocols: readonly string[] = []): Promise<Opened> {
  const url = `${traits.tls === undefined ? 'ws' : 'wss'}://127.0.0.1:${server.port}/w?q=1`;
  const socket = new WebSocket(url, [...protocols], { rejectUnauthorized: false });
  const messages: string[] = [];
  const binary: boolean[] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    messages.push(data.toString());
    binary.push(isBinary);
  });
  return new Promise((resolve, reject) => {
    const answered = ({ statusCode = 0, headers }: AnswerHead): void => {
      const header = (name: string): string | undefined => headers[name]?.toString();
      resolve({ socket, messages, binary, status: statusCode, header });
    };
    socket.once('error', reject);
    socket.once('upgrade', answered);
    socket.once('unexpected-response', (_, answer) => answered(answer));
  });
}

interface AnswerHead {
  readonly statusCode?: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Grants it in a later turn, as a server does that asks who calls first. */
const granting =
  (isText: boolean, then: (stream: ResponseStream, exchange: HttpExchange) => void) =>
  (notes: Notes): ExchangeHandler =>
  (exchange) => {
    notes['offered'] = exchange.webSocketProtocols;
    exchange.setAnswerHeader('Audit-Id', 'a1');
    setImmediate(() => {
      const [protocol] = exchange.webSocketProtocols ?? [];
      exchange.onAbort(() => notes.log.push('aborted'));
      exchange.onClosed(() => notes.log.push('closed'));
      then(exchange.stream(101, text, none, { protocol, isText }), exchange);
    });
  };

const upgradeHead = (method: string, protocol: string, more = ''): string =>
  `${method} /u HTTP/1.1\r\nHost: t\r\nConnection: Upgrade, HTTP2-Settings\r\n` +
  `Upgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABk\r\n${more}\r\n`;

export const webSocketProperties: readonly Property[] = [
  [
    'who asks for WebSocket may be answered with messages: each write is one, and the end closes',
    granting(true, (stream) => {
      for (const message of ['one', 'zwei 2', '三']) stream.write(Buffer.from(message));
      stream.end();
    }),
    async (bench, notes) => {
      const { header, messages, binary, socket, status } = await ask(bench, ['a.b', 'c']);
      assert.equal(status, 101);
      assert.equal(header('audit-id'), 'a1');
      assert.equal(header('content-type'), 'text/plain');
      assert.equal(header('sec-websocket-protocol'), 'a.b');
      const [code] = (await once(socket, 'close')) as [number];
      assert.equal(code, 1000);
      assert.deepEqual(messages, ['one', 'zwei 2', '三']);
      assert.deepEqual(binary, [false, false, false]);
      assert.deepEqual(notes['offered'], ['a.b', 'c']);
      await eventually('it has ended', () => notes.log.includes('closed'));
      assert.deepEqual(notes.log, ['closed']);
    },
  ],
  [
    'messages that are not text are binary, and no subprotocol is chosen where none is offered',
    granting(false, (stream) => {
      stream.write(Uint8Array.of(0x61, 0x62));
      stream.end();
    }),
    async (bench) => {
      const { binary, header, messages, socket } = await ask(bench);
      await once(socket, 'close');
      assert.equal(header('sec-websocket-protocol'), undefined);
      assert.deepEqual([messages, binary], [['ab'], [true]]);
    },
  ],
  [
    'who asks for WebSocket and is not granted it is answered in HTTP',
    () => (exchange) => exchange.send(403, text, 'no'),
    async (bench) => {
      const { socket, status } = await ask(bench);
      socket.on('error', () => undefined).terminate();
      assert.equal(status, 403);
    },
  ],
  [
    'nobody else asks for WebSocket: another method, another version, half of the headers',
    (notes) => (exchange) => {
      notes.log.push(String(exchange.webSocketProtocols));
      exchange.send(200, text, 'http');
    },
    async ({ connect }, notes) => {
      const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
      const version = 'Sec-WebSocket-Version: 13\r\n';
      const heads = [
        upgradeHead('GET', 'websocket', key),
        upgradeHead('GET', 'websocket', `${key}Sec-WebSocket-Version: 8\r\n`),
        upgradeHead('GET', 'websocket', `Sec-WebSocket-Key: short\r\n${version}`),
        upgradeHead('DELETE', 'websocket', key + version),
        upgradeHead('GET', 'SPDY/3.1', key + version),
        `GET / HTTP/1.1\r\nHost: t\r\n${key}${version}\r\n`,
      ];
      for (const head of heads) {
        const client = connect();
        client.expectResponse('GET');
        client.write(Buffer.from(head));
        const { status } = await client.response();
        assert.equal(status, 200, head);
      }
      assert.deepEqual(
        notes.log,
        heads.map(() => 'undefined'),
      );
    },
  ],
  [
    'a request that asks for another protocol is served as any other, with its body',
    echo(1000),
    async ({ connect }) => {
      for (const [method, more, body] of [
        ['GET', '', ''],
        ['POST', 'Content-Length: 0\r\n', ''],
        ['POST', 'Content-Length: 5\r\n', 'hello'],
        ['PUT', 'Transfer-Encoding: chunked\r\n', 'chunks'],
      ] as const) {
        const client = connect();
        client.expectResponse(method);
        client.write(Buffer.from(upgradeHead(method, 'h2c', more)));
        if (more.startsWith('Transfer')) client.write(Buffer.from('6\r\nchunks\r\n0\r\n\r\n'));
        else if (body !== '') client.write(Buffer.from(body));
        const answer = await client.response();
        assert.equal(answer.status, 200);
        assert.equal(answer.body.toString(), body);
        assert.deepEqual(headerOf(answer, 'upgrade'), []);
      }
    },
  ],
  [
    'a connection may ask for another protocol with each of many bodies, and keeps nothing of them',
    echo(1000),
    async ({ connect }) => {
      const warnings: string[] = [];
      const note = ({ name }: Error): void => void warnings.push(name);
      process.on('warning', note);
      const client = connect();
      for (let i = 0; i < 30; i += 1) {
        client.expectResponse('POST');
        client.write(Buffer.from(upgradeHead('POST', 'h2c', 'Content-Length: 5\r\n')));
        client.write(Buffer.from('hello'));
        assert.equal((await client.response()).body.toString(), 'hello');
      }
      await new Promise((resolve) => setImmediate(resolve));
      process.off('warning', note);
      assert.ok(!warnings.includes('MaxListenersExceededWarning'), warnings.join());
    },
  ],
  [
    'a request that asks for another protocol, and to close, has its connection closed',
    echo(1000),
    async ({ connect }) => {
      for (const options of ['close, Upgrade', 'Upgrade,HTTP2-Settings , Close']) {
        const client = connect();
        client.expectResponse('POST');
        const head = upgradeHead('POST', 'h2c', 'Content-Length: 5\r\n');
        client.write(Buffer.from(head.replace('Upgrade, HTTP2-Settings', options)));
        client.write(Buffer.from('hello'));
        const answer = await client.response();
        assert.equal(answer.body.toString(), 'hello');
        assert.deepEqual(headerOf(answer, 'connection'), ['close']);
        await client.closed;
      }
    },
  ],
  [
    'a client that closes its WebSocket, or goes, is told of',
    granting(true, (stream) => void stream.write(Buffer.from('m'))),
    async (bench, notes) => {
      const first = await ask(bench);
      await eventually('its message', () => first.messages.length === 1);
      first.socket.close();
      await eventually('it has gone', () => notes.log.includes('closed'));
      assert.deepEqual(notes.log, ['aborted', 'closed']);
      const second = await ask(bench);
      await eventually('its message', () => second.messages.length === 1);
      second.socket.terminate();
      await eventually('both have gone', () => notes.log.length === 4);
      assert.deepEqual(notes.log, ['aborted', 'closed', 'aborted', 'closed']);
    },
  ],
  [
    'what a client sends is dropped, pings are answered, and a long message ends it',
    granting(true, (stream) => void stream.write(Buffer.from('m'))),
    async (bench, notes) => {
      const { messages, socket } = await ask(bench);
      await eventually('its message', () => messages.length === 1);
      for (let i = 0; i < 100; i += 1) socket.send(`said ${i}`);
      socket.ping();
      await once(socket, 'pong');
      assert.deepEqual(notes.log, []);
      socket.on('error', () => undefined);
      socket.send('x'.repeat(5_000));
      await once(socket, 'close');
      await eventually('it has gone', () => notes.log.includes('closed'));
    },
  ],
  [
    'floods of pings and of messages hold up nobody, whether they are read or cut',
    (notes) => (exchange) => {
      if (exchange.webSocketProtocols === undefined) exchange.send(200, text, 'there');
      else granting(true, (stream) => void stream.write(Buffer.from('m')))(notes)(exchange);
    },
    async (bench, notes) => {
      const { connect } = bench;
      const head =
        upgradeHead('GET', 'websocket').slice(0, -2) +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
      for (const kind of [0x89, 0x81]) {
        const flood = connect();
        flood.socket.on('error', () => undefined).resume();
        flood.write(Buffer.from(head));
        const sent = notes.log.length;
        flood.write(Buffer.alloc(6 * 50_000, Buffer.from([kind, 0x80, 1, 2, 3, 4])));
        const other = connect();
        other.request('GET', '/');
        assert.equal((await other.response()).status, 200);
        flood.destroy();
        await eventually('the flood is over', () => notes.log.length === sent + 2);
      }
    },
  ],
  [
    'messages to a client that reads slowly all arrive, in order, and no more is held than one',
    granting(true, (stream) => {
      const filling = 'x'.repeat(50_000);
      let sent = 0;
      const more = (): void => {
        while (sent < 400) {
          sent += 1;
          if (!stream.write(Buffer.from(`${sent} ${filling}`))) return;
        }
        stream.end();
      };
      stream.onDrain(more);
      more();
    }),
    async (bench) => {
      const { messages, socket } = await ask(bench);
      socket.pause();
      await new Promise((resolve) => setTimeout(resolve, 500));
      assert.ok(messages.length < 400, 'the sender waits');
      socket.resume();
      await once(socket, 'close');
      assert.deepEqual(
        messages.map((each) => Number.parseInt(each, 10)),
        Array.from({ length: 400 }, (_, i) => i + 1),
      );
    },
  ],
  [
    'a response that is cut ends its WebSocket without a closing handshake',
    granting(true, (stream) => {
      stream.write(Buffer.from('m'));
      setTimeout(() => stream.abort(), 50);
    }),
    async (bench, notes) => {
      const { socket } = await ask(bench);
      const [code] = (await once(socket, 'close')) as [number];
      assert.equal(code, 1006);
      await eventually('it has ended', () => notes.log.includes('closed'));
      assert.deepEqual(notes.log, ['aborted', 'closed']);
    },
  ],
  [
    'one that asks for another protocol behind a request without its answer ends its connection',
    () => (exchange) => {
      if (exchange.path === '/slow') return;
      exchange.send(200, text, 'there');
    },
    async ({ connect }) => {
      for (const [method, more] of [
        ['GET', ''],
        ['POST', 'Content-Length: 5\r\n'],
      ] as const) {
        const client = connect();
        client.write(Buffer.from('GET /slow HTTP/1.1\r\nHost: t\r\n\r\n'));
        client.write(Buffer.from(upgradeHead(method, 'SPDY/3.1', more)));
        if (more !== '') client.write(Buffer.from('hello'));
        await client.closed;
      }
      const other = connect();
      other.expectResponse('GET');
      other.write(Buffer.from('GET / HTTP/1.1\r\nHost: t\r\n\r\n'));
      assert.equal((await other.response()).status, 200);
    },
  ],
];

/** The part of the transport contract about clients that are wrong, slow or hostile. */
import assert from 'node:assert/strict';
import type { RawConnection } from '../support/clients/raw-http.ts';
import { answer, echo, post } from './transport-bench.ts';
import type { Bench, Property } from './transport-bench.ts';

/** Where a limit of time must not come before what else is to be seen, on a busy machine either. */
const patientMs = 4_000;

async function stillServes(bench: Bench): Promise<void> {
  const client = bench.connect();
  client.request('GET', '/');
  assert.equal((await client.response()).status, 200);
}

/** The connection ends, and the only thing that may have come before is a 4xx or 5xx answer. */
async function refused(client: RawConnection): Promise<number | undefined> {
  await client.closed;
  if (client.receivedBytes === 0) return undefined;
  // node's own error answers carry no framing but Connection: close.
  const answered = client.broken === undefined ? (await client.response()).status : undefined;
  if (answered !== undefined) assert.ok(answered >= 400, String(answered));
  else assert.match(String(client.broken), /without framing/);
  return answered ?? 400;
}

const counted =
  (body: string): Property[1] =>
  (notes) =>
  (exchange) => {
    notes.log.push(exchange.path);
    exchange.send(200, [], body);
  };

export const hostileProperties: readonly Property[] = [
  [
    'what is not HTTP/1.1 never reaches a handler, ends its connection, and harms nobody',
    counted('ok'),
    async (bench, notes) => {
      const inputs = [
        '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
        'hello\r\n\r\n',
        '\r\n\r\n\r\n\r\n\0\0\0\0',
        'GET nonsense HTTP/1.1\r\nHost: t\r\n\r\n',
        'GET / HTTP/9.9\r\nHost: t\r\n\r\n',
        'BREW / HTTP/1.1\r\nHost: t\r\n\r\n',
        'GET / HTTP/1.1\r\nHost : t\r\nA\x01: b\r\n\r\n',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      ];
      const outcomes = inputs.map(async (input) => {
        const client = bench.connect();
        client.write(input);
        return refused(client);
      });
      const statuses = await Promise.all(outcomes);
      if (bench.traits.answersGarbage) assert.equal(statuses[1], 400);
      assert.deepEqual(notes.log, []);
      await stillServes(bench);
    },
    { idleTimeoutMs: patientMs, requestTimeoutMs: patientMs },
  ],
  [
    'ambiguous framing is refused: a length and chunked, two lengths, a length that is none',
    counted('ok'),
    async (bench, notes) => {
      for (const head of [
        'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
        'Content-Length: 5\r\nContent-Length: 6\r\n',
        'Content-Length: -5\r\n',
        'Content-Length: 0x5\r\n',
        'Transfer-Encoding: gzip\r\n',
      ]) {
        const client = bench.connect();
        client.write(`POST / HTTP/1.1\r\nHost: t\r\n${head}\r\nhello`);
        await refused(client);
      }
      assert.deepEqual(notes.log, []);
      await stillServes(bench);
    },
  ],
  [
    'what comes behind a request that is refused for its framing is no request',
    counted('ok'),
    async (bench, notes) => {
      const behind = 'GET /behind HTTP/1.1\r\nHost: t\r\n\r\n';
      for (const head of [
        'Content-Length: 0\r\nContent-Length: 5\r\n\r\n',
        'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
        `X-Long: ${'x'.repeat(40_000)}\r\n\r\n`,
      ]) {
        const client = bench.connect();
        client.write(`POST / HTTP/1.1\r\nHost: t\r\n${head}${behind}`);
        await refused(client);
      }
      assert.deepEqual(notes.log, []);
      await stillServes(bench);
    },
  ],
  [
    'a request whose framing shows to be wrong behind its head is answered once',
    counted('ok'),
    async (bench, notes) => {
      for (const coding of ['identity', 'chunked;q=1']) {
        const client = bench.connect();
        let text = '';
        client.socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
        client.write(`POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: ${coding}\r\n\r\n`);
        await client.closed;
        assert.equal(text.match(/HTTP\/1\.1 4/g)?.length, 1, text);
      }
      assert.deepEqual(notes.log, []);
      await stillServes(bench);
    },
  ],
  [
    'a host with characters that none has is refused',
    counted('ok'),
    async (bench, notes) => {
      for (const host of ['a b', 'a/b', 'user@a', 'a"b', 'a, b']) {
        const client = bench.connect();
        client.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        assert.equal(await refused(client), 400, host);
      }
      assert.deepEqual(notes.log, []);
      for (const host of ['', '[::1]:6443', 'a_b.example:x']) {
        const client = bench.connect();
        client.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        assert.equal((await client.response()).status, 200, host);
      }
    },
  ],
  [
    'an expectation that is none is refused, with a Status',
    counted('ok'),
    async (bench, notes) => {
      for (const expected of ['200-maybe', '100-continued']) {
        const client = bench.connect();
        client.request('GET', '/', `Expect: ${expected}\r\n`);
        const { body, status } = await client.response();
        assert.equal(status, 417);
        assert.match(body.toString(), /"kind":"Status".*"code":417/);
        await client.closed;
      }
      assert.deepEqual(notes.log, []);
      const client = bench.connect();
      client.request('GET', '/', 'Expect:\r\n');
      assert.equal((await client.response()).status, 200);
      await stillServes(bench);
    },
  ],
  [
    'a head above the limit gets 431 and does not reach a handler',
    counted('ok'),
    async (bench, notes) => {
      const client = bench.connect();
      client.request('GET', '/', `X-Long: ${'x'.repeat(40_000)}\r\n`);
      await refused(client);
      assert.deepEqual(notes.log, []);
      await stillServes(bench);
    },
  ],
  [
    'a head that drips in is cut off',
    counted('ok'),
    async (bench, notes) => {
      const client = bench.connect();
      client.write('GET / HTTP/1.1\r\nHost: t\r\n');
      const drip = setInterval(() => client.write('X-A: b\r\n'), 200);
      await client.closed;
      clearInterval(drip);
      assert.deepEqual(notes.log, []);
      await stillServes(bench);
    },
    { idleTimeoutMs: patientMs, requestTimeoutMs: patientMs },
  ],
  [
    'a body that drips in is aborted and its connection cut',
    echo(1_000_000),
    async (bench, notes) => {
      const client = bench.connect();
      client.write('POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 100000\r\n\r\n');
      const drip = setInterval(() => client.write('x'), 200);
      await client.closed;
      clearInterval(drip);
      while (notes.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      assert.deepEqual(notes.log, ['aborted']);
    },
    { requestTimeoutMs: patientMs },
  ],
  [
    'a client that goes in the middle of its body leaves an aborted body, asked for early or late',
    echo(1_000_000),
    async (bench, notes) => {
      const client = bench.connect();
      client.write('POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 100000\r\n\r\nabc');
      while (notes['begun'] !== true) await new Promise((resolve) => setTimeout(resolve, 10));
      client.destroy();
      while (notes.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      assert.deepEqual(notes.log, ['aborted']);
      await stillServes(bench);
    },
  ],
  [
    'a body far above the limit is answered with 413 and not read to its end',
    echo(1_000),
    async (bench) => {
      const client = bench.connect();
      client.expectResponse('POST');
      client.write('POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 500000000\r\n\r\n');
      const piece = Buffer.alloc(100_000);
      let sent = 0;
      const pump = (): void => {
        while (!client.socket.destroyed && client.socket.write(piece)) sent += piece.length;
      };
      client.socket.on('drain', pump);
      pump();
      await client.closed;
      assert.ok(sent < 100_000_000, `${sent} bytes read of a body that was refused`);
      await stillServes(bench);
    },
  ],
  [
    'a refused body whose rest never comes is answered all the same',
    echo(1_000),
    async (bench) => {
      const client = bench.connect();
      client.expectResponse('POST');
      client.write('POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 500000\r\n\r\nabc');
      assert.equal((await client.response()).status, 413);
      await client.closed;
    },
  ],
  [
    'a body in 100,000 chunks of a byte is cut off where a turn brings many, and others are answered',
    echo(1_000_000),
    async (bench) => {
      const client = bench.connect();
      const head = 'POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n';
      client.expectResponse('POST');
      client.write(`${head}${'1\r\na\r\n'.repeat(100_000)}0\r\n\r\n`);
      // How much one read brings is the kernel's choice: a body that comes in small reads is read.
      const answered = client.response().then(({ status }) => status);
      const end = await Promise.race([client.closed.then(() => 'closed'), answered]);
      assert.ok(end === 'closed' || end === 200, String(end));
      const other = bench.connect();
      post(other, 'chunked', Buffer.alloc(200_000));
      assert.equal((await other.response()).status, 200);
    },
  ],
  [
    'bodies that were refused do not linger: the connection serves the next request',
    echo(1_000),
    async (bench) => {
      const client = bench.connect();
      for (let i = 0; i < 3; i += 1) {
        post(client, i === 1 ? 'chunked' : 'length', Buffer.alloc(200_000));
        assert.equal((await client.response()).status, 413);
      }
    },
  ],
  [
    'above connectionsMax a newcomer is turned away and those before it go on',
    (notes) => (exchange) => {
      notes.log.push(exchange.path);
      const stream = exchange.stream(200, [], Buffer.from(' '));
      notes[exchange.path] = () => stream.end();
    },
    async (bench, notes) => {
      const paths = ['/1', '/2', '/3'];
      const held = paths.map((path) => {
        const client = bench.connect();
        client.request('GET', path);
        return client;
      });
      await Promise.all(held.map((client) => client.head()));
      const extra = bench.connect();
      extra.request('GET', '/extra');
      const status = await refused(extra);
      if (bench.traits.countsConnections) assert.equal(status, undefined);
      else assert.equal(status, 503);
      for (const path of paths) (notes[path] as () => void)();
      for (const client of held) await client.response();
      assert.ok(!notes.log.includes('/extra'));
    },
    { connectionsMax: 3 },
  ],
  [
    'a client that half-closes has gone',
    (notes) => (exchange) => {
      notes['begun'] = true;
      exchange.onAbort(() => notes.log.push('abort'));
    },
    async (bench, notes) => {
      const client = bench.connect();
      client.request('GET', '/');
      // Over TLS who has gone before the end of the handshake may not be heard at all.
      while (bench.traits.tls !== undefined && notes['begun'] !== true) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      client.socket.end();
      while (notes.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      assert.deepEqual(notes.log, ['abort']);
      await client.closed;
    },
  ],
  [
    'an idle connection is closed',
    answer('ok'),
    (bench) => bench.connect().closed,
    {
      idleTimeoutMs: 1_000,
      requestTimeoutMs: 1_000,
    },
  ],
];

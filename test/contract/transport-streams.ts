/** The part of the transport contract about responses that take a while: streams and large bodies. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import type {
  ExchangeHandler,
  HttpExchange,
  ResponseStream,
} from '../../src/transport/http-exchange.ts';
import type { RawConnection } from '../support/clients/raw-http.ts';
import type { Notes, Property } from './transport-bench.ts';

const space = Buffer.from(' ');

/** Deterministic bytes that differ at every offset, so that a shifted or repeated piece shows. */
export function pattern(seed: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let i = 0; i < length; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

const sizes = [1, 2, 500, 1023, 1024, 1025, 8192, 16_300, 16_320, 16_321, 16_370, 16_384, 65_536];

/** Writes `content` in pieces of all sizes, stopping whenever it is told to. */
function pour(stream: ResponseStream, content: Buffer, seed: number): void {
  const prng = seededPrng(seed);
  let at = 0;
  const scratch = Buffer.alloc(100_000);
  const more = (): void => {
    while (at < content.length) {
      const size =
        randomBelow(prng, 2) === 0
          ? randomBelow(prng, 100_000)
          : (sizes[randomBelow(prng, sizes.length)] as number);
      const piece = content.subarray(at, at + size);
      // One buffer for every write: a chunk must be copied or sent before write() returns.
      piece.copy(scratch);
      at += piece.length;
      const flowing = stream.write(scratch.subarray(0, piece.length));
      scratch.fill(0xff, 0, piece.length);
      if (!flowing) return;
    }
    if (at >= content.length) {
      at = Infinity;
      stream.end();
    }
  };
  stream.onDrain(more);
  more();
}

function withoutPreamble(body: Buffer): Buffer {
  return body[0] === 0x20 && body.length % 1000 === 1 ? body.subarray(1) : body;
}

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const sharers = 12;
const queuedChunk = pattern(6, 3_000);
const sharedChunks = sizes.flatMap((size, at) => [
  pattern(size, size),
  pattern(at, randomBelow(seededPrng(at), 90_000)),
]);
const sharedBytes = Buffer.concat(
  sharedChunks.flatMap((chunk, at) => [chunk, pattern(at, at % 3)]),
);
/** Whole thousands: a preamble shows. */
const restBytes = pattern(1, 1000 - (sharedBytes.length % 1000));
const broadcastBytes = Buffer.concat([sharedBytes, restBytes]);

/** As watches are sent: the chunks in their order, each stream as far as it takes them; between two
 * a few bytes that are not shared. What is shared stays as it is; what is not is overwritten. */
function broadcast(streams: readonly ResponseStream[], over: () => void): void {
  let open = streams.length;
  for (const stream of streams) {
    let at = 0;
    const own = Buffer.alloc(2);
    const more = (): void => {
      let flowing = true;
      while (flowing && at < sharedChunks.length) {
        flowing = stream.write(sharedChunks[at] as Buffer, true);
        const part = own.subarray(0, at % 3);
        pattern(at, at % 3).copy(part);
        flowing = stream.write(part) && flowing;
        own.fill(0xff);
        at += 1;
      }
      if (!flowing) return;
      stream.write(restBytes);
      stream.end();
      open -= 1;
      if (open === 0) over();
    };
    stream.onDrain(more);
    setImmediate(more);
  }
}

async function bodyOf(client: RawConnection): Promise<string> {
  return hash(withoutPreamble((await client.response()).body));
}

/** Fills the socket, and ends the stream before any of it is read. */
function endsBackedUp(notes: Notes): ExchangeHandler {
  return (exchange) => {
    const stream = exchange.stream(200, [], space);
    const chunk = pattern(5, 100_000);
    let chunks = 0;
    do chunks += 1;
    while (stream.write(chunk));
    stream.end();
    notes['chunks'] = chunks;
  };
}

async function getsAllChunks(client: RawConnection, notes: Notes): Promise<void> {
  const { body } = await client.response();
  const chunks = Array.from({ length: notes['chunks'] as number }, () => pattern(5, 100_000));
  assert.equal(hash(withoutPreamble(body)), hash(Buffer.concat(chunks)));
}

export const streamProperties: readonly Property[] = [
  [
    'a header that was set before goes with the answer, whole, large, streamed or without a body',
    () => (exchange) => {
      exchange.setAnswerHeader('X-Before', 'yes');
      if (exchange.path === '/stream') return exchange.stream(200, [], space).end();
      const body = exchange.path === '/large' ? Buffer.alloc(100_000, 'x') : 'x';
      return exchange.send(exchange.path === '/empty' ? 204 : 200, [['X-With', 'yes']], body);
    },
    async ({ connect }) => {
      for (const target of ['/whole', '/large', '/stream', '/empty']) {
        const client = connect();
        client.request('GET', target);
        const { headers } = await client.response();
        const before = headers.filter(([name]) => name.toLowerCase() === 'x-before');
        assert.deepEqual(before, [['x-before', 'yes']], target);
      }
    },
  ],
  [
    'the head of a quiet stream arrives at once, and a later write without delay',
    (notes) => (exchange) => {
      notes['stream'] = exchange.stream(200, [['X-Quiet', 'yes']], space);
    },
    async ({ connect }, notes) => {
      const client = connect();
      client.request('GET', '/');
      const head = await client.head();
      assert.equal(head.status, 200);
      assert.ok(head.headers.some(([name, value]) => name === 'x-quiet' && value === 'yes'));
      const stream = notes['stream'] as ResponseStream;
      assert.equal(stream.write(Buffer.from('{}')), true);
      await client.until(() => client.partialBody.toString().trim() === '{}');
      stream.end();
      await client.response();
      assert.equal(stream.closed, true);
    },
  ],
  [
    'megabytes streamed to slow readers are exact, framing included, and streams do not mix',
    () => (exchange) => {
      const seed = Number(exchange.query);
      const begin = (): void => {
        pour(exchange.stream(200, [], space), pattern(seed, 6_000_000), seed);
      };
      // In the handler and outside of it the library's buffers are in different states.
      if (seed % 2 === 0) begin();
      else setTimeout(begin, 5);
    },
    async ({ connect }) => {
      const seeds = [1, 2, 3, 4];
      const bodies = seeds.map(async (seed) => {
        const client = connect();
        client.readPauseMs = seed === 4 ? 0 : 1;
        for (let round = 0; round < 2; round += 1) {
          client.request('GET', `/?${seed}`);
          assert.equal(await bodyOf(client), hash(pattern(seed, 6_000_000)), `stream ${seed}`);
        }
      });
      await Promise.all(bodies);
    },
  ],
  [
    'a reader that stops makes write() say false, gets no drain, then everything taken so far',
    (notes) => (exchange) => {
      const stream = exchange.stream(200, [], space);
      const chunk = pattern(9, 50_000);
      let taken = 0;
      const fill = (): void => {
        let writable = true;
        while (writable && taken < 4_000) {
          writable = stream.write(chunk);
          taken += 1;
        }
        notes['taken'] = taken;
        if (taken === 4_000) stream.end();
      };
      stream.onDrain(() => {
        notes.log.push('drain');
        fill();
      });
      fill();
    },
    async ({ connect }, notes) => {
      const client = connect();
      client.request('GET', '/');
      await client.head();
      client.socket.pause();
      // As much as two socket buffers hold, then no more.
      let before = -1;
      while (before !== notes['taken']) {
        before = notes['taken'] as number;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      assert.ok(before < 400, `${before} chunks of 50 kB taken for a reader that does not read`);
      client.socket.resume();
      await client.until(() => client.receivedBytes > 100 * 50_000);
      assert.ok(notes.log.length > 0);
    },
  ],
  [
    'one chunk shared by many streams reaches slow and fast readers exactly, between their own',
    (notes) => {
      const streams: ResponseStream[] = [];
      return (exchange) => {
        streams.push(exchange.stream(200, [], space));
        if (streams.length === sharers) broadcast(streams, () => (notes['over'] = true));
      };
    },
    async ({ connect }, notes) => {
      const clients = Array.from({ length: sharers }, connect);
      const answers = clients.map(async (client, at) => {
        client.readPauseMs = at % 3;
        client.request('GET', '/');
        const { body } = await client.response();
        assert.equal(hash(withoutPreamble(body)), hash(broadcastBytes), `stream ${at}`);
        // What follows on the connection begins where the stream has ended.
        client.request('HEAD', '/');
        assert.equal((await client.response()).status, 200);
      });
      await Promise.all(answers);
      assert.equal(notes['over'], true);
    },
  ],
  [
    'a stream behind an unanswered request keeps what it is given, and goes on when its turn comes',
    (notes) => (exchange) => {
      if (exchange.path === '/first') {
        notes['first'] = exchange;
        return;
      }
      const stream = exchange.stream(200, [], space);
      for (let i = 0; i < 40; i += 1) {
        stream.write(Buffer.from(queuedChunk), true);
        stream.write(Buffer.from('own'));
        if (i === 20) (notes['first'] as HttpExchange).send(200, [], 'first');
      }
      setTimeout(() => {
        stream.write(queuedChunk, true);
        stream.end();
      }, 5);
    },
    async ({ connect, traits }) => {
      if (!traits.queuesPipelined) return;
      const client = connect();
      client.request('GET', '/first');
      client.request('GET', '/second');
      assert.equal((await client.response()).body.toString(), 'first');
      const pairs = Array.from({ length: 40 }, () => [queuedChunk, Buffer.from('own')]).flat();
      const expected = Buffer.concat([...pairs, queuedChunk]);
      assert.equal(hash((await client.response()).body), hash(expected));
    },
  ],
  [
    'end() delivers what a backed-up socket has not taken yet',
    endsBackedUp,
    async ({ connect }, notes) => {
      const client = connect();
      client.readPauseMs = 1;
      client.request('GET', '/');
      await getsAllChunks(client, notes);
    },
  ],
  [
    'a reader who pauses for long gets all of a stream that has ended meanwhile',
    endsBackedUp,
    async ({ connect, traits }, notes) => {
      const client = connect();
      client.request('GET', '/');
      await client.head();
      client.socket.pause();
      await new Promise((resolve) => setTimeout(resolve, traits.longMs));
      client.socket.resume();
      await getsAllChunks(client, notes);
    },
  ],
  [
    'send() of 20 MB to a slow reader is exact, and the connection goes on',
    () => (exchange) => {
      const send = (): void => exchange.send(200, [], pattern(7, 20_000_000));
      if (exchange.query === '') send();
      else setTimeout(send, 5);
    },
    async ({ connect }) => {
      const client = connect();
      client.readPauseMs = 1;
      for (const query of ['', '?later']) {
        client.request('GET', `/${query}`);
        assert.equal(hash((await client.response()).body), hash(pattern(7, 20_000_000)));
      }
    },
  ],
  [
    'a client that goes is told once; afterwards every call does nothing',
    (notes) => (exchange) => {
      notes['exchange'] = exchange;
      const waits = (): void => void notes.log.push('waits no longer');
      exchange.onAbort(waits);
      exchange.onAbort(() => notes.log.push('abort'));
      exchange.offAbort(waits);
      if (exchange.path === '/stream') notes['stream'] = exchange.stream(200, [], space);
    },
    async ({ connect }, notes) => {
      for (const path of ['/wait', '/stream']) {
        const client = connect();
        notes.log.length = 0;
        delete notes['exchange'];
        client.request('GET', path);
        while (notes['exchange'] === undefined) await new Promise((r) => setTimeout(r, 5));
        const exchange = notes['exchange'] as HttpExchange;
        assert.equal(exchange.closed, false);
        client.destroy();
        while (!exchange.closed) await new Promise((r) => setTimeout(r, 5));
        assert.deepEqual(notes.log, ['abort']);
        exchange.onAbort(() => notes.log.push('late'));
        assert.deepEqual(notes.log, ['abort', 'late']);
        const stream = (notes['stream'] as ResponseStream | undefined) ?? undefined;
        stream?.write(space);
        stream?.end();
        stream?.abort();
        if (stream === undefined) exchange.send(200, [], 'to nobody');
        else assert.equal(stream.closed, true);
      }
    },
  ],
  [
    'abort() cuts the connection without a last chunk',
    () => (exchange) => {
      const stream = exchange.stream(200, [], space);
      setTimeout(() => stream.abort(), 20);
    },
    async ({ connect }) => {
      const client = connect();
      client.request('GET', '/');
      await assert.rejects(client.response(), /connection closed/);
    },
  ],
  [
    'a quiet stream outlives every idle and request timeout',
    (notes) => (exchange) => {
      notes['stream'] = exchange.stream(200, [], space);
    },
    async ({ connect, traits }, notes) => {
      const client = connect();
      client.request('GET', '/');
      await client.head();
      await new Promise((resolve) => setTimeout(resolve, traits.longMs));
      (notes['stream'] as ResponseStream).write(Buffer.from('still here'));
      await client.until(() => client.partialBody.toString().trim() === 'still here');
    },
    { idleTimeoutMs: 1_000, requestTimeoutMs: 1_000 },
  ],
];

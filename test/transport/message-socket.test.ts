/** WebSocket on a port of node: what is said by halves is counted, and how a connection ends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Conversation, HttpExchange } from '../../src/transport/http-exchange.ts';
import { defaultTransportLimits } from '../../src/transport/http-exchange.ts';
import { createTransportLoad } from '../../src/transport/load.ts';
import { listenNode } from '../../src/transport/node/listen-node.ts';
import { eventually } from '../support/clients/watch-client.ts';

const bodyBytesMax = 100_000;

/** `heard`: what every client has said. */
async function listening(limits = defaultTransportLimits) {
  const load = createTransportLoad({ ...limits, bodyBytesMax });
  const heard: string[] = [];
  const conversations: Conversation[] = [];
  const server = await listenNode(
    { address: '127.0.0.1', port: 0, limits, load },
    (exchange: HttpExchange) => {
      const talk = exchange.converse([], { protocol: undefined, isText: false });
      if (talk === undefined) return;
      conversations.push(talk);
      talk.receive({
        data: (bytes) => heard.push(Buffer.from(bytes).toString()),
        end: () => heard.push('end'),
      });
    },
  );
  return { load, heard, conversations, server };
}

const head =
  'GET / HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

/** With a mask of zeros. */
function frame(opcode: number, payload: string | Uint8Array): Buffer {
  const bytes = Buffer.from(payload);
  const start = Buffer.alloc(bytes.length <= 125 ? 6 : 8);
  start[0] = 0x80 | opcode;
  start[1] = 0x80 | (bytes.length <= 125 ? bytes.length : 126);
  if (bytes.length > 125) start.writeUInt16BE(bytes.length, 2);
  return Buffer.concat([start, bytes]);
}

async function client(port: number, ...behind: readonly Buffer[]) {
  const socket = net.connect(port, '127.0.0.1');
  const got: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => got.push(bytes)).on('error', () => undefined);
  const closed = once(socket, 'close');
  socket.write(Buffer.concat([Buffer.from(head), ...behind]));
  const all = (): string => Buffer.concat(got).toString('latin1');
  await eventually('it has changed over', () => all().includes('\r\n\r\n'));
  return { socket, closed, answer: () => all().slice(all().indexOf('\r\n\r\n') + 4), all };
}

describe('WebSocket on a port of node', () => {
  it('is granted as the standard has it, and what stands behind the request is heard', async () => {
    const { heard, server } = await listening();
    try {
      const { all, socket } = await client(server.port, frame(1, 'one'), frame(9, 'p'));
      assert.match(all(), /\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n/);
      await eventually('it was heard', () => heard.length > 0);
      assert.deepEqual(heard, ['one']);
      await eventually('a ping is answered', () => all().endsWith('\x8a\x01p'));
      socket.destroy();
      await eventually('it has ended', () => heard.at(-1) === 'end');
    } finally {
      await server.close();
    }
  });

  it('counts what is said by halves, until its client goes; what is too much ends', async () => {
    const { heard, load, server } = await listening();
    try {
      const half = frame(2, Buffer.alloc(50_000)).subarray(0, 40_000);
      const two = [await client(server.port, half), await client(server.port, half)];
      await eventually('both count', () => load.bodies.heldBytes === 2 * (40_000 - 8));
      const third = await client(server.port, half);
      await third.closed;
      assert.equal(third.answer(), '\x88\x02\x03\xf5');
      for (const { socket } of two) socket.destroy();
      await eventually('nothing counts', () => load.bodies.heldBytes === 0);
      assert.deepEqual(heard, ['end', 'end', 'end']);
    } finally {
      await server.close();
    }
  });

  it('ends where the rest of a message does not come in time, but not one that is quiet', async () => {
    const { heard, load, server } = await listening({
      ...defaultTransportLimits,
      requestTimeoutMs: 300,
    });
    try {
      const quiet = await client(server.port, frame(1, 'whole'));
      const half = await client(server.port, frame(1, 'first'), frame(2, 'half').subarray(0, 8));
      await half.closed;
      assert.equal(half.answer(), '\x88\x02\x03\xf0');
      assert.equal(load.bodies.heldBytes, 0);
      assert.equal(quiet.socket.destroyed, false);
      quiet.socket.write(frame(1, 'again'));
      await eventually('it is heard', () => heard.includes('again'));
      quiet.socket.destroy();
      await quiet.closed;
    } finally {
      await server.close();
    }
  });

  it('that is against the protocol is answered with a code, and heard no more', async () => {
    const { heard, server } = await listening();
    try {
      const unmasked = Buffer.from([0x81, 0x01, 0x61]);
      const { answer, closed } = await client(server.port, frame(1, 'a'), unmasked, frame(1, 'b'));
      await closed;
      assert.equal(answer(), '\x88\x02\x03\xea');
      assert.deepEqual(heard, ['a', 'end']);
    } finally {
      await server.close();
    }
  });

  it('ends with what its client has said of why, or as this side does', async () => {
    const { conversations, server } = await listening();
    try {
      const leaves = await client(server.port, frame(8, '\x0f\x05bye'), frame(1, 'more'));
      await leaves.closed;
      assert.equal(leaves.answer(), '\x88\x05\x0f\x05bye');
      const left = await client(server.port);
      conversations.at(-1)?.end();
      await eventually('goodbye', () => left.answer() === '\x88\x02\x03\xe8');
      await sleep(50);
      assert.equal(left.socket.destroyed, false);
      left.socket.write(frame(8, '\x03').subarray(0, 6));
      left.socket.write(Buffer.from([0x03]));
      await left.closed;
    } finally {
      await server.close();
    }
  });

  it('hears one thing a turn, and nothing while it is asked to wait', async () => {
    const { conversations, heard, server } = await listening();
    try {
      const said = Array.from({ length: 30 }, (_, at) => frame(1, String(at)));
      const { socket } = await client(server.port);
      const [talk] = conversations;
      talk?.pause();
      socket.write(Buffer.concat(said));
      await sleep(50);
      assert.deepEqual(heard, []);
      talk?.resume();
      assert.ok(heard.length <= 1);
      for (let turn = 0; turn < 60 && heard.length < 30; turn += 1) {
        const before = heard.length;
        await new Promise(setImmediate);
        assert.ok(heard.length <= before + 1);
      }
      assert.deepEqual(
        heard,
        said.map((_, at) => String(at)),
      );
      socket.destroy();
    } finally {
      await server.close();
    }
  });
});

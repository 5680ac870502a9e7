/** What is written as messages on node's transport: frames that a client's library reads. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import type { MessageListener } from '../../src/transport/node/message-socket.ts';
import { NodeMessageStream } from '../../src/transport/node/node-message-stream.ts';
import type { ChangedOver } from '../../src/transport/node/node-message-stream.ts';
import { systemTimers } from '../../src/stdx/clock.ts';
import { MessageTurns, messageTurnLimits } from '../../src/transport/message-turns.ts';

interface Frames {
  readonly Receiver: new (options: { isServer: boolean }) => Writable;
}
const { Receiver } = createRequire(import.meta.url)('ws') as Frames;

function fakeWebSocket() {
  let listener: MessageListener | undefined;
  const fake = {
    isOpen: true,
    isPaused: false,
    pause: () => void (fake.isPaused = true),
    resume: () => void (fake.isPaused = false),
    close: () => undefined,
    listen: (each: MessageListener) => void (listener = each),
    say: (bytes: Buffer) => listener?.message(bytes, false),
    go: () => listener?.closed(),
  };
  return fake;
}

/** `writes`: what the socket was given. */
function messagesTo(writes: Buffer[], isText: boolean, webSocket: object = fakeWebSocket()) {
  const sent: (() => void)[] = [];
  const socket = new Writable({
    highWaterMark: 16 * 1024,
    write(chunk: Buffer, _encoding, done) {
      writes.push(chunk);
      sent.push(done);
    },
  });
  const exchange = { closed: false, count: () => undefined, cut: () => undefined };
  const changed = { webSocket, socket, exchange } as unknown as ChangedOver;
  const stream = new NodeMessageStream(changed, isText, new MessageTurns(systemTimers));
  return { stream, sendAll: () => sent.splice(0).forEach((done) => done()) };
}

async function heard(bytes: Buffer): Promise<[string, boolean][]> {
  const receiver = new Receiver({ isServer: false });
  const all: [string, boolean][] = [];
  receiver.on('message', (message: Buffer, isBinary: boolean) => {
    all.push([message.toString('latin1'), isBinary]);
  });
  await new Promise<void>((resolve) => void receiver.end(bytes, () => resolve()));
  return all;
}

describe('messages on a socket of node', () => {
  for (const isText of [true, false]) {
    it(`are whole frames of every length, ${isText ? 'text' : 'binary'}`, async () => {
      for (const length of [1, 125, 126, 65_535, 65_536, 100_000]) {
        const writes: Buffer[] = [];
        const { sendAll, stream } = messagesTo(writes, isText);
        const message = Buffer.alloc(length, 'm');
        stream.write(message);
        // Whoever wrote it may use its memory again.
        message.fill('n');
        await Promise.resolve();
        sendAll();
        const [first] = await heard(Buffer.concat(writes));
        assert.deepEqual(first, ['m'.repeat(length), !isText]);
      }
    });
  }

  it('that are written one behind the other are one write, in their order', async () => {
    const writes: Buffer[] = [];
    const { stream } = messagesTo(writes, true);
    for (let at = 0; at < 500; at += 1) assert.ok(stream.write(Buffer.from(`${at};`)));
    assert.ok(stream.unreadBytes > 500);
    await Promise.resolve();
    assert.equal(writes.length, 1);
    const said = await heard(Buffer.concat(writes));
    assert.equal(said.map(([text]) => text).join(''), [...Array(500).keys(), ''].join(';'));
  });

  it('say at once that the socket is backed up, and drain once', async () => {
    const writes: Buffer[] = [];
    const { sendAll, stream } = messagesTo(writes, true);
    let drained = 0;
    stream.onDrain(() => (drained += 1));
    let count = 0;
    while (stream.write(Buffer.alloc(100, 'x'))) count += 1;
    assert.equal(count, Math.ceil((16 * 1024) / 102) - 1);
    assert.equal(stream.write(Buffer.from('one more')), false);
    while (writes.length < 2) {
      sendAll();
      await new Promise(setImmediate);
    }
    sendAll();
    await new Promise(setImmediate);
    assert.equal(drained, 1);
    assert.ok(stream.write(Buffer.from('on')));
  });

  it('that a client ends all at once are heard a few in a turn, in order, and then its end', async () => {
    const webSocket = fakeWebSocket();
    const { stream } = messagesTo([], false, webSocket);
    const heard: (number | string)[] = [];
    stream.receive({
      data: (bytes) => heard.push(bytes[0] as number),
      end: () => heard.push('end'),
    });
    const large = messageTurnLimits.heardBytesMax / 2;
    for (let at = 0; at < 9; at += 1) webSocket.say(Buffer.alloc(large, at));
    webSocket.go();
    const perTurn: number[] = [];
    while (heard.at(-1) !== 'end') {
      perTurn.push(heard.length);
      assert.ok(webSocket.isPaused);
      await new Promise(setImmediate);
    }
    assert.deepEqual(perTurn, [2, 4, 6, 8]);
    assert.deepEqual(heard, [0, 1, 2, 3, 4, 5, 6, 7, 8, 'end']);
  });

  it('are read on behind those that waited, where nobody has paused', async () => {
    for (const pauses of [false, true]) {
      const webSocket = fakeWebSocket();
      const { stream } = messagesTo([], false, webSocket);
      let heard = 0;
      stream.receive({ data: () => (heard += 1), end: () => undefined });
      for (let at = 0; at < 4; at += 1) {
        webSocket.say(Buffer.alloc(messageTurnLimits.heardBytesMax));
      }
      if (pauses) stream.pause();
      while (heard < 4) await new Promise(setImmediate);
      assert.equal(webSocket.isPaused, pauses);
      stream.resume();
      assert.equal(webSocket.isPaused, false);
    }
  });
});

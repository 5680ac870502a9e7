/** What other servers send comes in turns: whole, in order, and never more than its share at once. */
import assert from 'node:assert/strict';
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { createReadTurns, readInTurns, readTurnLimits } from '../../src/webhooks/read-turns.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const text = (count: number): string => Array.from({ length: count }, (_, i) => `${i};`).join('');

describe('bytes of another server, read in turns', () => {
  let serve: (socket: Socket) => void = () => undefined;
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    serve(socket);
  });
  before(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  after(() => void server.close());
  const connect = () => {
    const inner = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    return readInTurns(inner, createReadTurns(systemClock, systemTimers));
  };

  it('are all there, in their order, however much it is, and so is the end', async () => {
    const sent = text(400_000);
    serve = (socket) => void socket.end(sent);
    const connection = connect();
    const parts: Buffer[] = [];
    connection.on('data', (part: Buffer) => {
      assert.ok(part.length <= readTurnLimits.sliceBytes);
      parts.push(part);
    });
    await once(connection, 'close');
    assert.ok(connection.readableEnded);
    assert.equal(Buffer.concat(parts).toString(), sent);
  });

  it('are all there for a slow reader, too, whose server has ended long before', async () => {
    const sent = text(40_000);
    serve = (socket) => void socket.end(sent);
    for (let round = 0; round < 20; round += 1) {
      const connection = connect();
      const parts: Buffer[] = [];
      connection.on('data', (part: Buffer) => {
        parts.push(part);
        connection.pause();
        void setImmediate().then(() => connection.resume());
      });
      await once(connection, 'close');
      assert.equal(Buffer.concat(parts).length, sent.length);
    }
  });

  it('are all there for who still writes to a server that has ended', async () => {
    const sent = text(4_000);
    serve = (socket) => void socket.end(sent);
    for (const isRead of [false, true]) {
      const inner = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
      const ended = once(inner, 'end');
      const connection = readInTurns(inner, createReadTurns(systemClock, systemTimers));
      const errors: unknown[] = [];
      connection.on('error', (error) => errors.push(error));
      if (isRead) connection.once('readable', () => undefined);
      else connection.read(0);
      await ended;
      connection.write('more');
      await setImmediate();
      connection.write('and more');
      const parts: Buffer[] = [];
      connection.on('data', (part: Buffer) => parts.push(part));
      await once(connection, 'close');
      assert.equal(Buffer.concat(parts).toString(), sent);
      assert.deepEqual(errors, []);
    }
  });

  it('are all there when the kernel refuses what is written, and the failure comes behind them', async () => {
    const sent = text(4_000);
    for (const isSlow of [false, true]) {
      const begun = new Promise<Socket>((resolve) => (serve = resolve));
      const connection = connect();
      const errors: NodeJS.ErrnoException[] = [];
      connection.on('error', (error) => errors.push(error));
      const parts: Buffer[] = [];
      connection.on('data', (part: Buffer) => {
        parts.push(part);
        if (!isSlow) return;
        connection.pause();
        void setImmediate().then(() => connection.resume());
      });
      const socket = await begun;
      // In one turn, so nothing has been read when the second write is refused.
      await new Promise<void>((resolve) => {
        socket.write(sent, () => {
          socket.destroy();
          connection.write('unread there', () => connection.write('refused', () => resolve()));
        });
      });
      if (!connection.closed) await once(connection, 'close');
      assert.equal(Buffer.concat(parts).toString(), sent);
      for (const { code } of errors) assert.equal(code, 'ECONNRESET');
    }
  });

  it('wait while nobody takes them, and what is written goes through', async () => {
    const got: Buffer[] = [];
    serve = (socket) => {
      socket.on('data', (part) => got.push(part));
      socket.write(text(400_000));
    };
    const connection = connect();
    const sent = text(50_000);
    connection.write(sent);
    while (Buffer.concat(got).length < sent.length) await setImmediate();
    assert.equal(Buffer.concat(got).toString(), sent);
    assert.ok(connection.readableLength <= 2 * connection.readableHighWaterMark);
    connection.destroy();
  });

  it('a connection that breaks says so', async () => {
    serve = (socket) => void socket.resetAndDestroy();
    const connection = connect().resume();
    const [error] = (await once(connection, 'error')) as [NodeJS.ErrnoException];
    assert.equal(error.code, 'ECONNRESET');
  });
});

describe('turns of reading', () => {
  it('end when their time is used, whoever has used it, and go on in the order of arrival', async () => {
    const time = manualTime();
    const turns = createReadTurns(time.clock, time.timers);
    const order: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      const inner = new PassThrough();
      const outer = readInTurns(inner, turns);
      outer.on('data', () => {
        order.push(name);
        // Each slice costs its reader as much as all may use in a turn.
        time.advance(readTurnLimits.turnMs);
      });
      inner.emit('data', Buffer.alloc(2 * readTurnLimits.sliceBytes));
    }
    const perTurn: number[] = [];
    while (order.length < 6) {
      const before = order.length;
      await setImmediate();
      perTurn.push(order.length - before);
    }
    assert.deepEqual([...order].sort(), ['a', 'a', 'b', 'b', 'c', 'c']);
    assert.ok(
      perTurn.every((count) => count <= 1),
      String(perTurn),
    );
  });
});

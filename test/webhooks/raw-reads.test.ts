/** Connections to other servers are read from a few at a time when they bring much. */
import assert from 'node:assert/strict';
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Duplex } from 'node:stream';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { createRawReads, rawReadLimits } from '../../src/webhooks/raw-reads.ts';
import { createReadTurns, readInTurns } from '../../src/webhooks/read-turns.ts';

const { againPerTurn, bytesPerTurn, readBytes } = rawReadLimits;

/** As node's sockets: below it is what reads. */
function connection() {
  const handle = {
    reading: true,
    isReading: true,
    readStart: () => ((handle.isReading = true), 0),
    readStop: () => ((handle.isReading = false), 0),
  };
  const duplex = new Duplex({ read: () => undefined });
  return { handle, duplex: Object.assign(duplex, { _handle: handle }) };
}

function someConnections(count: number) {
  const asked: (() => void)[] = [];
  const reads = createRawReads({
    nextTurn(callback) {
      asked.push(callback);
      return { cancel: () => undefined };
    },
  });
  const turn = (): void => asked.splice(0).forEach((callback) => callback());
  const all = Array.from({ length: count }, () => {
    const { duplex, handle } = connection();
    return { duplex, handle, reader: reads(duplex) };
  });
  const reading = () => all.filter(({ handle }) => handle.isReading);
  return { all, reading, turn };
}

describe('reads of other servers', () => {
  it('stop for all when a turn has brought enough, and a few go on in each', () => {
    const { all, reading, turn } = someConnections(100);
    const [first, second] = all;
    first?.reader.took(bytesPerTurn / 2);
    assert.equal(reading().length, 100);
    second?.reader.took(bytesPerTurn / 2);
    assert.equal(reading().length, 0);
    for (let turns = 1; turns * againPerTurn < 100; turns += 1) {
      turn();
      assert.equal(reading().length, turns * againPerTurn);
    }
    turn();
    assert.equal(reading().length, 100);
  });

  it('of a byte each are counted, too', () => {
    const { all, reading } = someConnections(10);
    for (let read = 0; read < bytesPerTurn / readBytes; read += 1) all[read % 10]?.reader.took(1);
    assert.equal(reading().length, 0);
  });

  it('who was paused stays so, and goes on when its reader wants, be it in line or not', () => {
    const { all, turn } = someConnections(3);
    const [first, second, third] = all;
    second?.reader.pause();
    first?.reader.took(bytesPerTurn);
    first?.reader.pause();
    turn();
    assert.equal(third?.handle.isReading, true);
    assert.equal(first?.handle.isReading, false);
    first?.reader.resume();
    assert.equal(first?.handle.isReading, true);
    second?.reader.resume();
    assert.equal(second?.duplex.isPaused(), false);
  });

  it('who has gone is not looked at again', () => {
    const { all, reading, turn } = someConnections(2);
    const [first, second] = all;
    first?.reader.took(bytesPerTurn);
    first?.reader.end();
    first?.duplex.destroy();
    turn();
    assert.deepEqual(reading(), [second]);
  });
});

it('many that each bring much at once are all there, whole', async () => {
  const sent = Buffer.alloc(300_000, 'x');
  const server = net.createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(sent));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const turns = createReadTurns(systemClock, systemTimers);
  const reads = createRawReads(systemTimers);
  const got = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const inner = net.connect(port, '127.0.0.1');
      const outer = readInTurns(inner, turns, reads);
      outer.write('go');
      let bytes = 0;
      outer.on('data', (part: Buffer) => (bytes += part.length));
      await once(outer, 'close');
      return bytes;
    }),
  );
  server.close();
  assert.deepEqual(new Set(got), new Set([sent.length]));
});

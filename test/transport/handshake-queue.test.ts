/** Handshakes over TLS: few in a turn, fair between addresses, none for who has cost too much. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHandshakeQueue, handshakeLimits } from '../../src/transport/node/handshake-queue.ts';
import type { HandshakeConnection } from '../../src/transport/node/handshake-queue.ts';
import { networkOf } from '../../src/stdx/network-of.ts';

interface Peer extends HandshakeConnection {
  begun: boolean;
  reading: boolean;
  gone: boolean;
  bytesRead: number;
  helloBytes: number;
}

function harness() {
  let nowMs = 0;
  let waiting: { readonly dueMs: number; readonly callback: () => void }[] = [];
  const after = (delayMs: number, callback: () => void) => {
    waiting.push({ dueMs: nowMs + delayMs, callback });
    return { cancel: () => undefined };
  };
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const nextTurn = (callback: () => void) => after(0, callback);
  const line = createHandshakeQueue(clock, { after, nextTurn });
  const connect = (address: string): Peer => {
    const peer: Peer = {
      address,
      begun: false,
      reading: false,
      gone: false,
      bytesRead: 0,
      helloBytes: 0,
      begin() {
        assert.equal(peer.begun, false);
        peer.begun = true;
        peer.reading = true;
      },
      read: (reading) => void (peer.reading = reading),
    };
    line.add(peer);
    return peer;
  };
  /** What is due first. False: nothing is waited for. */
  const turn = (): boolean => {
    const due = Math.min(...waiting.map(({ dueMs }) => dueMs));
    if (due === Infinity) return false;
    nowMs = Math.max(nowMs, due);
    const now = waiting.filter(({ dueMs }) => dueMs <= nowMs);
    waiting = waiting.filter(({ dueMs }) => dueMs > nowMs);
    for (const { callback } of now) callback();
    return true;
  };
  return { connect, line, turn, nowMs: () => nowMs };
}

const { readingMax, unverifiedBytesMax, unverifiedBytesPerMs } = handshakeLimits;
const addresses = (count: number) => Array.from({ length: count }, (_, i) => `10.0.0.${i}`);

describe('handshakes over TLS', () => {
  it('that are few begin at once, read all the time and need no timer', () => {
    const { connect, turn } = harness();
    const peers = addresses(readingMax).map(connect);
    assert.ok(peers.every(({ begun, reading }) => begun && reading));
    turn();
    assert.equal(turn(), false);
    assert.ok(peers.every(({ reading }) => reading));
  });

  it('that are many are read from by turns, so many at a time, and all come to their end', () => {
    const { connect, line, turn } = harness();
    const peers = addresses(50).map(connect);
    const left = new Set(peers);
    const reads = new Map(peers.map((peer) => [peer, 0]));
    while (left.size > 0) {
      const reading = [...left].filter((peer) => peer.reading);
      assert.ok(reading.length <= readingMax);
      for (const peer of reading) {
        const seen = (reads.get(peer) ?? 0) + 1;
        reads.set(peer, seen);
        peer.bytesRead += 300;
        if (seen < 3) continue;
        line.over(peer, true);
        left.delete(peer);
      }
      assert.ok(turn() || left.size === 0);
    }
    assert.equal(line.waitingCount, 0);
  });

  it('of one address hold up another by a turn, however many stall', () => {
    const { connect, turn } = harness();
    const stalled = Array.from({ length: 1_000 }, () => connect('10.0.0.1'));
    for (let i = 0; i < 20; i += 1) turn();
    const other = connect('10.0.0.2');
    turn();
    assert.equal(other.begun, true);
    assert.ok(stalled.filter(({ reading }) => reading).length < readingMax);
  });

  it('wait where certificates that nobody has signed have cost too much, and go on later', () => {
    const { connect, line, nowMs, turn } = harness();
    const costly = connect('10.0.0.1');
    const beyond = unverifiedBytesPerMs * 1_000;
    costly.bytesRead = handshakeLimits.freeBytes + unverifiedBytesMax + beyond;
    line.over(costly, false);
    const again = connect('10.0.0.1');
    const other = connect('10.0.0.2');
    turn();
    assert.deepEqual([again.begun, other.begun], [false, true]);
    line.over(other, true);
    while (!again.begun) assert.ok(turn());
    assert.ok(nowMs() >= 900 && nowMs() <= 1_100, `${nowMs()}`);
  });

  it('after such certificates go on one a turn', () => {
    const { connect, line, turn } = harness();
    const costly = connect('10.0.0.1');
    costly.bytesRead = handshakeLimits.freeBytes + 1;
    line.over(costly, false);
    const peers = addresses(10).map(connect);
    turn();
    assert.equal(peers.filter(({ reading }) => reading).length, 1);
  });

  it('that were trusted, or sent no certificate, cost their address nothing', () => {
    const { connect, line } = harness();
    for (let i = 0; i < 10; i += 1) {
      const peer = connect('10.0.0.1');
      assert.equal(peer.begun, true);
      peer.bytesRead = unverifiedBytesMax;
      line.over(peer, true);
    }
  });

  it('whose client has gone take no turn', () => {
    const { connect, line, turn } = harness();
    const peers = Array.from({ length: 100 }, () => connect('10.0.0.1'));
    for (const peer of peers.slice(readingMax)) peer.gone = true;
    turn();
    assert.equal(line.waitingCount, 0);
    assert.equal(peers.filter(({ begun }) => begun).length, readingMax);
  });

  it('are counted by the network of an IPv6 address', () => {
    for (const [address, network] of [
      ['10.1.2.3', '10.1.2.3'],
      ['::ffff:10.1.2.3', '::ffff:10.1.2.3'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
      ['2001:db8::7', '2001:db8:0:0'],
    ] as const) {
      assert.equal(networkOf(address), network);
    }
  });
});

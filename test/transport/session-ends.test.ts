/** Sessions of HTTP/2 that their library has ended: nothing of them stays. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultTransportLimits } from '../../src/transport/http-exchange.ts';
import { listenNode } from '../../src/transport/node/listen-node.ts';
import { createSessionEnds } from '../../src/transport/node/session-ends.ts';
import type { EndingSession } from '../../src/transport/node/session-ends.ts';
import { sessionLimits } from '../../src/transport/node/session-turns.ts';
import { openRawHttp2, streamFrames, wrongFrames } from '../support/clients/raw-http2.ts';
import { tlsPair } from '../support/data/tls-pair.ts';

describe('a session of HTTP/2', () => {
  it('that its client has ended by a wrong frame is closed, and all that waits for it', async () => {
    let open = 0;
    const options = { address: '127.0.0.1', port: 0, limits: defaultTransportLimits, tls: tlsPair };
    const server = await listenNode(options, (exchange) => {
      open += 1;
      exchange.onClosed(() => void (open -= 1));
    });
    for (const wrong of wrongFrames()) {
      for (const waiting of [0, 3]) {
        const session = await openRawHttp2(server.port);
        session.socket.write(streamFrames('/', waiting, false));
        while (open < waiting) await sleep(5);
        session.socket.write(wrong);
        while (!session.socket.destroyed || open > 0) await sleep(5);
        assert.notEqual(session.goAwayCode, undefined, 'it is told why');
      }
    }
    await server.close();
  });

  it('is destroyed when nothing is read or written any more, many of them in turns', () => {
    let turns: (() => void)[] = [];
    const { look } = createSessionEnds({
      nextTurn(callback) {
        turns.push(callback);
        return { cancel: () => undefined };
      },
    });
    const turn = (): boolean => {
      const now = turns;
      turns = [];
      for (const callback of now) callback();
      return now.length > 0;
    };
    const destroyed: number[] = [];
    const session = (n: number, open: number, isOver: boolean): EndingSession => ({
      isOver,
      open,
      destroy: () => void destroyed.push(n),
    });
    const { streamsPerEnd, streamsPerTurn } = sessionLimits;
    look(session(0, 5, false));
    const half = streamsPerTurn / 2 - streamsPerEnd;
    for (const n of [1, 2, 3]) look(session(n, half, true));
    look(session(4, 10 * streamsPerTurn, true));
    look(session(5, 0, true));
    assert.deepEqual(destroyed, []);
    for (const expected of [[1, 2], [3, 4], [5]]) {
      destroyed.length = 0;
      turn();
      assert.deepEqual(destroyed, expected);
    }
    assert.equal(turn(), false, 'there is no timer when nobody waits');
  });
});

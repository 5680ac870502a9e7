/** Bodies of all requests: what one turn of the event loop takes in, and who goes on when. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BodyTurns, bodyTurnLimits } from '../../src/transport/body-turns.ts';
import { BodyBytes } from '../../src/transport/load.ts';
import { RequestBody } from '../../src/transport/request-body.ts';

const { bodiesPerTurn, bytesPerTurn, pieceBytes } = bodyTurnLimits;

function harness() {
  let waiting: (() => void)[] = [];
  const nextTurn = (callback: () => void) => {
    waiting.push(callback);
    return { cancel: () => undefined };
  };
  return {
    turns: new BodyTurns({ nextTurn }),
    /** False: nothing was waited for. */
    turn(): boolean {
      const now = waiting;
      waiting = [];
      for (const callback of now) callback();
      return now.length > 0;
    },
  };
}

describe('bodies in turns', () => {
  it('have so many bytes in a turn, and as many in the next', () => {
    const { turns, turn } = harness();
    assert.equal(turns.took(bytesPerTurn - pieceBytes - 1), true);
    assert.equal(turns.took(1), false);
    assert.equal(turn(), true);
    assert.equal(turns.took(1), true);
    turn();
    assert.equal(turn(), false, 'nobody waits');
  });

  it('go on a few in a turn, in the order in which they waited', () => {
    const { turns, turn } = harness();
    const names = Array.from({ length: 3 * bodiesPerTurn }, (_, i) => i);
    const gone: number[] = [];
    for (const name of names) turns.wait(() => gone.push(name));
    for (let seen = bodiesPerTurn; seen <= names.length; seen += bodiesPerTurn) {
      turn();
      assert.deepEqual(gone, names.slice(0, seen));
    }
  });

  it('are paused beyond that and come whole', async () => {
    const pieces = 64;
    const piece = Buffer.alloc((2 * bytesPerTurn) / pieces, 'x');
    const bytes = new BodyBytes(Infinity);
    let paused = false;
    let pauses = 0;
    let goOn = (): void => undefined;
    const flow = {
      pause() {
        assert.equal(paused, false);
        paused = true;
        pauses += 1;
      },
      resume() {
        assert.equal(paused, true);
        paused = false;
        goOn();
      },
      cut: () => assert.fail('nobody is cut off'),
    };
    const body = new RequestBody(flow, bytes, pieces * piece.length, false);
    const read = body.read(pieces * piece.length);
    for (let i = 0; i < pieces; i += 1) {
      if (paused) await new Promise<void>((resolve) => (goOn = resolve));
      body.take(piece, i === pieces - 1);
    }
    const result = await read;
    assert.ok(result.kind === 'complete' && result.bytes.length === pieces * piece.length);
    assert.ok(pauses > 0);
  });

  it('of very small pieces are cut off, each that has a share in it', () => {
    const { smallPiecesPerBody, smallPiecesPerTurn } = bodyTurnLimits;
    const { turns, turn } = harness();
    let cuts: string[] = [];
    const bodyOf = (name: string): RequestBody => {
      const flow = {
        pause: () => undefined,
        resume: () => undefined,
        cut() {
          cuts.push(name);
          body.abort();
        },
      };
      const body = new RequestBody(flow, new BodyBytes(Infinity, turns), -1, false);
      return body;
    };
    const give = (body: RequestBody, count: number): void => {
      for (let i = 0; i < count; i += 1) body.take(Buffer.alloc(1), false);
    };
    const [fine, other, honest] = [bodyOf('fine'), bodyOf('other'), bodyOf('honest')];
    give(fine, smallPiecesPerTurn);
    assert.deepEqual(cuts, []);
    turn();
    give(fine, smallPiecesPerTurn);
    assert.deepEqual(cuts, [], 'each turn has as many');
    give(fine, 1);
    give(honest, smallPiecesPerBody);
    give(other, smallPiecesPerBody + 1);
    assert.deepEqual(cuts, ['fine', 'other']);
    give(fine, 1);
    assert.equal(fine.over, true);
    cuts = [];
    turn();
    give(honest, smallPiecesPerBody);
    assert.deepEqual(cuts, []);
  });
});

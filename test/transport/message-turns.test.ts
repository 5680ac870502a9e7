/** What clients in WebSocket say on uWebSockets.js is heard in turns; who says too much is cut. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BodyBytes } from '../../src/transport/load.ts';
import { Spool } from '../../src/transport/spool.ts';
import { MessageTurns, messageTurnLimits } from '../../src/transport/message-turns.ts';
import { UwsMessageStream } from '../../src/transport/uws/uws-message-stream.ts';
import type { UwsWebSocket } from '../../src/transport/uws/uws-binding.ts';

/** Turns that the test ends. */
function manualTurns() {
  let waiting: (() => void)[] = [];
  return {
    nextTurn(callback: () => void) {
      waiting.push(callback);
      return { cancel: () => undefined };
    },
    end(): void {
      const due = waiting;
      waiting = [];
      for (const each of due) each();
    },
  };
}

function opened(turns: ReturnType<typeof manualTurns>, shared = new MessageTurns(turns)) {
  let isCut = false;
  const socket = { close: () => (isCut = true) } as unknown as UwsWebSocket;
  const bodies = new BodyBytes(1_000_000_000);
  const watcher = { blocked: () => undefined };
  const load = { bodies, spool: new Spool({ directory: '', bytesMax: 0 }) };
  const port = { timers: turns, load, messageTurns: shared };
  const stream = new UwsMessageStream(socket, false, port, watcher);
  const heard: number[] = [];
  stream.receive({ data: (bytes) => heard.push(bytes[0] ?? 0), end: () => undefined });
  const say = (at: number): void => stream.received(Uint8Array.of(at).buffer, true);
  return { stream, heard, say, bodies, isCut: () => isCut };
}

const { ofOneMin, servedMax, takenMax } = messageTurnLimits;
const bytesOf = (count: number): number[] => Array.from({ length: count }, (_, at) => at % 256);

describe('messages of clients', () => {
  it('are heard some in a turn, in their order, and nothing is held at last', () => {
    const turns = manualTurns();
    const { bodies, heard, say } = opened(turns);
    for (const at of bytesOf(1_000)) say(at);
    assert.equal(heard.length, servedMax);
    for (let turn = 0; turn < 4; turn += 1) turns.end();
    assert.deepEqual(heard, bytesOf(1_000));
    assert.equal(bodies.heldBytes, 0);
  });

  it('wait while their client is asked to, and go on behind each other', () => {
    const turns = manualTurns();
    const { heard, say, stream } = opened(turns);
    stream.pause();
    for (const at of bytesOf(300)) say(at);
    assert.equal(heard.length, 0);
    stream.resume();
    assert.equal(heard.length, servedMax);
    say(7);
    turns.end();
    assert.deepEqual(heard, [...bytesOf(300), 7]);
  });

  it('are too many in a turn for who brings them, not for others, nor in the next', () => {
    const turns = manualTurns();
    const shared = new MessageTurns(turns);
    const [loud, quiet] = [opened(turns, shared), opened(turns, shared)];
    for (const at of bytesOf(takenMax + 1)) loud.say(at);
    for (const at of bytesOf(ofOneMin)) quiet.say(at);
    assert.equal(loud.isCut(), true);
    assert.equal(quiet.isCut(), false);
    turns.end();
    for (const at of bytesOf(servedMax)) quiet.say(at);
    assert.equal(quiet.isCut(), false);
  });

  it('of many bytes are heard a few in a turn, whoever says them; of too many, who says is cut', () => {
    const turns = manualTurns();
    const shared = new MessageTurns(turns);
    const { heardBytesMax, takenBytesMax } = messageTurnLimits;
    const bytes = heardBytesMax / 2;
    const fitting = takenBytesMax / bytes;
    const all = Array.from({ length: fitting + 2 }, () => opened(turns, shared));
    for (const { stream } of all) stream.received(new ArrayBuffer(bytes), true);
    const heard = () => all.filter((each) => each.heard.length === 1).length;
    assert.deepEqual(
      all.map(({ isCut }) => isCut()),
      all.map((_, at) => at >= fitting),
    );
    for (let turn = 1; turn * 2 <= fitting; turn += 1) {
      assert.equal(heard(), 2 * turn);
      turns.end();
    }
    assert.ok(all.every(({ bodies }) => bodies.heldBytes === 0));
  });
});

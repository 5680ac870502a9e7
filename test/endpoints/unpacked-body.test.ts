/** A document that is kept packed is unpacked as its reader takes it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipBytes } from '../../src/apimachinery/codecs/gzip.ts';
import { sendUnpacked } from '../../src/endpoints/unpacked-body.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { createTurns } from '../../src/stdx/turns.ts';

/** Takes so many bytes, and more when it is told to. */
function reader(taking: number) {
  const parts: Uint8Array[] = [];
  let room = taking;
  let [drained, gone] = [(): void => undefined, (): void => undefined];
  let [closed, ended, aborted] = [false, false, false];
  const waits: boolean[] = [];
  return {
    parts,
    waits,
    seat: { waits: (isWaiting: boolean) => void waits.push(isWaiting) },
    get state() {
      const bytes = parts.reduce((sum, part) => sum + part.length, 0);
      return { bytes, ended, aborted };
    },
    take(bytes: number): void {
      room += bytes;
      drained();
    },
    leave(): void {
      closed = true;
      gone();
    },
    exchange: { onAbort: (callback: () => void) => void (gone = callback) },
    stream: {
      write(part: Uint8Array) {
        parts.push(Buffer.from(part));
        room -= part.length;
        return room > 0;
      },
      onDrain: (callback: () => void) => void (drained = callback),
      end: () => void (ended = true),
      abort: () => void (aborted = true),
      get closed() {
        return closed;
      },
    },
  };
}

const turns = createTurns({ clock: systemClock, timers: systemTimers });
const whole = randomBytes(3_000_000);

describe('a packed document', () => {
  it('is sent as it is, no further than its reader takes it', async () => {
    const slow = reader(1);
    const sent = sendUnpacked(turns, slow, slow.stream, await gzipBytes(whole));
    await sleep(50);
    assert.ok(slow.state.bytes > 0 && slow.state.bytes <= 128 * 1024, `${slow.state.bytes} bytes`);
    assert.deepEqual(slow.waits, [true], 'it waits for its reader');
    slow.take(whole.length);
    await sent;
    assert.deepEqual(slow.waits, [true, false]);
    assert.deepEqual(slow.state, { bytes: whole.length, ended: true, aborted: false });
    assert.ok(Buffer.concat(slow.parts).equals(whole));
  });

  it('is let go when its reader has gone who takes nothing', async () => {
    const stalled = reader(1);
    const sent = sendUnpacked(turns, stalled, stalled.stream, await gzipBytes(whole));
    await sleep(50);
    stalled.leave();
    await sent;
    assert.equal(stalled.state.ended, false);
  });

  it('is cut where it is none', async () => {
    const taking = reader(whole.length);
    const sent = sendUnpacked(turns, taking, taking.stream, Buffer.from('no gzip'));
    await assert.rejects(sent, { code: 'Z_DATA_ERROR' });
    assert.deepEqual(taking.state, { bytes: 0, ended: false, aborted: true });
  });
});

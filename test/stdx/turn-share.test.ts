/** Whole work and the streams have turns of the event loop of their own. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Timers } from '../../src/stdx/clock.ts';
import { createTurnShare } from '../../src/stdx/turn-share.ts';
import { createTurns, wholeTurnMs } from '../../src/stdx/turns.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

/** Turns that are run by hand; what happens in them is written down. */
class Loop {
  readonly seen: string[][] = [];
  #callbacks: (() => void)[] = [];
  readonly timers: Timers = {
    after: () => assert.fail('no timer'),
    nextTurn: (callback) => {
      this.#callbacks.push(callback);
      const cancel = (): void => {
        this.#callbacks = this.#callbacks.filter((each) => each !== callback);
      };
      return { cancel };
    },
  };
  readonly share = createTurnShare(this.timers);
  readonly turns = this.share.yielding(createTurns({ ...this, clock: manualTime().clock }));

  note(what: string): void {
    this.seen.at(-1)?.push(what);
  }

  async turn(): Promise<void> {
    this.seen.push([]);
    for (const callback of this.#callbacks.splice(0)) {
      callback();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  stream(): void {
    this.share.timers.nextTurn(() => {
      this.note('stream');
      this.stream();
    });
  }

  async work(): Promise<void> {
    for (;;) {
      await this.turns.pause(wholeTurnMs);
      this.note('work');
    }
  }
}

describe('a turn of the event loop', () => {
  for (const first of ['stream', 'work'] as const) {
    it(`is not shared by the streams and whole work, and both go on (${first} first)`, async () => {
      const loop = new Loop();
      const both = [() => loop.stream(), () => void loop.work()];
      for (const begin of first === 'stream' ? both : both.toReversed()) begin();
      for (let turn = 0; turn < 40; turn += 1) await loop.turn();
      const count = (what: string): number => loop.seen.flat().filter((w) => w === what).length;
      assert.ok(count('stream') >= 10, JSON.stringify(loop.seen));
      assert.ok(count('work') >= 10, JSON.stringify(loop.seen));
      for (const seen of loop.seen) assert.ok(seen.length <= 1, JSON.stringify(loop.seen));
    });
  }

  it('is the next one for the streams while nobody has taken it', async () => {
    const loop = new Loop();
    loop.stream();
    for (let turn = 0; turn < 5; turn += 1) await loop.turn();
    assert.deepEqual(loop.seen, Array<string[]>(5).fill(['stream']));
  });

  it('that was put off can be cancelled', async () => {
    const loop = new Loop();
    const working = loop.turns.pause(wholeTurnMs);
    const handle = loop.share.timers.nextTurn(() => loop.note('stream'));
    await loop.turn();
    await working;
    handle.cancel();
    for (let turn = 0; turn < 3; turn += 1) await loop.turn();
    assert.deepEqual(loop.seen.flat(), []);
  });
});

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

  /** So many times. */
  stream(times = Infinity): void {
    if (times === 0) return;
    this.share.timers.nextTurn(() => {
      this.note('stream');
      this.stream(times - 1);
    });
  }

  async work(times = Infinity): Promise<void> {
    for (let done = 0; done < times; done += 1) {
      await this.turns.pause(wholeTurnMs);
      this.note('work');
    }
  }

  /** What was seen in so many more turns. */
  async next(turns: number): Promise<string[][]> {
    for (let turn = 0; turn < turns; turn += 1) await this.turn();
    return this.seen.slice(-turns);
  }

  /** Nothing of work and the streams is in one turn, and each has its share of them. */
  async assertShared(): Promise<void> {
    const seen = await this.next(40);
    const count = (what: string): number => seen.flat().filter((w) => w === what).length;
    assert.ok(count('stream') >= 10, JSON.stringify(seen));
    assert.ok(count('work') >= 10, JSON.stringify(seen));
    for (const each of seen) assert.ok(new Set(each).size <= 1, JSON.stringify(seen));
  }
}

describe('a turn of the event loop', () => {
  for (const first of ['stream', 'work'] as const) {
    it(`is not shared by the streams and whole work, and both go on (${first} first)`, async () => {
      const loop = new Loop();
      const both = [() => loop.stream(), () => void loop.work()];
      for (const begin of first === 'stream' ? both : both.toReversed()) begin();
      await loop.assertShared();
      for (const seen of loop.seen) assert.ok(seen.length <= 1, JSON.stringify(loop.seen));
    });
  }

  it('is the next one for the streams while nobody has taken it', async () => {
    const loop = new Loop();
    loop.stream();
    assert.deepEqual(await loop.next(5), Array<string[]>(5).fill(['stream']));
  });

  it('that was put off can be cancelled', async () => {
    const loop = new Loop();
    const working = loop.turns.pause(wholeTurnMs);
    const handle = loop.share.timers.nextTurn(() => loop.note('stream'));
    await loop.turn();
    await working;
    handle.cancel();
    await loop.next(3);
    assert.deepEqual(loop.seen.flat(), []);
  });

  it('is not shared where several streams come in one turn, before and behind the work', async () => {
    const loop = new Loop();
    for (let i = 0; i < 2; i += 1) loop.stream();
    void loop.work();
    for (let i = 0; i < 2; i += 1) loop.stream();
    await loop.assertShared();
  });

  it('is that of whole work alone when the streams have ended, and the reverse', async () => {
    const loop = new Loop();
    loop.stream(5);
    void loop.work(20);
    await loop.next(20);
    assert.deepEqual(await loop.next(5), Array<string[]>(5).fill(['work']));
    await loop.next(10);
    loop.stream();
    assert.deepEqual(await loop.next(5), Array<string[]>(5).fill(['stream']));
  });

  it('is not shared behind whole work that had each turn for a while', async () => {
    const loop = new Loop();
    void loop.work();
    await loop.next(5);
    loop.stream();
    await loop.assertShared();
  });

  it('that is cancelled, before it was put off, then, or behind it, is forgotten once', async () => {
    const loop = new Loop();
    for (let i = 0; i < 4; i += 1) {
      const working = loop.turns.pause(wholeTurnMs);
      const handles = Array.from({ length: 4 }, () => loop.share.timers.nextTurn(() => undefined));
      handles[0]?.cancel();
      await loop.turn();
      await working;
      handles[1]?.cancel();
      handles[1]?.cancel();
      await loop.next(3);
      for (const handle of handles) handle.cancel();
    }
    void loop.work();
    assert.deepEqual(await loop.next(5), Array<string[]>(5).fill(['work']));
    loop.stream();
    await loop.assertShared();
  });

  it('is not asked for by a pause that needs no whole one', async () => {
    const loop = new Loop();
    loop.stream();
    await loop.turn();
    void loop.turns.pause(0).then(() => loop.note('work'));
    assert.deepEqual((await loop.next(2))[0]?.toSorted(), ['stream', 'work']);
  });
});

describe('what the turns of the event loop share', () => {
  it('passes delays and steps on as they are', () => {
    const seen: unknown[] = [];
    const timers = { ...new Loop().timers, after: (ms: number) => void seen.push(ms) };
    const share = createTurnShare(timers as unknown as Timers);
    share.timers.after(7, () => undefined);
    const turns = { run: (step: unknown) => void seen.push(step), pause: () => assert.fail() };
    const step = (): boolean => false;
    share.yielding(turns).run(step);
    assert.deepEqual(seen, [7, step]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as passed } from 'node:timers/promises';
import { systemTimers } from '../../src/stdx/clock.ts';

const yearMs = 365 * 24 * 3_600_000;

describe('timers', () => {
  it('of a year do not come at once, as the engine’s own would', async () => {
    let came = false;
    const timer = systemTimers.after(yearMs, () => (came = true));
    await passed(50);
    assert.equal(came, false);
    timer.cancel();
  });

  it('keep the process alive only where somebody waits for them', () => {
    const held = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = held();
    const timers = [systemTimers.after(yearMs, () => undefined)];
    assert.equal(held(), before);
    timers.push(systemTimers.after(yearMs, () => undefined, true));
    assert.equal(held(), before + 1);
    for (const timer of timers) timer.cancel();
    assert.equal(held(), before);
  });

  it('of a year come after a year, in parts that the engine can count', (t) => {
    const delays: number[] = [];
    const waiting: (() => void)[] = [];
    const engine = (callback: () => void, delayMs = 0) => {
      delays.push(delayMs);
      waiting.push(callback);
      return { unref: () => undefined };
    };
    t.mock.method(globalThis, 'setTimeout', engine as never);
    let came = 0;
    systemTimers.after(yearMs, () => (came += 1));
    for (let part = 0; part < waiting.length; part += 1) {
      assert.equal(came, 0);
      waiting[part]?.();
    }
    assert.equal(came, 1);
    assert(delays.every((each) => each < 2 ** 31));
    assert.equal(
      delays.reduce((sum, each) => sum + each, 0),
      yearMs,
    );
  });
});

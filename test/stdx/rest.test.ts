/** Rest between pieces of the same work (src/stdx/rest.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRest } from '../../src/stdx/rest.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

function resting() {
  const { advance, clock } = manualTime();
  const rest = createRest(clock, 9, 2000);
  const work = (tookMs: number): void => {
    const ended = rest.began();
    advance(tookMs);
    ended();
  };
  return { advance, rest, work };
}

describe('a rest', () => {
  it('is as many times as long as the work, and over when that time has passed', () => {
    const { advance, rest, work } = resting();
    assert.equal(rest.leftMs(), 0);
    work(20);
    assert.equal(rest.leftMs(), 180);
    advance(100);
    assert.equal(rest.leftMs(), 80);
    advance(500);
    assert.equal(rest.leftMs(), 0);
  });

  it('is bounded, and a short piece of work does not end it', () => {
    const { rest, work } = resting();
    work(5_000);
    assert.equal(rest.leftMs(), 2000);
    work(1);
    assert.equal(rest.leftMs(), 1999);
  });

  it('leaves a tenth of the time to work that is asked for without end', () => {
    const { advance, rest, work } = resting();
    let worked = 0;
    for (let at = 0; at < 10_000;) {
      const leftMs = rest.leftMs();
      advance(leftMs);
      work(10);
      worked += 10;
      at += leftMs + 10;
    }
    assert.ok(worked <= 1_010, `${worked} of 10,000`);
  });
});

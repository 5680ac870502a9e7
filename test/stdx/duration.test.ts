import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDurationMs } from '../../src/stdx/duration.ts';

describe('a duration', () => {
  const rows: readonly [string, number | undefined][] = [
    ['0', 0],
    ['0s', 0],
    ['250ms', 250],
    ['90s', 90_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['1m1ms', 60_001],
    ['', undefined],
    ['5', undefined],
    ['s', undefined],
    ['-5s', undefined],
    ['5 s', undefined],
    ['5d', undefined],
    ['.5s', undefined],
    ['PT5M', undefined],
  ];
  for (const [text, ms] of rows) {
    it(`'${text}' is ${ms === undefined ? 'none' : `${ms} ms`}`, () => {
      assert.equal(parseDurationMs(text), ms);
    });
  }
});

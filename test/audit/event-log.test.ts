import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { bufferLinesMax, createEventLog } from '../../src/audit/event-log.ts';
import { openRotatingFile } from '../../src/audit/rotating-file.ts';
import type { Timers } from '../../src/stdx/clock.ts';

function heldTimers() {
  const turns: (() => void)[] = [];
  const handle = { cancel: () => undefined };
  const timers: Timers = {
    after: () => handle,
    nextTurn: (callback) => (turns.push(callback), handle),
  };
  return { timers, run: () => turns.splice(0).forEach((turn) => turn()) };
}

describe('audit log', () => {
  it('batch: what does not fit in the buffer is dropped, counted and reported once', () => {
    const { timers, run } = heldTimers();
    const written: string[] = [];
    const problems: unknown[] = [];
    const log = createEventLog({
      file: { append: (lines) => void written.push(lines), close: () => undefined },
      mode: 'batch',
      timers,
      onProblem: (error) => problems.push(error),
    });
    for (let at = 0; at < bufferLinesMax + 5; at += 1) log.write(String(at));
    assert.deepEqual(written, [], 'nobody waits for the file');
    run();
    assert.equal(written.join('').trimEnd().split('\n').length, bufferLinesMax);
    assert.equal(log.droppedTotal, 5);
    assert.equal(log.eventsTotal, bufferLinesMax + 5);
    assert.equal(problems.length, 1);
  });

  it('blocking: a line is in the file when write returns; a failure is counted and not thrown', () => {
    const written: string[] = [];
    let full = false;
    const log = createEventLog({
      file: {
        append(lines) {
          if (full) throw new Error('no space');
          written.push(lines);
        },
        close: () => undefined,
      },
      mode: 'blocking',
      timers: heldTimers().timers,
      onProblem: () => undefined,
    });
    log.write('a');
    assert.deepEqual(written, ['a\n']);
    full = true;
    log.write('b');
    full = false;
    log.write('c');
    assert.deepEqual(written, ['a\n', 'c\n']);
    assert.equal(log.droppedTotal, 1);
  });

  it('a full file is put aside whole; more than maxbackup, or older than maxage, are removed', () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'sluice-audit-'));
    let nowMs = Date.UTC(2026, 0, 1);
    const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
    const limits = { sizeBytesMax: 10, backupsMax: 2, ageMsMax: 1000 };
    const file = openRotatingFile(path.join(dir, 'audit.log'), limits, clock);
    for (const line of ['one1', 'one2', 'two1', 'two2', 'three1', 'three2', 'four1']) {
      file.append(`${line}\n`, 1);
      nowMs += 1;
    }
    const texts = () =>
      readdirSync(dir)
        .sort()
        .map((name) => readFileSync(path.join(dir, name), 'utf8'));
    assert.deepEqual(texts(), ['three1\n', 'three2\n', 'four1\n']);
    nowMs += 5000;
    file.append('five1\n', 1);
    assert.deepEqual(texts(), ['four1\n', 'five1\n'], 'the old ones are gone');
    file.close();
    rmSync(dir, { recursive: true });
  });
});

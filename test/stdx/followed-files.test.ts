/** Files that are read again: whatever takes their place, the server goes on. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { followFiles } from '../../src/stdx/followed-files.ts';
import { messageOf } from '../../src/stdx/message-of.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-configuration');

/** Until files are looked at again, and have been seen not to change meanwhile. */
const minuteMs = 60_100;
const settleMs = 50;

describe('a file that is followed', () => {
  let folder = '';
  beforeEach(() => (folder = directories.make()));
  afterEach(() => directories.removeAll());

  const follow = () => {
    const file = path.join(folder, 'config.yaml');
    writeFileSync(file, 'one');
    const time = manualTime();
    const changes: string[] = [];
    const problems: string[] = [];
    const following = followFiles({
      files: [{ file, bytes: Buffer.from('one') }],
      timers: time.timers,
      onChange: ([bytes]) => void changes.push(String(bytes)),
      onError: (error) => void problems.push(messageOf(error)),
    });
    return { changes, file, following, problems, time };
  };

  it('that changes while a change is taken in is read once more after that', async () => {
    const file = path.join(folder, 'config.yaml');
    writeFileSync(file, 'one');
    const { advance, timers } = manualTime();
    const changes: string[] = [];
    let taken = (): void => undefined;
    const following = followFiles({
      files: [{ file, bytes: Buffer.from('one') }],
      timers,
      onChange: ([bytes]) => {
        changes.push(String(bytes));
        return new Promise((resolve) => (taken = resolve));
      },
      onError: (error) => assert.fail(messageOf(error)),
    });
    for (const text of ['two', 'three', 'four']) {
      writeFileSync(file, text);
      advance(minuteMs);
    }
    assert.deepEqual(changes, ['two']);
    taken();
    await new Promise((resolve) => setImmediate(resolve));
    advance(settleMs);
    assert.deepEqual(changes, ['two', 'four']);
    following.stop();
  });

  it('that becomes a pipe nobody writes to is not waited for', () => {
    const { changes, file, following, problems, time } = follow();
    rmSync(file);
    execFileSync('mkfifo', [file]);
    time.advance(minuteMs);
    rmSync(file);
    writeFileSync(file, 'two');
    time.advance(minuteMs);
    following.stop();
    assert.deepEqual(problems, [`${file} is not a regular file`]);
    assert.deepEqual(changes, ['two']);
  });

  it('that cannot be read is reported once, and again when it fails anew', () => {
    const { changes, file, following, problems, time } = follow();
    rmSync(file);
    time.advance(10 * minuteMs);
    assert.equal(problems.length, 1);
    writeFileSync(file, 'one');
    time.advance(minuteMs);
    rmSync(file);
    time.advance(10 * minuteMs);
    following.stop();
    assert.equal(problems.length, 2);
    assert.deepEqual(changes, []);
  });

  it('is told with those it belongs to, as often as it takes until that does not throw', () => {
    const files = ['a', 'b'].map((name) => path.join(folder, name));
    for (const file of files) writeFileSync(file, 'one');
    const time = manualTime();
    const told: string[] = [];
    const problems: string[] = [];
    const following = followFiles({
      files: files.map((file) => ({ file, bytes: Buffer.from('one') })),
      timers: time.timers,
      onChange(contents) {
        told.push(contents.join());
        if (told.length < 3) throw new Error('not yet');
      },
      onError: (error) => void problems.push(messageOf(error)),
    });
    writeFileSync(files[1] ?? '', 'two');
    time.advance(10 * minuteMs);
    following.stop();
    assert.deepEqual(told, ['one,two', 'one,two', 'one,two']);
    assert.deepEqual(problems, ['not yet']);
  });

  it('that is written slowly is read when it has been left alone, never in between', () => {
    const { changes, file, following, problems, time } = follow();
    time.advance(minuteMs - 100 - settleMs / 2);
    let text = '';
    for (let piece = 0; piece < 20; piece += 1) {
      text += `piece ${piece} `;
      writeFileSync(file, text);
      time.advance(settleMs / 2);
      assert.deepEqual(changes, []);
    }
    time.advance(2 * settleMs);
    following.stop();
    assert.deepEqual(changes, [text]);
    assert.deepEqual(problems, []);
  });

  it('that is never left alone is not read, is reported once, and is read afterwards', () => {
    const { changes, file, following, problems, time } = follow();
    for (let tenths = 0; tenths < 2_400; tenths += 1) {
      writeFileSync(file, 'x'.repeat(1 + (tenths % 7)));
      time.advance(settleMs);
    }
    assert.deepEqual(changes, []);
    assert.deepEqual(problems, [`${file}: written to for 5 s without a pause`]);
    writeFileSync(file, 'whole');
    time.advance(minuteMs);
    following.stop();
    assert.deepEqual(changes, ['whole']);
  });

  it('that was a pipe at the start is not looked at again', () => {
    const file = path.join(folder, 'pipe');
    execFileSync('mkfifo', [file]);
    const time = manualTime();
    const problems: unknown[] = [];
    const following = followFiles({
      files: [{ file, bytes: Buffer.from('one') }],
      timers: time.timers,
      onChange: () => assert.fail('it was read'),
      onError: (error) => void problems.push(error),
    });
    time.advance(10 * minuteMs);
    following.stop();
    assert.deepEqual(problems, []);
  });
});

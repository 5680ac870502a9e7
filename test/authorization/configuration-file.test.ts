/** A configuration file that is read again: whatever takes its place, the server goes on. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { followConfiguration } from '../../src/authorization/configuration-file.ts';
import { messageOf } from '../../src/stdx/message-of.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const minuteMs = 60_000;

describe('a configuration file that is followed', () => {
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(path.join(os.tmpdir(), 'sluice-configuration-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const follow = () => {
    const file = path.join(folder, 'config.yaml');
    writeFileSync(file, 'one');
    const time = manualTime();
    const changes: string[] = [];
    const problems: string[] = [];
    const following = followConfiguration({
      file,
      bytes: Buffer.from('one'),
      timers: time.timers,
      onChange: (bytes) => void changes.push(Buffer.from(bytes).toString()),
      onError: (error) => void problems.push(messageOf(error)),
    });
    return { changes, file, following, problems, time };
  };

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
});

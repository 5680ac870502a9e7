/** Reading what may be a pipe ends, whoever writes or does not. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { readFileAtStart, readRegularFile } from '../../src/stdx/regular-file.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-file');

describe('a file that is read at the start', () => {
  let file = '';
  beforeEach(() => (file = path.join(directories.make(), 'f')));
  afterEach(() => directories.removeAll());

  it('may be a pipe whose writer comes late and writes in parts', () => {
    execFileSync('mkfifo', [file]);
    const script = `sleep 0.2; (printf 'one '; sleep 0.2; printf two) > '${file}'`;
    const writer = spawn('/bin/sh', ['-c', script], { stdio: 'ignore' });
    assert.equal(readFileAtStart(file).toString(), 'one two');
    writer.kill();
  });

  it('that is a pipe nobody writes to is given up', () => {
    execFileSync('mkfifo', [file]);
    let nowMs = 0;
    const clock = { monotonicMs: () => (nowMs += 1_000) };
    assert.throws(
      () => readFileAtStart(file, clock),
      /is a pipe, and did not end within 10 seconds/,
    );
    assert.equal(nowMs, 11_000);
  });

  it('may be a device, but for one without an end', () => {
    assert.equal(readFileAtStart('/dev/null').length, 0);
    assert.throws(
      () => readFileAtStart('/dev/zero'),
      /\/dev\/zero is no regular file, and does not/,
    );
  });

  it('is read whole where it is a regular one, and bounded while the server serves', () => {
    writeFileSync(file, 'x'.repeat(100));
    assert.equal(readFileAtStart(file).length, 100);
    assert.equal(readRegularFile(file, 100).length, 100);
    assert.throws(() => readRegularFile(file, 99), /is larger than 99 bytes/);
  });

  it('is closed again, also when it cannot be read', () => {
    writeFileSync(file, 'x'.repeat(100));
    const openFiles = (): number => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    for (let times = 0; times < 50; times += 1) {
      readFileAtStart(file);
      assert.throws(() => readRegularFile(file, 99));
    }
    assert.ok(openFiles() < before + 50, 'none of them is left open');
  });
});

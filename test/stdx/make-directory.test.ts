/** A directory is made, or it is said why not: nothing waits for ever. */
import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeDirectory } from '../../src/stdx/make-directory.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-make');

describe('a directory that is made', () => {
  let root = '';
  before(() => (root = directories.make()));
  after(() => directories.removeAll());

  it('has those above it made with it, with its mode, and may be there already', () => {
    const wanted = path.join(root, 'a/b/c');
    makeDirectory(wanted, 0o700);
    makeDirectory(wanted, 0o700);
    for (const made of ['a', 'a/b', 'a/b/c']) {
      assert.equal(statSync(path.join(root, made)).mode & 0o777, 0o700);
    }
  });

  it('is refused where a file stands in its way', () => {
    writeFileSync(path.join(root, 'file'), '');
    assert.throws(() => makeDirectory(path.join(root, 'file')), /EEXIST/);
    assert.throws(() => makeDirectory(path.join(root, 'file/below')), /ENOTDIR/);
  });

  it('is refused, and not tried for ever, where the system says that its parent is missing', () => {
    assert.throws(() => makeDirectory('/proc/sluice'), /ENOENT|EPERM|EACCES/);
    assert.throws(() => makeDirectory('/proc/self/sluice/below'), /ENOENT|EPERM|EACCES/);
  });
});

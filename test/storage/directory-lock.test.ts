/** Who else has a store open: the second look, at LMDB's table of readers. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { refuseForeignReader } from '../../src/storage/lmdb/directory-lock.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-lock');

/** A process that announces nothing. */
const stranger = 4_000_000;

describe('another process in the table of readers', () => {
  let directory = '';
  before(async () => {
    directory = directories.make();
  });
  after(() => directories.removeAll());

  /** An environment whose table shows these, one look after the other. */
  function environmentOf(...tables: readonly string[]) {
    const looks = [...tables];
    let closed = false;
    return {
      readerList: () => looks.shift() ?? '',
      readerCheck: () => 0,
      close: () => ((closed = true), Promise.resolve()),
      wasClosed: () => closed,
    };
  }
  const line = (pid: number): string => `    pid     thread     txnid\n ${pid} 7f0000000000 12\n`;

  it('is refused where it stays without saying that it only reads', async () => {
    const environment = environmentOf(line(stranger), line(stranger));
    await assert.rejects(refuseForeignReader(environment, directory), { code: 'in-use' });
    assert.equal(environment.wasClosed(), true);
  });

  it('is none where it is gone when it is looked for again: a backup that has just ended', async () => {
    const environment = environmentOf(line(stranger), '(no active readers)\n');
    await refuseForeignReader(environment, directory);
    assert.equal(environment.wasClosed(), false);
  });

  it('is none where it is this process', async () => {
    const environment = environmentOf(line(process.pid));
    await refuseForeignReader(environment, directory);
    assert.equal(environment.wasClosed(), false);
  });
});

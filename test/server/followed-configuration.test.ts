/** A configuration file that changes: what is done with one that is wrong, and with one that asks
 * for what is not there yet. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { followConfiguration, NotYet } from '../../src/server/compose/followed-configuration.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const directories = testDirectories('followed');
after(() => directories.removeAll());

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What was tried in ten minutes, with `answers` in turn, the last one from then on. */
async function triesOf(...answers: readonly (Error | true)[]) {
  const file = path.join(directories.make(), 'file');
  writeFileSync(file, 'first');
  const time = manualTime();
  const logged: string[] = [];
  const log = (fields: { readonly err?: Error }): void =>
    void logged.push(fields.err?.message ?? '');
  let tries = 0;
  const following = followConfiguration(
    'encryption',
    { file, bytes: Buffer.from('first') },
    (bytes) => {
      assert.equal(Buffer.from(bytes).toString(), 'second');
      tries += 1;
      const answer = answers[Math.min(tries, answers.length) - 1];
      return answer === true ? Promise.resolve(true) : Promise.reject(answer);
    },
    { ...time, log: { error: log, info: log, warn: log, debug: log } },
  );
  writeFileSync(file, 'second');
  for (let i = 0; i < 100; i += 1) {
    time.advance(6_000);
    await turn();
  }
  following.stop();
  return { tries, logged };
}

describe('a configuration file that has changed', () => {
  it('is taken once', async () => {
    assert.deepEqual(await triesOf(true), { tries: 1, logged: [''] });
  });

  it('is not tried again where it is wrong, until it is another', async () => {
    assert.deepEqual(await triesOf(new Error('wrong')), { tries: 1, logged: ['wrong'] });
  });

  it('is tried again where it asks for what is not there yet, and said once to be so', async () => {
    const notYet = new NotYet('nobody is there');
    const found = await triesOf(notYet, notYet, new NotYet('somebody else'), true);
    assert.deepEqual(found, { tries: 4, logged: ['nobody is there', 'somebody else', ''] });
  });
});

/** Servers that hang, and who waits for them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRemoteLanes } from '../../src/aggregation/remote-lanes.ts';
import { HttpCallError } from '../../src/webhooks/http-call.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const late = new HttpCallError('late', 'no answer in time');
const answer = (): Promise<string> => Promise.resolve('answer');

/** Calls that end when they are told to. */
function hanging() {
  const begun: ((error: Error) => void)[] = [];
  const task = (): Promise<string> => new Promise((_, reject) => begun.push(reject));
  return { begun, task };
}

describe('lines of calls to other servers', () => {
  it('those to one that hangs do not take the places of others', async () => {
    const lanes = createRemoteLanes(manualTime().clock);
    const { begun, task } = hanging();
    const calls = Array.from({ length: 100 }, () => lanes.run('hangs', task));
    assert.equal(await lanes.run('well', answer), 'answer');
    assert.ok(begun.length < 16, `${begun.length} have been begun`);
    for (const reject of begun) reject(late);
    const ended = await Promise.allSettled(calls);
    assert.ok(ended.every(({ status }) => status === 'rejected'));
  });

  it('one that did not answer rests, then one call tries it again', async () => {
    const { advance, clock } = manualTime();
    const lanes = createRemoteLanes(clock);
    const { begun, task } = hanging();
    const first = lanes.run('server', task);
    begun[0]?.(late);
    await assert.rejects(first, late);
    await assert.rejects(lanes.run('server', answer), late);
    advance(500);
    const again = lanes.run('server', task);
    await assert.rejects(lanes.run('server', answer), late);
    assert.equal(begun.length, 2);
    begun[1]?.(late);
    await assert.rejects(again, late);
    advance(500);
    await assert.rejects(lanes.run('server', answer), late, 'it rests for longer and longer');
    advance(500);
    assert.equal(await lanes.run('server', answer), 'answer');
    assert.equal(await lanes.run('server', answer), 'answer');
  });
});

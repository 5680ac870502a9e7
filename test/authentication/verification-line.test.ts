/** Signatures are verified a few at a time, and nobody's many keep another's from its turn. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createVerificationLine,
  verificationLineLimits,
} from '../../src/authentication/verification-line.ts';
import type { Requester } from '../../src/stdx/requester.ts';
import { departingRequester } from '../support/doubles/departing-requester.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const { placesMax, waitMaxMs, waitingMax } = verificationLineLimits;

/** Verifications that end when told, by their names. */
function harness() {
  const time = manualTime();
  const line = createVerificationLine(time.timers);
  const begun: string[] = [];
  const turnedAway: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const show = (network: string, name: string, requester?: Requester): void => {
    const verification = (): Promise<string> => {
      begun.push(name);
      return new Promise((resolve, reject) =>
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error))),
      );
    };
    const noted = (answer: string | undefined): void => {
      if (answer === undefined) turnedAway.push(name);
    };
    line.verify({ network, requester }, verification).then(noted, () => undefined);
  };
  const showMany = (network: string, count: number): void => {
    for (let i = 0; i < count; i += 1) show(network, `${network}-${i}`);
  };
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)?.(error);
    await settled();
  };
  return { begun, end, settled, show, showMany, time, turnedAway };
}

describe('signatures of tokens', () => {
  // Before, all were given to the threads at once: a commit waited behind thousands of them.
  it('are verified a few at a time', async () => {
    const { begun, end, showMany } = harness();
    showMany('a', 1500);
    assert.equal(begun.length, placesMax);
    await end('a-0');
    assert.equal(begun.length, placesMax + 1);
  });

  it('wait in turn, network by network', async () => {
    const { begun, end, show, showMany } = harness();
    showMany('a', 1500);
    show('b', 'b-0');
    show('b', 'b-1');
    for (let i = 0; i < 4; i += 1) await end(begun[i] as string);
    assert.deepEqual(begun.slice(placesMax), ['a-2', 'b-0', 'a-3', 'b-1']);
  });

  it('leave their places when they fail', async () => {
    const { begun, end, showMany } = harness();
    showMany('a', placesMax + 1);
    await end('a-0', new Error('no key'));
    assert.equal(begun.at(-1), `a-${placesMax}`);
  });

  it('are not looked at when their time is over', async () => {
    const { begun, end, settled, showMany, time, turnedAway } = harness();
    showMany('a', placesMax + 2);
    await end('a-0');
    time.advance(waitMaxMs);
    await settled();
    assert.deepEqual(turnedAway, [`a-${placesMax + 1}`]);
    await end('a-1');
    assert.equal(begun.length, placesMax + 1);
    assert.equal(time.pendingCount, 0);
  });

  it('are not looked at when who asked has gone, and nothing is kept of that', async () => {
    const { begun, end, settled, show, showMany, time, turnedAway } = harness();
    const [goes, stays] = [departingRequester(), departingRequester()];
    showMany('a', placesMax);
    show('a', 'goes', goes);
    show('a', 'stays', stays);
    goes.go();
    await settled();
    assert.deepEqual(turnedAway, ['goes']);
    await end('a-0');
    assert.equal(begun.at(-1), 'stays');
    assert.deepEqual([stays.waiting, time.pendingCount], [0, 0]);
  });

  it('make room for another network when the line is full', async () => {
    const { begun, end, settled, show, showMany, turnedAway } = harness();
    showMany('a', placesMax + waitingMax + 1);
    show('b', 'b-0');
    await settled();
    assert.deepEqual(turnedAway, [
      `a-${placesMax + waitingMax}`,
      `a-${placesMax + waitingMax - 1}`,
    ]);
    await end('a-0');
    await end('a-1');
    assert.ok(begun.includes('b-0'));
  });
});

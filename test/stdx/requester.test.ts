/** Who has asked for work is told of once, and goes without a trace. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AbortCallbacks, SharedWork, sleepFor, unlessGone } from '../../src/stdx/requester.ts';
import type { Requester } from '../../src/stdx/requester.ts';
import { departingRequester } from '../support/doubles/departing-requester.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('those who are to be told that a requester has gone', () => {
  it('are called once, in their order, but for those that are taken away, even meanwhile', () => {
    const callbacks = new AbortCallbacks();
    const called: string[] = [];
    const named = (name: string) => (): void => void called.push(name);
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(named) as [() => void, ...(() => void)[]];
    callbacks.add(() => {
      called.push('first');
      callbacks.remove(d as () => void);
    });
    for (const each of [a, b, c, d]) callbacks.add(each as () => void);
    callbacks.remove(b as () => void);
    callbacks.call();
    callbacks.call();
    assert.deepEqual(called, ['first', 'a', 'c']);
  });

  it('may be taken away and come back where only one waits', () => {
    const callbacks = new AbortCallbacks();
    let count = 0;
    const one = (): void => void (count += 1);
    callbacks.add(one);
    callbacks.remove(one);
    callbacks.add(one);
    callbacks.call();
    assert.equal(count, 1);
  });
});

describe('work for a requester', () => {
  it('is what it comes to, and nobody waits to be told behind it', async () => {
    const requester = departingRequester();
    const gone = (): never => assert.fail('it stays');
    assert.equal(await unlessGone(requester, Promise.resolve(1), gone), 1);
    await assert.rejects(unlessGone(requester, Promise.reject(new Error('no')), gone), /no/);
    assert.equal(requester.waiting, 0);
  });

  it('ends when it goes, and at once when it has gone; what fails later is nobody’s', async () => {
    const requester = departingRequester();
    let fail!: (error: Error) => void;
    const work = new Promise<number>((_resolve, reject) => (fail = reject));
    const waiting = unlessGone(requester, work, () => 'gone');
    requester.go();
    assert.equal(await waiting, 'gone');
    assert.equal(await unlessGone(requester, work, () => 'gone'), 'gone');
    fail(new Error('too late'));
    await settled();
  });

  it('pauses no longer than it stays', async () => {
    const time = manualTime();
    const requester = departingRequester();
    let ended = 0;
    void sleepFor(requester, time.timers, 1_000).then(() => (ended += 1));
    void sleepFor(undefined, time.timers, 1_000).then(() => (ended += 1));
    await settled();
    assert.equal(ended, 0);
    requester.go();
    await settled();
    assert.equal(ended, 1);
    time.advance(1_000);
    await settled();
    assert.equal(ended, 2);
  });
});

describe('work that several share', () => {
  const world = () => {
    const begun: { readonly all: Requester; readonly end: (value: string) => void }[] = [];
    const shared = new SharedWork<string>();
    const ask = (requester: Requester | undefined): Promise<string> =>
      shared.ask(
        'name',
        requester,
        (all) => new Promise((end) => begun.push({ all, end })),
        () => 'gone',
      );
    return { ask, begun };
  };

  it('serves the second where the first who asked has gone', async () => {
    const { ask, begun } = world();
    const [first, second] = [departingRequester(), departingRequester()];
    const answers = [ask(first), ask(second)];
    first.go();
    assert.equal(begun[0]?.all.closed, false);
    begun[0]?.end('answer');
    assert.deepEqual(await Promise.all(answers), ['gone', 'answer']);
    assert.equal(begun.length, 1);
    assert.equal(second.waiting, 0);
  });

  it('ends with the last, is begun anew then, and stays for who does not go', async () => {
    const { ask, begun } = world();
    const two = [departingRequester(), departingRequester()];
    const left = two.map((each) => ask(each));
    let cut = 0;
    begun[0]?.all.onAbort(() => (cut += 1));
    for (const each of two) each.go();
    assert.deepEqual(await Promise.all(left), ['gone', 'gone']);
    assert.deepEqual([cut, begun[0]?.all.closed], [1, true]);
    const stays = ask(undefined);
    const goes = departingRequester();
    void ask(goes);
    goes.go();
    // What was cut may end behind that which was begun for it.
    begun[0]?.end('late');
    await settled();
    assert.equal(begun.length, 2);
    const joined = ask(undefined);
    begun[1]?.end('answer');
    assert.deepEqual([await stays, await joined], ['answer', 'answer']);
    assert.equal(begun.length, 2);
  });
});

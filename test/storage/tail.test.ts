import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { createCommitSignal, followLog } from '../../src/storage/tail.ts';
import { revisionZero } from '../../src/storage/storage.ts';

describe('commit signal', () => {
  it('wakes all that sleep, and those whose signal aborts', async () => {
    const commits = createCommitSignal();
    const one = new AbortController();
    const other = new AbortController();
    const woken: string[] = [];
    const sleep = async (name: string, { signal }: AbortController): Promise<void> => {
      await commits.wait(commits.count, signal);
      woken.push(name);
    };
    const first = [sleep('a', one), sleep('b', one), sleep('c', other)];
    commits.notify();
    await Promise.all(first);
    assert.deepEqual(woken, ['a', 'b', 'c']);

    const second = [sleep('d', one), sleep('e', other)];
    other.abort();
    await second[1];
    assert.deepEqual(woken.slice(3), ['e']);
    one.abort();
    await second[0];
    assert.deepEqual(woken.slice(3), ['e', 'd']);
  });

  it('does not let sleep who has not seen all commits, or has ended', async () => {
    const commits = createCommitSignal();
    const ended = new AbortController();
    ended.abort();
    await commits.wait(commits.count, ended.signal);
    commits.notify();
    await commits.wait(0, new AbortController().signal);
  });

  it('a follower listens once to the signal that ends it, however often it sleeps', async () => {
    const commits = createCommitSignal();
    const { signal } = new AbortController();
    for (let i = 0; i < 10; i += 1) {
      const asleep = commits.wait(commits.count, signal);
      commits.notify();
      await asleep;
    }
    assert.equal(getEventListeners(signal, 'abort').length, 1);
  });

  it('the end of a follower is told to its reader, whether it slept or not', async () => {
    const commits = createCommitSignal();
    const stopping = new AbortController();
    const page = { kind: 'ok', value: { changes: [], through: revisionZero } } as const;
    const follow = () =>
      followLog(
        () => page,
        commits,
        revisionZero,
        stopping.signal,
        () => {
          throw new Error('it has ended');
        },
      ).next();
    const asleep = follow();
    stopping.abort();
    await assert.rejects(asleep, /it has ended/);
    await assert.rejects(follow(), /it has ended/);
  });
});

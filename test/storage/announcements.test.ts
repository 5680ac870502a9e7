import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock, systemTimers, whenSettled } from '../../src/stdx/clock.ts';
import type { Timers } from '../../src/stdx/clock.ts';
import { announcementLimits } from '../../src/storage/announcements.ts';
import { createCommitter } from '../../src/storage/committer.ts';
import type { GroupCommitter } from '../../src/storage/committer.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import type { PendingCommit, Submission } from '../../src/storage/pending-commit.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { absent, key } from '../contract/storage-fixture.ts';

const submitted = 300;
/** What each does who is told, behind a promise as requests do. */
const answerMs = 0.5;

interface Told {
  readonly name: string;
  readonly turn: number;
}

interface World {
  readonly committer: GroupCommitter;
  readonly told: Told[];
  readonly turn: () => number;
  readonly release: () => void;
  readonly submit: (name: string, expect?: Submission['expect']) => PendingCommit;
  listen(name: string, pending: PendingCommit): void;
}

/** Its clock moves when somebody has been told; a turn is counted with each that is asked for. */
function world(fails = false): World {
  let nowMs = 0;
  let turn = 0;
  let release!: () => void;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const memory = createMemoryStorage({ clock: systemClock, revisionStep: 1n });
  const storage: Storage = {
    ...memory,
    async commit(mutations) {
      await gate;
      if (fails) throw new Error('the disk is gone');
      return memory.commit(mutations);
    },
  };
  const timers: Timers = {
    ...systemTimers,
    nextTurn: (callback) =>
      systemTimers.nextTurn(() => {
        turn += 1;
        callback();
      }),
  };
  const clock = { monotonicMs: () => nowMs };
  const committer = createCommitter({ storage, clock, timers, settled: whenSettled });
  const told: Told[] = [];
  return {
    committer,
    told,
    turn: () => turn,
    release,
    submit(name, expect = absent) {
      const operation = { kind: 'put', state: 'live', value: Buffer.from('v') } as const;
      return committer.submit({ key: key(name), expect, conditions: [], operation });
    },
    listen(name, pending) {
      pending.whenSettled(
        () =>
          void Promise.resolve().then(() => {
            told.push({ name, turn });
            nowMs += answerMs;
          }),
      );
    },
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `n${String(i)}`);
}

for (const fails of [false, true]) {
  const how = fails ? 'failed' : 'was made';
  describe(`what became of ${String(submitted)} writes of one commit that ${how}`, () => {
    it('is told over as many turns as that takes, in order', async () => {
      const w = world(fails);
      for (const name of names(submitted)) w.listen(name, w.submit(name));
      await nextTurn();
      w.release();
      while (w.told.length < submitted) await nextTurn();
      assert.deepEqual(
        w.told.map(({ name }) => name),
        names(submitted),
      );
      const most = announcementLimits.turnMs / answerMs + announcementLimits.togetherMax;
      const byTurn = new Map<number, number>();
      for (const { turn } of w.told) byTurn.set(turn, (byTurn.get(turn) ?? 0) + 1);
      assert.ok(Math.max(...byTurn.values()) <= most, `${String([...byTurn.values()])} in a turn`);
    });
  });
}

describe('a committer that is drained', () => {
  it('waits until everybody has been told', async () => {
    const w = world();
    for (const name of names(submitted)) w.listen(name, w.submit(name));
    await nextTurn();
    w.release();
    await w.committer.drain();
    await Promise.resolve();
    assert.equal(w.told.length, submitted);
  });
});

describe('a write on one that is known to have failed', () => {
  it('is told of that behind it', async () => {
    const w = world(true);
    const pendings = names(submitted).map((name) => w.submit(name));
    names(submitted).forEach((name, i) => w.listen(name, pendings[i] as PendingCommit));
    await nextTurn();
    w.release();
    while (w.told.length === 0) await nextTurn();
    assert.ok(w.told.length < submitted);
    const last = pendings.at(-1) as PendingCommit;
    w.listen('built on it', w.submit(`n${String(submitted - 1)}`, last));
    while (w.told.length <= submitted) await nextTurn();
    assert.equal(w.told.at(-1)?.name, 'built on it');
  });
});

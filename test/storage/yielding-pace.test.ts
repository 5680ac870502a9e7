import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCommitter } from '../../src/storage/committer.ts';
import type { GroupCommitter } from '../../src/storage/committer.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import type { PendingCommit } from '../../src/storage/pending-commit.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { createYieldingPace } from '../../src/storage/yielding-pace.ts';
import type { YieldingLimits } from '../../src/storage/yielding-pace.ts';
import { absent, key } from '../contract/storage-fixture.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import type { ManualTime } from '../support/doubles/manual-time.ts';

const limits: YieldingLimits = {
  yieldingMax: 4,
  yieldingAmongOthersMax: 2,
  yieldingBesideOthersMax: 1,
  othersForMs: 100,
  usualCommitMs: Infinity,
  slowCommitFactorMax: 1,
};

interface Harness {
  readonly committer: GroupCommitter;
  readonly time: ManualTime;
  /** Keys of each commit that has begun, in order. */
  readonly commits: string[][];
  /** Ends the oldest commit under way. */
  end(): void;
  /** Each name a key; those that others wait for are in capitals. */
  submit(names: string): readonly PendingCommit[];
}

function harness(commitLanes = 1): Harness {
  const time = manualTime();
  const storage = createMemoryStorage({ clock: time.clock });
  const commits: string[][] = [];
  const underWay: (() => void)[] = [];
  const held: Storage = {
    ...storage,
    commitLanes,
    async commit(mutations) {
      commits.push(mutations.map((mutation) => nameOf.get(mutation.key) ?? ''));
      await new Promise<void>((resolve) => underWay.push(resolve));
      return storage.commit(mutations);
    },
  };
  const nameOf = new Map<string, string>();
  const committer = createCommitter({ ...time, storage: held, limits });
  const submit = (names: string): readonly PendingCommit[] =>
    [...names].map((name) => {
      nameOf.set(key(name), name);
      const operation = { kind: 'put', state: 'live', value: Buffer.from('v') } as const;
      const isYielding = name === name.toLowerCase();
      const own = { key: key(name), expect: absent, conditions: [], operation };
      return committer.submit({ ...own, isYielding });
    });
  const end = (): void => underWay.shift()?.();
  return { committer, time, commits, end, submit };
}

async function turns(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Ends the commit under way when it has taken so long. */
async function endsAfter({ end, time }: Harness, ms: number): Promise<void> {
  time.advance(ms);
  end();
  await turns();
}

function texts({ commits }: Harness): readonly string[] {
  return commits.map((names) => names.join(''));
}

describe('writes that yield', () => {
  it('are fewest in a commit that others wait for, few for a while, then many', async () => {
    const h = harness();
    h.submit('Xabcdefghi');
    await turns();
    await endsAfter(h, 0);
    h.time.advance(limits.othersForMs);
    await endsAfter(h, 0);
    assert.deepEqual(texts(h), ['Xa', 'bc', 'defg']);
  });

  it('rest between two commits for as long as the last took, while others write', async () => {
    const h = harness();
    h.submit('Xabcd');
    await turns();
    await endsAfter(h, 10);
    h.time.advance(9);
    await turns();
    assert.deepEqual(texts(h), ['Xa']);
    h.time.advance(1);
    await turns();
    assert.deepEqual(texts(h), ['Xa', 'bc']);
  });

  it('do not rest when others have not written for a while', async () => {
    const h = harness();
    h.submit('Xabcdefgh');
    await turns();
    await endsAfter(h, limits.othersForMs);
    assert.deepEqual(texts(h), ['Xa', 'bcde']);
    await endsAfter(h, 1_000);
    assert.deepEqual(texts(h), ['Xa', 'bcde', 'fgh']);
  });

  it('rest no longer than others write, however long a commit took', async () => {
    const h = harness();
    h.submit('Xabc');
    await turns();
    await endsAfter(h, limits.othersForMs - 1);
    assert.deepEqual(texts(h), ['Xa']);
    h.time.advance(1);
    await turns();
    assert.deepEqual(texts(h), ['Xa', 'bc']);
  });

  it('have nobody else wait for their rest', async () => {
    const h = harness();
    h.submit('Xabc');
    await turns();
    await endsAfter(h, 50);
    h.submit('Y');
    await turns();
    assert.deepEqual(texts(h), ['Xa', 'bY']);
  });

  it('are all written before a drain ends, without a rest', async () => {
    const h = harness();
    const pendings = h.submit('Xabc');
    await turns();
    await endsAfter(h, 50);
    assert.deepEqual(texts(h), ['Xa']);
    const drained = h.committer.drain();
    await turns();
    await endsAfter(h, 50);
    await drained;
    assert.deepEqual(texts(h), ['Xa', 'bc']);
    const outcomes = await Promise.all(pendings.map(({ outcome }) => outcome));
    assert.ok(outcomes.every(({ kind }) => kind === 'applied'));
  });

  it('do not rest where others find another lane', async () => {
    const h = harness(2);
    h.submit('Xabc');
    await turns();
    assert.deepEqual(texts(h), ['Xa', 'bc']);
    h.submit('defg');
    await endsAfter(h, 10);
    assert.deepEqual(texts(h), ['Xa', 'bc', 'de']);
  });
});

describe('writes that yield behind a slow disk', () => {
  const scaled = { ...limits, usualCommitMs: 4, slowCommitFactorMax: 8 };
  const cases = [
    { commitMs: 1, counts: [4, 2, 1] },
    { commitMs: 4, counts: [4, 2, 1] },
    { commitMs: 8, counts: [8, 4, 1] },
    { commitMs: 20, counts: [20, 10, 1] },
    { commitMs: 1_000, counts: [32, 16, 1] },
  ];
  for (const { commitMs, counts } of cases) {
    it(`are ${counts.join(', ')} in a commit that takes ${commitMs} ms`, () => {
      const time = manualTime();
      const pace = createYieldingPace(scaled, time.clock);
      for (let at = 0; at < 200; at += 1) {
        const begunMs = time.clock.monotonicMs();
        time.advance(commitMs);
        pace.ended(begunMs);
      }
      const alone = pace.max(false);
      pace.othersCame();
      assert.deepEqual([alone, pace.max(false), pace.max(true)], counts);
    });
  }

  it('are no more because one commit was late', () => {
    const time = manualTime();
    const pace = createYieldingPace(scaled, time.clock);
    pace.ended(time.clock.monotonicMs() - 40);
    assert.ok(pace.max(false) <= 5);
  });
});

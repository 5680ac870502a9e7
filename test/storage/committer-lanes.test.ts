/** The committer over a store with two lanes: what goes together, what waits, what a failure ends. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { createCommitter } from '../../src/storage/committer.ts';
import type { CommitOutcome, PendingCommit, Submission } from '../../src/storage/pending-commit.ts';
import type { CommitterLimits, GroupCommitter } from '../../src/storage/committer.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import { StorageError, revisionZero } from '../../src/storage/storage.ts';
import type { Mutation, Storage } from '../../src/storage/storage.ts';
import { absent, allChanges, applied, key, textOf } from '../contract/storage-fixture.ts';

/** How a commit in flight ends. */
type End = 'applied' | 'failed' | 'unknown-applied' | 'unknown-lost';

interface InFlight {
  readonly mutations: readonly Mutation[];
  end(how: End): void;
}

interface Harness {
  readonly committer: GroupCommitter;
  readonly storage: Storage;
  /** Commits that have not ended, oldest first. */
  readonly inFlight: InFlight[];
  /** The keys of every commit, as they began. */
  readonly begun: string[][];
}

function harness(limits?: Partial<CommitterLimits>): Harness {
  const storage = createMemoryStorage({ clock: systemClock });
  const inFlight: InFlight[] = [];
  const begun: string[][] = [];
  const held: Storage = {
    ...storage,
    commitLanes: 2,
    async commit(mutations) {
      assertApart(inFlight, mutations);
      begun.push(mutations.map((each) => each.key.split('/').at(-1) as string));
      const how = await new Promise<End>((resolve) => {
        const self: InFlight = {
          mutations,
          end(end) {
            inFlight.splice(inFlight.indexOf(self), 1);
            resolve(end);
          },
        };
        inFlight.push(self);
      });
      const outcomes =
        how === 'failed' || how === 'unknown-lost' ? [] : await storage.commit(mutations);
      if (how !== 'applied') throw new StorageError(how === 'failed' ? 'io' : 'unknown', how);
      return outcomes;
    },
  };
  const committer = createCommitter({
    storage: held,
    clock: systemClock,
    timers: systemTimers,
    limits,
  });
  return { committer, storage, inFlight, begun };
}

/** Nothing in flight writes what another one writes or tests. */
function assertApart(inFlight: readonly InFlight[], mutations: readonly Mutation[]): void {
  assert.ok(inFlight.length < 2, 'two are in flight at most');
  const keysOf = (all: readonly Mutation[]): string[] => all.map((each) => each.key);
  const testsOf = (all: readonly Mutation[]): string[] =>
    all.flatMap((each) => each.conditions.map((condition) => condition.key));
  const mine = { writes: keysOf(mutations), tests: testsOf(mutations) };
  for (const other of inFlight) {
    const writes = new Set(keysOf(other.mutations));
    const all = new Set([...writes, ...testsOf(other.mutations)]);
    assert.ok(!mine.writes.some((each) => all.has(each)));
    assert.ok(!mine.tests.some((each) => writes.has(each)));
  }
}

interface Wish {
  readonly on?: Submission['expect'];
  readonly tests?: string;
  readonly text?: string;
  /** It is applied only if this one is. */
  readonly behind?: PendingCommit;
}

function submit(h: Harness, name: string, { behind, on = absent, tests, text = 'v' }: Wish = {}) {
  const operation = { kind: 'put', state: 'live', value: Buffer.from(text) } as const;
  const conditions = tests === undefined ? [] : [{ key: key(tests), state: 'live' }];
  const own = { key: key(name), expect: on, conditions, operation };
  return h.committer.submit({ ...own, behind: behind && [behind] });
}

async function turns(count = 6): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Submits each in a turn of its own. */
async function submitApart(h: Harness, names: readonly string[]): Promise<PendingCommit[]> {
  const pendings: PendingCommit[] = [];
  for (const name of names) {
    pendings.push(submit(h, name));
    await turns();
  }
  return pendings;
}

const kindOf = (pending: PendingCommit): Promise<string> =>
  pending.outcome.then(
    ({ kind }) => kind,
    (error: unknown) => (error as StorageError).code,
  );

describe('a committer over two lanes', () => {
  it('has two commits in flight; what comes meanwhile rides when either ends', async () => {
    const h = harness();
    await submitApart(h, ['a', 'b', 'c', 'd']);
    assert.deepEqual(h.begun, [['a'], ['b']]);
    h.inFlight[1]?.end('applied');
    await turns();
    assert.deepEqual(h.begun, [['a'], ['b'], ['c', 'd']]);
    assert.equal(h.inFlight.length, 2);
  });

  it('answers each commit when it has ended, in whatever order they do', async () => {
    const h = harness();
    const [a, b] = (await submitApart(h, ['a', 'b'])) as [PendingCommit, PendingCommit];
    h.inFlight[1]?.end('applied');
    assert.equal(await kindOf(b), 'applied');
    h.inFlight[0]?.end('failed');
    assert.equal(await kindOf(a), 'io');
  });

  const rows: readonly (readonly [string, (h: Harness) => void, readonly string[]])[] = [
    ['what writes a key that is being written waits, others go', (h) => submit(h, 'a'), ['x']],
    ['so does what tests it', (h) => submit(h, 'b', { tests: 'a' }), ['x']],
    ['and what writes a key that is being tested', (h) => submit(h, 'tested'), ['x']],
    [
      'what tests what is being tested goes',
      (h) => submit(h, 'b', { tests: 'tested' }),
      ['b', 'x'],
    ],
  ];
  for (const [title, act, begun] of rows) {
    it(title, async () => {
      const h = harness();
      submit(h, 'a', { tests: 'tested' });
      await turns();
      act(h);
      submit(h, 'x');
      await turns();
      assert.deepEqual(h.begun.slice(1), [begun]);
    });
  }

  it('what waits for a key is not overtaken by what touches it in turn', async () => {
    const h = harness();
    submit(h, 'a');
    await turns();
    submit(h, 'b', { tests: 'a' });
    submit(h, 'b');
    submit(h, 'c', { tests: 'b' });
    submit(h, 'x');
    await turns();
    assert.deepEqual(h.begun, [['a'], ['x']]);
    h.inFlight[0]?.end('applied');
    await turns();
    assert.deepEqual(h.begun[2], ['b', 'b', 'c']);
  });

  for (const [how, first, second] of [
    ['applied', 'applied', 'applied'],
    ['failed', 'io', 'predecessor-failed'],
    ['unknown-applied', 'unknown', 'predecessor-failed'],
    ['unknown-lost', 'unknown', 'predecessor-failed'],
  ] as const) {
    it(`what stands on a commit in flight waits for it, and is ${second} when that is ${how}`, async () => {
      const h = harness();
      const one = submit(h, 'a', { text: 'one' });
      await turns();
      const two = submit(h, 'a', { on: one, text: 'two' });
      const other = submit(h, 'x');
      await turns();
      assert.deepEqual(h.begun, [['a'], ['x']]);
      // The later commit succeeds before the earlier one has ended.
      h.inFlight[1]?.end('applied');
      assert.equal(await kindOf(other), 'applied');
      await turns();
      assert.equal(h.begun.length, 2);
      h.inFlight[0]?.end(how);
      assert.equal(await kindOf(one), first);
      await turns();
      h.inFlight[0]?.end('applied');
      assert.equal(await kindOf(two), second);
      const lasting = how === 'applied' ? ['one', 'two'] : how === 'unknown-applied' ? ['one'] : [];
      const changes = await allChanges(h.storage, revisionZero);
      const texts = changes.filter((c) => c.key === key('a')).map((c) => textOf(c.record));
      assert.deepEqual(texts, lasting);
    });
  }

  it('lets at most overtakenMax be overtaken', async () => {
    const h = harness({ overtakenMax: 2 });
    submit(h, 'a');
    await turns();
    submit(h, 'a');
    submit(h, 'a');
    submit(h, 'x');
    await turns();
    assert.deepEqual(h.begun, [['a']]);
    h.inFlight[0]?.end('applied');
    await turns();
    assert.deepEqual(h.begun[1], ['a', 'a', 'x']);
  });

  it('drains: resolves when neither lane has anything, nor anybody waits', async () => {
    const h = harness();
    const pendings = await submitApart(h, ['a', 'b', 'a']);
    let drained = false;
    const draining = h.committer.drain().then(() => (drained = true));
    for (let rest = 3; rest > 0; rest -= 1) {
      await turns();
      assert.equal(drained, false);
      h.inFlight[0]?.end('applied');
    }
    await draining;
    assert.deepEqual(await Promise.all(pendings.map(kindOf)), ['applied', 'applied', 'conflict']);
    assert.equal(h.committer.stats().queuedMutationsCount, 0);
    assert.equal(h.committer.stats().queuedBytes, 0);
  });

  it('holds back what goes behind a commit in flight, and behind one that waits', async () => {
    const h = harness();
    const a = submit(h, 'a');
    await turns();
    const b = submit(h, 'b', { behind: a });
    const c = submit(h, 'c', { behind: b });
    const free = submit(h, 'd');
    await turns();
    assert.deepEqual(h.begun, [['a'], ['d']]);
    h.inFlight[1]?.end('applied');
    await turns();
    assert.deepEqual(h.begun, [['a'], ['d']]);
    h.inFlight[0]?.end('applied');
    await turns();
    assert.deepEqual(h.begun, [['a'], ['d'], ['b', 'c']]);
    h.inFlight[0]?.end('applied');
    assert.deepEqual(await Promise.all([a, b, c, free].map(kindOf)), Array(4).fill('applied'));
  });
});

interface Play {
  readonly name: string;
  readonly tests: string | undefined;
  readonly chained: boolean;
  /** What it goes behind: the newest of this key. */
  readonly behind: string | undefined;
  readonly pause: number;
  /** Which commit ends meanwhile, and how. */
  readonly ends: readonly (readonly [number, End])[];
}

const nameOf = fc.constantFrom('a', 'b', 'c', 'd');
const endOf: fc.Arbitrary<End> = fc.constantFrom(
  'applied',
  'applied',
  'failed',
  'unknown-applied',
  'unknown-lost',
);
const plays: fc.Arbitrary<Play[]> = fc.array(
  fc.record({
    name: nameOf,
    tests: fc.option(nameOf, { nil: undefined }),
    chained: fc.boolean(),
    behind: fc.option(nameOf, { nil: undefined, freq: 2 }),
    pause: fc.nat(3),
    ends: fc.array(fc.tuple(fc.nat(1), endOf), { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 40 },
);

interface Played {
  readonly name: string;
  readonly text: string;
  readonly standsOn: readonly PendingCommit[];
  readonly pending: PendingCommit;
}

async function play(h: Harness, run: readonly Play[]): Promise<readonly Played[]> {
  const played: Played[] = [];
  const newest = new Map<string, PendingCommit>();
  for (const [index, { behind, name, tests, chained, pause, ends }] of run.entries()) {
    const on = chained ? newest.get(name) : undefined;
    const text = String(index);
    const other = behind === undefined ? undefined : newest.get(behind);
    const options = { ...(on && { on }), ...(tests && { tests }), ...(other && { behind: other }) };
    const pending = submit(h, name, { ...options, text });
    pending.outcome.catch(() => undefined);
    newest.set(name, pending);
    played.push({
      name,
      text,
      standsOn: [on, other].filter((each) => each !== undefined),
      pending,
    });
    await turns(pause);
    for (const [which, how] of ends) h.inFlight[which]?.end(how);
  }
  const drained = h.committer.drain();
  for (let i = 0; i < run.length * 2; i += 1) {
    await turns(4);
    h.inFlight[0]?.end('applied');
  }
  await drained;
  return played;
}

/** What was answered, beside what the log says. */
async function check(h: Harness, played: readonly Played[]): Promise<void> {
  const log = await allChanges(h.storage, revisionZero, 100);
  const at = (text: string): number => log.findIndex((c) => textOf(c.record) === text);
  assert.equal(new Set(log.map((c) => textOf(c.record))).size, log.length, 'nothing twice');
  const lastOf = new Map<string, number>();
  for (const { name, text, standsOn, pending } of played) {
    const outcome = await pending.outcome.catch((error: unknown) => error as StorageError);
    const place = at(text);
    if (place >= 0) {
      assert.ok(place > (lastOf.get(name) ?? -1), 'one key: in the order of submission');
      lastOf.set(name, place);
    }
    if (outcome instanceof StorageError) {
      if (outcome.code !== 'unknown') assert.equal(place, -1);
      continue;
    }
    assert.equal(place >= 0, outcome.kind === 'applied', `${text}: ${outcome.kind}`);
    if (outcome.kind === 'applied') assert.equal(log[place]?.revision, applied(outcome));
    await assertStandsOn(standsOn, outcome);
  }
}

async function assertStandsOn(
  standsOn: readonly PendingCommit[],
  outcome: CommitOutcome,
): Promise<void> {
  const before = await Promise.all(standsOn.map(kindOf));
  const isOrphan = before.some((kind) => kind !== 'applied');
  assert.equal(outcome.kind === 'predecessor-failed', isOrphan);
}

describe('a committer over two lanes, at random', () => {
  it('keeps the order of each key, and lets nothing stand on what failed or is unknown', async () => {
    await fc.assert(
      fc.asyncProperty(plays, async (run) => {
        const h = harness({ batchMutationsMax: 3, overtakenMax: 4 });
        await check(h, await play(h, run));
      }),
      { numRuns: 200 },
    );
  });
});

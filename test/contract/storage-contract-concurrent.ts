/** Storage contract: random commits asked for at once; the log must explain what each was answered. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { revisionZero } from '../../src/storage/storage.ts';
import type {
  Change,
  Condition,
  Mutation,
  MutationOutcome,
  Revision,
  Storage,
  StoreKey,
} from '../../src/storage/storage.ts';
import { absent, allChanges, key, ok, put, remove, written } from './storage-fixture.ts';
import type { StorageFixture } from './storage-fixture.ts';

interface Wish {
  readonly k: number;
  readonly kind: 'create' | 'replace' | 'remove';
  /** A record that must be live. */
  readonly tests: number | undefined;
  readonly state: 'live' | 'finalizing';
}

/** Commits that are asked for together; the next round begins when `waits`. */
interface Round {
  readonly commits: readonly (readonly Wish[])[];
  readonly waits: boolean;
}

const names = ['a', 'b', 'c', 'd', 'e'];

const wishOf: fc.Arbitrary<Wish> = fc.record({
  k: fc.nat(names.length - 1),
  kind: fc.constantFrom('create', 'replace', 'remove'),
  tests: fc.option(fc.nat(names.length - 1), { nil: undefined, freq: 3 }),
  state: fc.constantFrom('live', 'live', 'finalizing'),
});
const rounds: fc.Arbitrary<Round[]> = fc.array(
  fc.record({
    commits: fc.array(fc.array(wishOf, { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 6,
    }),
    waits: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

interface Asked {
  readonly mutations: readonly Mutation[];
  readonly outcomes: readonly MutationOutcome[];
  /** Newest revisions known before it was asked for, and after its answer. */
  readonly from: Revision;
  readonly until: Revision;
}

async function mutationOf(storage: Storage, wish: Wish, text: string): Promise<Mutation> {
  const at = key(names[wish.k] as string);
  const found = ok(await storage.read(at))?.revision;
  const expect = wish.kind === 'create' || found === undefined ? absent : written(found);
  if (wish.kind === 'remove') return remove(at, expect);
  const { tests, state } = wish;
  const conditions: Condition[] =
    tests === undefined ? [] : [{ key: key(names[tests] as string), state: 'live' }];
  return put(at, expect, text, { state, conditions });
}

async function ask(storage: Storage, mutations: readonly Mutation[]): Promise<Asked> {
  const from = await storage.revision();
  const outcomes = await storage.commit(mutations);
  return { mutations, outcomes, from, until: await storage.revision() };
}

async function play(servers: readonly Storage[], run: readonly Round[]): Promise<Asked[]> {
  const asked: Promise<Asked>[] = [];
  let count = 0;
  for (const { commits, waits } of run) {
    const round: (readonly Mutation[])[] = [];
    for (const [at, wishes] of commits.entries()) {
      const mutations: Mutation[] = [];
      for (const wish of wishes) {
        const server = servers[at % servers.length] as Storage;
        mutations.push(await mutationOf(server, wish, `t${(count += 1)}`));
      }
      round.push(mutations);
    }
    const ended = round.map((each, at) => ask(servers[at % servers.length] as Storage, each));
    asked.push(...ended);
    if (waits) await Promise.all(ended);
  }
  return Promise.all(asked);
}

interface Known {
  readonly revision: Revision;
  readonly state: string;
}

/** What each record was, just before the change at this place of the log. */
function before(log: readonly Change[], place: number): (at: StoreKey) => Known | undefined {
  return (at) => {
    const last = log.slice(0, place).findLast((change) => change.key === at);
    return last?.record && { revision: last.revision, state: last.record.state };
  };
}

type Now = ReturnType<typeof before>;

function expectationHolds({ key: at, expect, operation }: Mutation, now: Now): boolean {
  const found = now(at);
  if (expect.kind === 'absent') return found === undefined && operation.kind === 'put';
  return expect.kind === 'revision' && found?.revision === expect.revision;
}

function conditionsHold({ conditions }: Mutation, now: Now): boolean {
  return conditions.every((each) => now(each.key)?.state === each.state);
}

/** The places of the log at which the change at this one may have been decided. */
function ties(log: readonly Change[], place: number, mayTie: StorageFixture['mayTie']): number[] {
  const { revision } = log[place] as Change;
  const tied = log.flatMap((change, at) => (mayTie?.(change.revision, revision) ? [at] : []));
  return [place, ...tied, ...tied.map((at) => at + 1)];
}

function check(log: readonly Change[], asked: Asked, fixture: StorageFixture): void {
  const { mutations, outcomes, from, until } = asked;
  let last = from;
  for (const [index, mutation] of mutations.entries()) {
    const outcome = outcomes[index] as MutationOutcome;
    if (outcome.kind === 'applied') {
      const place = log.findIndex((change) => change.revision === outcome.revision);
      assert.equal(log[place]?.key, mutation.key);
      assert.equal(log[place]?.kind, mutation.operation.kind);
      assert.ok(expectationHolds(mutation, before(log, place)), 'what it expected was so');
      const places = ties(log, place, fixture.mayTie);
      assert.ok(
        places.some((at) => conditionsHold(mutation, before(log, at))),
        'what it tested was so',
      );
      assert.ok(outcome.revision > last, 'behind what was known, in the order given');
      assert.ok(outcome.revision <= until, 'durable when answered');
      last = outcome.revision;
      continue;
    }
    if (outcome.kind === 'conflict' && fixture.refusesFreelyBecause !== undefined) continue;
    // There was a moment, while it ran, at which it had to be refused.
    const first = log.findIndex((change) => change.revision > from);
    const moments = Array.from({ length: log.length + 1 }, (_, place) => place);
    const during = moments.filter(
      (place) =>
        place >= (first < 0 ? log.length : first) &&
        (place === 0 || (log[place - 1] as Change).revision <= until),
    );
    const holds = outcome.kind === 'conflict' ? expectationHolds : conditionsHold;
    assert.ok(
      during.some((place) => !holds(mutation, before(log, place))),
      `${outcome.kind}: nothing was in its way`,
    );
  }
}

export function concurrentTests(fixture: StorageFixture): void {
  describe('commits at once', () => {
    it('are each applied once, in one order that explains what all were answered', async () => {
      // A store may make a reader wait its turn, and its timers do not keep the process.
      const awake = setInterval(() => undefined, 1000);
      await fc.assert(
        fc.asyncProperty(rounds, async (run) => {
          const storage = await fixture.open();
          const second = await fixture.openSecond?.(storage);
          const servers = second === undefined ? [storage] : [storage, storage, second];
          const asked = await play(servers, run);
          const log = await allChanges(storage, revisionZero, 100);
          const applied = asked.flatMap(({ outcomes }) =>
            outcomes.flatMap((each) => (each.kind === 'applied' ? [each.revision] : [])),
          );
          const sorted = applied.toSorted((a, b) => (a < b ? -1 : 1));
          assert.deepEqual(
            log.map((change) => change.revision),
            sorted,
          );
          for (const each of asked) check(log, each, fixture);
          for (const server of new Set(servers)) await server.close();
        }),
        { numRuns: fixture.runs ?? 60 },
      );
      clearInterval(awake);
    });
  });
}

/**
 * Random commands on few keys, with slow commits, another writer, failing commits and reads: what
 * was answered must be explained by one sequential execution, and that execution is the log.
 *
 * Objects carry their own history: `trail` lists the commands that made them, so one look at a
 * record says what was decided on what.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CurrentObject, ObjectCommand, ObjectOutcome } from '../../actors/actors.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import { newConflict } from '../../src/apimachinery/status-error.ts';
import { decodeObject } from '../../src/apimachinery/object-encoding.ts';
import { storeKey } from '../../src/storage/keys.ts';
import { decodeRecord } from '../../src/storage/record-codec.ts';
import { StorageError, revisionZero } from '../../src/storage/storage.ts';
import type { Revision, Storage } from '../../src/storage/storage.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import {
  actorHarness,
  createOf,
  deleteOf,
  namespaceIsLive,
  pod,
  podKey,
  pods,
  replaceOf,
} from '../support/doubles/actor-harness.ts';
import type { Harness } from '../support/doubles/actor-harness.ts';

const names = ['a', 'b'] as const;
const verbs = [
  'create',
  'guarded',
  'append',
  'upsert',
  'same',
  'stale',
  'delete',
  'dry',
  'other',
] as const;

interface Action {
  readonly verb: (typeof verbs)[number];
  readonly name: (typeof names)[number];
  /** Turns of the event loop before the next action. */
  readonly pause: number;
}

interface Faults {
  readonly seed: number;
  readonly failing: boolean;
  readonly otherWriter: boolean;
  readonly commitLanes: number;
  /** The actors are told what the log shows, between two actions. */
  readonly followed?: boolean;
}

interface Attempt {
  readonly id: string;
  readonly action: Action;
  readonly order: number;
  readonly from: Revision;
  readonly until: Revision;
  readonly outcome: ObjectOutcome | StorageError;
}

/** A state that a record was in, from the revision that made it to the one that ended it. */
interface Era {
  readonly revision: Revision;
  readonly until: Revision | undefined;
  /** Undefined: absent. */
  readonly trail: readonly string[] | undefined;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const trailOf = (object: unknown): readonly string[] => (object as { trail: string[] }).trail;

function commandOf(id: string, action: Action): ObjectCommand {
  const born = pod(action.name, { trail: [id] });
  const grow = ({ object }: CurrentObject): ApiObject => ({
    ...object,
    trail: [...trailOf(object), id],
  });
  const append = replaceOf(grow);
  switch (action.verb) {
    case 'create':
      return createOf(born);
    case 'guarded':
      return createOf(born, { conditions: [namespaceIsLive('gone')] });
    case 'append':
      return append;
    case 'dry':
      return { ...append, dryRun: true };
    case 'upsert':
      return replaceOf(grow, { create: () => born });
    case 'same':
      return replaceOf(({ object }) => object);
    case 'stale':
      return replaceOf(() => ({ kind: 'refused', error: newConflict(pods, action.name) }));
    case 'delete':
    case 'other':
      return deleteOf();
  }
}

function injectFaults(harness: Harness, faults: Faults): void {
  const prng = seededPrng(faults.seed);
  const wait = async (): Promise<void> => {
    for (let turns = randomBelow(prng, 4); turns > 0; turns -= 1) await turn();
  };
  const { store } = harness;
  const fails = (): boolean => faults.failing && randomBelow(prng, 8) === 0;
  store.before = async () => {
    await wait();
    if (fails()) throw new StorageError('io', 'failed before');
  };
  store.after = async () => {
    await wait();
    if (fails()) throw new StorageError('unknown', 'failed after');
  };
}

async function play(actions: readonly Action[], faults: Faults) {
  const harness = actorHarness({
    soleWriter: !faults.otherWriter,
    commitLanes: faults.commitLanes,
    limits: { residentMax: 8, idleMs: 1000 },
    committerLimits: faults.failing ? { queuedMutationsMax: 4, batchMutationsMax: 3 } : {},
  });
  injectFaults(harness, faults);
  const running: Promise<Attempt>[] = [];
  const { raw } = harness.store;
  for (const [order, action] of actions.entries()) {
    const id = `${action.verb}-${order}`;
    if (action.verb === 'other') {
      if (faults.otherWriter) await interfere(harness, action, id);
    } else {
      running.push(attempt(harness, id, order, action));
    }
    for (let turns = action.pause; turns > 0; turns -= 1) await turn();
    if (action.pause === 3) harness.time.advance(2000);
    if (faults.followed === true) await harness.showLog();
  }
  const attempts = await Promise.all(running);
  await harness.actors.stop();
  return { attempts, eras: await erasOf(raw) };
}

async function attempt(
  harness: Harness,
  id: string,
  order: number,
  action: Action,
): Promise<Attempt> {
  // Called in order, and nothing is awaited before execute: `from` is read beside it.
  const answer = harness.run(action.name, commandOf(id, action));
  const begun = harness.store.raw.revision();
  const outcome = await answer.catch((error: unknown) => error as StorageError);
  const until = await harness.store.raw.revision();
  return { id, action, order, from: await begun, until, outcome };
}

async function interfere(harness: Harness, action: Action, id: string): Promise<void> {
  const now = await harness.stored(action.name);
  const trail = now === undefined ? [id] : [...trailOf(now.object), id];
  const gone = now !== undefined && trail.length % 3 === 0;
  await harness.overtake(action.name, gone ? undefined : pod(action.name, { trail }));
}

async function erasOf(raw: Storage): Promise<ReadonlyMap<string, readonly Era[]>> {
  const page = await raw.changes(revisionZero, { limit: 10_000, previous: false });
  assert.equal(page.kind, 'ok');
  const eras = new Map<string, Era[]>();
  for (const name of names) {
    const key = storeKey(podKey(name));
    const changes = page.kind === 'ok' ? page.value.changes.filter((c) => c.key === key) : [];
    const points = changes.map((change) => ({
      revision: change.revision,
      trail:
        change.record === undefined
          ? undefined
          : trailOf(decodeObject(decodeRecord(change.record).object)),
    }));
    const all = [{ revision: revisionZero, trail: undefined }, ...points];
    eras.set(
      name,
      all.map((point, i) => ({ ...point, until: all[i + 1]?.revision })),
    );
  }
  return eras;
}

/** Each record grew out of the one before it by exactly one command. */
function checkLineage(eras: readonly Era[]): void {
  for (let i = 1; i < eras.length; i += 1) {
    const before = eras[i - 1]?.trail;
    const after = eras[i]?.trail;
    if (after === undefined) continue;
    const grown = before === undefined ? [] : before;
    assert.deepEqual(after.slice(0, -1), grown, 'nothing between was lost');
  }
}

function checkAttempt(attempt: Attempt, eras: readonly Era[]): void {
  const { id, outcome, from, until } = attempt;
  const written = eras.filter((era) => era.trail?.at(-1) === id);
  const during = eras.filter(
    (era) => era.revision <= until && (era.until === undefined || era.until > from),
  );
  if (outcome instanceof StorageError) {
    assert.ok(written.length <= (outcome.code === 'unknown' ? 1 : 0), `${id}: ${outcome.code}`);
    return;
  }
  switch (outcome.kind) {
    case 'created':
    case 'replaced': {
      if (attempt.action.verb === 'dry') {
        assert.equal(written.length, 0);
        const seen = trailOf(outcome.object).slice(0, -1);
        assert.ok(during.some((era) => era.trail?.join() === seen.join()));
        break;
      }
      assert.equal(written.length, 1, `${id} was acknowledged and is there once`);
      assert.equal(written[0]?.revision, outcome.revision);
      assert.deepEqual(written[0]?.trail, trailOf(outcome.object));
      assert.ok(outcome.revision !== undefined && outcome.revision <= until, 'durable first');
      break;
    }
    case 'removed': {
      const at = eras.findIndex((era) => era.revision === outcome.revision);
      assert.ok(at > 0 && eras[at]?.trail === undefined, `${id} removed it`);
      assert.deepEqual(eras[at - 1]?.trail, trailOf(outcome.object));
      break;
    }
    case 'unchanged': {
      const seen = during.find((era) => era.revision === outcome.revision);
      assert.deepEqual(seen?.trail, trailOf(outcome.object), `${id} saw what was there`);
      break;
    }
    case 'refused': {
      assert.equal(written.length, 0);
      const { reason } = outcome.error;
      if (reason === 'TooManyRequests') break;
      const absent = reason === 'NotFound';
      const present = reason === 'AlreadyExists' || attempt.action.verb === 'stale';
      assert.ok(absent || present, `${id}: ${outcome.error.message}`);
      const fits = during.some((era) => (era.trail === undefined) === absent);
      assert.ok(fits, `${id} ${reason}: no such state while it ran`);
      break;
    }
    case 'condition-failed':
      assert.equal(attempt.action.verb, 'guarded');
      assert.equal(written.length, 0);
      break;
    default:
      assert.fail(`${id}: ${outcome.kind}`);
  }
}

/** Writes of one server on one key are in the log in the order they were asked for. */
function checkOrder(attempts: readonly Attempt[]): void {
  for (const name of names) {
    let last = revisionZero;
    for (const { action, outcome } of attempts) {
      if (action.name !== name || outcome instanceof StorageError) continue;
      if (!('revision' in outcome) || outcome.revision === undefined) continue;
      assert.ok(outcome.revision >= last, `${name}: ${outcome.revision} after ${last}`);
      last = outcome.revision;
    }
  }
}

const actionOf: fc.Arbitrary<Action> = fc.record({
  verb: fc.constantFrom(...verbs),
  name: fc.constantFrom(...names),
  pause: fc.constantFrom(0, 0, 0, 1, 2, 3),
});

async function explain(about: Omit<Faults, 'seed'>, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(actionOf, { minLength: 4, maxLength: 40 }),
      fc.nat(),
      async (actions, seed) => {
        const { attempts, eras } = await play(actions, { ...about, seed });
        for (const name of names) checkLineage(eras.get(name) ?? []);
        for (const one of attempts) checkAttempt(one, eras.get(one.action.name) ?? []);
        checkOrder(attempts);
      },
    ),
    { numRuns },
  );
}

test('I22 what is answered is explained by one sequential execution, the log', async () => {
  await explain({ otherWriter: false, failing: false, commitLanes: 1 }, 150);
});

test('I22 so it is beside another writer of the same keys', async () => {
  await explain({ otherWriter: true, failing: false, commitLanes: 1 }, 150);
});

test('I22 so it is where actors are told of what others wrote', async () => {
  const follows = { otherWriter: true, followed: true };
  await explain({ ...follows, failing: false, commitLanes: 1 }, 150);
  await explain({ ...follows, failing: true, commitLanes: 2 }, 150);
});

test('I22 so it is when commits and reads fail, before or after they took effect', async () => {
  await explain({ otherWriter: true, failing: true, commitLanes: 1 }, 150);
});

test('I22 so it is when two commits are under way, and end in any order, or fail', async () => {
  await explain({ otherWriter: false, failing: false, commitLanes: 2 }, 100);
  await explain({ otherWriter: true, failing: true, commitLanes: 2 }, 150);
});

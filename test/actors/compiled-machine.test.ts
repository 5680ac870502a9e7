/** The compiled machine of an object against XState's own interpreter, on random events. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createActor } from 'xstate';
import type { ObjectOutcome, Proposal } from '../../actors/actors.ts';
import { actorLimits } from '../../actors/limits.ts';
import { newEntry } from '../../actors/object-context.ts';
import type {
  Attempt,
  ObjectEffect,
  ObjectEvent,
  ObjectPorts,
} from '../../actors/object-context.ts';
import { objectLogic } from '../../actors/object-logic.ts';
import { decodeObject } from '../../src/apimachinery/object-encoding.ts';
import { newConflict } from '../../src/apimachinery/status-error.ts';
import { storeKey } from '../../src/storage/keys.ts';
import { decodeRecord, encodeRecord, recordToPut } from '../../src/storage/record-codec.ts';
import type { Revision, StoredRecord } from '../../src/storage/storage.ts';
import { assert as invariant } from '../../src/stdx/assert.ts';
import {
  changeOf,
  createOf,
  deleteOf,
  encodePod,
  pod,
  podKey,
  pods,
  replaceOf,
  replacing,
} from '../support/doubles/actor-harness.ts';
import { interpretedObject } from '../support/data/interpreted-object.ts';
import type { CommitResult } from '../../src/storage/pending-commit.ts';

const name = { key: podKey('a'), storeKey: storeKey(podKey('a')) };
const ports: ObjectPorts = {
  decide: (_key, { input }, current, answers) =>
    (input as { decide?: (...args: unknown[]) => Proposal }).decide?.(current, answers) ?? {
      kind: 'not-found',
    },
  encode: encodePod,
  encodeRecord: recordToPut,
  decodeRecord,
  decodeObject,
  limits: actorLimits,
  soleWriter: false,
};

const finalized = pod('a', { metadata: { finalizers: ['x'] as unknown as string } });
const commands = {
  create: () => createOf(pod('a')),
  createHeld: () => createOf(finalized),
  append: () => replaceOf(({ object }) => ({ ...object, n: Number(object['n'] ?? 0) + 1 })),
  same: () => replaceOf(({ object }) => object),
  dry: () => replaceOf(({ object }) => ({ ...object, n: -1 }), { dryRun: true }),
  refuse: () => replaceOf(() => ({ kind: 'refused', error: newConflict(pods, 'a') })),
  guarded: () =>
    changeOf('update', (current) =>
      current === undefined ? { kind: 'not-found' } : replacing({ ...current.object, g: 1 }, true),
    ),
  inParts: () =>
    changeOf('update', function* (current) {
      yield;
      return current === undefined
        ? { kind: 'not-found' }
        : replacing({ ...current.object, p: 1 }, true);
    }),
  release: () =>
    replaceOf(({ object }) => ({ ...object, metadata: { ...object.metadata, finalizers: [] } })),
  delete: () => deleteOf(),
} as const;
const results = ['applied', 'conflict', 'overloaded', 'failed'] as const;

type Stimulus =
  | { readonly kind: 'command'; readonly which: keyof typeof commands }
  | { readonly kind: 'result'; readonly which: (typeof results)[number] }
  | { readonly kind: 'loaded'; readonly which: 'absent' | 'live' | 'finalizing' | 'failed' }
  | { readonly kind: 'answer'; readonly allowed: boolean; readonly late: boolean };

const stimulus: fc.Arbitrary<Stimulus> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('command' as const),
      which: fc.constantFrom(...(Object.keys(commands) as (keyof typeof commands)[])),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('result' as const),
      which: fc.constantFrom('applied' as const, ...results),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('loaded' as const),
      which: fc.constantFrom('absent' as const, 'live' as const, 'finalizing' as const, 'failed'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      allowed: fc.boolean(),
      late: fc.boolean(),
    }),
  },
);

/** One actor as the world sees it: what it asked for, and has not got yet. */
function world(send: (event: ObjectEvent) => void) {
  const log: string[] = [];
  const submitted: Attempt[] = [];
  let loading = false;
  let asked: number | undefined;
  let revision = 0n;
  const onEffect = (effect: ObjectEffect): void => {
    log.push(describeEffect(effect));
    if (effect.type === 'submit') submitted.push(effect.attempt);
    if (effect.type === 'load') loading = true;
    if (effect.type === 'ask' || effect.type === 'pause') asked = effect.number;
  };
  const record = (state: string): StoredRecord => {
    const object = state === 'live' ? pod('a', { n: 5 }) : finalized;
    const place = { key: name.storeKey, state };
    const value = encodeRecord(encodePod(name.key, object).record, place);
    revision += 1n;
    return { ...place, revision: revision as Revision, value };
  };
  const apply = (one: Stimulus): void => {
    switch (one.kind) {
      case 'command':
        send({
          type: 'command',
          entry: newEntry(commands[one.which](), undefined, noReply, noReply),
        });
        return;
      case 'result': {
        const attempt = submitted.shift();
        if (attempt === undefined) return;
        revision += 1n;
        send({ type: 'committed', attempt, result: resultOf(one.which, attempt, revision) });
        return;
      }
      case 'loaded':
        if (!loading) return;
        loading = false;
        if (one.which === 'failed') send({ type: 'load.failed', error: 'down' });
        else
          send({ type: 'loaded', record: one.which === 'absent' ? undefined : record(one.which) });
        return;
      case 'answer': {
        if (asked === undefined) return;
        const answer = one.allowed
          ? ({ kind: 'allowed' } as const)
          : ({ kind: 'refused', error: newConflict(pods, 'a') } as const);
        send({ type: 'answered', number: one.late ? asked - 1 : asked, answer });
      }
    }
  };
  return { apply, log, onEffect };
}

const noReply = (): void => {};

function resultOf(
  which: (typeof results)[number],
  attempt: Attempt,
  revision: bigint,
): CommitResult {
  if (attempt.forgotten) return { kind: 'predecessor-failed' };
  switch (which) {
    case 'applied':
      return { kind: 'applied', revision: revision as Revision };
    case 'failed':
      return { kind: 'failed', error: 'down' };
    default:
      return { kind: which } as CommitResult;
  }
}

function describeEffect(effect: ObjectEffect): string {
  switch (effect.type) {
    case 'answer':
      return `answer ${outcomeText(effect.outcome)}`;
    case 'redecided':
      return `redecided ${effect.count}`;
    case 'pause':
      return `pause ${effect.number}`;
    case 'ask':
      return `ask ${effect.number} ${effect.question.kind}`;
    case 'submit': {
      const { decision } = effect.attempt;
      invariant(decision.kind === 'write', 'only a write is submitted');
      return `submit ${decision.outcome} ${JSON.stringify(decision.shown.object)}`;
    }
    default:
      return effect.type;
  }
}

function outcomeText(outcome: ObjectOutcome): string {
  if (outcome.kind === 'refused') return `refused ${outcome.error.message}`;
  return 'revision' in outcome ? `${outcome.kind} ${outcome.revision}` : outcome.kind;
}

describe('compiled machine', () => {
  test('I30 the compiled logic does what XState does with the same machine and actions', () => {
    const visited = new Set<string>();
    fc.assert(
      fc.property(fc.array(stimulus, { minLength: 5, maxLength: 60 }), (stimuli) => {
        const compiled = createActor(objectLogic(ports), { input: name });
        const one = world((event) => compiled.send(event));
        compiled.on('*', one.onEffect);
        compiled.start();
        const other = world((event) => interpreted.send(event));
        const interpreted = interpretedObject(ports, name, other.onEffect);
        for (const each of stimuli) {
          one.apply(each);
          other.apply(each);
          const { value } = compiled.getSnapshot();
          visited.add(`${value.life} ${value.sync}`);
          assert.deepEqual(value, interpreted.value());
          assert.deepEqual(one.log, other.log);
        }
      }),
      { numRuns: 200 },
    );
    for (const sync of ['ready', 'loading', 'deciding', 'settling']) {
      assert.ok(
        [...visited].some((state) => state.endsWith(sync)),
        `${sync} was visited`,
      );
    }
    for (const life of ['absent', 'live', 'finalizing', 'removed']) {
      assert.ok(
        [...visited].some((state) => state.startsWith(life)),
        `${life} was visited`,
      );
    }
  });

  test('I31 an actor restored from its persisted snapshot goes on as the one that made it', () => {
    const first = createActor(objectLogic(ports), { input: name });
    const one = world((event) => first.send(event));
    first.on('*', one.onEffect);
    first.start();
    one.apply({ kind: 'command', which: 'createHeld' });
    one.apply({ kind: 'result', which: 'applied' });
    one.apply({ kind: 'command', which: 'delete' });
    one.apply({ kind: 'result', which: 'applied' });
    assert.equal(first.getSnapshot().value.life, 'finalizing');
    const restored = createActor(objectLogic(ports), {
      input: name,
      snapshot: first.getPersistedSnapshot(),
    });
    const other = world((event) => restored.send(event));
    restored.on('*', other.onEffect);
    restored.start();
    assert.deepEqual(restored.getSnapshot().value, { life: 'finalizing', sync: 'ready' });
    for (const each of ['append', 'release'] as const) {
      for (const actor of [one, other]) actor.apply({ kind: 'command', which: each });
    }
    const submitted = (log: readonly string[]) => log.filter((line) => line.startsWith('submit'));
    assert.deepEqual(submitted(other.log), submitted(one.log).slice(2));
  });
});

/**
 * An actor system over the memory storage and the real committer, with hands on the store: commits
 * can be held, made to fail, and overtaken by another writer.
 */
import { createActorSystem } from '../../../actors/actor-system.ts';
import type { ObjectDecoders } from '../../../actors/object-snapshot.ts';
import type { ActorSystemDeps, ObjectActorSystem } from '../../../actors/actor-system.ts';
import type {
  ActorSystem,
  Answer,
  AnswerPort,
  ChangeCommand,
  CommandInput,
  CreateCommand,
  CurrentObject,
  Decide,
  ObjectOutcome,
  Proposal,
  ProposalSteps,
} from '../../../actors/actors.ts';
import type { CommandLog } from '../../../actors/command-log.ts';
import { createRoot } from '../../../actors/root-actor.ts';
import type { RootActor } from '../../../actors/root-actor.ts';
import type { ActorLimits } from '../../../actors/limits.ts';
import type { ExpiryOf } from '../../../actors/token-timer.ts';
import { decodeObject, encodeObject } from '../../../src/apimachinery/object-encoding.ts';
import type { ApiObject } from '../../../src/apimachinery/unstructured.ts';
import { createCommitter } from '../../../src/storage/committer.ts';
import type { Committer, CommitterLimits } from '../../../src/storage/committer.ts';
import { storeKey } from '../../../src/storage/keys.ts';
import type { ObjectKey } from '../../../src/storage/keys.ts';
import { createMemoryStorage } from '../../../src/storage/memory/memory-storage.ts';
import { plainRecords } from '../../../src/storage/encrypted-records.ts';
import type { RecordCodec } from '../../../src/storage/encrypted-records.ts';
import { decodeRecord, encodeRecord } from '../../../src/storage/record-codec.ts';
import type { ObjectRecord, RecordTimer } from '../../../src/storage/record.ts';
import { revisionZero } from '../../../src/storage/storage.ts';
import type { Condition, Mutation, Revision, Storage } from '../../../src/storage/storage.ts';
import { systemClock, systemTimers } from '../../../src/stdx/clock.ts';
import { manualTime } from './manual-time.ts';
import type { ManualTime } from './manual-time.ts';

export const pods = { group: '', resource: 'pods' } as const;

export function podKey(name: string): ObjectKey {
  return { ...pods, namespace: 'default', name };
}

export function pod(name: string, content: Record<string, unknown> = {}): ApiObject {
  const { metadata, ...rest } = content as { metadata?: Record<string, string> };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, ...metadata },
    ...rest,
  };
}

export function encodePod(_key: ObjectKey, object: ApiObject): { readonly record: ObjectRecord } {
  const { bytes, metadataAt } = encodeObject(object);
  const uid = object.metadata.uid ?? '';
  return { record: { uid, labels: {}, fields: {}, metadataAt, object: bytes } };
}

/** When the commands of tests are given, unless they say. */
export const startMs = 1_000_000;

const given = { dryRun: false, qualifiedResource: pods, nowMs: startMs } as const;

export function createOf(object: ApiObject, options: Partial<CreateCommand> = {}): CreateCommand {
  return { type: 'create', object, conditions: [], warnings: [], ...given, ...options };
}

/** The commands of these tests carry the function that decides them: what is tested is what
 * becomes of a decision. */
interface TestInput extends CommandInput {
  readonly decide: (
    current: CurrentObject | undefined,
    answers: readonly Answer[],
  ) => Proposal | ProposalSteps;
}

const decideTest: Decide = (_key, { input }, current, answers) =>
  (input as TestInput).decide(current, answers);

export function changeOf(
  verb: string,
  decide: TestInput['decide'],
  options: Partial<ChangeCommand> = {},
): ChangeCommand {
  const input: TestInput = { verb, decide };
  return { type: 'change', input, conditions: [], ...given, ...options };
}

/** What a change of the current object comes to. */
export function replacing(object: ApiObject, validate = false): Proposal {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  const completesDeletion = deletionTimestamp !== undefined && finalizers.length === 0;
  return { kind: 'replace', object, completesDeletion, warnings: [], validate };
}

export interface ReplaceOptions extends Partial<ChangeCommand> {
  /** What is made where nothing is. */
  readonly create?: () => ApiObject;
}

/** Replaces by what `change` makes of the current object. */
export function replaceOf(
  change: (current: CurrentObject) => ApiObject | Extract<Proposal, { kind: 'refused' }>,
  { create, ...options }: ReplaceOptions = {},
): ChangeCommand {
  return changeOf(
    'update',
    (current) => {
      if (current === undefined) {
        if (create === undefined) return { kind: 'not-found' };
        return { kind: 'create', object: create(), warnings: [], validate: false };
      }
      const made = change(current);
      return 'metadata' in made ? replacing(made) : made;
    },
    options,
  );
}

export function deleteOf(options: Partial<ChangeCommand> = {}): ChangeCommand {
  return changeOf(
    'delete',
    (current) => {
      if (current === undefined) return { kind: 'not-found' };
      const { object } = current;
      return (object.metadata.finalizers ?? []).length === 0
        ? { kind: 'remove', validate: false }
        : { kind: 'mark', object: marked(object), warnings: [], validate: false };
    },
    options,
  );
}

export function marked(object: ApiObject): ApiObject {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  return { ...object, metadata: { ...object.metadata, deletionTimestamp } };
}

export interface StoreHands {
  /** What the actors see. */
  readonly storage: Storage;
  /** The store itself, as another writer has it. */
  readonly raw: Storage;
  readonly counts: { reads: number; commits: number; mutations: number };
  /** Commits wait until release(). */
  hold(): void;
  release(): void;
  /** Called before each commit and read; a throw is the store's failure. */
  before: (operation: 'read' | 'commit') => Promise<void>;
  /** Called after a commit was applied, before it is acknowledged. */
  after: () => Promise<void>;
}

function storeHands({ commitLanes, companionRules: rules }: HarnessOptions): StoreHands {
  const raw = createMemoryStorage({ clock: manualTime().clock, revisionStep: 3n, rules });
  let gate = Promise.resolve();
  let open = (): void => {};
  const counts = { reads: 0, commits: 0, mutations: 0 };
  const hands: StoreHands = {
    raw,
    counts,
    hold() {
      gate = new Promise((resolve) => (open = resolve));
    },
    release: () => open(),
    before: () => Promise.resolve(),
    after: () => Promise.resolve(),
    storage: {
      ...raw,
      commitLanes,
      async read(key, at) {
        counts.reads += 1;
        await hands.before('read');
        return raw.read(key, at);
      },
      async commit(mutations: readonly Mutation[]) {
        counts.commits += 1;
        counts.mutations += mutations.length;
        await gate;
        await hands.before('commit');
        const outcomes = await raw.commit(mutations);
        await hands.after();
        return outcomes;
      },
    },
  };
  return hands;
}

export interface Harness {
  readonly actors: ObjectActorSystem;
  readonly root: RootActor;
  readonly committer: Committer;
  readonly store: StoreHands;
  readonly time: ManualTime;
  run(name: string, command: Parameters<ActorSystem['execute']>[1]): Promise<ObjectOutcome>;
  /** Another writer replaces, creates or (undefined) deletes the record. */
  overtake(name: string, object: ApiObject | undefined): Promise<Revision>;
  stored(name: string): Promise<StoredPod | undefined>;
  /** The actors are shown the log: what was committed since the last time, or after a revision. */
  showLog(after?: Revision): Promise<void>;
}

interface StoredPod {
  readonly object: ApiObject;
  readonly state: string;
  readonly revision: Revision;
  readonly timer: RecordTimer | undefined;
}

/** What goes with mutations. */
type CompanionOptions = Partial<
  Pick<ActorSystemDeps, 'companionsOf' | 'companionRules' | 'isAccompanied'>
>;

export interface HarnessOptions extends CompanionOptions {
  readonly limits?: Partial<ActorLimits>;
  readonly committerLimits?: Partial<CommitterLimits>;
  readonly soleWriter?: boolean;
  /** Commits that the store takes at once; they end as the test's hands say, in any order. */
  readonly commitLanes?: number;
  readonly encode?: typeof encodePod;
  /** Absent: records are plain. */
  readonly codec?: RecordCodec;
  readonly expiryOf?: ExpiryOf;
  readonly answer?: AnswerPort;
  readonly pause?: () => Promise<void>;
  readonly decodeObjectSteps?: ObjectDecoders['decodeObjectSteps'];
  readonly commandLog?: CommandLog;
  /** Absent: it is thrown. */
  readonly onBroken?: (error: unknown) => void;
  /** Of another system, as after a restart; absent: an empty one. */
  readonly store?: StoreHands;
}

export function actorHarness(options: HarnessOptions = {}): Harness {
  const store = options.store ?? storeHands(options);
  const { codec = plainRecords } = options;
  const time = manualTime();
  const committer = createCommitter({
    storage: store.storage,
    clock: systemClock,
    timers: systemTimers,
    limits: options.committerLimits,
  });
  const root = createRoot();
  const actors = createActorSystem({
    root,
    decide: decideTest,
    answer: options.answer ?? (() => ({ kind: 'allowed' })),
    pause: options.pause,
    onBroken:
      options.onBroken ??
      ((error) => {
        throw error;
      }),
    commandLog: options.commandLog,
    storage: store.storage,
    committer,
    encode: options.encode ?? encodePod,
    encodeRecord: codec.recordToPut,
    decodeRecord: codec.decodeRecord,
    isStale: codec.isStale,
    decodeObject,
    decodeObjectSteps: options.decodeObjectSteps,
    clock: time.clock,
    timers: time.timers,
    soleWriter: options.soleWriter,
    limits: options.limits,
    expiryOf: options.expiryOf,
    companionsOf: options.companionsOf,
    companionRules: options.companionRules,
    isAccompanied: options.isAccompanied,
  });
  return {
    actors,
    root,
    committer,
    store,
    time,
    run: (name, command) => actors.execute(podKey(name), command),
    overtake: (name, object) => overtake(store.raw, name, object),
    stored: (name) => stored(store.raw, name),
    showLog: logReader(store.raw, actors),
  };
}

function logReader(raw: Storage, actors: Pick<ObjectActorSystem, 'seen'>): Harness['showLog'] {
  let shown = revisionZero;
  return async (after = shown) => {
    const page = await raw.changes(after, { limit: 10_000, previous: false });
    if (page.kind !== 'ok') throw new Error(`the log is ${page.kind}`);
    shown = page.value.through;
    for (const change of page.value.changes) actors.seen(change);
  };
}

async function stored(raw: Storage, name: string): Promise<StoredPod | undefined> {
  const answer = await raw.read(storeKey(podKey(name)));
  if (answer.kind !== 'ok' || answer.value === undefined) return undefined;
  const { state, revision } = answer.value;
  const { object, timer } = decodeRecord(answer.value);
  return { object: decodeObject(object), state, revision, timer };
}

async function overtake(
  raw: Storage,
  name: string,
  object: ApiObject | undefined,
): Promise<Revision> {
  const key = storeKey(podKey(name));
  for (;;) {
    const now = await raw.read(key);
    const found = now.kind === 'ok' ? now.value?.revision : undefined;
    const expect =
      found === undefined
        ? ({ kind: 'absent' } as const)
        : ({ kind: 'revision', revision: found } as const);
    const state = object?.metadata.deletionTimestamp === undefined ? 'live' : 'finalizing';
    const operation =
      object === undefined
        ? ({ kind: 'delete' } as const)
        : ({
            kind: 'put',
            state,
            value: encodeRecord(encodePod(podKey(name), object).record, { key, state }),
          } as const);
    if (object === undefined && found === undefined) return raw.revision();
    const [outcome] = await raw.commit([{ key, expect, conditions: [], operation }]);
    if (outcome?.kind === 'applied') return outcome.revision;
  }
}

export function namespaceIsLive(name: string): Condition {
  const key = storeKey({ group: '', resource: 'namespaces', namespace: '', name });
  return { key, state: 'live' };
}

/** Lets everything that can go on without a held commit go on. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * What is stored of flow control, made into what requests are judged by: which schemas there are in
 * matching order, which level each leads to, and what seats each level has.
 *
 *     schemas, levels change ▶ after a moment: heads of all ▶ in order ▶ rules of those that are
 *     used ▶ index ▶ in force, at once
 *
 * Invariants: the mandatory level and schema of both names are there whatever is stored; a schema
 * whose level is not there is not used; nothing waits for a change, which is worked on in steps.
 * A level that is gone lives on without new requests until the last of its requests has ended.
 * Bounds: `configurationLimits`; in matching order, so what comes last is what is left out.
 */
import { Subscription } from 'rxjs';
import type { Attributes } from '../authorization/authorizer.ts';
import { decodeObject, decodeSteps, isLarge } from '../apimachinery/object-encoding.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { Clock, TimerHandle, Timers } from '../stdx/clock.ts';
import { sortedInSteps } from '../stdx/in-steps.ts';
import { finished, runStepwise } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import { followObjects } from '../../streams/followed-objects.ts';
import type { ObjectKeeper } from '../../streams/followed-objects.ts';
import type { Entry, Streams } from '../../streams/streams.ts';
import { levelOf, schemaHeadOf, schemaOf } from './flow-objects.ts';
import type { LevelObject, SchemaHead, SchemaObject, SchemaRule } from './flow-objects.ts';
import type { Levels, SchemaInForce } from './levels.ts';
import { RuleIndex } from './rule-index.ts';

const configurationLimits = {
  /** Schemas that are used, and what their rules weigh together (flow-objects.ts). Policy: those
   * that come later in matching order are not used, and onLeftOut is told how many. */
  schemasMax: 10_000,
  termsMax: 131_072,
  /** Levels that are used. Policy: those whose names come later are not. */
  levelsMax: 1_024,
  /** A change waits for others so long, and for so many times what the last one took. */
  settleMs: 10,
  restTimes: 4,
} as const;

export interface ConfigurationDeps {
  readonly streams: Pick<Streams, 'followers' | 'resourceEvents' | 'snapshot'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
  readonly turns: Pick<Turns, 'run'>;
  readonly schemas: GroupResource;
  readonly levelObjects: GroupResource;
  /** Those that are there whatever is stored; of schemas the last one takes what no other does. */
  readonly mandatorySchemas: readonly SchemaObject[];
  readonly mandatoryLevels: readonly LevelObject[];
  readonly levels: Levels;
  /** So many schemas are not used, for there are too many, or their rules are. 0: none any more. */
  readonly onLeftOut: (count: number) => void;
  readonly onError: (error: unknown) => void;
}

export interface Configuration {
  /** What the request is served by. */
  find(attributes: Attributes): SchemaInForce;
  /** What was stored at the start has been read. */
  readonly isRead: boolean;
  /** A level that is gone has ended. */
  lookAgain(): void;
  /** Resolves when that is in force. */
  start(): Promise<void>;
  stop(): void;
}

export function createConfiguration(deps: ConfigurationDeps): Configuration {
  const { clock, timers, turns } = deps;
  const following = new Subscription();
  const building = createBuilding(deps);
  let inForce = finished(building.ofMandatory());
  let next: TimerHandle | undefined;
  let isWorking = false;
  let isChanged = false;
  let isStopped = false;
  let isRead = false;

  const look = (delayMs: number): void => {
    isChanged = true;
    if (isStopped || isWorking || next !== undefined) return;
    next = timers.after(delayMs, () => {
      next = undefined;
      void work();
    });
  };
  const work = async (): Promise<void> => {
    isChanged = false;
    isWorking = true;
    const startMs = clock.monotonicMs();
    try {
      inForce = (await runStepwise(turns, building.ofStored(), () => isStopped)) ?? inForce;
    } catch (error) {
      isChanged = true;
      deps.onError(error);
    }
    isWorking = false;
    const { restTimes, settleMs } = configurationLimits;
    if (isChanged) look(settleMs + restTimes * (clock.monotonicMs() - startMs));
  };
  const follow = (resource: GroupResource): void => {
    const keeper: ObjectKeeper = {
      clear: () => undefined,
      set: () => undefined,
      remove: () => undefined,
      complete: () => look(configurationLimits.settleMs),
      changed: () => look(configurationLimits.settleMs),
    };
    following.add(followObjects(deps.streams, 'priority-and-fairness', resource, keeper));
  };
  return {
    find: (attributes) => inForce.find(attributes),
    get isRead() {
      return isRead;
    },
    lookAgain: () => look(configurationLimits.settleMs),
    async start() {
      await work();
      isRead = true;
      follow(deps.levelObjects);
      follow(deps.schemas);
    },
    stop() {
      isStopped = true;
      following.unsubscribe();
      next?.cancel();
    },
  };
}

interface Force {
  find(attributes: Attributes): SchemaInForce;
}

/** A schema in order, and where its rules come from. */
interface Candidate {
  readonly head: SchemaHead;
  readonly from: Entry | SchemaObject;
}

/** Between two steps: what is looked at, and bytes of it, which may have to be decoded. */
const itemsInAStep = 256;
const bytesInAStep = 64 * 1024;

function stepCount(): (entry: Entry | undefined) => boolean {
  let items = 0;
  let bytes = 0;
  return (entry) => {
    items += 1;
    bytes += entry?.bytes.length ?? 0;
    if (items < itemsInAStep && bytes < bytesInAStep) return false;
    items = 0;
    bytes = 0;
    return true;
  };
}

function createBuilding(deps: ConfigurationDeps) {
  const { levels, mandatoryLevels, mandatorySchemas } = deps;
  const { headsStored, levelsStored } = readers(deps);
  /** Of the schemas in force: those that have not changed are not decoded again. */
  let rules = new Map<Uint8Array, readonly SchemaRule[]>();
  let leftOut = 0;

  function* rulesOf({ from }: Candidate): Steps<readonly SchemaRule[]> {
    if ('rules' in from) return from.rules;
    return rules.get(from.bytes) ?? schemaOf(yield* decoding(from)).rules;
  }
  function* forceOf(
    all: readonly Candidate[],
    levelObjectsNow: readonly LevelObject[],
  ): Steps<Force> {
    const choice = choosing(levelObjectsNow, mandatorySchemas);
    const nextRules = new Map<Uint8Array, readonly SchemaRule[]>();
    const used: SchemaHead[] = [];
    const index = new RuleIndex();
    const isStepOver = stepCount();
    for (const candidate of all) {
      if (!choice.isUsed(candidate.head)) continue;
      const own = yield* rulesOf(candidate);
      if ('bytes' in candidate.from) nextRules.set(candidate.from.bytes, own);
      yield* index.adding(own, used.length);
      used.push(candidate.head);
      if (isStepOver('bytes' in candidate.from ? candidate.from : undefined)) yield;
    }
    yield* index.sealing();
    yield;
    rules = nextRules;
    if (choice.leftOut() !== leftOut) deps.onLeftOut(choice.leftOut());
    leftOut = choice.leftOut();
    levels.replace(levelObjectsNow);
    const inForce = levels.schemasInForce(used);
    const last = inForce[inForce.length - 1] as SchemaInForce;
    return { find: (attributes) => inForce[index.find(attributes)] ?? last };
  }
  return {
    *ofMandatory(): Steps<Force> {
      const all = mandatorySchemas.map((schema) => ({ head: schema, from: schema }));
      return yield* forceOf(all, mandatoryLevels);
    },
    *ofStored(): Steps<Force> {
      const stored = yield* levelsStored();
      return yield* forceOf(yield* headsStored(), stored);
    },
  };
}

/** What does not change is decoded once. */
function readers(deps: ConfigurationDeps) {
  const { levelObjects, mandatoryLevels, mandatorySchemas, schemas, streams } = deps;
  const heads = new WeakMap<Uint8Array, SchemaHead>();
  const levelsOf = new WeakMap<Uint8Array, { readonly level: LevelObject | undefined }>();
  return {
    *levelsStored(): Steps<readonly LevelObject[]> {
      const found = new Map(mandatoryLevels.map((level) => [level.name, level]));
      const isStepOver = stepCount();
      for (const entry of streams.snapshot(levelObjects).entries(undefined)) {
        if (found.size >= configurationLimits.levelsMax && !found.has(entry.name)) continue;
        let known = levelsOf.get(entry.bytes);
        if (known === undefined) {
          known = { level: levelOf(yield* decoding(entry)) };
          levelsOf.set(entry.bytes, known);
        }
        if (known.level !== undefined) found.set(entry.name, known.level);
        if (isStepOver(entry)) yield;
      }
      return [...found.values()];
    },
    /** In matching order. */
    *headsStored(): Steps<readonly Candidate[]> {
      const found = new Map<string, Candidate>();
      for (const schema of mandatorySchemas) found.set(schema.name, { head: schema, from: schema });
      const isStepOver = stepCount();
      for (const entry of streams.snapshot(schemas).entries(undefined)) {
        let head = heads.get(entry.bytes);
        if (head === undefined) {
          head = schemaHeadOf(yield* decoding(entry));
          heads.set(entry.bytes, head);
        }
        found.set(entry.name, { head, from: entry });
        if (isStepOver(entry)) yield;
      }
      return yield* sortedInSteps([...found.values()], isBefore);
    },
  };
}

/** Whether schemas, asked for in their order, are used: where their level is there, and as long as
 * there is room. */
function choosing(levels: readonly LevelObject[], mandatory: readonly SchemaHead[]) {
  const names = new Set(levels.map(({ name }) => name));
  const always = new Set(mandatory.map(({ name }) => name));
  let { schemasMax, termsMax }: { schemasMax: number; termsMax: number } = configurationLimits;
  let leftOut = 0;
  return {
    isUsed({ level, name, termsCount }: SchemaHead): boolean {
      if (!names.has(level)) return false;
      if (!always.has(name) && (schemasMax === 0 || termsCount > termsMax)) {
        leftOut += 1;
        return false;
      }
      schemasMax -= 1;
      termsMax -= termsCount;
      return true;
    },
    leftOut: () => leftOut,
  };
}

function isBefore({ head: a }: Candidate, { head: b }: Candidate): boolean {
  return a.precedence === b.precedence ? a.name < b.name : a.precedence < b.precedence;
}

function* decoding({ bytes }: Entry): Steps<ApiObject> {
  if (!isLarge(bytes)) return decodeObject(bytes);
  yield;
  const object = yield* decodeSteps(bytes);
  yield;
  return object;
}

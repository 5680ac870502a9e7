/**
 * All priority levels of this server: which there are, how many seats each has, and how they lend
 * them to each other every ten seconds (exact details of extensions, section 7).
 *
 * Invariants: a level that is no longer stored keeps its shares and serves who waits there, until
 * nobody is left; then it is gone. Where the server has no bound no level has one.
 * Bounds: levels as configuration.ts has them; counts of `countsMax` pairs of schema and level, and
 * of each level one for all other schemas.
 */
import type { Clock, TimerHandle, Timers } from '../stdx/clock.ts';
import { adjustedLimits, boundsOf, widestRequest } from './concurrency.ts';
import type { Claim, LevelBounds } from './concurrency.ts';
import { FlowCounts } from './flow-counts.ts';
import { exemptName } from './flow-objects.ts';
import type { LevelObject, SchemaHead } from './flow-objects.ts';
import { Level } from './level.ts';
import type { LevelDeps } from './level.ts';
import { RetryAfter } from './retry-after.ts';

const levelsLimits = {
  /** Policy: the requests of further schemas are counted together, under no schema's name. */
  countsMax: 1_000,
  adjustMs: 10_000,
} as const;

/** A level as requests find it. */
export interface LevelUse {
  readonly level: Level;
  readonly retryAfter: RetryAfter;
  object: LevelObject;
  bounds: LevelBounds;
  /** Most seats of one request; Infinity: the level says nothing of it. */
  widest: number;
  /** It is no longer stored. */
  isQuiescing: boolean;
}

/** A schema that requests are judged by. */
export interface SchemaInForce extends SchemaHead {
  readonly use: LevelUse;
  readonly counts: FlowCounts;
}

export interface LevelsDeps extends Omit<LevelDeps, 'clock'> {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Pick<Timers, 'after'>;
  /** Of the server; 0: no bound. */
  readonly seats: number;
}

export interface Levels {
  readonly all: ReadonlyMap<string, LevelUse>;
  readonly counts: Iterable<FlowCounts>;
  /** What is stored now. */
  replace(objects: readonly LevelObject[]): void;
  /** In their order; the level of each is there. */
  schemasInForce(heads: readonly SchemaHead[]): readonly SchemaInForce[];
  start(): void;
  stop(): void;
}

export function createLevels(deps: LevelsDeps): Levels {
  const all = new Map<string, LevelUse>();
  const counts = createCounts();
  const isUnbounded = deps.seats === 0;
  let timer: TimerHandle | undefined;

  const adjust = (): void => {
    const nowMs = deps.clock.monotonicMs();
    const uses = [...all.values()];
    for (const { level } of uses) level.demand.endPeriod(nowMs);
    const limits = adjustedLimits(uses.map(claimOf));
    uses.forEach(({ level }, at) => {
      level.setLimit(isUnbounded ? Infinity : (limits[at] as number), nowMs);
    });
  };
  const setBounds = (): void => {
    let sharesTotal = 0;
    for (const { object } of all.values()) sharesTotal += object.shares;
    for (const use of all.values()) {
      use.bounds = boundsOf(use.object, deps.seats, sharesTotal);
      use.widest = widestOf(use, isUnbounded);
    }
  };
  const endEvery = (): void => {
    timer = deps.timers.after(levelsLimits.adjustMs, () => {
      adjust();
      endEvery();
    });
  };
  return {
    all,
    get counts() {
      return counts.all();
    },
    replace(objects) {
      const gone = new Set(all.keys());
      for (const object of objects) {
        gone.delete(object.name);
        const use = all.get(object.name) ?? newUse(object, deps);
        use.object = object;
        use.isQuiescing = false;
        use.level.configure(object.shape);
        all.set(object.name, use);
      }
      for (const name of gone) endLevel(all, name);
      setBounds();
      adjust();
    },
    schemasInForce(heads) {
      const inForce = heads.map((head) => ({
        ...head,
        use: all.get(head.level) as LevelUse,
        counts: counts.of(head.level, head.name),
      }));
      counts.forgetAllBut(new Set(inForce.map((schema) => schema.counts)));
      return inForce;
    },
    start: endEvery,
    stop() {
      timer?.cancel();
      for (const { level } of all.values()) level.stop();
    },
  };
}

const noBounds: LevelBounds = { nominal: 0, lower: 0, upper: 0 };

function newUse(object: LevelObject, deps: LevelDeps): LevelUse {
  return {
    level: new Level(object.name, deps),
    retryAfter: new RetryAfter(),
    object,
    bounds: noBounds,
    widest: Infinity,
    isQuiescing: false,
  };
}

function widestOf({ bounds, object }: LevelUse, isUnbounded: boolean): number {
  if (isUnbounded || object.shape.kind !== 'queue') return Infinity;
  return widestRequest(bounds, object.shape.handSize);
}

function endLevel(all: Map<string, LevelUse>, name: string): void {
  const use = all.get(name);
  if (use === undefined) return;
  if (use.level.isIdle) {
    use.level.stop();
    all.delete(name);
  } else use.isQuiescing = true;
}

function claimOf({ bounds, level, object }: LevelUse): Claim {
  const { highest, smoothed } = level.demand;
  return { ...bounds, exempt: object.name === exemptName, highest, smoothed };
}

/** Of pairs of level and schema. */
function createCounts() {
  const byPair = new Map<string, FlowCounts>();
  return {
    all: () => byPair.values(),
    of(level: string, schema: string): FlowCounts {
      const isNamed = byPair.size < levelsLimits.countsMax || byPair.has(`${level} ${schema}`);
      const key = isNamed ? `${level} ${schema}` : `${level} `;
      let counts = byPair.get(key);
      if (counts === undefined) {
        counts = new FlowCounts(level, isNamed ? schema : '');
        byPair.set(key, counts);
      }
      return counts;
    },
    forgetAllBut(used: ReadonlySet<FlowCounts>): void {
      for (const [key, counts] of byPair) {
        if (!used.has(counts) && counts.isIdle) byPair.delete(key);
      }
    },
  };
}

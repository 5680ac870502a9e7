/**
 * Bootstrap tokens as actors: each token with an expiration is restored from the timer in its
 * record and has a deadline (spec 2, section 3.1).
 *
 *   record's timer ──restored──▶ valid ──deadline──▶ expired ──expire──▶ the secret's actor, by a
 *        ▲                                                               command, on the record
 *        └──────────────── stored(key, timer), once it is durable ◀──────────────┘
 *
 * The actor of the secret is the one who writes: it decides on its record, with the same machine,
 * whether the token has expired. So a deadline that comes too early, too late or twice does no
 * harm.
 *
 * Invariants: there is one actor for each token that is valid and has a deadline, and no other. A
 * deadline is armed when the actor starts, new or restored, and fires at most about a tick late. An
 * expiry that could not be written is retried. Bounds: one entry of the wheel for each such token;
 * one timer of the process for all; `expiriesAtOnce`. A deadline further away than `farMs` is
 * checked again after that time.
 */
import type { Actor, ActorLogic, ActorScope, Snapshot } from 'xstate';
import { storeKey } from '../src/storage/keys.ts';
import type { ObjectKey } from '../src/storage/keys.ts';
import type { RecordTimer } from '../src/storage/record.ts';
import type { StoreKey } from '../src/storage/storage.ts';
import type { Clock, Timers } from '../src/stdx/clock.ts';
import { createLimiter } from '../src/stdx/limiter.ts';
import { TimerWheel, WheelEntry } from '../src/stdx/timer-wheel.ts';
import { tokenStates } from './actors.ts';
import { createChild, sequenceOf } from './root-actor.ts';
import type { AnySystem, RootActor } from './root-actor.ts';
import { compiledToken, tokenLives, tokenMachine } from './token-machine.ts';
import type { TokenEventType, TokenLife } from './token-machine.ts';
import { isReached, stateOf } from './token-timer.ts';

const tokenTimes = {
  tickMs: 1000,
  slotsCount: 512,
  farMs: 24 * 3600_000,
  retryMs: 5000,
} as const;

/** Expiries that are written at a time. Policy: the others wait in line, and count as expired
 * meanwhile: what is read together for all that are due is decided in one turn. */
const expiriesAtOnce = 32;

export interface TokenActorsDeps {
  readonly root: RootActor;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Sends the expiry to the secret's actor, which decides on the record; rejects if that fails. */
  readonly expire: (key: ObjectKey, nowMs: number) => Promise<void>;
  readonly onError: (key: ObjectKey, error: unknown) => void;
}

export interface TokenActors {
  /** What the store has of the token now. `timer` undefined: it is no token, or gone. */
  stored(key: ObjectKey, timer: RecordTimer | undefined): void;
  /** In the order in which they came. */
  residents(): Iterable<ResidentToken>;
  /** Resolves when what was being written has its outcome. */
  stop(): Promise<void>;
}

export interface ResidentToken {
  /** Grows with each actor of the process. */
  readonly sequence: number;
  readonly id: string;
  readonly key: ObjectKey;
  readonly life: TokenLife;
  readonly dueMs: number | undefined;
}

interface TokenContext {
  readonly key: ObjectKey;
  dueMs: number | undefined;
  /** It fires no earlier. */
  notBeforeMs: number;
}

type TokenSnapshot = Snapshot<undefined> & {
  readonly value: TokenLife;
  readonly context: TokenContext;
};

interface TokenEvent {
  readonly type: TokenEventType;
  /** Of what was written. */
  readonly dueMs?: number | undefined;
  readonly notBeforeMs?: number | undefined;
}

/** `invoke` and `uninvoke`: the deadline. */
interface TokenEffect {
  readonly type: 'invoke' | 'uninvoke' | 'expire';
}

type TokenLogic = ActorLogic<TokenSnapshot, TokenEvent, TokenContext, AnySystem, TokenEffect>;

/** The machine, compiled: no interpreter, and no actor for each deadline. */
export const tokenLogic: TokenLogic = {
  config: tokenMachine.config,
  transition(snapshot, event, scope) {
    const { context, value: before } = snapshot;
    if (event.type === ('xstate.stop' as string)) return tokenSnapshot(before, context, 'stopped');
    const step = compiledToken.steps[event.type]?.[tokenLives.indexOf(before)];
    if (step === undefined) return snapshot;
    for (const action of step.actions) perform(action, context, event, scope);
    const value = tokenLives[step.next] as TokenLife;
    return tokenSnapshot(value, context, value === 'deleted' ? 'done' : 'active');
  },
  getInitialSnapshot: (_scope, input) => tokenSnapshot(tokenStates.valid, input),
  start(snapshot, scope) {
    if (snapshot.value === tokenStates.valid) scope.emit({ type: 'invoke' });
  },
  /** What the record holds of it: a timer. */
  getPersistedSnapshot: (snapshot) => snapshot,
  restoreSnapshot: (snapshot) => snapshot as TokenSnapshot,
};

function perform(
  action: string,
  context: TokenContext,
  event: TokenEvent,
  scope: ActorScope<TokenSnapshot, TokenEvent, AnySystem, TokenEffect>,
): void {
  switch (action) {
    case 'armed':
      context.dueMs = event.dueMs;
      context.notBeforeMs = event.notBeforeMs ?? 0;
      return;
    case 'ended':
      if (event.type === 'due') scope.emit({ type: 'expire' });
      return;
    case 'invoke':
    case 'uninvoke':
      scope.emit({ type: action });
      return;
    default:
  }
}

function tokenSnapshot(
  value: TokenLife,
  context: TokenContext,
  status: 'active' | 'done' | 'stopped' = 'active',
): TokenSnapshot {
  return { status, output: undefined, error: undefined, value, context };
}

/** The persisted snapshot of a token's actor, from the timer in its record. */
export function tokenSnapshotOf(key: ObjectKey, timer: RecordTimer): TokenSnapshot {
  return tokenSnapshot(stateOf(timer), { key, dueMs: timer.dueMs, notBeforeMs: 0 });
}

class Resident extends WheelEntry {
  readonly actor: Actor<TokenLogic>;
  constructor(actor: Actor<TokenLogic>) {
    super();
    this.actor = actor;
  }
}

export function createTokenActors(deps: TokenActorsDeps): TokenActors {
  return new Tokens(deps);
}

class Tokens implements TokenActors {
  readonly #deps: TokenActorsDeps;
  readonly #residents = new Map<StoreKey, Resident>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #wheel: TimerWheel<Resident>;
  readonly #line = createLimiter(expiriesAtOnce);
  #stopped = false;

  constructor(deps: TokenActorsDeps) {
    this.#deps = deps;
    const { slotsCount, tickMs } = tokenTimes;
    const { clock, timers } = deps;
    this.#wheel = new TimerWheel<Resident>({ clock, timers, tickMs, slotsCount }, (resident) =>
      this.#ring(resident),
    );
  }

  stored(key: ObjectKey, timer: RecordTimer | undefined): void {
    if (this.#stopped) return;
    const name = storeKey(key);
    const resident = this.#residents.get(name);
    const waits = timer?.dueMs !== undefined && timer.state === tokenStates.valid;
    if (resident === undefined) {
      if (waits) this.#restore(key, timer);
      return;
    }
    resident.actor.send(eventOf(resident.actor.getSnapshot(), timer));
    if (!waits) this.#drop(name, resident);
  }

  *residents(): Iterable<ResidentToken> {
    for (const { actor } of this.#residents.values()) {
      const { context, value } = actor.getSnapshot();
      const { dueMs, key } = context;
      yield { sequence: sequenceOf(actor), id: actor.id, key, life: value, dueMs };
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wheel.stop();
    for (const [name, resident] of this.#residents) this.#drop(name, resident);
    await Promise.all(this.#underWay);
  }

  #restore(key: ObjectKey, timer: RecordTimer): void {
    const name = storeKey(key);
    const snapshot = tokenSnapshotOf(key, timer);
    const actor = createChild(this.#deps.root, tokenLogic, `token:${name}`, snapshot);
    const resident = new Resident(actor);
    this.#residents.set(name, resident);
    actor.on('*', ({ type }) => this.#perform(resident, type));
    actor.start();
  }

  #perform(resident: Resident, effect: TokenEffect['type']): void {
    switch (effect) {
      case 'invoke':
        this.#arm(resident);
        return;
      case 'uninvoke':
        this.#wheel.cancel(resident);
        return;
      case 'expire': {
        const writing = this.#line(() => this.#expire(resident)).finally(() =>
          this.#underWay.delete(writing),
        );
        this.#underWay.add(writing);
      }
    }
  }

  #arm(resident: Resident): void {
    const { dueMs, notBeforeMs } = resident.actor.getSnapshot().context;
    if (dueMs === undefined || this.#stopped) return;
    const leftMs = Math.max(dueMs, notBeforeMs) - this.#deps.clock.nowMs();
    const ticks = this.#wheel.ticks(Math.max(0, Math.min(leftMs, tokenTimes.farMs)));
    this.#wheel.schedule(resident, this.#wheel.now() + ticks);
  }

  #ring({ actor }: Resident): void {
    const { dueMs, notBeforeMs } = actor.getSnapshot().context;
    const nowMs = this.#deps.clock.nowMs();
    const isDue = isReached(dueMs, nowMs) && notBeforeMs <= nowMs;
    actor.send({ type: isDue ? 'due' : 'early' });
  }

  async #expire({ actor }: Resident): Promise<void> {
    // The next run finds it due.
    if (this.#stopped) return;
    const { clock, expire, onError } = this.#deps;
    const { dueMs, key } = actor.getSnapshot().context;
    try {
      await expire(key, clock.nowMs());
    } catch (error) {
      onError(key, error);
      // The store has it as it was.
      const notBeforeMs = clock.nowMs() + tokenTimes.retryMs;
      actor.send({ type: 'written.open', dueMs, notBeforeMs });
    }
  }

  #drop(name: StoreKey, resident: Resident): void {
    this.#wheel.cancel(resident);
    this.#residents.delete(name);
    this.#deps.root.send({ type: 'passivate', child: resident.actor });
  }
}

function eventOf({ context, value }: TokenSnapshot, timer: RecordTimer | undefined): TokenEvent {
  if (timer === undefined) return { type: 'removed' };
  const { dueMs } = timer;
  if (stateOf(timer) === tokenStates.expired) {
    return { type: value === tokenStates.expired ? 'written.same' : 'written.past' };
  }
  // What expired here, and has the same time in the store: that it has expired is being written.
  return context.dueMs === dueMs ? { type: 'written.same' } : { type: 'written.open', dueMs };
}

/**
 * What createActor() makes with a parent, an id and a persisted snapshot, at a third of the price:
 * every create makes one.
 *
 * Without a parent XState's constructor makes each actor a system of its own, with three tables, a
 * weak one and twenty functions; with one it spreads the options over its own, and the engine makes
 * a hidden class for each object to which a spread adds a member. Here the fields are set, the
 * tables of observers are made for the first that comes, and the methods are XState's.
 *
 * For logics that run no actions of XState's (`actionExecutor`).
 *
 * Invariant: the fields are those that XState gives an actor (test/actors/root-actor.test.ts).
 */
import { Actor } from 'xstate';
import type { AnyActorLogic, AnyActorRef, AnyEventObject, Snapshot } from 'xstate';
import { assert } from '../src/stdx/assert.ts';

type AnySystem = AnyActorRef['system'];
type Listener = (event: AnyEventObject) => void;

/** Of the whole family; each field is as XState has it. */
export interface Ancestry {
  readonly parent: AnyActorRef;
  readonly system: AnySystem & { readonly _bookId: () => string };
  readonly logger: unknown;
  readonly clock: unknown;
  /** XState's own class, which it does not export. */
  readonly Mailbox: new (process: Listener) => object;
}

const noObservers: ReadonlySet<unknown> = new Set();
const noListeners: ReadonlyMap<string, ReadonlySet<Listener>> = new Map();
const noOptions = Object.freeze({ devTools: false });
const notStarted = 0;

/** With the methods of XState's Actor, but not made by its constructor. */
class ChildActor {
  readonly logic: AnyActorLogic;
  _snapshot: unknown = undefined;
  readonly clock: unknown;
  readonly options = noOptions;
  readonly id: string;
  readonly mailbox: object;
  observers = noObservers;
  eventListeners = noListeners;
  readonly logger: unknown;
  readonly _processingStatus = notStarted;
  readonly _parent: AnyActorRef;
  readonly _syncSnapshot = undefined;
  readonly ref = this;
  readonly _actorScope: ChildScope;
  readonly systemId = undefined;
  readonly sessionId: string;
  readonly system: AnySystem;
  readonly _doneEvent = undefined;
  readonly src: AnyActorLogic;
  readonly _deferred: (() => void)[] = [];

  constructor(ancestry: Ancestry, logic: AnyActorLogic, id: string) {
    const { clock, logger, Mailbox, parent, system } = ancestry;
    this.logic = logic;
    this.clock = clock;
    this.id = id;
    this.mailbox = new Mailbox((event) => methods._process.call(this, event));
    this.logger = logger;
    this._parent = parent;
    this.sessionId = system._bookId();
    this.system = system;
    this.src = logic;
    this._actorScope = new ChildScope(this);
  }

  subscribe(...observer: unknown[]): unknown {
    if (this.observers === noObservers) this.observers = new Set();
    return methods.subscribe.apply(this, observer);
  }

  on(type: string, listener: Listener): unknown {
    if (this.eventListeners === noListeners) this.eventListeners = new Map();
    return methods.on.call(this, type, listener);
  }
}

const methods = Actor.prototype as unknown as Readonly<
  Record<'_process' | '_stop' | 'subscribe' | 'on', (...given: readonly unknown[]) => unknown>
>;
Object.setPrototypeOf(ChildActor.prototype, Actor.prototype);

/** What a logic is given beside its snapshot. */
class ChildScope {
  readonly self: ChildActor;
  readonly id: string;
  readonly sessionId: string;
  readonly logger: unknown;
  readonly system: AnySystem;

  constructor(self: ChildActor) {
    this.self = self;
    this.id = self.id;
    this.sessionId = self.sessionId;
    this.logger = self.logger;
    this.system = self.system;
  }

  defer(then: () => void): void {
    this.self._deferred.push(then);
  }

  stopChild(child: AnyActorRef): void {
    assert(child._parent === (this.self as unknown), 'an actor stops its own children');
    methods._stop.call(child);
  }

  emit(event: AnyEventObject): void {
    const { eventListeners } = this.self;
    if (eventListeners === noListeners) return;
    for (const listener of eventListeners.get(event.type) ?? []) listener(event);
    for (const listener of eventListeners.get('*') ?? []) listener(event);
  }

  actionExecutor(): void {
    assert(false, 'no logic here runs actions of XState');
  }
}

/** Not started. */
export function childActor<TLogic extends AnyActorLogic>(
  ancestry: Ancestry,
  logic: TLogic,
  id: string,
  snapshot: Snapshot<unknown>,
): Actor<TLogic> {
  const actor = new ChildActor(ancestry, logic, id);
  actor._snapshot = logic.restoreSnapshot?.(snapshot, actor._actorScope as never) ?? snapshot;
  return actor as unknown as Actor<TLogic>;
}

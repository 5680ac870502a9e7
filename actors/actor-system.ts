/**
 * The actors of all objects of a server. Finds or makes the actor that a command is for, performs
 * the effects that actors ask for, and bounds how many actors stay in memory (spec 1, section 3.1).
 *
 *   root actor ─┬─ pods/a      idle, in order of last use   [oldest ... newest]   stopped from the
 *               ├─ pods/b                                    left: limit, or idleMs
 *               └─ ...         busy (a command waits)        never stopped
 *
 *   submit ─▶ committer ─▶ committed      load ─▶ store ─▶ loaded      ask ─▶ admission ─▶ answered
 *                                                                      pause ─▶ a turn ─▶ answered
 *
 * Invariants: at most one actor per key; an actor with a command in its mailbox is never stopped;
 * an actor holds nothing that the store does not have, so stopping one loses only time. When an
 * actor throws, the commands in its mailbox fail; the next command gets a new actor, which asks the
 * store.
 */
import {
  newInternalError,
  newServiceUnavailable,
  newTimeout,
  newTooManyRequests,
  StatusError,
} from '../src/apimachinery/status-error.ts';
import type { Committer } from '../src/storage/committer.ts';
import { storeKey } from '../src/storage/keys.ts';
import type { ObjectKey } from '../src/storage/keys.ts';
import type {
  Change,
  CompanionRules,
  Condition,
  Storage,
  StoredRecord,
  StoreKey,
} from '../src/storage/storage.ts';
import type { DecidedWrite } from '../src/storage/write-stages.ts';
import { assert, unreachable } from '../src/stdx/assert.ts';
import type { Clock, TimerHandle, Timers } from '../src/stdx/clock.ts';
import { messageOf } from '../src/stdx/message-of.ts';
import type {
  ActorStats,
  ActorSystem,
  Answer,
  AnswerPort,
  CompanionWrites,
  CompanionsOf,
  ObjectCommand,
  ObjectOutcome,
  Permit,
  UnreadableOutcome,
  WriteOrder,
  CommandSource,
} from './actors.ts';
import { noCompanions } from './actors.ts';
import type { CommandLog } from './command-log.ts';
import { triedOutcome } from './dry-run.ts';
import { IdleList } from './idle-list.ts';
import {
  actorBytes,
  actorLimits,
  bytesPerEncodedByte,
  recordBytesAtOnce,
  retryAfterSeconds,
  evictionMarginShare,
  sweepsPerIdle,
} from './limits.ts';
import type { ActorLimits } from './limits.ts';
import { newEntry } from './object-context.ts';
import type { Attempt, ObjectEffect, ObjectPorts } from './object-context.ts';
import { creationConditions } from './object-decision.ts';
import { withoutObject, objectLogic } from './object-logic.ts';
import type { ObjectLogic, ObjectSnapshot } from './object-logic.ts';
import { preconditionFor, readPersisted } from './object-snapshot.ts';
import { knownRevision, Resident, restoringSnapshot } from './resident.ts';
import type { ActiveObject } from './resident.ts';
import { createChild, sequenceOf } from './root-actor.ts';
import type { RootActor } from './root-actor.ts';

export interface ActorSystemDeps extends Omit<ObjectPorts, 'limits' | 'soleWriter'> {
  readonly root: RootActor;
  readonly storage: Pick<Storage, 'read'>;
  readonly committer: Pick<Committer, 'submit'>;
  /** Answers the questions of decisions. */
  readonly answer: AnswerPort;
  /** Resolves in a turn of the event loop that may go on with a decision; absent: the next turn. */
  readonly pause?: (() => Promise<void>) | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Default: false, which is always right; true spares a read before a refusal or a no-op. */
  readonly soleWriter?: boolean | undefined;
  readonly limits?: Partial<ActorLimits> | undefined;
  /** The companions of each mutation; absent: none. */
  readonly companionsOf?: CompanionsOf | undefined;
  /** The store's: for dry runs. Absent: nothing goes with mutations. */
  readonly companionRules?: CompanionRules | undefined;
  /** Called with each answer and the state it was decided on; absent: not called. */
  readonly commandLog?: CommandLog | undefined;
  /** An actor broke an invariant. Its commands have been failed. */
  readonly onBroken: (error: unknown) => void;
}

/** A resident actor as operators may see it: nothing of the object's content. */
export interface ResidentState {
  /** A counter that grows with each actor of the process. */
  readonly sequence: number;
  readonly id: string;
  readonly life: string;
  readonly sync: string;
  readonly mailboxCount: number;
  /** Undefined: not durable yet, not known, or nothing is there. */
  readonly revision: string | undefined;
}

/** The actor system with the views for operators, as the composition root uses it. */
export interface ObjectActorSystem extends ActorSystem {
  /** In the order in which the actors were made. */
  residents(): Iterable<ResidentState>;
  /** The log shows this, written here or elsewhere: an actor at rest knows it from now on. */
  seen(change: Change): void;
}

export function createActorSystem(deps: ActorSystemDeps): ObjectActorSystem {
  return new ObjectActors(deps);
}

class ObjectActors implements ObjectActorSystem {
  readonly #deps: ActorSystemDeps;
  readonly #ports: ObjectPorts;
  readonly #logic: ObjectLogic;
  readonly #limits: ActorLimits;
  readonly #residents = new Map<StoreKey, Resident>();
  readonly #idle = new IdleList<Resident>();
  readonly #performs = (resident: Resident, effect: ObjectEffect): void => {
    this.#perform(resident, effect);
  };
  readonly #stopped: (() => void)[] = [];
  #residentBytes = 0;
  #waiting = 0;
  #activationsTotal = 0;
  #passivationsTotal = 0;
  #redecisionsTotal = 0;
  #stopping = false;
  #sweep: TimerHandle | undefined;

  constructor(deps: ActorSystemDeps) {
    this.#deps = deps;
    this.#limits = { ...actorLimits, ...deps.limits };
    const { residentMax, mailboxMax, idleMs } = this.#limits;
    assert(residentMax > 0 && mailboxMax > 0 && idleMs > 0, 'actor limits are positive');
    const { decide, encode, encodeRecord, expiryOf, isStale, readToday } = deps;
    const { decodeObject, decodeObjectSteps, decodeRecord } = deps;
    const { isAccompanied, soleWriter = false } = deps;
    const decoders = { decodeObject, decodeObjectSteps, decodeRecord };
    const pure = { ...decoders, decide, encode, encodeRecord, expiryOf, isStale, readToday };
    this.#ports = { ...pure, limits: this.#limits, soleWriter, isAccompanied };
    this.#logic = objectLogic(this.#ports);
    deps.root.on('child.failed', ({ error, id }) => this.#failed(id as StoreKey, error));
  }

  execute(
    key: ObjectKey,
    command: ObjectCommand,
    permit?: Permit,
    source?: CommandSource,
    order?: WriteOrder,
  ): Promise<ObjectOutcome> {
    if (this.#stopping) return refuse(newServiceUnavailable('the server is shutting down'));
    const resident = this.#residentOf(key, command.type === 'create');
    if (resident === undefined) {
      return refuse(newTooManyRequests('too many objects are being written', retryAfterSeconds));
    }
    const { actor, context } = resident.active ?? this.#activate(resident);
    if (context.mailbox.length >= this.#limits.mailboxMax) {
      const why = 'too many writes are waiting for this object';
      return refuse(newTooManyRequests(why, retryAfterSeconds));
    }
    this.#idle.remove(resident);
    this.#waiting += 1;
    if (command.dryRun) return this.#tryOut(actor, key, command, permit, source);
    return new Promise<ObjectOutcome>((resolve, reject) => {
      const entry = newEntry(command, permit, resolve, reject, { source, order });
      actor.send({ type: 'command', entry });
    });
  }

  /** Valid only for the record that was read; what is written meanwhile is read again. */
  async removeUnreadable(key: ObjectKey): Promise<UnreadableOutcome> {
    const name = storeKey(key);
    for (;;) {
      const record = await this.#read(name);
      if (record === undefined) return { kind: 'absent' };
      if (this.#isReadable(record)) return { kind: 'readable' };
      const pending = this.#deps.committer.submit({
        key: name,
        expect: { kind: 'revision', revision: record.revision },
        conditions: [],
        operation: { kind: 'delete' },
        companions: undefined,
      });
      const outcome = await pending.outcome;
      if (outcome.kind === 'applied') return { kind: 'removed', revision: outcome.revision };
      if (outcome.kind === 'overloaded') {
        throw newTooManyRequests('too many writes are waiting', retryAfterSeconds);
      }
      assert(outcome.kind === 'conflict', 'it expects a revision and nothing else');
    }
  }

  #isReadable(record: StoredRecord): boolean {
    try {
      readPersisted(record, this.#ports);
      return true;
    } catch {
      return false;
    }
  }

  stop(): Promise<void> {
    this.#stopping = true;
    this.#sweep?.cancel();
    this.#sweep = undefined;
    if (this.#waiting === 0) return Promise.resolve();
    return new Promise((resolve) => this.#stopped.push(resolve));
  }

  stats(): ActorStats {
    return {
      residentCount: this.#residents.size,
      waitingCount: this.#waiting,
      activationsTotal: this.#activationsTotal,
      passivationsTotal: this.#passivationsTotal,
      redecisionsTotal: this.#redecisionsTotal,
    };
  }

  *residents(): Iterable<ResidentState> {
    for (const resident of this.#residents.values()) {
      const { active, kept, name: id, sequence, successor } = resident;
      const { life: known, sync } = (active?.actor.getSnapshot() ?? kept).value;
      const life = successor?.state ?? known;
      const revision = knownRevision(resident)?.toString();
      const mailboxCount = active?.context.mailbox.length ?? 0;
      yield { sequence, id, life, sync, mailboxCount, revision };
    }
  }

  /** Without it the next command would be decided on what is outdated, lose its race, read and be
   * decided again. A busy actor finds out by itself. */
  seen({ key, record, revision }: Change): void {
    const resident = this.#residents.get(key);
    if (resident === undefined || !resident.idle) return;
    const known = knownRevision(resident);
    if (known !== undefined && known >= revision) return;
    if (record === undefined) {
      this.#drop(resident);
      return;
    }
    if (resident.active !== undefined) this.#stop(resident, resident.active.actor);
    // A copy: what was read keeps the page that it is a part of.
    resident.successor = { ...record, value: Buffer.from(record.value) };
    this.#weigh(resident, record.value.byteLength);
    this.#shrink(0);
  }

  /** Undefined: there is no room, because every resident actor is busy. */
  #residentOf(key: ObjectKey, isBirth: boolean): Resident | undefined {
    const name = storeKey(key);
    const found = this.#residents.get(name);
    if (found !== undefined) {
      found.isNewborn = false;
      return found;
    }
    this.#shrink(1);
    if (this.#residents.size >= this.#limits.residentMax) return undefined;
    const resident = new Resident(key, name, isBirth, this.#performs);
    this.#residents.set(name, resident);
    this.#activationsTotal += 1;
    return resident;
  }

  #activate(resident: Resident): ActiveObject {
    const from = restoringSnapshot(resident, this.#ports);
    const actor = createChild(this.#deps.root, this.#logic, resident.name, from);
    const { context } = actor.getSnapshot();
    context.performer = resident;
    const active = { actor, context };
    resident.active = active;
    resident.sequence = sequenceOf(actor);
    actor.start();
    return active;
  }

  #perform(resident: Resident, effect: ObjectEffect): void {
    const { active } = resident;
    assert(active !== undefined, 'an actor speaks while it is active');
    switch (effect.type) {
      case 'submit':
        this.#submit(active, effect.attempt);
        return;
      case 'load':
        this.#load(active);
        return;
      case 'ask':
        this.#ask(active, effect);
        return;
      case 'pause':
        this.#pause(active, effect.number);
        return;
      case 'answer':
        this.#deps.commandLog?.answered(active.context, effect.entry, effect.outcome);
        effect.entry.resolve(effect.outcome);
        this.#answered();
        return;
      case 'reject':
        effect.entry.reject(effect.error);
        this.#answered();
        return;
      case 'redecided':
        this.#redecisionsTotal += effect.count;
        return;
      case 'idle':
        this.#rest(resident, active);
        return;
      default:
        unreachable(effect);
    }
  }

  #submit({ actor, context }: ActiveObject, attempt: Attempt): void {
    const { basis, decision, entry } = attempt;
    assert(decision.kind === 'write', 'only a write is submitted');
    const { operation } = decision;
    const expect = preconditionFor(basis);
    const { companions, conditions } = this.#companionsOf(context.key, attempt);
    const pending = this.#deps.committer.submit({
      key: context.storeKey,
      expect,
      conditions: allConditions(decision.conditions, conditions),
      operation,
      companions,
      behind: entry.order?.behind,
      isYielding: entry.order !== undefined,
      replacedBytes: basis.image?.bytes.byteLength,
      write: decidedWrite(entry.source, this.#deps.clock),
    });
    attempt.pending = pending;
    const isEnd = decision.outcome === 'removed';
    entry.order?.submitted(pending, isEnd ? undefined : decision.shown.object);
    pending.whenSettled((result) => actor.send({ type: 'committed', attempt, result }));
  }

  /** What is large is decoded when it arrives: each of many has a turn of its own. */
  #load({ actor, context }: ActiveObject): void {
    const loaded = (record?: StoredRecord): void => actor.send({ type: 'loaded', record });
    this.#read(context.storeKey).then(
      (record) => {
        if ((record?.value.length ?? 0) <= recordBytesAtOnce) return loaded(record);
        return this.#nextTurn().then(() => loaded(record));
      },
      (error: unknown) => actor.send({ type: 'load.failed', error }),
    );
  }

  async #read(key: StoreKey): Promise<StoredRecord | undefined> {
    const answer = await this.#deps.storage.read(key);
    assert(answer.kind === 'ok', 'a read of the present succeeds');
    return answer.value;
  }

  /** An answer without a promise is used in the same turn. */
  #ask(
    { actor, context }: ActiveObject,
    { command, number, question, requester }: Extract<ObjectEffect, { type: 'ask' }>,
  ): void {
    const failed = (error: unknown): void => {
      actor.send({ type: 'answered', number, answer: refusedAnswer(internal(error)) });
    };
    try {
      const answer = this.#deps.answer(context.key, command, question, requester);
      if (!(answer instanceof Promise)) {
        actor.send({ type: 'answered', number, answer });
        return;
      }
      const overdue = this.#deps.timers.after(this.#limits.answerMs, () => {
        const error = newTimeout('admission did not answer in time', retryAfterSeconds);
        actor.send({ type: 'answered', number, answer: refusedAnswer(error) });
      });
      answer
        .then((given) => actor.send({ type: 'answered', number, answer: given }), failed)
        .finally(() => overdue.cancel());
    } catch (error) {
      failed(error);
    }
  }

  #pause({ actor }: ActiveObject, number: number): void {
    const answer = { kind: 'allowed' } as const;
    void this.#nextTurn().then(() => actor.send({ type: 'answered', number, answer }));
  }

  #nextTurn(): Promise<void> {
    const { pause, timers } = this.#deps;
    return pause?.() ?? new Promise((resolve) => timers.nextTurn(resolve));
  }

  #answered(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0 || !this.#stopping) return;
    for (const resolve of this.#stopped.splice(0)) resolve();
  }

  /** The actor has stopped itself: an invariant did not hold. */
  #failed(name: StoreKey, error: unknown): void {
    const resident = this.#residents.get(name);
    if (resident?.active === undefined) return;
    this.#forget(resident);
    const { mailbox } = resident.active.context;
    for (let entry = mailbox.shift(); entry !== undefined; entry = mailbox.shift()) {
      entry.reject(error);
      this.#answered();
    }
    this.#deps.onBroken(error);
  }

  #rest(resident: Resident, { actor, context }: ActiveObject): void {
    const image = context.tip?.image;
    if (image === undefined) {
      this.#drop(resident);
      return;
    }
    this.#weigh(resident, image.bytes.byteLength);
    if (resident.isNewborn) {
      // Most objects that are created are not written again soon: what its actor persists is a
      // tenth of the actor, and a later command goes on from that, without asking the store.
      resident.kept = withoutObject(actor.getPersistedSnapshot() as ObjectSnapshot, this.#ports);
      this.#stop(resident, actor);
    }
    resident.idleSinceMs = this.#deps.clock.monotonicMs();
    this.#idle.push(resident);
    this.#shrink(0);
    this.#armSweep();
  }

  #weigh(resident: Resident, encodedBytes: number): void {
    const bytes = actorBytes + encodedBytes * bytesPerEncodedByte;
    this.#residentBytes += bytes - resident.bytes;
    resident.bytes = bytes;
  }

  /** Makes room for `coming` more actors, if idle ones can be dropped: longest unused first, and
   * some more than needed, so that not every new one has to look. */
  #shrink(coming: number): void {
    const { residentMax, residentBytesMax } = this.#limits;
    if (this.#residents.size + coming <= residentMax && this.#residentBytes <= residentBytesMax) {
      return;
    }
    const spare = Math.floor(residentMax / evictionMarginShare);
    const countMax = residentMax - coming - spare;
    for (let oldest = this.#idle.oldest; oldest !== undefined; oldest = this.#idle.oldest) {
      if (this.#residents.size <= countMax && this.#residentBytes <= residentBytesMax) return;
      this.#drop(oldest);
    }
  }

  #drop(resident: Resident): void {
    const { active } = resident;
    const pendingCount = active?.context.mailbox.length ?? 0;
    assert(pendingCount === 0, 'an actor with a pending command is never dropped');
    this.#forget(resident);
    this.#passivationsTotal += 1;
    if (active !== undefined) this.#stop(resident, active.actor);
  }

  #stop(resident: Resident, child: ActiveObject['actor']): void {
    resident.active = undefined;
    this.#deps.root.send({ type: 'passivate', child });
  }

  #forget(resident: Resident): void {
    this.#idle.remove(resident);
    this.#residents.delete(resident.name);
    this.#residentBytes -= resident.bytes;
  }

  #armSweep(): void {
    if (this.#sweep !== undefined || this.#stopping) return;
    const { idleMs } = this.#limits;
    this.#sweep = this.#deps.timers.after(idleMs / sweepsPerIdle, () => {
      this.#sweep = undefined;
      const oldestMs = this.#deps.clock.monotonicMs() - idleMs;
      let { oldest } = this.#idle;
      while (oldest !== undefined && oldest.idleSinceMs <= oldestMs) {
        this.#drop(oldest);
        oldest = this.#idle.oldest;
      }
      if (oldest !== undefined) this.#armSweep();
    });
  }

  #companionsOf(key: ObjectKey, { basis, decision }: Attempt): CompanionWrites {
    const { companionsOf } = this.#deps;
    if (companionsOf === undefined || decision.kind === 'refused') return noCompanions;
    const isEnd = decision.outcome === 'removed';
    return companionsOf(key, isEnd ? undefined : decision.shown.object, basis.image?.object);
  }

  /** A dry run is decided in the mailbox, like the command that it stands for. */
  async #tryOut(
    actor: ActiveObject['actor'],
    key: ObjectKey,
    command: ObjectCommand,
    permit: Permit | undefined,
    source: CommandSource | undefined,
  ): Promise<ObjectOutcome> {
    let attempt: Attempt | undefined;
    const outcome = await new Promise<ObjectOutcome>((resolve, reject) => {
      const take = (would: ObjectOutcome): void => {
        ({ attempt } = entry);
        resolve(would);
      };
      const entry = newEntry(command, permit, take, reject, { source });
      actor.send({ type: 'command', entry });
    });
    if (attempt === undefined || !('object' in outcome) || outcome.kind === 'unchanged') {
      return outcome;
    }
    const { companions = [], conditions } = this.#companionsOf(key, attempt);
    const own = outcome.kind === 'created' ? creationConditions(command) : [];
    const write = { companions, conditions: allConditions(own, conditions) };
    const read = (name: StoreKey): Promise<StoredRecord | undefined> => this.#read(name);
    return triedOutcome(outcome, write, read, this.#deps.companionRules);
  }
}

const nobody: CommandSource = {};

function decidedWrite(
  source: CommandSource | undefined,
  clock: Pick<Clock, 'monotonicMs'>,
): DecidedWrite | undefined {
  const { exchange, receivedMs, startMs } = source ?? nobody;
  if (receivedMs === undefined || startMs === undefined) return undefined;
  const decidedMs = clock.monotonicMs();
  return { startMs, receivedMs, decidedMs, trace: exchange?.trace };
}

function allConditions(
  own: readonly Condition[],
  others: readonly Condition[],
): readonly Condition[] {
  return others.length === 0 ? own : [...own, ...others];
}

function refusedAnswer(error: StatusError): Answer {
  return { kind: 'refused', error };
}

function internal(error: unknown): StatusError {
  return error instanceof StatusError ? error : newInternalError(messageOf(error));
}

function refuse(error: StatusError): Promise<ObjectOutcome> {
  return Promise.resolve({ kind: 'refused', error });
}

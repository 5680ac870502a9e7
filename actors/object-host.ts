/**
 * The owner of one object: a mailbox, and the one place where a command on the key is decided.
 *
 *   mailbox   [ a b c | d e ]      a b c decided (speculatively), d e not yet
 *               │ │ └ no-op: waits for what it saw
 *               │ └ mutation, expects a's ticket
 *               └ mutation, expects the stored revision
 *
 * What it is not: it does not know the other actors or how long it stays resident; see
 * actor-system.ts.
 *
 * Phases: `ready` decides what comes; `settling` waits until no mutation of this key is under way;
 * `loading` waits for the store. Commands that come in the last two wait undecided.
 *
 * Invariants (numbered in SPEC.md): answers leave in the order the commands came; a command leaves
 * only when all that it was decided on is durable; when a mutation is not applied, everything
 * decided after it is decided again, on what is true then.
 */
import {
  newConflict,
  newServerTimeout,
  newTooManyRequests,
} from '../src/apimachinery/status-error.ts';
import type { StatusError } from '../src/apimachinery/status-error.ts';
import type { CommitOutcome } from '../src/storage/commit-ticket.ts';
import type { Committer } from '../src/storage/committer.ts';
import type { ObjectKey } from '../src/storage/keys.ts';
import type { Revision, Storage, StoreKey, StoredRecord } from '../src/storage/storage.ts';
import { assert, unreachable } from '../src/stdx/assert.ts';
import type { ObjectCommand, ObjectOutcome } from './actors.ts';
import type { ActorLimits } from './limits.ts';
import { actorBytes, bytesPerEncodedByte, retryAfterSeconds } from './limits.ts';
import { Mailbox } from './mailbox.ts';
import { decide } from './object-decision.ts';
import type { Decision, RecordEncoders } from './object-decision.ts';
import { absentSnapshot, expectationOf, snapshotOf } from './object-snapshot.ts';
import type { ObjectSnapshot, RecordDecoders } from './object-snapshot.ts';

export interface HostDeps extends RecordEncoders, RecordDecoders {
  readonly storage: Pick<Storage, 'read'>;
  readonly committer: Pick<Committer, 'submit'>;
  /** No other process writes to the store: what an actor knows needs no second look. */
  readonly soleWriter: boolean;
  readonly limits: ActorLimits;
}

/** How a host tells its system what happened. */
export interface HostEvents {
  answered(): void;
  redecided(count: number): void;
  /** The mailbox is empty and nothing is under way: the host may be dropped. */
  idle(host: ObjectHost): void;
}

type Result = CommitOutcome | { readonly kind: 'failed'; readonly error: unknown };

/** One decision of one command. A command that must be decided again gets a new attempt. */
interface Attempt {
  readonly decision: Decision;
  readonly basis: ObjectSnapshot;
  /** The basis was not read: the store has yet to agree that nothing is there. */
  readonly assumed: boolean;
  result: Result | undefined;
  /** The command will be decided again. */
  forgotten: boolean;
}

interface Entry {
  readonly command: ObjectCommand;
  readonly resolve: (outcome: ObjectOutcome) => void;
  readonly reject: (error: unknown) => void;
  attempt: Attempt | undefined;
  /** The store was read after the command came. */
  fresh: boolean;
  lostRaces: number;
}

export class ObjectHost {
  readonly storeKey: StoreKey;
  readonly #key: ObjectKey;
  readonly #deps: HostDeps;
  readonly #events: HostEvents;
  readonly #entries = new Mailbox<Entry>();
  #phase: 'ready' | 'settling' | 'loading' = 'ready';
  /** Entries from the head that have an attempt. */
  #decided = 0;
  /** Submitted mutations without a result, those of forgotten attempts included. */
  #outstanding = 0;
  /** The newest speculative snapshot. Undefined: not known, the store must be asked. */
  #tip: ObjectSnapshot | undefined;
  #running = false;

  constructor(key: ObjectKey, storeKey: StoreKey, deps: HostDeps, events: HostEvents) {
    this.#key = key;
    this.storeKey = storeKey;
    this.#deps = deps;
    this.#events = events;
  }

  get mailboxLength(): number {
    return this.#entries.length;
  }

  /** Estimated memory of what is worth keeping; 0 when nothing is. */
  get residentBytes(): number {
    const image = this.#tip?.image;
    if (image === undefined) return 0;
    return actorBytes + image.bytes.byteLength * bytesPerEncodedByte;
  }

  execute(command: ObjectCommand): Promise<ObjectOutcome> {
    return new Promise((resolve, reject) => {
      const fresh = false;
      this.#entries.push({ command, resolve, reject, attempt: undefined, fresh, lostRaces: 0 });
      this.#run();
    });
  }

  /** Answers what can be answered and decides what can be decided, until neither goes on. */
  #run(): void {
    if (this.#running) return;
    this.#running = true;
    try {
      for (;;) {
        if (this.#phase === 'settling' && this.#outstanding === 0) this.#phase = 'ready';
        if (!this.#settleHead() && !this.#decideNext()) break;
      }
    } finally {
      this.#running = false;
    }
    if (this.#entries.length === 0 && this.#phase === 'ready') this.#events.idle(this);
  }

  /** Answers the head of the mailbox if it has been decided and its fate is known. */
  #settleHead(): boolean {
    if (this.#decided === 0) return false;
    const head = this.#entries.at(0);
    const attempt = head?.attempt;
    assert(head !== undefined && attempt !== undefined, 'a decided entry has an attempt');
    const { decision, basis } = attempt;
    if (decision.kind !== 'write') {
      this.#answer(decision.kind === 'refused' ? decision : shown(decision, basis.revision));
      return true;
    }
    const { result } = attempt;
    if (result === undefined) return false;
    switch (result.kind) {
      case 'applied':
        decision.next.ticket = undefined;
        if (decision.next.life !== 'absent') decision.next.revision = result.revision;
        this.#answer(shown(decision, result.revision));
        return true;
      case 'conflict':
      case 'predecessor-failed':
        this.#loseRace(head);
        return true;
      case 'condition-failed':
        this.#answer(result);
        this.#rewind(attempt.assumed ? undefined : basis);
        return true;
      case 'overloaded':
        this.#answer(refusal(newTooManyRequests('too many writes are waiting', retryAfterSeconds)));
        this.#rewind(attempt.assumed ? undefined : basis);
        return true;
      case 'failed':
        this.#failDecided(result.error);
        return true;
      default:
        return unreachable(result);
    }
  }

  /** Decides the next command on the newest snapshot, or starts what must come first. */
  #decideNext(): boolean {
    if (this.#phase !== 'ready') return false;
    const entry = this.#entries.at(this.#decided);
    if (entry === undefined) return false;
    const assumed = this.#tip === undefined && mayAssumeAbsent(entry);
    const basis = assumed ? absentSnapshot() : this.#tip;
    if (basis === undefined) {
      this.#load();
      return false;
    }
    const decision = decide(this.#key, entry.command, basis, this.#deps);
    const attempt: Attempt = { decision, basis, assumed, result: undefined, forgotten: false };
    if (decision.kind === 'write') {
      entry.attempt = attempt;
      this.#submit(attempt, decision);
      this.#tip = decision.next;
    } else if (entry.fresh || assumed || this.#deps.soleWriter) {
      entry.attempt = attempt;
    } else {
      // The transaction checks what a write was decided on. Nothing checks the rest, so with other
      // writers about the store is asked before a refusal or a no-op is believed.
      if (this.#outstanding > 0) this.#phase = 'settling';
      else this.#load();
      return false;
    }
    this.#decided += 1;
    return true;
  }

  #submit(attempt: Attempt, decision: Extract<Decision, { kind: 'write' }>): void {
    const { operation, conditions, next } = decision;
    const expect = expectationOf(attempt.basis);
    const ticket = this.#deps.committer.submit({
      key: this.storeKey,
      expect,
      conditions,
      operation,
    });
    this.#outstanding += 1;
    next.ticket = ticket;
    ticket.outcome.then(
      (result) => this.#finish(attempt, result),
      (error: unknown) => this.#finish(attempt, { kind: 'failed', error }),
    );
  }

  #finish(attempt: Attempt, result: Result): void {
    const twice = attempt.forgotten && result.kind === 'applied';
    assert(!twice, 'a mutation whose predecessor was not applied is not applied');
    attempt.result = result;
    this.#outstanding -= 1;
    this.#run();
  }

  #answer(outcome: ObjectOutcome): void {
    const entry = this.#entries.shift();
    assert(entry !== undefined && this.#decided > 0, 'only a decided command is answered');
    this.#decided -= 1;
    entry.resolve(outcome);
    this.#events.answered();
  }

  /** Another writer was first. Decide again on what is there now, within reason. */
  #loseRace(head: Entry): void {
    head.lostRaces += 1;
    if (head.lostRaces > this.#deps.limits.lostRacesMax) {
      const { qualifiedResource: gr, type } = head.command;
      const error =
        type === 'replace'
          ? newConflict(gr, this.#key.name)
          : newServerTimeout(gr, type, retryAfterSeconds);
      this.#answer(refusal(error));
    }
    this.#rewind(undefined);
  }

  /** Forgets every decision; they are made again once nothing of them is under way. */
  #rewind(to: ObjectSnapshot | undefined): void {
    for (let i = 0; i < this.#decided; i += 1) {
      const entry = this.#entries.at(i);
      if (entry?.attempt === undefined) continue;
      entry.attempt.forgotten = true;
      entry.attempt = undefined;
    }
    this.#events.redecided(this.#decided);
    this.#decided = 0;
    this.#tip = to;
    this.#phase = 'settling';
  }

  /** Storage failed: nobody knows more about what was decided, so all of it fails. */
  #failDecided(error: unknown): void {
    this.#fail(this.#decided, error);
    this.#decided = 0;
    this.#tip = undefined;
    this.#phase = 'settling';
  }

  #fail(count: number, error: unknown): void {
    for (let i = 0; i < count; i += 1) {
      this.#entries.shift()?.reject(error);
      this.#events.answered();
    }
  }

  #load(): void {
    assert(this.#outstanding === 0 && this.#decided === 0, 'nothing is under way during a load');
    this.#phase = 'loading';
    const asking = this.#entries.length;
    this.#read().then(
      (record) => this.#loaded(record, asking),
      (error: unknown) => this.#loadFailed(error, asking),
    );
  }

  async #read(): Promise<StoredRecord | undefined> {
    const answer = await this.#deps.storage.read(this.storeKey);
    assert(answer.kind === 'ok', 'a read of the present succeeds');
    return answer.value;
  }

  #loaded(record: StoredRecord | undefined, asking: number): void {
    try {
      const known = this.#tip?.revision;
      const same = known !== undefined && known === record?.revision;
      if (!same) this.#tip = snapshotOf(record, this.#deps);
    } catch (error) {
      this.#loadFailed(error, asking);
      return;
    }
    for (let i = 0; i < asking; i += 1) {
      const entry = this.#entries.at(i);
      if (entry !== undefined) entry.fresh = true;
    }
    this.#phase = 'ready';
    this.#run();
  }

  #loadFailed(error: unknown, asking: number): void {
    this.#tip = undefined;
    this.#phase = 'ready';
    this.#fail(asking, error);
    this.#run();
  }
}

/** A create that never lost a race: the store itself says if the name is taken. */
function mayAssumeAbsent(entry: Entry): boolean {
  const { command } = entry;
  return command.type === 'create' && command.dryRun !== true && entry.lostRaces === 0;
}

function refusal(error: StatusError): ObjectOutcome {
  return { kind: 'refused', error };
}

function shown(
  decision: Extract<Decision, { kind: 'write' | 'show' }>,
  revision: Revision | undefined,
): ObjectOutcome {
  const { object, bytes, metadataAt } = decision.shown;
  return { kind: decision.outcome, object, revision, bytes, metadataAt };
}

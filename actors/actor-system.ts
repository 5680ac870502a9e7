/**
 * All actors of a server: finds or activates the one a command is for, and bounds how many stay.
 *
 *   idle, in order of last use   [oldest ... newest]   dropped from the left: limit, or idleMs
 *   busy (a command waits)       never dropped
 *
 * Invariants: at most one actor per key; an actor with a command in its mailbox is never dropped;
 * an actor holds nothing that the store does not, so dropping one loses only time.
 */
import { newServiceUnavailable, newTooManyRequests } from '../src/apimachinery/status-error.ts';
import type { StatusError } from '../src/apimachinery/status-error.ts';
import { storeKey } from '../src/storage/keys.ts';
import type { ObjectKey } from '../src/storage/keys.ts';
import type { StoredRecord, StoreKey } from '../src/storage/storage.ts';
import { assert } from '../src/stdx/assert.ts';
import type { Clock, TimerHandle, Timers } from '../src/stdx/clock.ts';
import type {
  ActorStats,
  ActorSystem,
  ObjectCommand,
  ObjectOutcome,
  UnreadableOutcome,
} from './actors.ts';
import { IdleList } from './idle-list.ts';
import type { IdleMember } from './idle-list.ts';
import { actorLimits, retryAfterSeconds, spareShare, sweepsPerIdle } from './limits.ts';
import type { ActorLimits } from './limits.ts';
import { creationConditions } from './object-decision.ts';
import { ObjectHost } from './object-host.ts';
import type { HostDeps } from './object-host.ts';
import { snapshotOf } from './object-snapshot.ts';
import type { ExpiryOf } from './token-timer.ts';

export interface ActorSystemDeps extends Omit<HostDeps, 'limits' | 'soleWriter' | 'timing'> {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Default: false, which is always right; true spares a read before a refusal or a no-op. */
  readonly soleWriter?: boolean | undefined;
  readonly limits?: Partial<ActorLimits> | undefined;
  /** Which objects live by time; absent: none. */
  readonly expiryOf?: ExpiryOf | undefined;
}

interface Resident extends IdleMember<Resident> {
  readonly host: ObjectHost;
  /** As last counted in the total. */
  bytes: number;
  idleSinceMs: number;
}

export function createActorSystem(deps: ActorSystemDeps): ActorSystem {
  const system = new ObjectActors(deps);
  return {
    execute: (key, command) => system.execute(key, command),
    removeUnreadable: (key) => system.removeUnreadable(key),
    stop: () => system.stop(),
    stats: () => system.stats(),
  };
}

class ObjectActors implements ActorSystem {
  readonly #deps: ActorSystemDeps;
  readonly #hostDeps: HostDeps;
  readonly #limits: ActorLimits;
  readonly #residents = new Map<StoreKey, Resident>();
  readonly #idle = new IdleList<Resident>();
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
    const { clock, expiryOf, soleWriter = false } = deps;
    const timing = expiryOf && { expiryOf, nowMs: () => clock.nowMs() };
    this.#hostDeps = { ...deps, soleWriter, timing, limits: this.#limits };
  }

  execute(key: ObjectKey, command: ObjectCommand): Promise<ObjectOutcome> {
    if (this.#stopping) return refuse(newServiceUnavailable('the server is shutting down'));
    const resident = this.#activate(key);
    if (resident === undefined) {
      return refuse(newTooManyRequests('too many objects are being written', retryAfterSeconds));
    }
    const { host } = resident;
    if (host.mailboxLength >= this.#limits.mailboxMax) {
      const why = 'too many writes are waiting for this object';
      return refuse(newTooManyRequests(why, retryAfterSeconds));
    }
    this.#idle.remove(resident);
    this.#waiting += 1;
    const outcome = host.execute(command);
    if (command.dryRun !== true) return outcome;
    return outcome.then((would) => this.#withConditions(command, would));
  }

  /** Holds only for the record that was looked at: what is written meanwhile is looked at anew. */
  async removeUnreadable(key: ObjectKey): Promise<UnreadableOutcome> {
    const name = storeKey(key);
    for (;;) {
      const answer = await this.#deps.storage.read(name);
      assert(answer.kind === 'ok', 'a read of the present succeeds');
      const record = answer.value;
      if (record === undefined) return { kind: 'absent' };
      if (this.#isReadable(record)) return { kind: 'readable' };
      const ticket = this.#deps.committer.submit({
        key: name,
        expect: { kind: 'revision', revision: record.revision },
        conditions: [],
        operation: { kind: 'delete' },
      });
      const outcome = await ticket.outcome;
      if (outcome.kind === 'applied') return { kind: 'removed', revision: outcome.revision };
      if (outcome.kind === 'overloaded') {
        throw newTooManyRequests('too many writes are waiting', retryAfterSeconds);
      }
      assert(outcome.kind === 'conflict', 'it expects a revision and nothing else');
    }
  }

  #isReadable(record: StoredRecord): boolean {
    try {
      snapshotOf(record, this.#hostDeps);
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
      mailboxCount: this.#waiting,
      activationsTotal: this.#activationsTotal,
      passivationsTotal: this.#passivationsTotal,
      redecisionsTotal: this.#redecisionsTotal,
    };
  }

  /** Undefined: no room, every resident actor is busy. */
  #activate(key: ObjectKey): Resident | undefined {
    const name = storeKey(key);
    const found = this.#residents.get(name);
    if (found !== undefined) return found;
    this.#shrink(1);
    if (this.#residents.size >= this.#limits.residentMax) return undefined;
    const host = new ObjectHost(key, name, this.#hostDeps, this.#hostEvents);
    const resident: Resident = {
      host,
      bytes: 0,
      idleSinceMs: 0,
      older: undefined,
      newer: undefined,
      idle: false,
    };
    this.#residents.set(name, resident);
    this.#activationsTotal += 1;
    return resident;
  }

  readonly #hostEvents = {
    answered: (): void => {
      this.#waiting -= 1;
      if (this.#waiting > 0 || !this.#stopping) return;
      for (const resolve of this.#stopped.splice(0)) resolve();
    },
    redecided: (count: number): void => {
      this.#redecisionsTotal += count;
    },
    idle: (host: ObjectHost): void => this.#rest(host),
  };

  #rest(host: ObjectHost): void {
    const resident = this.#residents.get(host.storeKey);
    if (resident?.host !== host) return;
    const bytes = host.residentBytes;
    if (bytes === 0) {
      this.#drop(resident);
      return;
    }
    this.#residentBytes += bytes - resident.bytes;
    resident.bytes = bytes;
    resident.idleSinceMs = this.#deps.clock.monotonicMs();
    this.#idle.push(resident);
    this.#shrink(0);
    this.#armSweep();
  }

  /** Makes room for `coming` more actors, if idle ones can be dropped: longest unused first, and
   * some more than needed, so that not every new one has to look. */
  #shrink(coming: number): void {
    const { residentMax, residentBytesMax } = this.#limits;
    if (this.#residents.size + coming <= residentMax && this.#residentBytes <= residentBytesMax) {
      return;
    }
    const spare = Math.floor(residentMax / spareShare);
    const countMax = residentMax - coming - spare;
    for (let oldest = this.#idle.oldest; oldest !== undefined; oldest = this.#idle.oldest) {
      if (this.#residents.size <= countMax && this.#residentBytes <= residentBytesMax) return;
      this.#drop(oldest);
    }
  }

  #drop(resident: Resident): void {
    const { host } = resident;
    assert(host.mailboxLength === 0, 'an actor with a pending command is never dropped');
    this.#idle.remove(resident);
    this.#residents.delete(host.storeKey);
    this.#residentBytes -= resident.bytes;
    this.#passivationsTotal += 1;
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

  /** A dry run has no transaction to test its conditions in: they are read. */
  async #withConditions(command: ObjectCommand, outcome: ObjectOutcome): Promise<ObjectOutcome> {
    if (outcome.kind !== 'created') return outcome;
    for (const condition of creationConditions(command)) {
      const answer = await this.#deps.storage.read(condition.key);
      assert(answer.kind === 'ok', 'a read of the present succeeds');
      const found = answer.value?.state;
      if (found !== condition.state) return { kind: 'condition-failed', condition, found };
    }
    return outcome;
  }
}

function refuse(error: StatusError): Promise<ObjectOutcome> {
  return Promise.resolve({ kind: 'refused', error });
}

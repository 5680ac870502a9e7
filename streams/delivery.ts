/**
 * The pace-maker: hands frames to members, a bounded slice per turn of the event loop.
 *
 *      classes with new frames ──▶ pass over the live members, backwards: one write each
 *      members not yet live    ──▶ one chunk each, in turn, from snapshot, history or log
 *
 * What it is not: where frames are made, or where time passes (bookmarks.ts).
 *
 * Invariants: at most one write per member and turn; a member whose sink said wait is written to
 * only after its drain; who waits costs a pass nothing, because it is not in the live list; a
 * sink or an encoder that throws ends its own member only. Numbered in SPEC.md.
 */
import type { StatusError } from '../src/apimachinery/status-error.ts';
import type { Clock, Timers } from '../src/stdx/clock.ts';
import { messageOf } from '../src/stdx/message-of.ts';
import { RingBuffer } from '../src/stdx/ring-buffer.ts';
import type { AtRevision, Revision } from '../src/storage/storage.ts';
import type { StreamLimits } from './limits.ts';
import type { LogPage } from './log-pages.ts';
import { noCursor } from './member.ts';
import type { Member, MemberState } from './member.ts';
import { pumpHistory, pumpInitial, pumpLog } from './pumps.ts';
import type { Pumped } from './pumps.ts';
import type { Frame } from './selection.ts';
import type { WatchClass } from './watch-class.ts';

type Cls = WatchClass<Member>;

export interface DeliveryDeps {
  readonly limits: StreamLimits;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly expiredError: (message: string) => StatusError;
  readonly internalError: (message: string) => StatusError;
  /** Everything up to here has been applied to the caches. */
  readonly applied: () => Revision;
  /** Runs the callback once `revision` has been applied. Returns what calls it off. */
  readonly whenApplied: (revision: Revision, callback: () => void) => () => void;
  /** A page of the log that covers the revision. */
  readonly readLog: (after: Revision) => Promise<AtRevision<LogPage>>;
  /** The member has ended and is out of its class's live list. */
  readonly onEnded: (member: Member) => void;
  /** The member has stopped in the middle of its initial events. */
  readonly onInitialStall: (member: Member) => void;
}

export class Delivery {
  readonly counts: Record<MemberState, number> = {
    waiting: 0,
    initial: 0,
    'catching-up': 0,
    live: 0,
    blocked: 0,
    ended: 0,
  };
  framesTotal = 0;

  readonly #deps: DeliveryDeps;
  readonly #limits: StreamLimits;
  /** Initial events are put together here: a sink is done with a chunk when its write returns. */
  readonly #scratch: Uint8Array;
  readonly #classes = new RingBuffer<Cls>();
  readonly #pumps = new RingBuffer<Member>();
  #scheduled = false;
  #pressed = false;
  #turnsHeld = 0;
  #relieve: (() => void) | undefined;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    this.#limits = deps.limits;
    this.#scratch = new Uint8Array(deps.limits.pumpChunkBytes);
  }

  /** Live members are too far behind what has been applied: wait for `relief` before the next
   * change, so that it finds the frames they still need in place. */
  get pressed(): boolean {
    return this.#pressed;
  }

  relief(): Promise<void> {
    this.#turnsHeld = 0;
    return new Promise((resolve) => {
      this.#relieve = resolve;
    });
  }

  onFrame(cls: Cls, frame: Frame): void {
    if (cls.live.length === 0) return;
    cls.freshBytes += frame.bytes.length;
    if (cls.freshBytes > this.#limits.freshBytesMax) this.#pressed = true;
    this.mark(cls);
  }

  /** The class has something for its live members, or frames that nobody may need any more. */
  mark(cls: Cls): void {
    if (cls.queued) {
      // A pass that has not begun will see it.
      if (cls.position >= 0) cls.again = true;
      return;
    }
    cls.queued = true;
    cls.position = -1;
    this.#classes.push(cls);
    this.#schedule();
  }

  /** Puts a member that is not blocked where its cursor says it belongs. */
  settle(member: Member): void {
    if (member.state === 'ended') return;
    const { ring, stream } = member.cls;
    if (member.initial !== undefined) return this.#pump(member, 'initial');
    if (member.cursor === noCursor) {
      if (member.revision > this.#deps.applied()) {
        this.#move(member, 'waiting');
        this.wait(member, member.revision, () => this.settle(member));
        return;
      }
      const { history } = stream.cache;
      if (history.covers(member.revision)) member.cursor = history.seqAt(member.revision);
    }
    if (member.cursor < ring.floor) return this.#pump(member, 'catching-up');
    this.#move(member, 'live');
    member.cls.join(member);
    if (ring.bytes > 0) this.mark(member.cls);
  }

  /** Goes on with a waiting member once `revision` has been applied. */
  wait(member: Member, revision: Revision, begin: () => void): void {
    member.callOff = this.#deps.whenApplied(revision, () => {
      member.callOff = undefined;
      begin();
    });
    // Called back already: then it waits for nothing.
    if (member.state !== 'waiting') member.callOff = undefined;
  }

  /** For a member that has just been made, so that the counts are complete. */
  enter(member: Member): void {
    this.counts[member.state] += 1;
  }

  /** Sends a live member what is there for it now. True: it has everything applied so far. */
  flush(member: Member): boolean {
    const { cls } = member;
    while (member.state === 'live' && member.cursor < cls.ring.head) {
      const chunk = cls.ring.after(member.cursor);
      if (chunk === undefined) {
        this.#overrun(member);
        return false;
      }
      member.cursor = chunk.seq;
      member.revision = chunk.revision;
      this.#count(cls, chunk.framesCount, chunk.bytes.length);
      this.write(member, chunk.bytes);
    }
    return member.state === 'live';
  }

  /** False: the member is blocked now, or has ended. */
  write(member: Member, bytes: Uint8Array): boolean {
    let ready = false;
    try {
      ready = member.sink.write(bytes);
    } catch {
      this.end(member);
    }
    if (!ready) this.#block(member);
    return ready && member.state !== 'ended';
  }

  /** Tells the client why, when it can take it, and ends the stream. */
  fail(member: Member, status: StatusError): void {
    if (member.state === 'ended') return;
    try {
      if (member.state !== 'blocked') member.sink.write(member.cls.encoder.error(status));
    } catch {
      // The stream ends either way.
    }
    this.end(member);
  }

  /** Ends the stream cleanly. Idempotent. */
  end(member: Member): void {
    if (member.state === 'ended') return;
    this.forget(member);
    try {
      member.sink.end();
    } catch {
      // It is gone, which is what was wanted.
    }
  }

  /** The client has gone. Idempotent. */
  forget(member: Member): void {
    if (member.state === 'ended') return;
    this.#move(member, 'ended');
    this.counts.ended -= 1;
    member.initial = undefined;
    member.page = undefined;
    member.callOff?.();
    member.callOff = undefined;
    const { cls } = member;
    if (cls.ring.bytes > 0 && cls.membersCount > 1) this.mark(cls);
    this.#deps.onEnded(member);
  }

  #move(member: Member, state: MemberState): void {
    if (member.state === 'live') member.cls.leave(member);
    this.counts[member.state] -= 1;
    this.counts[state] += 1;
    member.state = state;
  }

  #block(member: Member): void {
    if (member.state === 'ended') return;
    if (member.sink.closed) return this.forget(member);
    this.#move(member, 'blocked');
    if (member.initial !== undefined) this.#deps.onInitialStall(member);
    member.onDrain ??= () => {
      if (member.state === 'blocked') this.settle(member);
    };
    member.sink.onDrain(member.onDrain);
  }

  /** A live member needs frames that are no longer there. */
  #overrun(member: Member): void {
    this.#pump(member, 'catching-up');
  }

  #pump(member: Member, state: MemberState): void {
    this.#move(member, state);
    this.#pumps.push(member);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#deps.timers.nextTurn(() => this.#turn());
  }

  #turn(): void {
    this.#scheduled = false;
    this.#runClasses();
    this.#runPumps();
    if (this.#classes.length > 0 || this.#pumps.length > 0) this.#schedule();
    if (!this.#pressed) return;
    this.#turnsHeld += 1;
    if (this.#classes.length > 0 && this.#turnsHeld < this.#limits.holdTurnsMax) return;
    this.#pressed = false;
    this.#relieve?.();
    this.#relieve = undefined;
  }

  #runClasses(): void {
    const budget = { writes: this.#limits.turnWritesMax, bytes: this.#limits.turnBytesMax };
    for (let rounds = this.#classes.length; rounds > 0; rounds -= 1) {
      if (budget.writes <= 0 || budget.bytes <= 0) return;
      const cls = this.#classes.shift();
      if (cls.position < 0) {
        cls.position = cls.live.length - 1;
        cls.again = false;
        cls.freshBytes = 0;
      }
      this.#pass(cls, budget);
      cls.ring.forgetChunks();
      if (cls.position >= 0) {
        this.#classes.push(cls);
        continue;
      }
      cls.queued = false;
      if (cls.again) this.mark(cls);
      else if (cls.live.length === cls.membersCount) cls.ring.clear();
    }
  }

  /** The hot loop: a compare and a write per member. Backwards, because a member that leaves is
   * replaced by the last one, which has had its turn. */
  #pass(cls: Cls, budget: { writes: number; bytes: number }): void {
    const { live, ring } = cls;
    const { head } = ring;
    let at = Math.min(cls.position, live.length - 1);
    for (; at >= 0 && budget.writes > 0 && budget.bytes > 0; at -= 1) {
      const member = live[at];
      // A sink may close any number of members while it is written to.
      if (member === undefined || member.cursor >= head) continue;
      const chunk = ring.after(member.cursor);
      if (chunk === undefined) {
        this.#overrun(member);
        continue;
      }
      member.cursor = chunk.seq;
      member.revision = chunk.revision;
      if (chunk.seq < head) cls.again = true;
      budget.writes -= 1;
      budget.bytes -= chunk.bytes.length;
      this.#count(cls, chunk.framesCount, chunk.bytes.length);
      this.write(member, chunk.bytes);
    }
    cls.position = at;
  }

  #runPumps(): void {
    if (this.#pumps.length === 0) return;
    const { turnPumpBytesMax, turnPumpMs, examinedCostBytes } = this.#limits;
    const { clock } = this.#deps;
    const endsMs = clock.monotonicMs() + turnPumpMs;
    let budget = turnPumpBytesMax;
    for (let rounds = this.#pumps.length; rounds > 0 && budget > 0; rounds -= 1) {
      if (clock.monotonicMs() >= endsMs) return;
      const member = this.#pumps.shift();
      if (member.state === 'ended') continue;
      try {
        const pumped = this.#step(member);
        if (pumped === undefined) continue;
        budget -= pumped.examinedCount * examinedCostBytes + (pumped.bytes?.length ?? 0);
        this.#finishStep(member, pumped);
      } catch (error) {
        this.fail(member, this.#deps.internalError(messageOf(error)));
      }
    }
  }

  /** Undefined: the step goes on when the log has been read. */
  #step(member: Member): Pumped | undefined {
    if (member.initial !== undefined) {
      return pumpInitial(member, member.initial, this.#limits, this.#scratch);
    }
    if (member.page !== undefined) {
      const { page } = member;
      member.page = undefined;
      return pumpLog(member, page, this.#limits);
    }
    const { history } = member.cls.stream.cache;
    if (member.cursor === noCursor && history.covers(member.revision)) {
      member.cursor = history.seqAt(member.revision);
    }
    if (member.cursor >= history.floorSeq) return pumpHistory(member, this.#limits);
    this.#readLog(member);
    return undefined;
  }

  #finishStep(member: Member, pumped: Pumped): void {
    this.#count(member.cls, pumped.framesCount, pumped.bytes?.length ?? 0);
    if (pumped.bytes === undefined || this.write(member, pumped.bytes)) this.settle(member);
  }

  #count(cls: Cls, frames: number, bytes: number): void {
    this.framesTotal += frames;
    cls.sent?.observeMany(frames, bytes);
  }

  #readLog(member: Member): void {
    const asked = member.revision;
    this.#deps.readLog(asked).then(
      (read) => this.#onLog(member, read),
      (error: unknown) => this.fail(member, this.#deps.internalError(messageOf(error))),
    );
  }

  #onLog(member: Member, read: AtRevision<LogPage>): void {
    if (member.state === 'ended') return;
    if (read.kind === 'compacted') {
      const message = `too old resource version: ${member.revision} (${read.compactRevision})`;
      return this.fail(member, this.#deps.expiredError(message));
    }
    // A future revision cannot be: the member would have waited for it.
    if (read.kind === 'future') return this.settle(member);
    // Not now: a thousand members may share this page, and the turn has its budget.
    member.page = read.value;
    this.#pumps.push(member);
    this.#schedule();
  }
}

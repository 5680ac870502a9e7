/**
 * One watch: a cursor and a sink. A plain record; the states and who moves between them are in
 * SPEC.md.
 *
 *      waiting ─▶ initial ─▶ catching-up ─▶ live        blocked: the sink said wait, in any of them
 *
 * What it is not: a queue, a timer or a subscription. Everything that could grow belongs to the
 * class (frames), the resource (history) or the store (log).
 *
 * Invariants: in exactly one state; everything the selection shows up to `cursor` has been
 * written, nothing after it.
 */
import { WheelEntry } from '../src/stdx/timer-wheel.ts';
import type { Revision } from '../src/storage/storage.ts';
import type { LogPage } from './log-pages.ts';
import type { Entry, WatchHandle, WatchSink } from './streams.ts';
import type { WatchClass } from './watch-class.ts';

export type MemberState = 'waiting' | 'initial' | 'catching-up' | 'live' | 'blocked' | 'ended';

/** The cursor of a member that knows only a revision, because its changes are not in memory. */
export const noCursor = -1;

/** A member on the way through its initial events. Holds the snapshot alive. */
export interface InitialEvents {
  readonly entries: Iterator<Entry>;
  readonly revision: Revision;
  /** A bookmark with the end mark follows the last one. */
  readonly mark: boolean;
  /** Taken from the iterator, but the chunk was full. */
  held: Entry | undefined;
}

export class Member extends WheelEntry implements WatchHandle {
  readonly cls: WatchClass<Member>;
  readonly sink: WatchSink;
  readonly bookmarks: boolean;
  readonly #onClose: (member: Member) => void;

  state: MemberState = 'waiting';
  /** A seq of the resource, or `noCursor`. */
  cursor = noCursor;
  /** The revision of the cursor. Kept up while the member is not live; live, nobody needs it. */
  revision: Revision;
  /** Place in the class's live list, -1 when not in it. */
  index = -1;
  initial: InitialEvents | undefined = undefined;
  /** A page of the log, shared, until its turn comes to take from it. */
  page: LogPage | undefined = undefined;
  /** Takes a waiting member off the list of who waits. */
  callOff: (() => void) | undefined = undefined;
  /** What the sink calls; made at the first stall and kept. */
  onDrain: (() => void) | undefined = undefined;

  /** Ticks of the wheel. */
  deadlineTick = 0;
  bookmarkTick = 0;
  /** When it blocked during its initial events; 0 otherwise. */
  stallTick = 0;

  constructor(
    cls: WatchClass<Member>,
    sink: WatchSink,
    bookmarks: boolean,
    revision: Revision,
    onClose: (member: Member) => void,
  ) {
    super();
    this.cls = cls;
    this.sink = sink;
    this.bookmarks = bookmarks;
    this.revision = revision;
    this.#onClose = onClose;
  }

  close(): void {
    if (this.state !== 'ended') this.#onClose(this);
  }
}

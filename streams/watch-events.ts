/**
 * A watch, as one expression (spec 1, section 6):
 *
 *     concat(beginning, initial events, end mark, what was missed, hand over)
 *       until the deadline; an error becomes an ERROR event
 *
 * Nothing flows by itself: each chunk is made when the watch has its turn and its sink takes more.
 * The last item is 'live': the watch has everything up to its position, its group has the rest, and
 * the expression is over (watcher.ts). A live watch that falls behind its group resumes with the
 * second half of it.
 *
 * It knows no sink; whoever sends a chunk moves the position.
 *
 * Invariants: the initial state is of one revision, and the position becomes that revision in the
 * same step, so no change is lost between the state and the changes after it. One step at a time.
 */
import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  map,
  of,
  pipe,
  repeat,
  take,
  takeUntil,
  takeWhile,
  throwError,
} from 'rxjs';
import type { MonoTypeOperatorFunction, Observable } from 'rxjs';
import type { GroupResource } from '../src/apimachinery/schema.ts';
import { StatusError } from '../src/apimachinery/status-error.ts';
import { messageOf } from '../src/stdx/message-of.ts';
import { StorageError } from '../src/storage/storage.ts';
import type { AtRevision, Revision } from '../src/storage/storage.ts';
import { chunkOfLog, InitialEvents, movedTo } from './chunks.ts';
import type { Chunk } from './chunks.ts';
import type { FrameRing } from './frame-ring.ts';
import type { StreamLimits } from './limits.ts';
import type { LogPage } from './log-pages.ts';
import { unknownSeq } from './position.ts';
import type { Position } from './position.ts';
import { unreadableIn } from './streams.ts';
import type { WatchStart } from './streams.ts';
import type { MissedChunks, SharedEvents } from './turn-chunks.ts';

export interface WatchErrors {
  /** 410 Expired. */
  readonly expiredError: (message: string) => StatusError;
  /** 500, for a watch that cannot go on through no fault of its client. */
  readonly internalError: (message: string) => StatusError;
  /** 500, for a watch that would have to show what cannot be read. */
  readonly unreadableError: (
    resource: GroupResource,
    objects: readonly { readonly key: string; readonly why: string }[],
  ) => StatusError;
  /** 429, for a watch of what cannot be read yet. */
  readonly awaitedError: (resource: GroupResource) => StatusError;
  /** 504, for a watch that cannot begin because this server lags behind the log. */
  readonly timeoutError: (message: string) => StatusError;
}

/** What all watches of a server draw from. */
export interface WatchSources {
  readonly limits: StreamLimits;
  readonly errors: WatchErrors;
  /** Initial events, and those of the log, are put together here: a sink is done with a chunk when
   * its write returns. */
  readonly scratch: Uint8Array;
  readonly missed: MissedChunks;
  /** Everything up to here has been applied to the caches. */
  readonly applied: () => Revision;
  /** Completes when the caches show everything acknowledged before it was subscribed to. */
  readonly current: Observable<never>;
  /** A page of the log that covers the revision. */
  readonly readLog: (after: Revision) => Observable<AtRevision<LogPage>>;
}

/** What a watch that is not live waits for. */
export type Stage = 'waiting' | 'initial' | 'catching-up';

/** One watch on its way. */
export interface WatchProgress {
  readonly sources: WatchSources;
  readonly group: SharedEvents & { readonly ring: Pick<FrameRing, 'floor'> };
  /** Everything up to here was sent, or need not be. */
  readonly position: Position;
  /** Emits whenever it is its turn and its sink takes more, for as long as it is subscribed to. */
  readonly turns: (stage: Stage) => Observable<void>;
  /** Completes once the revision has been applied. */
  readonly whenApplied: (revision: Revision) => Observable<never>;
  readonly deadline: Observable<unknown>;
}

export type WatchItem = Chunk | 'live';

export function watchEvents(
  watch: WatchProgress,
  start: WatchStart,
  onInitialEventsEnd?: (marked: boolean) => void,
): Observable<WatchItem> {
  return concat(
    beginning(watch, start),
    initialEvents(watch, start),
    endMark(watch, start, onInitialEventsEnd),
    missedEvents(watch),
    handOver,
  ).pipe(bounded(watch));
}

/** Of a watch that was live, and needs frames that its group has no longer. */
export function resumedEvents(watch: WatchProgress): Observable<WatchItem> {
  return concat(missedEvents(watch), handOver).pipe(bounded(watch));
}

/** Until the deadline; an error becomes an ERROR event. */
function bounded(watch: WatchProgress): MonoTypeOperatorFunction<WatchItem> {
  return pipe(
    takeUntil(watch.deadline),
    catchError((error: unknown) => of(errorEvent(watch, error))),
  );
}

const handOver = of('live' as const);

/** Waits until the watch can begin, and says where. */
function beginning({ group, sources, whenApplied }: WatchProgress, start: WatchStart) {
  const { current } = sources;
  const { isWaiting, resource } = group.stream;
  if (isWaiting) return throwError(() => sources.errors.awaitedError(resource));
  switch (start.kind) {
    case 'after':
      return of(movedTo(unknownSeq, start.revision));
    case 'now': {
      const head = defer(() => of(movedTo(group.stream.cache.seq, sources.applied())));
      return concat(current, head);
    }
    case 'state':
      return start.atLeast === undefined ? current : whenApplied(start.atLeast);
  }
}

function initialEvents(watch: WatchProgress, start: WatchStart): Observable<Chunk> {
  if (start.kind !== 'state') return EMPTY;
  return defer(() => {
    const events = stateOf(watch);
    return watch.turns('initial').pipe(
      map(() => events.next()),
      takeWhile(() => !events.isDone, true),
    );
  });
}

/** One step: the snapshot at R, and R as the position after it, so no change is lost between the
 * two. */
function stateOf({ group, sources }: WatchProgress): InitialEvents {
  const { selection, stream } = group;
  const { errors, limits, scratch } = sources;
  const snapshot = stream.cache.snapshot(sources.applied());
  const unreadable = unreadableIn(snapshot, selection.namespace);
  if (unreadable.length > 0) {
    const objects = unreadable.map(({ key, why }) => ({ key: `${stream.id}/${key}`, why }));
    throw errors.unreadableError(stream.resource, objects);
  }
  return new InitialEvents(group, snapshot, stream.cache.seq, limits, scratch);
}

/** In one write with the last of the initial events. */
function endMark(
  { group, position }: WatchProgress,
  start: WatchStart,
  onSent?: (marked: boolean) => void,
): Observable<Chunk> {
  if (start.kind !== 'state') return EMPTY;
  return defer(() => {
    onSent?.(start.mark);
    if (!start.mark) return EMPTY;
    const bytes = group.encoder.bookmark(position.revision, true);
    const { revision, seq } = position;
    return of({ bytes, framesCount: 1, examinedCount: 0, seq, revision });
  });
}

/** Catches up to where the frames of the group begin. Nothing if the position is there already. */
function missedEvents(watch: WatchProgress): Observable<Chunk> {
  const { group, position } = watch;
  const isBehind = (): boolean => position.seq < group.ring.floor;
  const more = { delay: () => (isBehind() ? of(undefined) : EMPTY) };
  return defer(() => (isBehind() ? defer(() => nextMissed(watch)).pipe(repeat(more)) : EMPTY));
}

/** From where the position is: all that is in memory, or a page of the log. */
function nextMissed(watch: WatchProgress): Observable<Chunk> {
  const { group, position, sources } = watch;
  const { history } = group.stream.cache;
  if (position.seq === unknownSeq) {
    const { revision } = position;
    if (revision > sources.applied()) return watch.whenApplied(revision);
    if (history.covers(revision)) return of(movedTo(history.seqAt(revision), revision));
  }
  const turns = watch.turns('catching-up');
  if (position.seq < history.floorSeq) {
    return turns.pipe(
      take(1),
      concatMap(() => loggedEvents(watch)),
    );
  }
  return turns.pipe(
    // Whatever was there when it asked for its turn.
    takeWhile(() => position.seq >= history.floorSeq),
    map(() => sources.missed(group, position)),
    takeWhile(({ seq }) => seq < group.ring.floor, true),
  );
}

/** The page comes when it comes, and may be shared by a thousand: what is made of it is made in
 * the next turn of the watch. */
function loggedEvents({ group, position, sources, turns }: WatchProgress): Observable<Chunk> {
  return sources.readLog(position.revision).pipe(
    concatMap((read) => {
      if (read.kind === 'compacted') {
        const message = `too old resource version: ${position.revision} (${read.compactRevision})`;
        throw sources.errors.expiredError(message);
      }
      // A future revision cannot be: the watch would have waited for it.
      if (read.kind === 'future') return EMPTY;
      const page = read.value;
      return turns('catching-up').pipe(
        take(1),
        map(() => chunkOfLog(group, position, page, sources.limits, sources.scratch)),
      );
    }),
  );
}

function errorEvent({ group, position, sources }: WatchProgress, error: unknown): Chunk {
  const { revision, seq } = position;
  const status = statusOf(sources.errors, error, group.stream.resource);
  const bytes = group.encoder.error(status);
  return { bytes, framesCount: 0, examinedCount: 0, seq, revision };
}

function statusOf(errors: WatchErrors, error: unknown, resource: GroupResource): StatusError {
  if (error instanceof StatusError) return error;
  const message = messageOf(error);
  const code = error instanceof StorageError ? error.code : undefined;
  if (code === 'away') return errors.awaitedError(resource);
  return code === 'lagging' ? errors.timeoutError(message) : errors.internalError(message);
}

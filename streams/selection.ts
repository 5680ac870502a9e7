/**
 * What one group of watches selects, and which event a change of the resource becomes for it (spec
 * 1, section 6). Every event runs through this composition.
 *
 *        before \ now    matches      does not match
 *        matched         MODIFIED     DELETED, the state before at the new revision
 *        did not         ADDED        nothing
 *
 * A frame is made here once per group, however many watchers receive it.
 */
import { Observable } from 'rxjs';
import type { Observer, OperatorFunction } from 'rxjs';
import type { Revision } from '../src/storage/storage.ts';
import type { StreamLimits } from './limits.ts';
import type { ResourceChange } from './resource-change.ts';
import type { Entry, EventEncoder, EventType, Predicate } from './streams.ts';

/** Changes up to this one are not handed to a group: its watches catch up with them. */
export interface ChangeGap {
  readonly type: 'GAP';
  readonly seq: number;
  readonly revision: Revision;
}

/** Asks a group whether it can make the frame of a large change that comes next. */
export interface ChangeAhead {
  readonly type: 'AHEAD';
  readonly change: ResourceChange;
  /** Of the change. */
  readonly seq: number;
  /** The answer, `true` where nobody gives one. Each question does a part of the work. */
  isReady: boolean;
}

/** What the groups on a route are handed. */
export type RouteItem = ResourceChange | ChangeGap | ChangeAhead;

export interface Selection {
  /** undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly predicate: Predicate;
}

export interface SelectedEvent {
  readonly seq: number;
  readonly revision: Revision;
  readonly type: EventType;
  readonly entry: Entry;
  /** Of a MODIFIED: the state before. */
  readonly previous: Entry | undefined;
}

/** Bytes ready to be sent, and their place in the order of the resource. */
export interface Frame {
  readonly seq: number;
  readonly revision: Revision;
  readonly bytes: Uint8Array;
}

/** It has no seq of its own: it may follow any frame up to its revision. */
export interface BookmarkFrame {
  readonly seq: undefined;
  readonly revision: Revision;
  readonly bytes: Uint8Array;
}

/** The frames up to here are not made. */
export interface FrameGap {
  readonly seq: number;
  readonly revision: Revision;
  readonly bytes: undefined;
}

export function selects(selection: Selection, entry: Entry): boolean {
  const { namespace, predicate } = selection;
  if (namespace !== undefined && entry.namespace !== namespace) return false;
  return predicate.matches(entry);
}

export function selectedEvent(
  selection: Selection,
  change: ResourceChange,
): SelectedEvent | undefined {
  const { seq, revision, entry, previous } = change;
  const matched = previous !== undefined && selects(selection, previous);
  if (change.type !== 'DELETED' && selects(selection, entry)) {
    if (matched) return { seq, revision, type: 'MODIFIED', entry, previous };
    return { seq, revision, type: 'ADDED', entry, previous: undefined };
  }
  if (!matched) return undefined;
  return { seq, revision, type: 'DELETED', entry: change.departed(), previous: undefined };
}

export function frameOf(encoder: EventEncoder, event: SelectedEvent): Frame {
  return {
    seq: event.seq,
    revision: event.revision,
    bytes: encoder.event(event.type, event.entry, event.previous),
  };
}

/** Whether the frame takes no longer than a part of the work (I36). If not, a part was done. */
export function isFrameReady(
  encoder: EventEncoder,
  type: EventType,
  entry: Entry,
  { largeEntryBytes }: Pick<StreamLimits, 'largeEntryBytes'>,
): boolean {
  if (encoder.isReady === undefined || entry.bytes.length <= largeEntryBytes) return true;
  return encoder.isReady(type, entry);
}

/** What a group makes frames of: merge(changes, bookmarks), where `connect` is handed the end that
 * takes the revisions of bookmarks. Written out because a group of its own per watch is common, and
 * `merge` keeps 2.4 KB for each. */
export function changesAndBookmarks(
  changes: Observable<RouteItem>,
  connect: (bookmarks: Observer<Revision>) => void,
): Observable<RouteItem | Revision> {
  return new Observable((subscriber) => {
    connect(subscriber);
    return changes.subscribe(subscriber);
  });
}

/** What is asked for its frames beside the selection. */
export interface FrameOptions {
  /** Nobody would take the frame of a change now, so it need not be made. */
  readonly isForNobody: () => boolean;
  /** That of this change is not made for that reason. */
  readonly onLeftOut: (change: ResourceChange) => void;
  readonly limits: Pick<StreamLimits, 'largeEntryBytes'>;
}

const ofEverybody: FrameOptions = {
  isForNobody: () => false,
  onLeftOut: () => undefined,
  limits: { largeEntryBytes: Infinity },
};

/** Changes of a resource, and revisions to be bookmarked, to the frames of one group. */
export function frames(
  selection: Selection,
  encoder: EventEncoder,
  { isForNobody, limits, onLeftOut }: FrameOptions = ofEverybody,
): OperatorFunction<RouteItem | Revision, Frame | BookmarkFrame | FrameGap> {
  const lookAhead = (ahead: ChangeAhead): void => {
    const event = isForNobody() ? undefined : selectedEvent(selection, ahead.change);
    ahead.isReady = event === undefined || isFrameReady(encoder, event.type, event.entry, limits);
  };
  return mapDefined((item) => {
    if (typeof item === 'bigint') {
      return { seq: undefined, revision: item, bytes: encoder.bookmark(item, false) };
    }
    if (item.type === 'GAP') return { seq: item.seq, revision: item.revision, bytes: undefined };
    if (item.type === 'AHEAD') {
      lookAhead(item);
      return undefined;
    }
    if (isForNobody()) {
      onLeftOut(item);
      return undefined;
    }
    const event = selectedEvent(selection, item);
    return event && frameOf(encoder, event);
  });
}

/** map and filter in one: each operator costs a group half a kilobyte. What `project` throws is the
 * stream's error. */
function mapDefined<A, B>(project: (value: A) => B | undefined): OperatorFunction<A, B> {
  return (source) =>
    new Observable((subscriber) =>
      source.subscribe({
        next(value) {
          let result: B | undefined;
          try {
            result = project(value);
          } catch (error) {
            subscriber.error(error);
            return;
          }
          if (result !== undefined) subscriber.next(result);
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      }),
    );
}

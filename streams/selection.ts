/**
 * What one watch class selects, and what a change of the resource looks like through it
 * (spec 1, section 6): the composition every event runs through.
 *
 *        before \ now    matches      does not match
 *        matched         MODIFIED     DELETED, the state before at the new revision
 *        did not         ADDED        nothing
 *
 * What it is not: delivery. A frame is made here once per class, whoever receives it.
 */
import { filter, map, pipe } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import type { Revision } from '../src/storage/storage.ts';
import type { ResourceChange } from './resource-change.ts';
import type { Entry, EventEncoder, EventType, Predicate } from './streams.ts';

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
}

/** Bytes ready to be sent, and their place in the order of the resource. */
export interface Frame {
  readonly seq: number;
  readonly revision: Revision;
  readonly bytes: Uint8Array;
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
    return { seq, revision, type: matched ? 'MODIFIED' : 'ADDED', entry };
  }
  return matched ? { seq, revision, type: 'DELETED', entry: change.departed() } : undefined;
}

export function frameOf(encoder: EventEncoder, event: SelectedEvent): Frame {
  return {
    seq: event.seq,
    revision: event.revision,
    bytes: encoder.event(event.type, event.entry),
  };
}

/** Changes of a resource to the events of one selection. */
export function select(selection: Selection): OperatorFunction<ResourceChange, SelectedEvent> {
  return pipe(
    map((change) => selectedEvent(selection, change)),
    filter((event) => event !== undefined),
  );
}

/** Changes of a resource to the frames of one watch class. */
export function frames(
  selection: Selection,
  encoder: EventEncoder,
): OperatorFunction<ResourceChange, Frame> {
  return pipe(
    select(selection),
    map((event) => frameOf(encoder, event)),
  );
}

/**
 * What a list is in one encoding: items made one by one, and what stands around them (spec 1,
 * sections 2.3, 4.3 and 4.9).
 *
 *     head │ lead item │ lead item │ lead item │ tail
 *
 * Elsewhere: writing (list-chunks.ts). An item begins as the JSON of an object or of a row.
 *
 * Invariants: an item is the same bytes in whatever list it stands. What stands before the items
 * may depend on how many they are, or how long; `needs` says on what.
 */
import type { Steps } from '../../stdx/stepwise.ts';
import { parseSteps } from '../codecs/lossless.ts';
import { decodeTrustedText, isLarge } from '../object-encoding.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import type { ScalarOf } from './aged-item.ts';

export interface ListMeta {
  /** Of the list: `PodList`. */
  readonly kind: string;
  readonly apiVersion: string;
  /** '' where nothing is stored. */
  readonly resourceVersion: string;
  /** Token of the next page; undefined or '' on the last. */
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
  /** Columns of a Table; its items are called rows. */
  readonly columns?: JsonValue | undefined;
}

export interface ListFrame {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

/** What the items of a list come to. */
export interface ListSize {
  readonly count: number;
  /** With what stands before each of them. */
  readonly bytes: number;
}

/** What stands before an item. */
export interface ItemPrefix {
  readonly bytesMax: number;
  bytes(itemBytes: number, isFirst: boolean): number;
  /** Written at `at`; where it ends. */
  into(target: Uint8Array, at: number, itemBytes: number, isFirst: boolean): number;
}

export interface ListForm {
  /** What the frame depends on: on nothing but whether there are items, on their number, or on
   * their length. */
  readonly needs: 'nothing' | 'count' | 'bytes';
  readonly lead: ItemPrefix;
  /** From the JSON of an object or a row; undefined: the JSON as it is. */
  readonly item: ((json: Uint8Array) => Uint8Array) | undefined;
  /** The same in parts; undefined: there is but one. */
  readonly itemSteps?: ((json: Uint8Array) => Steps<Uint8Array>) | undefined;
  /** How a text is written in an item; undefined: as it is, between quotes. */
  readonly scalarOf?: ScalarOf | undefined;
  /** What `needs` does not name may be less than it will be; a count of 0 is always true. */
  frame(measure: ListSize): ListFrame;
}

/** Items that are read, then written. */
export function itemMaker(
  parse: (json: Uint8Array) => JsonValue,
  encode: (value: JsonValue, jsonBytes: number) => Uint8Array,
  encodeSteps: (value: JsonValue, jsonBytes: number) => Steps<Uint8Array>,
): Pick<ListForm, 'item' | 'itemSteps'> {
  return {
    item: (json) => encode(parse(json), json.length),
    *itemSteps(json) {
      if (!isLarge(json)) return encode(parse(json), json.length);
      const value = yield* parseSteps(decodeTrustedText(json));
      yield;
      return yield* encodeSteps(value, json.length);
    },
  };
}

/** The whole body in one buffer, for lists that are small enough to be sent at once. */
export function wholeList(form: ListForm, items: readonly Uint8Array[]): Uint8Array {
  const { lead } = form;
  const measure = measureItems(form, items);
  const { head, tail } = form.frame(measure);
  const body = Buffer.allocUnsafe(head.length + measure.bytes + tail.length);
  body.set(head, 0);
  let at = head.length;
  for (const [index, item] of items.entries()) {
    at = lead.into(body, at, item.length, index === 0);
    body.set(item, at);
    at += item.length;
  }
  body.set(tail, at);
  return body;
}

function measureItems({ lead }: ListForm, items: readonly Uint8Array[]): ListSize {
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    bytes += lead.bytes(item.length, index === 0) + item.length;
  }
  return { count: items.length, bytes };
}

/** The same text between any two items. */
export function separatedBy(text: string): ItemPrefix {
  const separator = Buffer.from(text);
  const { length } = separator;
  return {
    bytesMax: length,
    bytes: (_itemBytes, isFirst) => (isFirst ? 0 : length),
    into(target, at, _itemBytes, isFirst) {
      if (isFirst || length === 0) return at;
      if (length === 1) target[at] = separator[0] as number;
      else target.set(separator, at);
      return at + length;
    },
  };
}

/** The list without its items, in the order of its members: the empty array comes last. */
export function emptyList(meta: ListMeta): JsonObject {
  const next = meta.continue ?? '';
  return {
    kind: meta.kind,
    apiVersion: meta.apiVersion,
    metadata: {
      ...(meta.resourceVersion === '' ? {} : { resourceVersion: meta.resourceVersion }),
      ...(next === '' ? {} : { continue: next }),
      ...(meta.remainingItemCount === undefined
        ? {}
        : { remainingItemCount: meta.remainingItemCount }),
    },
    ...(meta.columns === undefined ? { items: [] } : { columnDefinitions: meta.columns, rows: [] }),
  };
}

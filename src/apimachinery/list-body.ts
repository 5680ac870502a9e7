/**
 * The body of a list, put together from bytes that already exist (spec 1, section 2.3).
 *
 *   {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[ a , b , c ]}
 *   └────────────────────────────── head ─────────────────────────────────────────┘       tail └┘
 *
 * What it is not: another encoding. Indented, YAML and CBOR lists are read back from the whole body
 * and written anew; protobuf-list.ts puts Protobuf lists together.
 *
 * Invariants: an item is copied once, into the chunk that is sent, and never parsed. All chunks
 * but the last have the size asked for; an item may lie across several.
 */
import { assert } from '../stdx/assert.ts';
import type { JsonObject } from './unstructured.ts';

export interface ListMeta {
  /** Of the list: `PodList`. */
  readonly kind: string;
  readonly apiVersion: string;
  /** '' where nothing is stored. */
  readonly resourceVersion: string;
  /** Token of the next page; undefined or '' on the last. */
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

export interface ListFrame {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

/** Anything with bytes: an entry of a snapshot, or a projection of one. */
export interface ListItem {
  readonly bytes: Uint8Array;
}

const comma = 0x2c;
const listTail = Buffer.from(']}');

export function listFrame(meta: ListMeta): ListFrame {
  return { head: Buffer.from(`${openedText(meta)},"items":[`, 'utf8'), tail: listTail };
}

/** A Table instead of a list; items are then its rows. `columnsText` is JSON. */
export function tableFrame(meta: ListMeta, columnsText: string): ListFrame {
  const text = `${openedText(meta)},"columnDefinitions":${columnsText},"rows":[`;
  return { head: Buffer.from(text, 'utf8'), tail: listTail };
}

/** Size of the whole body in bytes. */
export function listBytesTotal(frame: ListFrame, items: readonly ListItem[]): number {
  let total = frame.head.length + frame.tail.length + Math.max(0, items.length - 1);
  for (const item of items) total += item.bytes.length;
  return total;
}

/** The whole body in one buffer, for lists that are small enough to be sent at once. */
export function listBody(frame: ListFrame, items: readonly ListItem[]): Uint8Array {
  const body = Buffer.allocUnsafe(listBytesTotal(frame, items));
  body.set(frame.head, 0);
  let at = frame.head.length;
  let first = true;
  for (const item of items) {
    if (!first) body[at++] = comma;
    first = false;
    body.set(item.bytes, at);
    at += item.bytes.length;
  }
  body.set(frame.tail, at);
  return body;
}

/** Items are taken one by one, as `project` sees them; lazy. */
export function* projectItems(
  items: Iterable<ListItem>,
  project: (bytes: Uint8Array) => Uint8Array,
): Generator<ListItem, void, undefined> {
  for (const item of items) {
    const bytes = project(item.bytes);
    yield bytes === item.bytes ? item : { bytes };
  }
}

export interface PackOptions {
  readonly chunkBytes: number;
  /** One buffer for all chunks: each is valid until the next is asked for. For a consumer that
   * has copied or sent a chunk when it comes back. */
  readonly reuse: boolean;
}

const defaultPackOptions: PackOptions = { chunkBytes: 128 * 1024, reuse: false };

/** The body in chunks, made as they are asked for: memory does not depend on the list's size. */
export function* packList(
  frame: ListFrame,
  items: Iterable<ListItem>,
  options: PackOptions = defaultPackOptions,
): Generator<Uint8Array, void, undefined> {
  const { chunkBytes, reuse } = options;
  assert(chunkBytes > 0, 'a chunk holds something');
  const iterator = items[Symbol.iterator]();
  let chunk: Uint8Array = Buffer.allocUnsafeSlow(chunkBytes);
  let used = 0;
  let count = 0;
  // One loop, no step between the items and the copy: each costs as much as the copy of an item.
  let rest = frame.head;
  for (let ended = false; ;) {
    while (rest.length > chunkBytes - used) {
      const fits = chunkBytes - used;
      chunk.set(rest.subarray(0, fits), used);
      rest = rest.subarray(fits);
      yield chunk;
      if (!reuse) chunk = Buffer.allocUnsafeSlow(chunkBytes);
      used = 0;
    }
    chunk.set(rest, used);
    used += rest.length;
    if (ended) break;
    const next = iterator.next();
    ended = next.done === true;
    rest = next.done === true ? frame.tail : next.value.bytes;
    if (ended || (count += 1) === 1) continue;
    if (used === chunkBytes) {
      yield chunk;
      if (!reuse) chunk = Buffer.allocUnsafeSlow(chunkBytes);
      used = 0;
    }
    chunk[used++] = comma;
  }
  if (used > 0) yield chunk.subarray(0, used);
}

function headValue(meta: ListMeta): JsonObject {
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
  };
}

/** The head without its closing brace. */
function openedText(meta: ListMeta): string {
  return JSON.stringify(headValue(meta)).slice(0, -1);
}

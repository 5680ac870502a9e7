/**
 * A list as a response, in whatever encoding: made as the socket takes it
 * (spec 1, sections 2.3, 4.3, 4.9).
 *
 *     collect ─▶ small: one buffer, Content-Length
 *        └─────▶ measure, where the head depends on it ─▶ send: a chunk, when the last was taken
 *
 * Elsewhere: one object as a response (object-response.ts) and a stream of events
 * (handlers/watch.ts).
 *
 * Invariants: every part runs in steps that share the turns of the event loop with all other lists;
 * before each it is asked whether the client is still there. Memory depends neither on the size of
 * the collection nor on how many lists wait: chunks are made in one buffer, and the more lists are
 * being sent the smaller they are.
 */
import { gzipHeaders, gzipPacker } from '../apimachinery/codecs/gzip.ts';
import type { ChunkPacker } from '../apimachinery/codecs/gzip.ts';
import { ListChunks } from '../apimachinery/lists/list-chunks.ts';
import type { ListSize } from '../apimachinery/lists/list-form.ts';
import { wholeList } from '../apimachinery/lists/list-form.ts';
import type { StoredObject } from '../registry/registry.ts';
import { assert } from '../stdx/assert.ts';
import type { ResponseStream } from '../transport/http-exchange.ts';
import { bodyAnswer } from './answer.ts';
import type { ListAnswer, SentList } from './answer.ts';
import type { ListLayout } from './list-layout.ts';
import { bodyHeaders, compresses, sendBody } from './object-response.ts';
import type { AnsweredRequest, EndpointDeps } from './request.ts';

/** Lists up to this size are sent whole, with their length. */
const wholeListBytesMax = 128 * 1024;
/** One write of a long list, while few are being sent. */
const chunkBytesMax = 256 * 1024;
/** One write of each, however many there are. */
const chunkBytesMin = 16 * 1024;
/** What all lists together may have been given that their sockets have not taken. Policy: smaller
 * chunks. */
const unsentBytesMax = 16 * 1024 * 1024;

/** Chunks of all lists: one is sent or copied when its write returns. */
const scratch = Buffer.allocUnsafeSlow(chunkBytesMax);
let sendingCount = 0;

/** The known sizes of lists of a snapshot, because many clients ask for the same one. */
const measures = new WeakMap<NonNullable<SentList['snapshot']>, Map<string, ListSize>>();
/** Of one snapshot. Policy: further ones are measured each time. */
const measuresMax = 64;

export function sendList(
  deps: EndpointDeps,
  request: AnsweredRequest,
  { layout, list, mediaType }: ListAnswer,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const answer = new SteppedList({ deps, request, mediaType, layout, list, done: resolve });
    const { turns } = deps.registry;
    const go = (isOver: () => boolean): boolean => {
      try {
        const outcome = answer.step(isOver);
        if (outcome === 'wait') {
          request.seat.waits(true);
          answer.onDrain(() => {
            request.seat.waits(false);
            turns.run(go);
          });
        }
        return outcome === 'again';
      } catch (error) {
        answer.cut();
        reject(error);
        return false;
      }
    };
    turns.run(go);
  });
}

interface AnswerParts {
  readonly deps: EndpointDeps;
  readonly request: AnsweredRequest;
  readonly mediaType: string;
  readonly layout: ListLayout;
  readonly list: SentList;
  readonly done: (sent?: Promise<void>) => void;
}

/** `wait`: for the socket. */
type Outcome = 'again' | 'wait' | 'done';

/** Work between two looks at the clock: bytes of items, and what looking at an entry counts for. */
const unclockedBytesMax = 8 * 1024;
const entryCostBytes = 64;

class SteppedList {
  readonly #parts: AnswerParts;
  readonly #entries: Iterator<StoredObject | undefined>;
  #phase: (isOver: () => boolean) => Outcome;
  /** Of a list that may turn out to be small. */
  #items: Uint8Array[] = [];
  #count = 0;
  #bytes = 0;
  #stream: ResponseStream | undefined;
  #packer: ChunkPacker | undefined;
  #isReleased = false;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
    this.#entries = entriesOf(parts);
    this.#phase = (isOver) => this.#collect(isOver);
  }

  step(isOver: () => boolean): Outcome {
    if (!this.#parts.request.exchange.closed) return this.#phase(isOver);
    this.#gone();
    return 'done';
  }

  onDrain(callback: () => void): void {
    (this.#packer ?? this.#stream)?.onDrain(callback);
  }

  /** A list that has begun cannot be completed. */
  cut(): void {
    this.#release();
    this.#stream?.abort();
  }

  #collect(isOver: () => boolean): Outcome {
    const { deps, request, mediaType, layout, done } = this.#parts;
    for (;;) {
      const next = this.#entries.next();
      if (next.done === true) {
        const body = wholeList(layout.form, this.#items);
        done(sendBody(deps, request, bodyAnswer(200, mediaType, body)));
        return 'done';
      }
      if (next.value !== undefined) {
        const item = layout.itemOf(next.value);
        this.#items.push(layout.isPassing ? Buffer.from(item) : item);
        this.#measure(item.length);
        if (this.#bytes >= wholeListBytesMax) return this.#grow();
        if (!layout.costly) continue;
      }
      if (isOver()) return 'again';
    }
  }

  #measure(itemBytes: number): void {
    const { lead } = this.#parts.layout.form;
    this.#bytes += lead.bytes(itemBytes, this.#count === 0) + itemBytes;
    this.#count += 1;
  }

  /** It is no small list. */
  #grow(): Outcome {
    const { layout, list } = this.#parts;
    const { needs } = layout.form;
    this.#items = [];
    const measured = this.#measured();
    if (needs !== 'nothing' && measured !== undefined) {
      this.#begin(measured);
    } else if (needs === 'bytes' || (needs === 'count' && list.count === undefined)) {
      this.#phase = (isOver) => this.#measureAll(isOver, needs === 'bytes');
    } else {
      this.#begin({ count: list.count ?? this.#count, bytes: 0 });
    }
    return 'again';
  }

  #measureAll(isOver: () => boolean, byBytes: boolean): Outcome {
    const { itemOf } = this.#parts.layout;
    for (let unclocked = 0; unclocked < unclockedBytesMax || !isOver();) {
      if (unclocked >= unclockedBytesMax) unclocked = 0;
      const next = this.#entries.next();
      if (next.done === true) {
        const measure = { count: this.#count, bytes: this.#bytes };
        this.#remember(measure);
        this.#begin(measure);
        return 'again';
      }
      // Undefined stands for many that were looked at.
      if (next.value === undefined) unclocked = unclockedBytesMax;
      else {
        const itemBytes = byBytes ? itemOf(next.value).length : 0;
        this.#measure(itemBytes);
        unclocked += itemBytes + entryCostBytes;
      }
    }
    return 'again';
  }

  /** What this list in this form comes to, if it is known. */
  #measured(): ListSize | undefined {
    const { snapshot, extent } = this.#parts.list;
    if (snapshot === undefined || extent === undefined) return undefined;
    return measures.get(snapshot)?.get(this.#measureName(extent));
  }

  #remember(measure: ListSize): void {
    const { layout, list } = this.#parts;
    const { snapshot, extent } = list;
    if (snapshot === undefined || extent === undefined) return;
    // What is made anew each time may be longer the next time.
    if (layout.keptAs === undefined && layout.form.needs === 'bytes') return;
    const known = measures.get(snapshot) ?? new Map<string, ListSize>();
    if (known.size < measuresMax) known.set(this.#measureName(extent), measure);
    measures.set(snapshot, known);
  }

  #measureName(extent: string): string {
    return `${this.#parts.layout.keptAs ?? ''} ${extent}`;
  }

  #begin(measure: ListSize): void {
    const { deps, request, mediaType, layout } = this.#parts;
    const { exchange } = request;
    const { form, itemOf, costly, isPassing } = layout;
    const frame = form.frame(measure);
    const entries = entriesOf(this.#parts);
    const items = { frame, lead: form.lead, entries, itemOf, costly, isPassing, sourceBytesOf };
    const chunks = new ListChunks(items);
    const promised =
      form.needs === 'bytes' ? frame.head.length + measure.bytes + frame.tail.length : undefined;
    this.#phase = (isOver) => this.#send(chunks, promised, isOver);
    const headers = bodyHeaders(request, mediaType);
    this.#packer = compresses(deps, request) ? gzipPacker() : undefined;
    if (this.#packer !== undefined) headers.push(...gzipHeaders);
    // The first chunk follows at once, so the head needs no help.
    this.#stream = exchange.stream(200, headers, noBytes);
    sendingCount += 1;
    this.#packer?.start(this.#stream);
    exchange.onAbort(() => this.#gone());
  }

  #send(
    chunks: ListChunks<StoredObject>,
    promised: number | undefined,
    isOver: () => boolean,
  ): Outcome {
    const stream = this.#stream as ResponseStream;
    const sink = this.#packer ?? stream;
    while (!stream.closed) {
      if (chunks.ended) {
        assert(promised === undefined || chunks.bytes === promised, 'a list is as long as it said');
        this.#end(stream);
        return 'done';
      }
      const used = chunks.fill(scratch.subarray(0, chunkBytes()), isOver);
      if (used > 0 && !sink.write(scratch.subarray(0, used))) return 'wait';
      if (isOver()) return 'again';
    }
    this.#gone();
    return 'done';
  }

  #end(stream: ResponseStream): void {
    const { done } = this.#parts;
    if (this.#packer !== undefined) {
      this.#packer.end(() => {
        this.#release();
        done();
      });
      return;
    }
    stream.end();
    this.#release();
    done();
  }

  #gone(): void {
    this.#release();
    this.#parts.done();
  }

  #release(): void {
    this.#packer?.release();
    this.#items = [];
    if (this.#isReleased || this.#stream === undefined) return;
    this.#isReleased = true;
    sendingCount -= 1;
  }
}

const noBytes = new Uint8Array(0);

const sourceBytesOf = ({ bytes }: StoredObject): number => bytes.byteLength;

/** The entries of the list: undefined among them is a place to stop, and what a large one needs is
 * done, with such places in it, before it comes. */
function entriesOf({ layout, list }: AnswerParts): Iterator<StoredObject | undefined> {
  const { prepare } = layout;
  return prepare === undefined
    ? list.entries[Symbol.iterator]()
    : preparedEntries(list.entries, prepare);
}

function* preparedEntries(
  entries: SentList['entries'],
  prepare: NonNullable<ListLayout['prepare']>,
): Generator<StoredObject | undefined, undefined> {
  for (const entry of entries) {
    const work = entry && prepare(entry);
    if (work !== undefined) {
      while (work.next().done !== true) yield undefined;
      yield undefined;
    }
    yield entry;
  }
  return undefined;
}

/** In steps of a power of two: views of few sizes. */
function chunkBytes(): number {
  let bytes = chunkBytesMax;
  while (bytes > chunkBytesMin && bytes * sendingCount > unsentBytesMax) bytes /= 2;
  return bytes;
}

/**
 * Watches on objects that a webhook converts: the events of the stored version are converted, as
 * many together as wait, and then shown.
 *
 *     changes ─▶ frames of the stored version ─▶ convertingSink ─▶ convert ─▶ selected? ─▶ sink
 *                └ with the state before, where the      └ or known: another watch has asked
 *                  selection depends on what is shown
 *
 * Elsewhere: the conversion (response-conversion.ts), what watches share of it (shared-events.ts),
 * how a watch is shown (watch-frames.ts).
 *
 * Invariants: events keep their order. Where the selection depends on what is shown, an event is
 * what the selected states before and now make it, as streams/selection.ts does for the stored
 * form. Without an answer of the webhook the watch ends with an ERROR event that says so.
 * Bounds: a watch holds up to `pendingBytesMax` that wait for the webhook, and then pauses; where
 * all of them hold `waitingBytesMax` (shared-events.ts), each that waits takes a chunk at a time.
 * `roundBytesMax` are read at once, or a single event, which is read in parts.
 */
import type { EventFrames } from '../apimachinery/event-frames.ts';
import { shownEvents } from '../apimachinery/event-frames.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import { isJsonObject, withMember } from '../apimachinery/unstructured.ts';
import { part, text } from '../apimachinery/members.ts';
import { parseJsonText, parseSteps } from '../apimachinery/codecs/lossless.ts';
import { encodeVersioned, encodeVersionedSteps } from '../registry/versions.ts';
import { SharedRequester } from '../stdx/requester.ts';
import type { Requester } from '../stdx/requester.ts';
import { runToEnd } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import type { Entry, EventType, WatchSink } from '../../streams/streams.ts';
import type { EndpointDeps } from './request.ts';
import type { MatchesShown, ResponseConverter } from './response-conversion.ts';
import type { Conversion, ConvertedEvent, SharedEvents } from './shared-events.ts';

/** What the next round reads: more in hand makes none of them sooner. */
const pendingBytesMax = 256 * 1024;
const roundBytesMax = 256 * 1024;
/** What selecting and framing the events of a whole round takes. */
const roundCostMs = 3;
const newline = 0x0a;
const nothing: Readonly<Record<string, string>> = Object.freeze({});

/** Events as they are stored: what a webhook converts. `withPrevious`: a MODIFIED has the state
 * before as its `previous`. */
export function storedFrames(
  { identity: { domain } }: EndpointDeps,
  kind: KindInfo,
  withPrevious: boolean,
): EventFrames<Entry> {
  const { group } = kind.storage;
  const apiVersion = formatGroupVersion({ group, version: kind.storageVersion });
  const shown = { apiVersion, kind: kind.kind, domain };
  const id = `json/stored/${apiVersion}/${kind.kind}`;
  const frames = shownEvents(id, shown, (bytes) => bytes);
  if (!withPrevious) return frames;
  const { bookmark, error } = frames;
  const event = (type: EventType, entry: Entry, previous?: Entry): Uint8Array => {
    if (previous === undefined) return frames.event(type, entry);
    return Buffer.concat([modified, previous.bytes, object, entry.bytes, closing]);
  };
  return { id: `${id}/previous`, event, bookmark, error };
}

const modified = Buffer.from('{"type":"MODIFIED","previous":');
const object = Buffer.from(',"object":');
const closing = Buffer.from('}\n');

export interface Sharing {
  readonly turns: Pick<Turns, 'pause' | 'run'>;
  readonly shared: SharedEvents;
  /** Watches of equal ones convert alike. */
  readonly conversionId: string;
}

/** How the events of a watch become those that are shown. */
export interface ShownEvents extends Sharing {
  readonly convert: ResponseConverter;
  readonly frames: EventFrames<Entry>;
  /** What is shown of them; undefined: all. */
  readonly ofShown: MatchesShown | undefined;
  /** Whose watch it is; absent: it stays. */
  readonly requester?: Requester | undefined;
}

/** Takes frames of `storedFrames` and gives those of `shown.frames`, objects converted. */
export function convertingSink(sink: WatchSink, shown: ShownEvents): WatchSink {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let ending = false;
  let working = false;
  let drained: (() => void) | undefined;
  let roundBytes = 0;
  const hold = shown.shared.waiting();
  const work = async (): Promise<void> => {
    while (pending.length > 0 && !sink.closed) {
      const bytes = Buffer.concat(pending);
      const whole = roundEnd(bytes);
      if (whole === 0) break;
      pending = whole < bytes.length ? [bytes.subarray(whole)] : [];
      pendingBytes = bytes.length - whole;
      roundBytes = whole;
      hold(bytes.length);
      const made = await converted(bytes.subarray(0, whole), shown);
      roundBytes = 0;
      hold(pendingBytes);
      if (made instanceof StatusError) {
        sink.write(shown.frames.error(made));
        ending = true;
        pending = [];
        break;
      }
      if (made.length > 0 && !sink.write(made)) {
        await new Promise<void>((resolve) => sink.onDrain(resolve));
      }
    }
    working = false;
    hold(0);
    if (ending || sink.closed) return sink.end();
    const callback = drained;
    drained = undefined;
    callback?.();
  };
  const begin = (): void => {
    if (working) return;
    working = true;
    void work();
  };
  return {
    write(chunk) {
      if (ending) return false;
      pending.push(Buffer.from(chunk));
      pendingBytes += chunk.length;
      begin();
      // Who does not work waits for the rest of an event, and for nobody.
      if (!working) return true;
      hold(roundBytes + pendingBytes);
      return pendingBytes < pendingBytesMax && !shown.shared.isFull();
    },
    onDrain(callback) {
      drained = callback;
    },
    end() {
      ending = true;
      begin();
    },
    get closed() {
      return sink.closed || ending;
    },
  };
}

/** Where the whole lines end that are taken at once; 0: there is none yet. */
function roundEnd(bytes: Buffer): number {
  if (bytes.length <= roundBytesMax) return bytes.lastIndexOf(newline) + 1;
  const within = bytes.lastIndexOf(newline, roundBytesMax) + 1;
  return within > 0 ? within : bytes.indexOf(newline) + 1;
}

/** An event of `storedFrames`. */
interface StoredEvent {
  readonly type: string;
  readonly object: JsonObject;
  readonly previous: JsonObject | undefined;
}

async function converted(lines: Buffer, shown: ShownEvents): Promise<Uint8Array | StatusError> {
  const events: (Uint8Array | ConvertedEvent)[] = [];
  for (const each of eventsOf(lines, shown)) {
    const event = each instanceof Uint8Array ? each : await each;
    if (event instanceof StatusError) return event;
    events.push(event);
  }
  // All who have waited for the same answer go on now, each in its turn.
  await shown.turns.pause((lines.length / roundBytesMax) * roundCostMs);
  const made: Uint8Array[] = [];
  for (const event of events) {
    const frame = event instanceof Uint8Array ? event : frameOf(event, shown);
    if (frame !== undefined) made.push(frame);
  }
  const [first] = made;
  return first !== undefined && made.length === 1 ? first : Buffer.concat(made);
}

function frameOf(event: ConvertedEvent, { frames, ofShown }: ShownEvents): Uint8Array | undefined {
  const { name, namespace, now, revision, type } = event;
  const what = ofShown === undefined ? { type, bytes: now } : selectedChange(type, event, ofShown);
  if (what === undefined) return undefined;
  const { bytes } = what;
  const entry = { name, namespace, revision, bytes, labels: nothing, fields: nothing };
  return frames.event(what.type, entry);
}

/** Each line: the frame of what is no change, or a change that somebody is asking for. What nobody
 * is, is asked for here, all together. */
function eventsOf(lines: Buffer, shown: ShownEvents): readonly (Uint8Array | Conversion)[] {
  const { conversionId, requester, shared } = shown;
  const own: { readonly name: string; readonly at: number; readonly event: StoredEvent }[] = [];
  const events: (Uint8Array | Conversion | undefined)[] = [];
  for (const line of lines.toString('utf8').split('\n')) {
    if (line.trim() === '') continue;
    const name = `${conversionId} ${line}`;
    const known = shared.find(name, requester) ?? beginLarge(name, line, shown);
    const event = known === undefined ? storedEvent(line) : undefined;
    const isOwn = event !== undefined && isChange(event.type);
    if (isOwn) own.push({ name, at: events.length, event });
    events.push(event === undefined ? known : otherFrame(event, shown.frames));
  }
  const asked = new SharedRequester();
  const conversions = convertAll(
    own.map(({ event }) => event),
    (given) => shown.convert(given, asked),
  );
  for (const [i, { at, name }] of own.entries()) {
    const conversion = conversions[i] as Conversion;
    events[at] = shared.set(name, conversion, asked, requester);
  }
  return events as readonly (Uint8Array | Conversion)[];
}

/** One call for all of them. */
function convertAll(
  events: readonly StoredEvent[],
  convert: (given: readonly Uint8Array[]) => ReturnType<ResponseConverter>,
): readonly Conversion[] {
  if (events.length === 0) return [];
  const given: Uint8Array[] = [];
  const places = events.map((event) => {
    for (const object of objectsOf(event)) given.push(encodeVersioned(object));
    return { last: given.length - 1, hasPrevious: event.previous !== undefined };
  });
  const answered = convert(given);
  return events.map(async (event, i) => {
    const shown = await answered;
    if (shown instanceof StatusError) return shown;
    const { hasPrevious, last } = places[i] as (typeof places)[number];
    const before = hasPrevious ? shown[last] : undefined;
    return convertedEvent(event, shown[hasPrevious ? last - 1 : last] as Uint8Array, before);
  });
}

/** Of an event that takes a part of a turn, or more, to read: it is a change, and alone in its
 * round. Undefined: it is no such event. */
function beginLarge(name: string, line: string, shown: ShownEvents): Conversion | undefined {
  if (line.length <= roundBytesMax) return undefined;
  const asked = new SharedRequester();
  const { requester, shared } = shown;
  return shared.set(name, convertLarge(line, shown, asked), asked, requester);
}

async function convertLarge(
  line: string,
  { convert, turns }: ShownEvents,
  asked: SharedRequester,
): Conversion {
  const event = await runToEnd(turns, readSteps(line));
  if (!isChange(event.type)) return statusError(event.object);
  const shown = await convert(await runToEnd(turns, encodedSteps(event)), asked);
  if (shown instanceof StatusError) return shown;
  return convertedEvent(event, shown[0] as Uint8Array, shown[1]);
}

function* readSteps(line: string): Steps<StoredEvent> {
  yield;
  return partsOf((yield* parseSteps(line)) as JsonObject);
}

function* encodedSteps(event: StoredEvent): Steps<Uint8Array[]> {
  const given: Uint8Array[] = [];
  for (const object of objectsOf(event)) {
    yield;
    given.push(yield* encodeVersionedSteps(object));
  }
  return given;
}

/** What is to be converted: the state now, and the one before. */
function objectsOf({ object, previous }: StoredEvent): readonly ApiObject[] {
  const now = object as unknown as ApiObject;
  return previous === undefined ? [now] : [now, atRevisionOf(previous, object)];
}

function convertedEvent(
  { object, type }: StoredEvent,
  now: Uint8Array,
  before: Uint8Array | undefined,
): ConvertedEvent {
  const metadata = part(object, 'metadata');
  const [name, namespace] = [text(metadata, 'name'), text(metadata, 'namespace')];
  return { type: type as EventType, name, namespace, revision: revisionOf(object), now, before };
}

function storedEvent(line: string): StoredEvent {
  return partsOf(parseJsonText(line) as JsonObject);
}

function partsOf(event: JsonObject): StoredEvent {
  const { previous } = event;
  return {
    type: text(event, 'type'),
    object: part(event, 'object'),
    previous: isJsonObject(previous) ? previous : undefined,
  };
}

/** What leaves a selection is shown in its last state, at the revision of the change. */
function atRevisionOf(previous: JsonObject, object: JsonObject): ApiObject {
  const { resourceVersion = '' } = part(object, 'metadata');
  const metadata = withMember(part(previous, 'metadata'), 'resourceVersion', resourceVersion);
  return withMember(previous, 'metadata', metadata) as unknown as ApiObject;
}

/** As the stored form would be selected (streams/selection.ts). */
function selectedChange(
  type: EventType,
  { before, now }: { readonly before: Uint8Array | undefined; readonly now: Uint8Array },
  ofShown: MatchesShown,
): { readonly type: EventType; readonly bytes: Uint8Array } | undefined {
  if (type === 'DELETED') return ofShown(now) ? { type, bytes: now } : undefined;
  const matched = before !== undefined && ofShown(before);
  if (ofShown(now)) return { type: matched ? 'MODIFIED' : 'ADDED', bytes: now };
  return matched ? { type: 'DELETED', bytes: before } : undefined;
}

function revisionOf(object: JsonObject): Entry['revision'] {
  const version = text(part(object, 'metadata'), 'resourceVersion');
  return BigInt(version || '0') as Entry['revision'];
}

/** Undefined: it is a change. */
function otherFrame(
  { object, type }: StoredEvent,
  frames: EventFrames<Entry>,
): Uint8Array | undefined {
  if (isChange(type)) return undefined;
  if (type !== 'BOOKMARK') return frames.error(statusError(object));
  const marks = part(part(object, 'metadata'), 'annotations');
  return frames.bookmark(revisionOf(object), Object.keys(marks).length > 0);
}

function isChange(type: string): type is EventType {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

/** What a stream of the stored version has ended with, as it was said there. */
function statusError(status: JsonObject): StatusError {
  const { code, details, reason } = status;
  const listContinue = text(part(status, 'metadata'), 'continue');
  return new StatusError({
    reason: (reason ?? StatusReason.internalError) as StatusReason,
    message: text(status, 'message'),
    details: isJsonObject(details) ? details : undefined,
    listContinue: listContinue === '' ? undefined : listContinue,
    code: typeof code === 'number' ? code : undefined,
  });
}

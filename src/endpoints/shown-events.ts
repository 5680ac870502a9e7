/**
 * Watches on objects that a webhook converts: the events of the stored version are converted, as
 * many together as wait, and then shown.
 *
 *     changes ─▶ frames of the stored version ─▶ convertingSink ─▶ convert ─▶ selected? ─▶ sink
 *                └ with the state before, where the selection depends on what is shown
 *
 * Elsewhere: the conversion (response-conversion.ts), how a watch is shown (watch-frames.ts).
 *
 * Invariants: events keep their order. Where the selection depends on what is shown, an event is
 * what the selected states before and now make it, as streams/selection.ts does for the stored
 * form. Without an answer of the webhook the watch ends with an ERROR event that says so.
 * Bounds: a watch holds up to `pendingBytesMax` that wait for the webhook, and then pauses;
 * `roundBytesMax` of them are read at once, or a single event.
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
import { parseJsonText } from '../apimachinery/codecs/lossless.ts';
import { encodeVersioned } from '../registry/versions.ts';
import type { Entry, EventType, WatchSink } from '../../streams/streams.ts';
import type { EndpointDeps } from './request.ts';
import type { MatchesShown, ResponseConverter } from './response-conversion.ts';

const pendingBytesMax = 1024 * 1024;
const roundBytesMax = 256 * 1024;
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

/** How the events of a watch become those that are shown. */
export interface ShownEvents {
  readonly convert: ResponseConverter;
  readonly frames: EventFrames<Entry>;
  /** What is shown of them; undefined: all. */
  readonly ofShown: MatchesShown | undefined;
}

/** Takes frames of `storedFrames` and gives those of `shown.frames`, objects converted. */
export function convertingSink(sink: WatchSink, shown: ShownEvents): WatchSink {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let ending = false;
  let working = false;
  let drained: (() => void) | undefined;
  const work = async (): Promise<void> => {
    while (pending.length > 0 && !sink.closed) {
      const bytes = Buffer.concat(pending);
      const whole = roundEnd(bytes);
      if (whole === 0) break;
      pending = whole < bytes.length ? [bytes.subarray(whole)] : [];
      pendingBytes = bytes.length - whole;
      const made = await converted(bytes.subarray(0, whole), shown);
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
      return pendingBytes < pendingBytesMax;
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

async function converted(
  lines: Buffer,
  { convert, frames, ofShown }: ShownEvents,
): Promise<Uint8Array | StatusError> {
  const events = eventsOf(lines);
  const given: Uint8Array[] = [];
  for (const { object, previous, type } of events) {
    if (!isChange(type)) continue;
    given.push(encodeVersioned(object as unknown as ApiObject));
    if (previous !== undefined) given.push(encodeVersioned(atRevisionOf(previous, object)));
  }
  const shown = await convert(given);
  if (shown instanceof StatusError) return shown;
  const next = shown.values();
  const take = (): Uint8Array => next.next().value as Uint8Array;
  const made: Uint8Array[] = [];
  for (const { object, previous, type } of events) {
    if (!isChange(type)) {
      made.push(otherFrame(type, object, frames));
      continue;
    }
    const states = { now: take(), before: previous === undefined ? undefined : take() };
    const event =
      ofShown === undefined ? { type, bytes: states.now } : selectedChange(type, states, ofShown);
    if (event !== undefined) {
      made.push(frames.event(event.type, entryOf(object, event.bytes)));
    }
  }
  return Buffer.concat(made);
}

function eventsOf(lines: Buffer): readonly StoredEvent[] {
  return lines
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const event = parseJsonText(line) as JsonObject;
      const { previous } = event;
      return {
        type: text(event, 'type'),
        object: part(event, 'object'),
        previous: isJsonObject(previous) ? previous : undefined,
      };
    });
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

function entryOf(object: JsonObject, bytes: Uint8Array): Entry {
  const metadata = part(object, 'metadata');
  const [name, namespace] = [text(metadata, 'name'), text(metadata, 'namespace')];
  return { name, namespace, revision: revisionOf(object), bytes, labels: nothing, fields: nothing };
}

function revisionOf(object: JsonObject): Entry['revision'] {
  const version = text(part(object, 'metadata'), 'resourceVersion');
  return BigInt(version || '0') as Entry['revision'];
}

function otherFrame(type: string, object: JsonObject, frames: EventFrames<Entry>): Uint8Array {
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

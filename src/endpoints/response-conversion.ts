/**
 * Conversion by webhook of objects in answers: they are converted in batches before anything is
 * sent.
 *
 * Invariants: only the request that needs the conversion waits for the webhook; without an answer
 * it gets a 500 that says so. Bounds: a list holds its objects while it is sent, so clients with
 * many objects should ask for pages; a watch holds up to `pendingBytesMax` that wait for the
 * webhook, and then pauses.
 */
import type { EventFrames } from '../apimachinery/event-frames.ts';
import { decodeObject, hasObjectHead, objectHead } from '../apimachinery/object-encoding.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import { part, text } from '../apimachinery/members.ts';
import { parseJsonText } from '../apimachinery/codecs/lossless.ts';
import type { ListResult, StoredObject } from '../registry/registry.ts';
import { encodeVersioned } from '../registry/versions.ts';
import type { Turns } from '../stdx/turns.ts';
import type { Entry, EventType, WatchSink } from '../../streams/streams.ts';

/** From stored bytes to those in the version of the request. */
export type ResponseConverter = (
  all: readonly Uint8Array[],
) => Promise<readonly Uint8Array[] | StatusError>;

/** Undefined: nobody has to be asked to show objects at this version. */
export function responseConverter(kind: KindInfo): ResponseConverter | undefined {
  const webhook = kind.custom?.webhook;
  if (webhook === undefined) return undefined;
  const apiVersion = formatGroupVersion(kind);
  const head = objectHead(kind.kind, apiVersion);
  return async (all) => {
    // Those that are stored in the version that is asked for, which are most where it is the one.
    if (all.every((bytes) => hasObjectHead(bytes, head))) return all;
    const converted = await webhook.convert(decoded(all), apiVersion, encodeVersioned);
    return converted.kind === 'refused' ? converted.error : converted.objects;
  };
}

function* decoded(all: readonly Uint8Array[]): Generator<ApiObject, void> {
  for (const bytes of all) yield decodeObject(bytes);
}

/** The page with its objects converted. */
export async function convertedList(
  turns: Pick<Turns, 'pause'>,
  convert: ResponseConverter,
  list: ListResult,
): Promise<ListResult | StatusError> {
  const stored: StoredObject[] = [];
  for (const entry of list.entries) {
    if (entry === undefined) await turns.pause();
    else stored.push(entry);
  }
  const bytes = await convert(stored.map((entry) => entry.bytes));
  if (bytes instanceof StatusError) return bytes;
  const entries = stored.map(({ name, namespace, revision }, at) => {
    return { name, namespace, revision, bytes: bytes[at] as Uint8Array };
  });
  return { ...list, entries, count: entries.length, extent: undefined };
}

const pendingBytesMax = 1024 * 1024;
/** Events that are read at once, if there are several. Policy: the others are read after them. */
const readBytesMax = 256 * 1024;
const newline = 0x0a;
const nothing: Readonly<Record<string, string>> = Object.freeze({});

/** Takes frames in JSON of the stored version and gives those of `frames`, objects converted. */
export function convertingSink(
  sink: WatchSink,
  convert: ResponseConverter,
  frames: EventFrames<Entry>,
): WatchSink {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let ending = false;
  let working = false;
  let drained: (() => void) | undefined;
  const work = async (): Promise<void> => {
    while (pending.length > 0 && !sink.closed) {
      const bytes = Buffer.concat(pending);
      const whole = endOfLines(bytes);
      if (whole === 0) break;
      pending = whole < bytes.length ? [bytes.subarray(whole)] : [];
      pendingBytes = bytes.length - whole;
      const made = await converted(bytes.subarray(0, whole), convert, frames);
      if (made instanceof StatusError) {
        sink.write(frames.error(made));
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

/** Behind the last of the lines that are read at once; 0: none is whole yet. */
function endOfLines(bytes: Buffer): number {
  const end = bytes.lastIndexOf(newline, readBytesMax - 1);
  return (end < 0 ? bytes.indexOf(newline, readBytesMax) : end) + 1;
}

async function converted(
  lines: Buffer,
  convert: ResponseConverter,
  frames: EventFrames<Entry>,
): Promise<Uint8Array | StatusError> {
  const events = lines
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => parseJsonText(line) as JsonObject);
  const objects = events.filter(({ type }) => isChange(type));
  const shown = await convert(
    objects.map(({ object }) => encodeVersioned(object as unknown as ApiObject)),
  );
  if (shown instanceof StatusError) return shown;
  let at = 0;
  return Buffer.concat(
    events.map((event) => {
      const { object, type } = event;
      const metadata = part(event, 'object')['metadata'] as JsonObject | undefined;
      const revision = BigInt(text(metadata, 'resourceVersion') || '0') as Entry['revision'];
      if (isChange(type)) {
        const bytes = shown[at] as Uint8Array;
        at += 1;
        const { name, namespace } = {
          name: text(metadata, 'name'),
          namespace: text(metadata, 'namespace'),
        };
        const entry = { name, namespace, revision, bytes, labels: nothing, fields: nothing };
        return frames.event(type, entry);
      }
      if (type === 'BOOKMARK') {
        const marks = part(metadata, 'annotations');
        return frames.bookmark(revision, Object.keys(marks).length > 0);
      }
      return frames.error(new StatusError(statusOf(object as JsonObject)));
    }),
  );
}

function isChange(type: unknown): type is EventType {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

function statusOf(status: JsonObject): ConstructorParameters<typeof StatusError>[0] {
  return { reason: status['reason'], message: text(status, 'message') } as never;
}

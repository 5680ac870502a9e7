/**
 * A watch over WebSocket (spec 1, section 6): one message for each event, text where the format is
 * text.
 *
 *     JSON       a line, with its end                     text
 *     Protobuf   an event without the length before it    binary
 *     CBOR       an event                                 binary
 *
 * Events are made for all watches alike, and may come joined; here they are told apart.
 * Invariant: what is written to it are whole events.
 */
import { endOfCbor } from '../apimachinery/codecs/cbor-end.ts';
import type { BodyFormat } from '../apimachinery/negotiation.ts';
import { isTokenProtocol } from '../authentication/web-socket-token.ts';
import type { MessageFraming, ResponseStream } from '../transport/http-exchange.ts';

const lineFeed = 10;
const lengthBytes = 4;

/** Where an event is, and where the next one begins. */
interface EventPlace {
  readonly start: number;
  readonly end: number;
}

type FindEvent = (bytes: Uint8Array, at: number) => EventPlace;

function lineAt(bytes: Uint8Array, at: number): EventPlace {
  const feed = bytes.indexOf(lineFeed, at);
  return { start: at, end: feed < 0 ? bytes.length : feed + 1 };
}

function frameAt(bytes: Uint8Array, at: number): EventPlace {
  const start = at + lengthBytes;
  const length = new DataView(bytes.buffer, bytes.byteOffset + at, lengthBytes).getUint32(0);
  return { start, end: start + length };
}

const finders: Readonly<Record<BodyFormat, FindEvent>> = {
  json: lineAt,
  yaml: lineAt,
  protobuf: frameAt,
  cbor: (bytes, at) => ({ start: at, end: endOfCbor(bytes, at) }),
};

/** Of the protocols that are offered the first one that is not there to show a token. */
export function framingOf(offered: readonly string[], format: BodyFormat): MessageFraming {
  const protocol = offered.find((each) => !isTokenProtocol(each));
  return { protocol, isText: format === 'json' || format === 'yaml' };
}

/** `stream`: of messages. */
export function inMessages(stream: ResponseStream, format: BodyFormat): ResponseStream {
  const find = finders[format];
  return {
    settlesLater: stream.settlesLater === true,
    write(events) {
      if (events.length === 0) return stream.write(events);
      let { start, end } = find(events, 0);
      let isReady = stream.write(events.subarray(start, end));
      while (end < events.length) {
        ({ start, end } = find(events, end));
        isReady = stream.write(events.subarray(start, end));
      }
      return isReady;
    },
    onDrain: (callback) => stream.onDrain(callback),
    end: () => stream.end(),
    abort: () => stream.abort(),
    get closed() {
      return stream.closed;
    },
  };
}

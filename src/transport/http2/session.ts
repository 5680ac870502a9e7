/**
 * One connection of HTTP/2 (RFC 9113), the server's side.
 *
 *     bytes ─▶ frames ─▶ a head      ─▶ a stream begins, or its body ends
 *                        data        ─▶ the stream whose body it is, within the windows
 *                        windows     ─▶ streams that wait go on sending
 *                        what is wrong: the stream is reset, or the connection ends
 *     streams ─▶ frames, by turns, a frame each ─▶ the socket
 *
 * Invariants: a stream that the client opens beyond what it may have is refused, and costs no more
 * than its head. Windows are those of the RFC on both sides. Data waits while the socket is backed
 * up, so what a slow reader holds up is queued in its streams, where it is counted. What the
 * connection has to say for itself is bounded (frame-writer.ts).
 * Bounds: `sessionBounds`; the table of headers (hpack/decoder.ts); streams (session-turns.ts).
 */
import type { Duplex } from 'node:stream';
import { NumberTable } from '../../stdx/number-table.ts';
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import { FrameParser } from './frame-parser.ts';
import type { Frame } from './frame-parser.ts';
import { FrameWriter } from './frame-writer.ts';
import type { Flushes } from './frame-writer.ts';
import { HeadBlock } from './head-block.ts';
import type { BlockEnd } from './head-block.ts';
import { encodeHead, sizeUpdateToZero } from './hpack/encoder.ts';
import type { Head } from './hpack/decoder.ts';
import { ownSettings, PeerSettings } from './settings.ts';
import type { Header } from '../http-exchange.ts';
import { errorCodes, flags, frameBytesMin, frameTypes, noBytes } from './protocol.ts';
import { readUint31, readUint32, windowAtFirst, windowMax } from './protocol.ts';
import type { ErrorCode } from './protocol.ts';
import { SendTurns } from './send-turns.ts';
import { Http2Stream } from './stream.ts';
import type { StreamConnection, StreamEnd } from './stream.ts';

const sessionBounds = {
  /** Of the body of a stream that nobody has received. */
  streamWindow: 256 * 1024,
  /** Of all bodies of a connection, once somebody has asked for one; until then what the RFC begins
   * with. */
  window: 1024 * 1024,
  /** Streams that were reset here, for which the client may still send something. Policy: for those
   * before them its connection ends. */
  resetsKept: 256,
} as const;

/** What is made of the streams of a connection. */
export interface SessionEvents {
  /** A head has come. */
  onStream(stream: Http2Stream, head: Head): void;
  /** Trailers of so many names and values. */
  onTrailers(texts: number): void;
  /** Nothing more comes. Called once, before its streams are told. */
  onEnd(): void;
}

export interface SessionOptions {
  readonly streamsMax: number;
  readonly headBytesMax: number;
}

export class Http2Session implements StreamConnection {
  readonly socket: Duplex;
  readonly #events: SessionEvents;
  readonly #writer: FrameWriter;
  readonly #parser: FrameParser;
  readonly #block: HeadBlock;
  readonly #peer = new PeerSettings();
  readonly #streams = new NumberTable<Http2Stream>();
  readonly #turns: SendTurns;
  /** Their answers are on their way, in the order of their positions. */
  readonly #ending = new RingBuffer<Http2Stream>();
  #resets: Set<number> | undefined;
  #streamsMax: number;
  #lastStream = 0;
  #hasSettings = false;
  /** The table of headers has a size that the client is not told yet. */
  #tellsTableSize = true;
  #receiveWindow = windowAtFirst;
  #windowSize = windowAtFirst;
  #receivedBytes = 0;
  #isClosing = false;
  /** The client has changed what all streams begin with. */
  #hasMovedWindows = false;
  /** Either side has ended it, or it was cut. */
  isOver = false;

  constructor(socket: Duplex, options: SessionOptions, events: SessionEvents, flushes: Flushes) {
    this.socket = socket;
    this.#events = events;
    this.#streamsMax = options.streamsMax;
    this.#writer = new FrameWriter(socket, flushes, () => this.#wrote());
    this.#turns = new SendTurns(this.#writer, this.#peer, (stream) => this.#sentAll(stream));
    this.#parser = new FrameParser((frame) => this.#onFrame(frame));
    this.#block = new HeadBlock(options.headBytesMax);
    const { streamWindow } = sessionBounds;
    this.#writer.control(frameTypes.settings, 0, ownSettings({ ...options, streamWindow }));
    this.flush();
  }

  /** Open streams. */
  get open(): number {
    return this.#streams.size;
  }

  get taken(): number {
    return this.#writer.taken;
  }

  /** Of what the client sends. */
  take(bytes: Uint8Array): void {
    if (this.isOver) return;
    const broken = this.#parser.take(bytes, this.#goesOn);
    if (broken === 'frame too large') this.#fail(errorCodes.frameSizeError);
    else if (broken !== undefined) this.#fail(errorCodes.protocolError);
    if (this.#hasMovedWindows) this.#moveWindows();
    if (this.#writer.isFlooded) this.destroy();
    else this.flush();
  }

  readonly #goesOn = (): boolean => !this.isOver;

  /** The client may have so many streams open. */
  allow(streams: number): void {
    if (this.isOver) return;
    this.#streamsMax = streams;
    this.#writer.control(frameTypes.settings, 0, ownSettings({ streamsMax: streams }));
    this.flush();
  }

  /** Streams that are open go on, and the connection ends with the last. */
  close(): void {
    if (this.isOver || this.#isClosing) return;
    this.#isClosing = true;
    this.#writer.goaway(this.#lastStream, errorCodes.noError);
    this.flush();
    this.#endIfIdle();
  }

  /** The client asks for more than it may. */
  calmDown(): void {
    this.#fail(errorCodes.enhanceYourCalm);
  }

  /** The socket is closed with it. */
  destroy(): void {
    this.gone();
    this.socket.destroy();
  }

  /** Bodies are asked for: its client may send more at a time. */
  expectBodies(): void {
    const { window } = sessionBounds;
    if (this.#windowSize === window || this.isOver) return;
    const more = window - this.#windowSize;
    this.#windowSize = window;
    this.#receiveWindow += more;
    this.#writer.number(frameTypes.windowUpdate, 0, more);
    this.flush();
  }

  /** Begins an answer. `ends`: it has no body. */
  respond(stream: Http2Stream, status: number, headers: readonly Header[], ends: boolean): void {
    if (stream.closed || this.isOver) return;
    let block = encodeHead(status, headers);
    if (this.#tellsTableSize) block = Buffer.concat([sizeUpdateToZero, block]);
    this.#tellsTableSize = false;
    this.#writeBlock(stream.id, block, ends ? flags.endStream : 0);
    stream.position = this.#writer.position;
    if (ends) {
      stream.isSendEnded = true;
      this.#sentAll(stream);
    }
  }

  /** The client may send the body that it asks for. */
  goOn(stream: Http2Stream): void {
    this.respond(stream, 100, [], false);
    this.flush();
  }

  #writeBlock(id: number, block: Uint8Array, flagBits: number): void {
    const first = Math.min(block.length, frameBytesMin);
    const isWhole = first === block.length;
    const ofFirst = flagBits | (isWhole ? flags.endHeaders : 0);
    this.#writer.frame(frameTypes.headers, ofFirst, id, block.subarray(0, first));
    for (let at = first; at < block.length; at += frameBytesMin) {
      const part = block.subarray(at, at + frameBytesMin);
      const isLast = at + part.length === block.length;
      this.#writer.frame(frameTypes.continuation, isLast ? flags.endHeaders : 0, id, part);
    }
  }

  sendsNow(stream: Http2Stream, bytes: number): boolean {
    return this.#turns.sendsNow(stream, bytes);
  }

  queued(stream: Http2Stream): void {
    this.#turns.makeReady(stream);
    this.#turns.send();
    this.flush();
  }

  received(stream: Http2Stream, bytes: number): void {
    this.#giveWindow(bytes);
    stream.receivedBytes += bytes;
    if (stream.isReadEnded || stream.closed) return;
    if (stream.receivedBytes * 2 < sessionBounds.streamWindow) return;
    this.#writer.number(frameTypes.windowUpdate, stream.id, stream.receivedBytes);
    stream.receiveWindow += stream.receivedBytes;
    stream.receivedBytes = 0;
    this.flush();
  }

  dropped(bytes: number): void {
    this.#giveWindow(bytes);
  }

  reset(stream: Http2Stream, code: ErrorCode): void {
    if (stream.closed || this.isOver) return;
    // Its whole answer waits for the socket, and so does whatever is behind it.
    if (stream.isSent) return this.destroy();
    if (this.#streams.get(stream.id) === stream) this.#resetId(stream.id, code);
    this.#drop(stream, 'cut');
    this.flush();
  }

  /** What has been said since the last time goes out. */
  flush(): void {
    this.#writer.flushSoon(this.#streams.size <= 1);
  }

  /** Ids of streams that are open, or were. */
  #resetId(id: number, code: ErrorCode): void {
    const { resetsKept } = sessionBounds;
    this.#resets ??= new Set();
    this.#resets.add(id);
    if (this.#resets.size > resetsKept) {
      for (const oldest of this.#resets) {
        this.#resets.delete(oldest);
        break;
      }
    }
    this.#writer.reset(id, code);
  }

  /** Gone without its whole answer. */
  #drop(stream: Http2Stream, end: StreamEnd): void {
    this.#forget(stream, end);
    stream.close(false);
    this.#endIfIdle();
  }

  #forget(stream: Http2Stream, end: StreamEnd): void {
    if (this.#streams.get(stream.id) !== stream) return;
    this.#streams.delete(stream.id);
    stream.onEnd?.(end);
  }

  #endIfIdle(): void {
    if (!this.#isClosing || this.isOver || this.#streams.size > 0) return;
    if (this.#ending.length > 0) return;
    this.gone();
    this.#writer.flushLast();
    this.socket.end();
  }

  /** The connection is lost for what the client has sent; what is on its way goes out. */
  #fail(code: ErrorCode): void {
    if (this.isOver) return;
    this.#writer.goaway(this.#lastStream, code);
    this.#writer.flushLast();
    this.gone();
    this.socket.end();
  }

  /** The client has gone, or is told to. */
  gone(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#events.onEnd();
    for (const stream of this.#streams.values()) this.#drop(stream, 'reset');
    while (this.#ending.length > 0) this.#ending.shift().close(false);
    this.#turns.clear();
  }

  #giveWindow(bytes: number): void {
    this.#receivedBytes += bytes;
    if (this.#receivedBytes * 2 < this.#windowSize || this.isOver) return;
    this.#writer.number(frameTypes.windowUpdate, 0, this.#receivedBytes);
    this.#receiveWindow += this.#receivedBytes;
    this.#receivedBytes = 0;
    this.flush();
  }

  /** A client that has not sent all of its request need not: it has the answer. */
  #sentAll(stream: Http2Stream): void {
    stream.isSent = true;
    stream.dropBody();
    if (!stream.isReadEnded || stream.endsWith !== errorCodes.noError) {
      this.#resetId(stream.id, stream.endsWith);
    }
    this.#forget(stream, 'answered');
    this.#ending.push(stream);
    this.flush();
  }

  #wrote(): void {
    const { taken } = this.#writer;
    while (this.#ending.length > 0 && this.#ending.at(0).position <= taken) {
      this.#ending.shift().close(true);
    }
    if (this.isOver) return;
    this.#turns.send();
    this.flush();
    this.#endIfIdle();
  }

  #onFrame(frame: Frame): void {
    if (!this.#hasSettings) {
      const { settings } = frameTypes;
      if (frame.type !== settings || (frame.flags & flags.ack) !== 0) {
        return this.#fail(errorCodes.protocolError);
      }
      this.#hasSettings = true;
    }
    if (this.#block.isOpen && frame.type !== frameTypes.continuation) {
      return this.#fail(errorCodes.protocolError);
    }
    switch (frame.type) {
      case frameTypes.data:
        return this.#onData(frame);
      case frameTypes.headers:
        return this.#onHeaders(frame);
      case frameTypes.continuation:
        return this.#onBlock(this.#block.goOn(frame));
      case frameTypes.priority:
        return this.#onPriority(frame);
      case frameTypes.rstStream:
        return this.#onReset(frame);
      case frameTypes.settings:
        return this.#onSettings(frame);
      case frameTypes.pushPromise:
        return this.#fail(errorCodes.protocolError);
      case frameTypes.ping:
        return this.#onPing(frame);
      case frameTypes.goaway:
        return this.#onGoaway(frame);
      case frameTypes.windowUpdate:
        return this.#onWindow(frame);
      default:
        // Of a later version (RFC 9113, 5.5).
        return undefined;
    }
  }

  #onHeaders(frame: Frame): void {
    if (frame.stream % 2 === 0) return this.#fail(errorCodes.protocolError);
    this.#onBlock(this.#block.begin(frame));
  }

  /** A part of a head, maybe its last. */
  #onBlock(end: BlockEnd): void {
    switch (end.kind) {
      case 'goes on':
        return undefined;
      case 'broken':
        return this.#fail(end.code);
      default:
        return this.#onHead(end.stream, end.head, end.endsStream, end.dependsOnItself);
    }
  }

  #onHead(id: number, head: Head, endsStream: boolean, dependsOnItself: boolean): void {
    const known = this.#streams.get(id);
    if (known !== undefined) return this.#onTrailers(known, head, endsStream);
    if (id <= this.#lastStream) {
      if (this.#resets?.has(id) !== true) this.#fail(errorCodes.streamClosed);
      return undefined;
    }
    // Its client opens it anew elsewhere.
    if (this.#isClosing) return undefined;
    this.#lastStream = id;
    if (dependsOnItself) return this.#resetId(id, errorCodes.protocolError);
    if (this.#streams.size >= this.#streamsMax || this.#isStuffed) {
      return this.#resetId(id, errorCodes.refusedStream);
    }
    const stream = new Http2Stream(id, this);
    stream.receiveWindow = sessionBounds.streamWindow;
    stream.isReadEnded = endsStream;
    this.#streams.set(id, stream);
    this.#events.onStream(stream, head);
  }

  /** As many whole answers as there may be streams wait for a socket that takes nothing. */
  get #isStuffed(): boolean {
    return this.#writer.isBlocked && this.#ending.length >= this.#streamsMax;
  }

  #onTrailers(stream: Http2Stream, head: Head, endsStream: boolean): void {
    if (stream.isReadEnded) return this.#resetStream(stream, errorCodes.streamClosed);
    this.#events.onTrailers(head.texts.length);
    const hasPseudo = head.texts.some((text, at) => at % 2 === 0 && text.startsWith(':'));
    if (!endsStream || !head.isValid || hasPseudo) {
      return this.#resetStream(stream, errorCodes.protocolError);
    }
    this.#endBody(stream);
  }

  #resetStream(stream: Http2Stream, code: ErrorCode): void {
    this.#resetId(stream.id, code);
    this.#drop(stream, 'reset');
  }

  #endBody(stream: Http2Stream): void {
    if (stream.declaredBytes >= 0 && stream.declaredBytes !== stream.bodyBytes) {
      return this.#resetStream(stream, errorCodes.protocolError);
    }
    stream.endBody();
  }

  #onData({ flags: flagBits, payload, stream: id }: Frame): void {
    const stream = this.#streams.get(id);
    if (this.#isUnknown(id)) return this.#fail(errorCodes.protocolError);
    this.#receiveWindow -= payload.length;
    if (this.#receiveWindow < 0) return this.#fail(errorCodes.flowControlError);
    if (id > this.#lastStream) return this.#giveWindow(payload.length);
    const isPadded = (flagBits & flags.padded) !== 0;
    const from = isPadded ? 1 : 0;
    const to = payload.length - (isPadded ? (payload[0] ?? 255) : 0);
    if (to < from) return this.#fail(errorCodes.protocolError);
    if (stream === undefined || stream.isReadEnded) {
      this.#giveWindow(payload.length);
      if (stream !== undefined) this.#resetStream(stream, errorCodes.streamClosed);
      else if (this.#resets?.has(id) !== true) this.#fail(errorCodes.streamClosed);
      return undefined;
    }
    stream.receiveWindow -= payload.length;
    if (stream.receiveWindow < 0) {
      this.#giveWindow(payload.length);
      return this.#resetStream(stream, errorCodes.flowControlError);
    }
    const padding = payload.length - (to - from);
    if (padding > 0) this.received(stream, padding);
    this.#takeBody(stream, payload, from, to);
    if ((flagBits & flags.endStream) !== 0 && !stream.closed) this.#endBody(stream);
  }

  /** No stream, or one that the client has not opened yet. What it says of those that it has opened
   * behind our GOAWAY is ignored. */
  #isUnknown(id: number): boolean {
    return id % 2 === 0 || (id > this.#lastStream && !this.#isClosing);
  }

  #takeBody(stream: Http2Stream, payload: Uint8Array, from: number, to: number): void {
    const bytes = to - from;
    stream.bodyBytes += bytes;
    if (stream.declaredBytes >= 0 && stream.bodyBytes > stream.declaredBytes) {
      this.#giveWindow(bytes);
      return this.#resetStream(stream, errorCodes.protocolError);
    }
    const part = payload.subarray(from, to);
    // What is kept of a small part may not keep all that was read with it.
    stream.take(part.length * 2 < part.buffer.byteLength ? new Uint8Array(part) : part);
  }

  #onPriority({ payload, stream }: Frame): void {
    if (stream === 0) return this.#fail(errorCodes.protocolError);
    if (payload.length !== 5) return this.#streamError(stream, errorCodes.frameSizeError);
    const dependsOnItself = readUint31(payload, 0) === stream;
    if (dependsOnItself) this.#streamError(stream, errorCodes.protocolError);
  }

  #streamError(id: number, code: ErrorCode): void {
    const stream = this.#streams.get(id);
    if (stream !== undefined) this.#resetStream(stream, code);
    else if (this.#isUnknown(id)) this.#fail(code);
  }

  #onReset({ payload, stream: id }: Frame): void {
    if (payload.length !== 4) return this.#fail(errorCodes.frameSizeError);
    if (this.#isUnknown(id)) return this.#fail(errorCodes.protocolError);
    const stream = this.#streams.get(id);
    if (stream !== undefined) this.#drop(stream, 'reset');
  }

  #onSettings({ flags: flagBits, payload, stream }: Frame): void {
    if (stream !== 0) return this.#fail(errorCodes.protocolError);
    if ((flagBits & flags.ack) !== 0) {
      if (payload.length > 0) this.#fail(errorCodes.frameSizeError);
      return undefined;
    }
    const before = this.#peer.window;
    const wrong = this.#peer.take(payload);
    if (wrong !== undefined) return this.#fail(wrong);
    if (this.#peer.hasTableSize) this.#tellsTableSize = true;
    this.#writer.control(frameTypes.settings, flags.ack, noBytes);
    if (this.#peer.window !== before) this.#hasMovedWindows = true;
  }

  /** Once for all changes in what was read together: it looks at every stream. */
  #moveWindows(): void {
    this.#hasMovedWindows = false;
    for (const stream of this.#streams.values()) {
      if (this.#turns.windowOf(stream) > windowMax) return this.#fail(errorCodes.flowControlError);
      this.#turns.makeReady(stream);
    }
    this.#turns.send();
  }

  #onPing({ flags: flagBits, payload, stream }: Frame): void {
    if (stream !== 0) return this.#fail(errorCodes.protocolError);
    if (payload.length !== 8) return this.#fail(errorCodes.frameSizeError);
    if ((flagBits & flags.ack) === 0) this.#writer.control(frameTypes.ping, flags.ack, payload);
  }

  #onGoaway({ payload, stream }: Frame): void {
    if (stream !== 0) return this.#fail(errorCodes.protocolError);
    if (payload.length < 8) return this.#fail(errorCodes.frameSizeError);
    if (readUint32(payload, 4) === errorCodes.noError) return this.close();
    this.destroy();
  }

  #onWindow({ payload, stream: id }: Frame): void {
    if (payload.length !== 4) return this.#fail(errorCodes.frameSizeError);
    const more = readUint31(payload, 0);
    if (id === 0) {
      this.#turns.window += more;
      if (more === 0) return this.#fail(errorCodes.protocolError);
      if (this.#turns.window > windowMax) return this.#fail(errorCodes.flowControlError);
    } else {
      if (this.#isUnknown(id)) return this.#fail(errorCodes.protocolError);
      const stream = this.#streams.get(id);
      if (stream === undefined) return undefined;
      stream.credit += more;
      if (more === 0) return this.#resetStream(stream, errorCodes.protocolError);
      if (this.#turns.windowOf(stream) > windowMax) {
        return this.#resetStream(stream, errorCodes.flowControlError);
      }
      this.#turns.makeReady(stream);
    }
    this.#turns.send();
  }
}

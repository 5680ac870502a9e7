/**
 * A command in a container, or what runs there already, for a client that speaks WebSocket: its
 * messages (channels.ts) become streams of SPDY (spdy-frames.ts), which every kubelet and container
 * runtime knows.
 *
 *     client ══ messages of channels ══▶ here ══ SPDY: error, stdin, stdout ... ══▶ kubelet
 *
 * Invariants: the client has its WebSocket before the kubelet is asked, as with the reference; what
 * fails then is said on the error channel. Neither side is read faster than the other one takes it.
 * What the container has written comes before the end. When the client goes the connection to the
 * kubelet is closed, which ends the command.
 * Bound: `errorBytesMax` of what the kubelet says at the end.
 */
import type { Duplex } from 'node:stream';
import type { StatusError } from '../apimachinery/status-error.ts';
import { newBadRequest } from '../apimachinery/status-error.ts';
import type { Timers } from '../stdx/clock.ts';
import { GatheredBytes } from '../stdx/gathered-bytes.ts';
import type { Conversation, HttpExchange } from '../transport/http-exchange.ts';
import {
  channelProtocols,
  chosenProtocol,
  channels,
  decodeMessage,
  encodeMessage,
  endingOf,
  failure,
  lastMessage,
  unknownProtocols,
} from './channels.ts';
import type { ChannelProtocol, Ending } from './channels.ts';
import { openRequest } from './open-request.ts';
import { endConnection, whenOver } from './over.ts';
import { textOf } from './refused-text.ts';
import type { PassedRequest } from './passed-request.ts';
import { createFrameReader, createFrameWriter } from './spdy-frames.ts';
import type { FrameEvents, FrameWriter } from './spdy-frames.ts';

const errorBytesMax = 64 * 1024;
const noBytes = new Uint8Array();

/** Which of its streams the client wants. */
export interface CommandStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface CommandOptions {
  readonly streams: CommandStreams;
  /** Of the names of protocols. */
  readonly domain: string;
}

export const spdy = {
  protocol: 'SPDY/3.1',
  versionHeader: 'x-stream-protocol-version',
} as const;

/** `passed` is the request to the kubelet. Settles as Pass does. */
export async function runCommand(
  exchange: HttpExchange,
  passed: PassedRequest,
  { domain, streams }: CommandOptions,
  timers: Pick<Timers, 'after'>,
): Promise<StatusError | undefined> {
  const offered = exchange.webSocketProtocols ?? [];
  const known = channelProtocols(domain);
  const protocol = chosenProtocol(known, offered);
  if (protocol === undefined) {
    const names = known.map(({ name = '' }) => name);
    return newBadRequest(unknownProtocols(names, offered));
  }
  const framing = { protocol: protocol.name, isText: protocol.isText };
  const conversation = exchange.converse([], framing);
  if (conversation === undefined) return undefined;
  conversation.pause();
  // It tells the client that the connection is there.
  conversation.write(encodeMessage(protocol, firstWritten(streams), noBytes));
  const opened = await openRequest(passed, spdy.protocol, exchange, timers);
  const end = (ending: Ending): void => {
    const last = lastMessage(protocol, ending);
    if (last !== undefined) conversation.write(last);
    conversation.end();
  };
  switch (opened.kind) {
    case 'left':
      return undefined;
    case 'failed':
      end(failure(passed.unreachable(opened.why).message));
      return undefined;
    case 'answered': {
      const text = await textOf(exchange, opened.response);
      end(failure(`unable to upgrade connection: ${text}`));
      return undefined;
    }
    case 'switched':
      end(await converse(exchange, conversation, protocol, streams, opened, timers));
      return undefined;
  }
}

function firstWritten({ stderr, stdout }: CommandStreams): number {
  if (stdout) return channels.stdout;
  return stderr ? channels.stderr : channels.error;
}

interface Switched {
  readonly socket: Duplex;
  readonly rest: Buffer;
}

/** Resolves with what the client is told at the end. */
function converse(
  exchange: HttpExchange,
  conversation: Conversation,
  protocol: ChannelProtocol,
  wanted: CommandStreams,
  { rest, socket }: Switched,
  timers: Pick<Timers, 'after'>,
): Promise<Ending> {
  return new Promise((resolve) => {
    // What the kubelet has said at the end is read for nobody.
    const cut = (): void => {
      session.settle(failure('the client has gone'));
      socket.destroy();
    };
    const session: Session = {
      conversation,
      protocol,
      socket,
      writer: createFrameWriter(),
      numbers: streamNumbers(wanted),
      said: [],
      saidOn: channels.error,
      pinged: undefined,
      errors: new GatheredBytes(),
      errorBytes: 0,
      hasEnded: false,
      isOver: false,
      settle(ending) {
        if (session.isOver) return;
        session.isOver = true;
        exchange.offAbort(cut);
        endConnection(socket, timers);
        resolve(ending);
      },
    };
    const readFrames = createFrameReader(fromKubelet(session));
    const read = (bytes: Buffer): void => {
      if (session.isOver) return;
      readFrames(bytes);
      sayAll(session);
      answerPing(session);
    };
    socket.on('data', read);
    socket.on('drain', () => conversation.resume());
    conversation.onDrain(() => socket.resume());

    exchange.onAbort(cut);
    for (const [channel, stream] of session.numbers) {
      socket.write(session.writer.open(stream, { streamtype: streamTypes[channel] ?? '' }));
    }
    if (rest.length > 0) read(rest);
    conversation.receive({ data: (message) => fromClient(session, message), end: cut });
    socket.resume();
    conversation.resume();
    whenOver(socket, () => closed(session));
  });
}

interface Session {
  readonly conversation: Conversation;
  readonly protocol: ChannelProtocol;
  readonly socket: Duplex;
  readonly writer: FrameWriter;
  /** The stream of each channel. */
  readonly numbers: ReadonlyMap<number, number>;
  /** What this read has brought for the client so far, all on one channel. */
  readonly said: Uint8Array[];
  saidOn: number;
  /** The last ping of this read. */
  pinged: number | undefined;
  /** What has come on the error stream. */
  readonly errors: GatheredBytes;
  errorBytes: number;
  /** The kubelet has ended its part on purpose. */
  hasEnded: boolean;
  isOver: boolean;
  settle(ending: Ending): void;
}

function fromKubelet(session: Session): FrameEvents {
  const { numbers } = session;
  const channelOf = new Map([...numbers].map(([channel, stream]) => [stream, channel]));
  /** Streams on which something may still come. */
  const open = new Set(
    [...numbers].filter(([channel]) => isWritten(channel)).map(([, stream]) => stream),
  );
  return {
    data(stream, bytes) {
      const channel = channelOf.get(stream);
      if (channel === channels.error) {
        session.errorBytes += bytes.length;
        if (session.errorBytes <= errorBytesMax) session.errors.add(bytes);
      } else if (channel !== undefined && isWritten(channel)) {
        say(session, channel, bytes);
      }
    },
    ended(stream) {
      open.delete(stream);
      session.hasEnded ||= channelOf.get(stream) === channels.error;
      if (open.size === 0) settleWhole(session);
    },
    ping: (id) => void (session.pinged = id),
    goAway: () => (session.hasEnded = true),
    broken: (why) => session.settle(failure(`the connection to the container broke off: ${why}`)),
  };
}

/** In one message with what came before it on its channel: each costs more than a thousand bytes
 * in it, and a frame may be one byte. */
function say(session: Session, channel: number, bytes: Uint8Array): void {
  if (channel !== session.saidOn) sayAll(session);
  session.saidOn = channel;
  session.said.push(bytes);
}

function sayAll({ conversation, protocol, said, saidOn, socket }: Session): void {
  if (said.length === 0) return;
  const bytes = Buffer.concat(said.splice(0));
  if (!conversation.write(encodeMessage(protocol, saidOn, bytes))) socket.pause();
}

/** One for each read. Who reads nothing is not answered: it would grow here. */
function answerPing(session: Session): void {
  const { pinged, socket, writer } = session;
  session.pinged = undefined;
  if (pinged !== undefined && !socket.writableNeedDrain) socket.write(writer.ping(pinged));
}

/** The kubelet's connection. */
function closed(session: Session): void {
  const isWhole = session.hasEnded || session.errorBytes > 0;
  if (isWhole) settleWhole(session);
  else session.settle(failure('the connection to the container broke off'));
}

/** Streams may end any number of times, and what was said takes milliseconds to be read. */
function settleWhole(session: Session): void {
  if (!session.isOver) session.settle(endingOf(session.errors.whole()));
}

function fromClient(session: Session, message: Uint8Array): void {
  const said = decodeMessage(session.protocol, message);
  if (said === undefined) return;
  const { bytes, channel } = said;
  if (channel === channels.close && session.protocol.canClose) {
    if (bytes[0] === channels.stdin) send(session, channels.stdin, noBytes, true);
  } else if (channel === channels.stdin || channel === channels.resize) {
    if (bytes.length > 0) send(session, channel, bytes, false);
  }
}

function send(session: Session, channel: number, bytes: Uint8Array, isLast: boolean): void {
  const { conversation, numbers, socket, writer } = session;
  const stream = numbers.get(channel);
  if (stream === undefined || session.isOver) return;
  let hasRoom = true;
  // Copied: it waits in the socket, and the memory is the transport's.
  for (const part of writer.data(stream, Buffer.from(bytes), isLast)) hasRoom = socket.write(part);
  if (!hasRoom) conversation.pause();
}

const streamTypes: Readonly<Record<number, string>> = {
  [channels.error]: 'error',
  [channels.stdin]: 'stdin',
  [channels.stdout]: 'stdout',
  [channels.stderr]: 'stderr',
  [channels.resize]: 'resize',
};

function isWritten(channel: number): boolean {
  return channel !== channels.stdin && channel !== channels.resize;
}

/** In the order in which they are opened: the error stream first, as by kubectl. */
function streamNumbers(wanted: CommandStreams): ReadonlyMap<number, number> {
  const { stderr, stdin, stdout, tty } = wanted;
  const all: readonly (readonly [number, boolean])[] = [
    [channels.error, true],
    [channels.stdin, stdin],
    [channels.stdout, stdout],
    [channels.stderr, stderr && !tty],
    [channels.resize, tty],
  ];
  const opened = all.filter(([, isWanted]) => isWanted);
  return new Map(opened.map(([channel], at) => [channel, 2 * at + 1]));
}

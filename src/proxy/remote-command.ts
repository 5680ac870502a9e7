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
import type { JsonObject } from '../apimachinery/unstructured.ts';
import type { Timers } from '../stdx/clock.ts';
import type { Conversation, HttpExchange } from '../transport/http-exchange.ts';
import {
  channelProtocols,
  chosenProtocol,
  channels,
  decodeMessage,
  encodeMessage,
  failure,
  lastMessage,
  statusOf,
} from './channels.ts';
import type { ChannelProtocol } from './channels.ts';
import { openRequest } from './open-request.ts';
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
  if (protocol === undefined) return newBadRequest(unknownProtocols(known, offered));
  const framing = { protocol: protocol.name, isText: protocol.isText };
  const conversation = exchange.converse([], framing);
  if (conversation === undefined) return undefined;
  conversation.pause();
  // It tells the client that the connection is there.
  conversation.write(encodeMessage(protocol, firstWritten(streams), noBytes));
  const opened = await openRequest(passed, spdy.protocol, exchange, timers);
  const end = (status: JsonObject | undefined): void => {
    const last = lastMessage(protocol, status);
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
      end(await converse(exchange, conversation, protocol, streams, opened));
      return undefined;
  }
}

function unknownProtocols(known: readonly ChannelProtocol[], offered: readonly string[]): string {
  const names = known.map(({ name = '' }) => name).join(' ');
  return `unable to upgrade: client supports [${offered.join(' ')}], server accepts [${names}]`;
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
): Promise<JsonObject | undefined> {
  return new Promise((resolve) => {
    const cut = (): void => void socket.destroy();
    const session: Session = {
      conversation,
      protocol,
      socket,
      writer: createFrameWriter(),
      numbers: streamNumbers(wanted),
      errors: [],
      errorBytes: 0,
      hasEnded: false,
      isOver: false,
      settle(status) {
        if (session.isOver) return;
        session.isOver = true;
        exchange.offAbort(cut);
        socket.end(cut);
        resolve(status);
      },
    };
    const read = createFrameReader(fromKubelet(session));
    socket.on('data', read);
    socket.on('drain', () => conversation.resume());
    conversation.onDrain(() => socket.resume());
    socket.on('error', () => undefined);
    socket.on('close', () => closed(session));
    exchange.onAbort(cut);
    for (const [channel, stream] of session.numbers) {
      socket.write(session.writer.open(stream, { streamtype: streamTypes[channel] ?? '' }));
    }
    if (rest.length > 0) read(rest);
    conversation.receive({ data: (message) => fromClient(session, message), end: cut });
    socket.resume();
    conversation.resume();
  });
}

interface Session {
  readonly conversation: Conversation;
  readonly protocol: ChannelProtocol;
  readonly socket: Duplex;
  readonly writer: FrameWriter;
  /** The stream of each channel. */
  readonly numbers: ReadonlyMap<number, number>;
  /** What has come on the error stream. */
  readonly errors: Buffer[];
  errorBytes: number;
  /** The kubelet has ended its part on purpose. */
  hasEnded: boolean;
  isOver: boolean;
  settle(status: JsonObject | undefined): void;
}

function fromKubelet(session: Session): FrameEvents {
  const { conversation, numbers, protocol, socket, writer } = session;
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
        if (session.errorBytes <= errorBytesMax) session.errors.push(Buffer.from(bytes));
      } else if (channel !== undefined && isWritten(channel)) {
        if (!conversation.write(encodeMessage(protocol, channel, bytes))) socket.pause();
      }
    },
    ended(stream) {
      open.delete(stream);
      session.hasEnded ||= channelOf.get(stream) === channels.error;
      if (open.size === 0) session.settle(statusOf(Buffer.concat(session.errors)));
    },
    // Who reads nothing is not answered: it would grow here.
    ping: (id) => void (socket.writableNeedDrain || socket.write(writer.ping(id))),
    goAway: () => (session.hasEnded = true),
    broken: (why) => session.settle(failure(`the connection to the container broke off: ${why}`)),
  };
}

/** The kubelet's connection. */
function closed(session: Session): void {
  const isWhole = session.hasEnded || session.errorBytes > 0;
  if (isWhole) session.settle(statusOf(Buffer.concat(session.errors)));
  else session.settle(failure('the connection to the container broke off'));
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

/**
 * A command in a container, or what runs there already, for a client that speaks WebSocket: its
 * messages (channels.ts) become streams of SPDY (spdy-frames.ts), which every kubelet and container
 * runtime knows.
 *
 *     client ══ messages of channels ══▶ here ══ SPDY: error, stdin, stdout, stderr, resize ══▶ kubelet
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
  channelProtocol,
  channelProtocolNames,
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

const errorBytesMax = 64 * 1024;
const noBytes = new Uint8Array();

/** Which of its streams the client wants. */
export interface CommandStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export const spdy = {
  protocol: 'SPDY/3.1',
  versionHeader: 'x-stream-protocol-version',
} as const;

/** `passed` is the request to the kubelet. Settles as Pass does. */
export async function runCommand(
  exchange: HttpExchange,
  passed: PassedRequest,
  streams: CommandStreams,
  timers: Pick<Timers, 'after'>,
): Promise<StatusError | undefined> {
  const offered = exchange.webSocketProtocols ?? [];
  const protocol = channelProtocol(offered);
  if (protocol === undefined) return newBadRequest(unknownProtocols(offered));
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
      const text = await textOf(opened.response);
      end(failure(`unable to upgrade connection: ${text}`));
      return undefined;
    }
    case 'switched':
      end(await converse(exchange, conversation, protocol, streams, opened));
      return undefined;
  }
}

function unknownProtocols(offered: readonly string[]): string {
  const known = channelProtocolNames.join(' ');
  return `unable to upgrade: client supports [${offered.join(' ')}], server accepts [${known}]`;
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
    const writer = createFrameWriter();
    const numbers = streamNumbers(wanted);
    const channelOf = new Map([...numbers].map(([channel, stream]) => [stream, channel]));
    /** Streams on which something may still come. */
    const open = new Set([...numbers].filter(([channel]) => isWritten(channel)).map(([, n]) => n));
    const errors: Buffer[] = [];
    let errorBytes = 0;
    let isOver = false;
    /** The other side has ended its part on purpose. */
    let hasEnded = false;

    const settle = (status: JsonObject | undefined): void => {
      if (isOver) return;
      isOver = true;
      exchange.offAbort(cut);
      socket.end(cut);
      resolve(status);
    };
    const cut = (): void => void socket.destroy();
    const finish = (): void => settle(statusOf(Buffer.concat(errors)));
    const send = (channel: number, bytes: Uint8Array, isLast = false): void => {
      const stream = numbers.get(channel);
      if (stream === undefined || isOver) return;
      let hasRoom = true;
      for (const part of writer.data(stream, Buffer.from(bytes), isLast)) {
        hasRoom = socket.write(part);
      }
      if (!hasRoom) conversation.pause();
    };
    const read = createFrameReader({
      data(stream, bytes) {
        const channel = channelOf.get(stream);
        if (channel === channels.error) {
          errorBytes += bytes.length;
          if (errorBytes <= errorBytesMax) errors.push(Buffer.from(bytes));
        } else if (channel !== undefined && isWritten(channel)) {
          if (!conversation.write(encodeMessage(protocol, channel, bytes))) socket.pause();
        }
      },
      ended(stream) {
        open.delete(stream);
        hasEnded ||= channelOf.get(stream) === channels.error;
        if (open.size === 0) finish();
      },
      ping: (id) => void socket.write(writer.ping(id)),
      goAway: () => (hasEnded = true),
      broken: (why) => settle(failure(`the connection to the container broke off: ${why}`)),
    });

    socket.on('data', read);
    socket.on('drain', () => conversation.resume());
    conversation.onDrain(() => socket.resume());
    socket.on('error', () => undefined);
    socket.on('close', () => {
      const isWhole = hasEnded || errorBytes > 0;
      if (isWhole) finish();
      else settle(failure('the connection to the container broke off'));
    });
    exchange.onAbort(cut);
    for (const [channel, stream] of numbers) {
      socket.write(writer.open(stream, { streamtype: streamTypes[channel] ?? '' }));
    }
    if (rest.length > 0) read(rest);
    conversation.receive({
      data(message) {
        const said = decodeMessage(protocol, message);
        if (said === undefined) return;
        if (said.channel === channels.close && protocol.canClose) {
          if (said.bytes[0] === channels.stdin) send(channels.stdin, noBytes, true);
        } else if (said.channel === channels.stdin || said.channel === channels.resize) {
          if (said.bytes.length > 0) send(said.channel, said.bytes);
        }
      },
      end: cut,
    });
    socket.resume();
    conversation.resume();
  });
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

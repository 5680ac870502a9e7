/**
 * The messages in which a client talks with a container over WebSocket: channel, then bytes.
 *
 *     0 stdin  1 stdout  2 stderr  3 error  4 resize   255 (v5): the channel that follows is over
 *
 *     v5.channel.{domain}          a Status at the end; a channel can be closed
 *     v4.channel.{domain}          a Status at the end
 *     channel.{domain}, none       a text, of a failure only
 *     base64.…, v4.base64.…        in text: a digit, then base64
 */
import { text } from '../apimachinery/members.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { JsonValue } from '../apimachinery/unstructured.ts';

export const channels = {
  stdin: 0,
  stdout: 1,
  stderr: 2,
  error: 3,
  resize: 4,
  close: 255,
} as const;

export interface ChannelProtocol {
  /** Undefined: the client names none. */
  readonly name: string | undefined;
  readonly isText: boolean;
  readonly endsWithStatus: boolean;
  readonly canClose: boolean;
}

const unnamed: ChannelProtocol = {
  name: undefined,
  isText: false,
  endsWithStatus: false,
  canClose: false,
};

/** Those of an API domain, the best first. */
export function channelProtocols(domain: string): readonly ChannelProtocol[] {
  const named = (prefix: string) => ({ name: `${prefix}channel.${domain}` });
  return [
    { ...named('v5.'), isText: false, endsWithStatus: true, canClose: true },
    { ...named('v4.'), isText: false, endsWithStatus: true, canClose: false },
    { ...named('v4.base64.'), isText: true, endsWithStatus: true, canClose: false },
    { ...named(''), isText: false, endsWithStatus: false, canClose: false },
    { ...named('base64.'), isText: true, endsWithStatus: false, canClose: false },
  ];
}

/** What kubelets are asked for. */
export function commandProtocol(domain: string): string {
  return `v4.channel.${domain}`;
}

/** Undefined: none of those that are offered is known. */
export function chosenProtocol(
  known: readonly ChannelProtocol[],
  offered: readonly string[],
): ChannelProtocol | undefined {
  if (offered.length === 0) return unnamed;
  return known.find(({ name = '' }) => offered.includes(name));
}

/** What a client is told that offers others. */
export function unknownProtocols(known: readonly string[], offered: readonly string[]): string {
  const [theirs, ours] = [offered.join(' '), known.join(' ')];
  return `unable to upgrade: client supports [${theirs}], server accepts [${ours}]`;
}

export function encodeMessage({ isText }: ChannelProtocol, channel: number, bytes: Uint8Array) {
  if (isText) return Buffer.from(`${channel}${Buffer.from(bytes).toString('base64')}`);
  const message = Buffer.allocUnsafe(1 + bytes.length);
  message[0] = channel;
  message.set(bytes, 1);
  return message;
}

export interface ChannelMessage {
  readonly channel: number;
  readonly bytes: Uint8Array;
}

/** Undefined: it is empty. */
export function decodeMessage(
  { isText }: ChannelProtocol,
  message: Uint8Array,
): ChannelMessage | undefined {
  const first = message[0];
  if (first === undefined) return undefined;
  if (!isText) return { channel: first, bytes: message.subarray(1) };
  const digits = Buffer.from(message.subarray(1)).toString('latin1');
  return { channel: first - 0x30, bytes: Buffer.from(digits, 'base64') };
}

/** How a command has ended. */
export interface Ending {
  readonly isSuccess: boolean;
  readonly message: string;
  /** The Status as it is sent: a kubelet's own word for word, however deep it goes. */
  readonly json: string;
}

const success: Ending = {
  isSuccess: true,
  message: '',
  json: JSON.stringify({ metadata: {}, status: 'Success' }),
};

/** What the client is told at the end. Undefined comes back where nothing is to be said. */
export function lastMessage(protocol: ChannelProtocol, ending: Ending): Uint8Array | undefined {
  const { isSuccess, json, message } = ending;
  if (isSuccess && !protocol.endsWithStatus) return undefined;
  const said = protocol.endsWithStatus ? json : message;
  return encodeMessage(protocol, channels.error, Buffer.from(said));
}

/** What a kubelet has said at the end: JSON of a Status, or a text; nothing where all went well. */
export function endingOf(said: Buffer): Ending {
  if (said.length === 0) return success;
  const json = said.toString();
  try {
    const parsed = JSON.parse(json) as JsonValue;
    if (isJsonObject(parsed) && 'status' in parsed) {
      return { isSuccess: parsed['status'] === 'Success', message: text(parsed, 'message'), json };
    }
  } catch {
    // A text, then.
  }
  return failure(json);
}

/** Of what has gone wrong on the way. */
export function failure(message: string): Ending {
  const { internalError: reason } = StatusReason;
  const status = { metadata: {}, status: 'Failure', message, reason, code: 500 };
  return { isSuccess: false, message, json: JSON.stringify(status) };
}

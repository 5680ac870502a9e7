/**
 * What both adapters do with response heads: reason phrases, the headers that only the transport
 * may write, and values that must not break out of their line.
 */
import { STATUS_CODES } from 'node:http';
import type { Header } from './http-exchange.ts';

const statusLines = new Map<number, string>();

/** '200 OK'; a code without a registered phrase gets 'Unknown'. */
export function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
    statusLines.set(status, line);
  }
  return line;
}

/** Responses that never have a body (RFC 9110, 6.4.1). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304 || status < 200;
}

/** Framing belongs to the transport: a handler's value for these is not sent. */
export function isFramingHeader(name: string): boolean {
  switch (name.length) {
    case 4:
      return name.toLowerCase() === 'date';
    case 7:
      return name.toLowerCase() === 'upgrade';
    case 10: {
      const lower = name.toLowerCase();
      return lower === 'connection' || lower === 'keep-alive';
    }
    case 14:
      return name.toLowerCase() === 'content-length';
    case 17:
      return name.toLowerCase() === 'transfer-encoding';
    default:
      return false;
  }
}

/** What a handler says of the length of a body that it does not send: for answers to HEAD. */
export function statedLength(headers: readonly Header[]): number | undefined {
  const [, value] = headers.find(([name]) => name.toLowerCase() === 'content-length') ?? [];
  return value !== undefined && /^[0-9]{1,15}$/.test(value) ? Number(value) : undefined;
}

const controls = /[\u0000-\u0008\u000a-\u001f\u007f]/;
const everyControl = /[\u0000-\u0008\u000a-\u001f\u007f]+/g;

/**
 * The value with control characters replaced by a space: text that came from a client (a Warning
 * that quotes it, say) cannot start a new header line.
 */
export function safeHeaderValue(value: string): string {
  return controls.test(value) ? value.replace(everyControl, ' ') : value;
}

/** Header text as one character per byte (UTF-8), for interfaces that write Latin-1. */
export function utf8AsLatin1(value: string): string {
  return isAscii(value) ? value : Buffer.from(value, 'utf8').toString('latin1');
}

/** The reverse of utf8AsLatin1; bytes that are not UTF-8 become U+FFFD. */
export function latin1AsUtf8(value: string): string {
  return isAscii(value) ? value : Buffer.from(value, 'latin1').toString('utf8');
}

function isAscii(value: string): boolean {
  for (let i = 0; i < value.length; i += 1) {
    if (value.charCodeAt(i) > 0x7f) return false;
  }
  return true;
}

/** '10.0.0.1' for '::ffff:10.0.0.1'; other addresses as they are. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

const closeOption = /(?:^|,)\s*close\s*(?:,|$)/i;

/** Whether `close` is among the options of a Connection header. */
export function asksToClose(options: string | undefined): boolean {
  return options !== undefined && closeOption.test(options);
}

const hostCharacters = /^[\w!$%&'()*+,\-.:;=[\]~]*$/;

/** Whether a Host header has no character that no host has, with its port: what is behind this
 * server is told of it. */
export function isHost(value: string): boolean {
  return hostCharacters.test(value);
}

const knownExpectation = /^\s*$|(?:^|\W)100-continue(?:$|\W)/i;

/** Whether an Expect header asks for nothing, or for what can be done. */
export function isExpectation(value: string): boolean {
  return knownExpectation.test(value);
}

/** A path as it is; of an absolute URI its path and query; nothing for '*' and authorities. */
export function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  const absolute = /^https?:\/\/[^/?#]*(.*)$/is.exec(target);
  if (absolute === null) return undefined;
  const rest = absolute[1] as string;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Of a target in origin form; the query without its question mark. */
export function pathAndQuery(target: string): readonly [path: string, query: string] {
  const separator = target.indexOf('?');
  return separator < 0 ? [target, ''] : [target.slice(0, separator), target.slice(separator + 1)];
}

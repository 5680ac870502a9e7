/**
 * Headers of requests and answers that are passed on: what is about one connection stays on it
 * (RFC 9110, section 7.6.1), and who asked is added.
 *
 * Invariants: a caller's credentials are not among the headers of its exchange any more
 * (endpoints/filters/access.ts), so they are passed to nobody. Text is UTF-8 on both sides; node
 * speaks Latin-1.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import type { Header, HttpExchange } from '../transport/http-exchange.ts';

/** Of one connection, and of the framing that each side does by itself. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Of a request, with the address of who sent it behind those of proxies before. */
export function passedHeaders(exchange: HttpExchange): readonly Header[] {
  const named = namedByConnection(exchange.headers());
  const kept = exchange
    .headers()
    .filter(([name]) => !isOfConnection(name, named) && name !== 'x-forwarded-for');
  const before = named.has('x-forwarded-for') ? [] : exchange.headerValues('x-forwarded-for');
  const from = [...before, exchange.remoteAddress].filter((each) => each !== '').join(', ');
  return from === '' ? kept : [...kept, ['x-forwarded-for', from]];
}

/** Of an answer, as node gives them: names and values in turn. */
export function answeredHeaders(raw: readonly string[]): readonly Header[] {
  const all = pairsOf(raw);
  const named = namedByConnection(all);
  return all.filter(([name]) => !isOfConnection(name, named));
}

/** Names and values in turn, as pairs; names in lower case. */
export function pairsOf(raw: readonly string[]): readonly Header[] {
  const pairs: Header[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const value = Buffer.from(raw[at + 1] as string, 'latin1').toString();
    pairs.push([(raw[at] as string).toLowerCase(), value]);
  }
  return pairs;
}

/** For a request of node's. */
export function headersForNode(headers: readonly Header[]): OutgoingHttpHeaders {
  const byName = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const values = byName.get(name) ?? [];
    values.push(Buffer.from(value).toString('latin1'));
    byName.set(name, values);
  }
  const single = ([name, values]: [string, string[]]): [string, string | string[]] => [
    name,
    values.length === 1 ? (values[0] ?? '') : values,
  ];
  return Object.fromEntries([...byName].map(single));
}

function isOfConnection(name: string, named: ReadonlySet<string>): boolean {
  return ofConnection.has(name) || named.has(name);
}

function namedByConnection(headers: readonly Header[]): ReadonlySet<string> {
  const values = headers.filter(([name]) => name === 'connection').map(([, value]) => value);
  return new Set(values.flatMap((value) => value.split(',')).map((each) => lower(each)));
}

function lower(text: string): string {
  return text.trim().toLowerCase();
}

/**
 * What the head of a request over HTTP/2 says (RFC 9113, 8.3), or why it is malformed.
 *
 * Headers that belong to a connection of HTTP/1.1 are malformed here: a proxy would take them for
 * its own, and see another request.
 */
import { isExpectation, isHost, originForm } from '../header-rules.ts';
import { expectationFailed, headTooLarge, malformed, noHost, unknownMethod } from '../refusal.ts';
import type { Refusal } from '../refusal.ts';
import type { Head } from './hpack/decoder.ts';

export interface RequestHead {
  readonly method: string;
  /** In origin form. */
  readonly target: string;
  /** Name, value, name, value; the host among them. */
  readonly headers: string[];
  /** -1: it does not say. */
  readonly bodyBytes: number;
  /** It waits for a word before it sends its body. */
  readonly expects: boolean;
}

export function isRefusal(head: RequestHead | Refusal): head is Refusal {
  return 'status' in head;
}

const noHeader = malformed('a header has a name or a value that no header may have');
const ofConnection = malformed('a header of a connection has no place in HTTP/2');
const wrongPseudo = malformed('the pseudo headers are not those of a request');
const wrongLength = malformed('the Content-Length header is malformed');
const noMethod = malformed('the method is malformed');
const otherHost = malformed('the Host header names another host than :authority');

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** By the place of a pseudo header among them. */
type Pseudo = [method?: string, scheme?: string, authority?: string, path?: string];
const pseudoNames = [':method', ':scheme', ':authority', ':path'];

export function readRequestHead(head: Head, headBytesMax: number): RequestHead | Refusal {
  if (!head.isValid) return noHeader;
  if (head.bytes > headBytesMax) return headTooLarge(headBytesMax);
  const pseudo: Pseudo = [];
  const headersAt = readPseudo(head.texts, pseudo);
  const [method, scheme, authority, path] = pseudo;
  if (headersAt === undefined || method === undefined) return wrongPseudo;
  if (!token.test(method)) return noMethod;
  if (method === 'CONNECT') return unknownMethod;
  if (scheme === undefined || path === undefined) return wrongPseudo;
  const target = originForm(path);
  if (target === undefined || target.includes(' '))
    return malformed('the request target is not a path');
  return withHeaders({ method, target, authority }, head.texts, headersAt);
}

/** Returns where the headers begin that are none. */
function readPseudo(texts: readonly string[], pseudo: Pseudo): number | undefined {
  let at = 0;
  for (; at < texts.length && isPseudo(texts[at] as string); at += 2) {
    const place = pseudoNames.indexOf(texts[at] as string);
    if (place < 0 || pseudo[place] !== undefined) return undefined;
    pseudo[place] = texts[at + 1];
  }
  return at;
}

function isPseudo(name: string): boolean {
  return name.charCodeAt(0) === 0x3a;
}

interface First {
  readonly method: string;
  readonly target: string;
  readonly authority: string | undefined;
}

function withHeaders(
  { method, target, authority }: First,
  texts: readonly string[],
  from: number,
): RequestHead | Refusal {
  const headers: string[] = [];
  let host = authority || undefined;
  if (host !== undefined) headers.push('host', host);
  let bodyBytes = -1;
  let expects = false;
  for (let at = from; at < texts.length; at += 2) {
    const name = texts[at] as string;
    const value = texts[at + 1] as string;
    if (isPseudo(name)) return wrongPseudo;
    if (isOfConnection(name, value)) return ofConnection;
    if (name === 'host') {
      if (host !== undefined && host !== value) return otherHost;
      if (host !== undefined) continue;
      host = value;
    } else if (name === 'content-length') {
      const length = /^[0-9]{1,15}$/.test(value) ? Number(value) : -1;
      if (length < 0 || (bodyBytes >= 0 && bodyBytes !== length)) return wrongLength;
      bodyBytes = length;
    } else if (name === 'expect') {
      if (!isExpectation(value)) return expectationFailed;
      expects = value.trim() !== '';
    }
    headers.push(name, value);
  }
  if (!isHost(host ?? '')) return malformed(noHost);
  return { method, target, headers, bodyBytes, expects };
}

function isOfConnection(name: string, value: string): boolean {
  switch (name) {
    case 'connection':
    case 'keep-alive':
    case 'proxy-connection':
    case 'transfer-encoding':
    case 'upgrade':
      return true;
    case 'te':
      return value !== 'trailers';
    default:
      return false;
  }
}

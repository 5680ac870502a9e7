/**
 * Parses URLs in expressions: RFC 3986 with the reference's exceptions and error texts.
 *
 *     https://user@example.com:8443/a%2Fb?k=v#part
 *     \___/   \__/ \______________/\____/ \_/ \__/
 *     scheme  user       host       path query fragment
 *
 * It repairs nothing, unlike WHATWG's URL (node's).
 *
 * Invariants: nothing throws; texts are taken as bytes of UTF-8 while they are read, so that
 * escapes of half a character keep their meaning. Bounds: linear in the text.
 */
import { quote } from '../../apimachinery/quote.ts';

export interface ParsedUrl {
  readonly scheme: string;
  readonly opaque: string;
  /** Before the @, as it is written again; undefined where there is none. */
  readonly user: string | undefined;
  readonly host: string;
  /** Unescaped, a character per byte. */
  readonly path: string;
  /** As given, where it says more than `path` escaped again. */
  readonly rawPath: string;
  readonly query: string;
  readonly forceQuery: boolean;
  readonly omitHost: boolean;
  readonly fragment: string;
}

export interface NoUrl {
  readonly problem: string;
}

class WrongUrl extends Error {}

type Part = 'path' | 'user' | 'host' | 'zone' | 'query' | 'fragment';

/** Absolute URLs and absolute paths. */
export function parseUrl(text: string): ParsedUrl | NoUrl {
  const problem = uriProblem(text);
  if (problem !== undefined) return { problem };
  const [before = '', fragment = ''] = cut(bytesOf(text), '#');
  try {
    return { ...readUrl(before, false), fragment: unescape(fragment, 'fragment') };
  } catch (error) {
    return refusal(error, text);
  }
}

/** What is wrong with a text that should be a URI, or undefined. */
export function uriProblem(text: string): string | undefined {
  try {
    readUrl(bytesOf(text), true);
    return undefined;
  } catch (error) {
    return refusal(error, text).problem;
  }
}

function refusal(error: unknown, text: string): NoUrl {
  if (!(error instanceof WrongUrl)) throw error;
  return { problem: `parse ${quote(text)}: ${error.message}` };
}

function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function cut(text: string, mark: string): [string] | [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** `asRequest`: nothing relative, and a fragment is no fragment. */
function readUrl(raw: string, asRequest: boolean): ParsedUrl {
  if (/[\x00-\x1f\x7f]/.test(raw)) {
    throw new WrongUrl('net/url: invalid control character in URL');
  }
  if (raw === '' && asRequest) throw new WrongUrl('empty url');
  if (raw === '*') return { ...emptyUrl, path: '*' };
  const [scheme, afterScheme] = readScheme(raw);
  const forceQuery = /^[^?]*\?$/.test(afterScheme);
  const [hierarchy = '', query = ''] = cut(afterScheme, '?');
  const start = { ...emptyUrl, scheme: scheme.toLowerCase(), query, forceQuery };
  if (!hierarchy.startsWith('/')) {
    if (scheme !== '') return { ...start, opaque: hierarchy };
    if (asRequest) throw new WrongUrl('invalid URI for request');
    if (/^[^/]*:/.test(hierarchy)) {
      throw new WrongUrl('first path segment in URL cannot contain colon');
    }
  }
  const withAuthority =
    hierarchy.startsWith('//') && (scheme !== '' || (!asRequest && !hierarchy.startsWith('///')));
  if (!withAuthority) {
    const omitHost = scheme !== '' && hierarchy.startsWith('/');
    return { ...start, omitHost, ...readPath(hierarchy) };
  }
  const slash = hierarchy.indexOf('/', 2);
  const authority = slash < 0 ? hierarchy.slice(2) : hierarchy.slice(2, slash);
  const path = slash < 0 ? '' : hierarchy.slice(slash);
  return { ...start, ...readAuthority(authority), ...readPath(path) };
}

const emptyUrl: ParsedUrl = {
  scheme: '',
  opaque: '',
  user: undefined,
  host: '',
  path: '',
  rawPath: '',
  query: '',
  forceQuery: false,
  omitHost: false,
  fragment: '',
};

function readScheme(raw: string): [scheme: string, rest: string] {
  if (raw.startsWith(':')) throw new WrongUrl('missing protocol scheme');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(raw)?.[1];
  return scheme === undefined ? ['', raw] : [scheme, raw.slice(scheme.length + 1)];
}

function readAuthority(authority: string): { user: string | undefined; host: string } {
  const at = authority.lastIndexOf('@');
  const host = readHost(authority.slice(at + 1));
  if (at < 0) return { user: undefined, host };
  const info = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(info)) {
    throw new WrongUrl('net/url: invalid userinfo');
  }
  const parts = cut(info, ':').map((part) => escape(unescape(part, 'user'), 'user'));
  return { user: parts.join(':'), host };
}

function readHost(host: string): string {
  if (!host.startsWith('[')) {
    const colon = host.lastIndexOf(':');
    if (colon >= 0) checkPort(host.slice(colon));
    return unescape(host, 'host');
  }
  const end = host.lastIndexOf(']');
  if (end < 0) throw new WrongUrl("missing ']' in host");
  checkPort(host.slice(end + 1));
  const zone = host.slice(0, end).indexOf('%25');
  if (zone < 0) return unescape(host, 'host');
  const inside = unescape(host.slice(zone, end), 'zone');
  return unescape(host.slice(0, zone), 'host') + inside + unescape(host.slice(end), 'host');
}

const portForm = /^(?::\d*)?$/;

function checkPort(port: string): void {
  if (!portForm.test(port)) throw new WrongUrl(`invalid port ${quote(textOf(port))} after host`);
}

function readPath(raw: string): { path: string; rawPath: string } {
  const path = unescape(raw, 'path');
  return { path, rawPath: escape(path, 'path') === raw ? '' : raw };
}

function unescape(text: string, part: Part): string {
  if (!/[%+]/.test(text) && part !== 'host' && part !== 'zone') return text;
  let plain = '';
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (char === '%') {
      plain += unescapeAt(text, i, part);
      i += 2;
    } else if (char === '+' && part === 'query') {
      plain += ' ';
    } else {
      const inHost = part === 'host' || part === 'zone';
      if (inHost && char < '\x80' && mustEscape(char, part)) {
        throw new WrongUrl(`invalid character ${quote(char)} in host name`);
      }
      plain += char;
    }
  }
  return plain;
}

function unescapeAt(text: string, at: number, part: Part): string {
  const escaped = text.slice(at, at + 3);
  const wrong = () => new WrongUrl(`invalid URL escape ${quote(textOf(escaped))}`);
  if (!/^%[0-9a-fA-F]{2}$/.test(escaped)) throw wrong();
  const char = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  // In a host only what is not ASCII is escaped, in a zone what could be there anyway.
  if (part === 'host' && char < '\x80' && escaped !== '%25') throw wrong();
  if (part === 'zone' && escaped !== '%25' && char !== ' ' && mustEscape(char, 'host')) {
    throw wrong();
  }
  return char;
}

function escape(text: string, part: Part): string {
  return text.replace(/[^A-Za-z0-9_.~-]/g, (char) => {
    if (!mustEscape(char, part)) return char;
    if (char === ' ' && part === 'query') return '+';
    return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

function mustEscape(char: string, part: Part): boolean {
  if (/[A-Za-z0-9_.~-]/.test(char)) return false;
  if ((part === 'host' || part === 'zone') && '!$&\'()*+,;=:[]<>"'.includes(char)) return false;
  if ('$&+,/:;=?@'.includes(char)) {
    if (part === 'path') return char === '?';
    if (part === 'user') return '@/?:'.includes(char);
    return part === 'query';
  }
  return !(part === 'fragment' && '!()*'.includes(char));
}

export function urlHost({ host }: ParsedUrl): string {
  return textOf(host);
}

/** Without the port and without the brackets of an IPv6 address. */
export function urlHostname({ host }: ParsedUrl): string {
  const name = textOf(withoutPort(host));
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
}

function withoutPort(host: string): string {
  const colon = host.lastIndexOf(':');
  return colon >= 0 && portForm.test(host.slice(colon)) ? host.slice(0, colon) : host;
}

/** '' where none is given. */
export function urlPort({ host }: ParsedUrl): string {
  return host.slice(withoutPort(host).length + 1);
}

const encodedPath = /^[A-Za-z0-9\-._~!$&'()*+,;=:@[\]%/]*$/;

export function urlEscapedPath({ path, rawPath }: ParsedUrl): string {
  if (rawPath !== '' && encodedPath.test(rawPath)) return rawPath;
  return path === '*' ? '*' : escape(path, 'path');
}

/** In the order of the text; pairs that cannot be read are left out. */
export function urlQuery({ query }: ParsedUrl): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const [key = '', value = ''] = cut(pair, '=');
    const read = [readQueryPart(key), readQueryPart(value)] as const;
    if (read[0] === undefined || read[1] === undefined) continue;
    const known = values.get(read[0]);
    if (known === undefined) values.set(read[0], [read[1]]);
    else known.push(read[1]);
  }
  return values;
}

function readQueryPart(part: string): string | undefined {
  try {
    return textOf(unescape(part, 'query'));
  } catch (error) {
    if (error instanceof WrongUrl) return undefined;
    throw error;
  }
}

/** Two URLs are equal when these are. */
export function formatUrl(url: ParsedUrl): string {
  const scheme = url.scheme === '' ? '' : `${url.scheme}:`;
  const end = afterPath(url);
  if (url.opaque !== '') return scheme + url.opaque + end;
  const path = urlEscapedPath(url);
  const authority = formatAuthority(url);
  if (path !== '' && !path.startsWith('/') && url.host !== '')
    return `${scheme}${authority}/${path}${end}`;
  const hidden = scheme === '' && authority === '' && /^[^/]*:/.test(path) ? './' : '';
  return scheme + authority + hidden + path + end;
}

function formatAuthority({ scheme, user, host, path, omitHost }: ParsedUrl): string {
  if (scheme === '' && host === '' && user === undefined) return '';
  if (omitHost && host === '' && user === undefined) return '';
  if (host === '' && path === '' && user === undefined) return '';
  return `//${user === undefined ? '' : `${user}@`}${escape(host, 'host')}`;
}

function afterPath({ query, forceQuery, fragment }: ParsedUrl): string {
  const asked = forceQuery || query !== '' ? `?${query}` : '';
  return fragment === '' ? asked : `${asked}#${escape(fragment, 'fragment')}`;
}

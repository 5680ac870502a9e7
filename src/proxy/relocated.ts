/**
 * Redirects and links of a proxied program that lead to itself, as they are followed through the
 * proxy; and what the program is told of where it seems to be.
 *
 *     Location: /login   ─▶   /api/v1/namespaces/a/pods/b/proxy/login
 */
import type { Header, HttpExchange } from '../transport/http-exchange.ts';
import { pageRewriting } from './html-links.ts';
import type { AnswerHead } from './passed-request.ts';

/** Headers of browsers' rules about origins, which would be said in this server's name. */
const ofOrigins: ReadonlySet<string> = new Set([
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
]);

/** `prefix`: the path of the proxy, without a slash at its end. `hosts`: those that the program
 * may take for its own. */
export function relocated(
  { headers, status }: AnswerHead,
  prefix: string,
  hosts: readonly string[],
): AnswerHead {
  const own = headers.filter(([name]) => !ofOrigins.has(name));
  const through = (link: string): string => throughProxy(link, prefix, hosts);
  const valueOf = (wanted: string): string => own.find(([name]) => name === wanted)?.[1] ?? '';
  const changed = pageRewriting(valueOf('content-type'), valueOf('content-encoding'), through);
  // A page with other links has another length.
  const kept = changed === undefined ? own : own.filter(([name]) => name !== 'content-length');
  return {
    status,
    headers: kept.map(([name, value]): Header =>
      name === 'location' ? [name, through(value)] : [name, value],
    ),
    changed,
  };
}

function throughProxy(location: string, prefix: string, hosts: readonly string[]): string {
  const absolute = /^(?:https?:)?\/\/([^/?#]*)(.*)$/is.exec(location);
  if (absolute !== null && !hosts.includes(absolute[1] ?? '')) return location;
  const path = absolute === null ? location : (absolute[2] ?? '');
  if (!path.startsWith('/') && absolute === null) return location;
  return path.startsWith(`${prefix}/`) || path === prefix ? path : `${prefix}${path}`;
}

/** What the program may want to know to name itself as its callers do, in place of what a caller
 * says of it. */
export function withForwarded(
  headers: readonly Header[],
  exchange: HttpExchange,
): readonly Header[] {
  return [
    ...headers.filter(([name]) => !forwarded.has(name)),
    ['x-forwarded-uri', exchange.path],
    ['x-forwarded-host', exchange.header('host') ?? ''],
    ['x-forwarded-proto', exchange.scheme],
  ];
}

const forwarded: ReadonlySet<string> = new Set([
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-uri',
]);

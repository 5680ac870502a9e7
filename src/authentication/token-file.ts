/**
 * The static token file (spec 2, section 5.2): CSV, one user a line.
 *
 *     token,user name,user UID[,group ...]     a quoted column may hold several: "group,group"
 *
 * Tokens never expire, and a change of the file takes a restart.
 *
 * Invariants: tokens are kept as digests under a key of this process, and looked up by them, so the
 * time of a look-up says nothing about the token; the first of two equal tokens counts. An error
 * names the line, never what stands in it. Bound: `linesMax`.
 */
import type { Authentication, TokenAuthenticator } from './authenticator.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import { secretDigest } from './constant-time.ts';

const linesMax = 100_000;

export type ReadTokenFile =
  | { readonly kind: 'ok'; readonly users: ReadonlyMap<string, UserInfo> }
  | { readonly kind: 'invalid'; readonly line: number; readonly problem: string };

/** Users by the digest of their token. */
export function readTokenFile(text: string): ReadTokenFile {
  const users = new Map<string, UserInfo>();
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  if (lines.length > linesMax) {
    return { kind: 'invalid', line: linesMax, problem: `there are more than ${linesMax} lines` };
  }
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const invalid = (problem: string): ReadTokenFile => ({
      kind: 'invalid',
      line: index + 1,
      problem,
    });
    const columns = columnsOf(line);
    if (columns === undefined) return invalid('its quotes do not match');
    if (columns.length < 3) return invalid('it has fewer than 3 columns');
    const [token = '', name = '', uid = ''] = columns;
    if (token === '') return invalid('the token is empty');
    if (name === '') return invalid('the user name is empty');
    const digest = secretDigest(token);
    if (users.has(digest)) continue;
    const named = columns.slice(3).flatMap((column) => column.split(','));
    const groups = named.map((group) => group.trim()).filter((group) => group !== '');
    users.set(digest, { name, uid, groups: [...new Set(groups)], extra: {} });
  }
  return { kind: 'ok', users };
}

/** One line of CSV; a quote inside a quoted column is doubled. Undefined: quotes do not match. */
function columnsOf(line: string): readonly string[] | undefined {
  const columns: string[] = [];
  let at = 0;
  for (;;) {
    while (line[at] === ' ') at += 1;
    if (line[at] === '"') {
      const quoted = /"((?:[^"]|"")*)" *(?=,|$)/y;
      quoted.lastIndex = at;
      const match = quoted.exec(line);
      if (match === null) return undefined;
      columns.push((match[1] as string).replaceAll('""', '"'));
      at = quoted.lastIndex;
    } else {
      const end = line.indexOf(',', at);
      const column = end < 0 ? line.slice(at) : line.slice(at, end);
      if (column.includes('"')) return undefined;
      columns.push(column.trim());
      at = end < 0 ? line.length : end;
    }
    if (at >= line.length) return columns;
    at += 1;
  }
}

export function staticTokens(users: ReadonlyMap<string, UserInfo>): TokenAuthenticator {
  const none: Authentication = { kind: 'none' };
  return {
    name: 'token-file',
    authenticateToken(token) {
      const user = users.get(secretDigest(token));
      return user === undefined ? none : { kind: 'authenticated', user };
    },
  };
}

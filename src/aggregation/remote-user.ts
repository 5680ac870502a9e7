/**
 * Who a request is for, as a server behind this one is told: in headers, which it believes because
 * of the certificate that this server shows.
 *
 * Elsewhere: the same headers where this server is behind another one
 * (src/authentication/request-header.ts).
 *
 * Invariants: what a caller has sent under these names never goes on. A value that cannot stand in
 * a header is a problem, never cut or changed.
 */
import type { UserInfo } from '../apimachinery/user-info.ts';

export const userHeaders = {
  user: 'X-Remote-User',
  uid: 'X-Remote-Uid',
  group: 'X-Remote-Group',
  extraPrefix: 'X-Remote-Extra-',
} as const;

type Header = readonly [name: string, value: string];

const taken: ReadonlySet<string> = new Set(
  [userHeaders.user, userHeaders.uid, userHeaders.group].map((name) => name.toLowerCase()),
);
const takenPrefix = userHeaders.extraPrefix.toLowerCase();

/** Whether this header (in lower case) says who a request is for. */
export function saysWho(name: string): boolean {
  return taken.has(name) || name.startsWith(takenPrefix);
}

export function headersOfUser({ extra, groups, name, uid }: UserInfo): readonly Header[] {
  return [
    [userHeaders.user, name],
    ...(uid === '' ? [] : [[userHeaders.uid, uid] as const]),
    ...groups.map((group) => [userHeaders.group, group] as const),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => [extraHeader(key), value] as const),
    ),
  ];
}

/** Which of them no header can hold; undefined: none. */
export function unsayable(headers: readonly Header[]): string | undefined {
  return headers.find(([, value]) => controls.test(value))?.[0];
}

const controls = /[\x00-\x08\x0a-\x1f\x7f]/;

function extraHeader(key: string): string {
  let escaped = '';
  for (const byte of Buffer.from(key, 'utf8')) {
    const character = String.fromCharCode(byte);
    const isLegal = /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(character);
    escaped += isLegal ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return `${userHeaders.extraPrefix}${escaped}`;
}

/**
 * The one place where revisions and resource versions turn into each other (spec 1, section 2.2).
 *
 *     revision          inside: a bigint, ordered, 1 .. 2^63 - 1
 *     resourceVersion   outside: its decimal text without leading zeros; opaque to clients
 *
 * In a request the text has two more meanings, which stay apart: "" is "most recent" and "0" is
 * "any". Neither is a revision.
 */
import { quote } from './quote.ts';

export const REVISION_MAX = 0x7fff_ffff_ffff_ffffn;

/** The most digits a revision has. */
const DIGITS_MAX = 19;
const DECIMAL = /^[0-9]+$/;

/** What a request's `resourceVersion` asks for. */
export type RequestedVersion =
  | { readonly kind: 'unset' }
  | { readonly kind: 'any' }
  | { readonly kind: 'revision'; readonly revision: bigint };

const UNSET: RequestedVersion = { kind: 'unset' };
const ANY: RequestedVersion = { kind: 'any' };

/** Undefined when the text is not a revision: empty, "0", not decimal, leading zeros, too large. */
export function parseResourceVersion(text: string): bigint | undefined {
  if (text.length === 0 || text.length > DIGITS_MAX || !DECIMAL.test(text)) return undefined;
  if (text.startsWith('0')) return undefined;
  const revision = BigInt(text);
  return revision <= REVISION_MAX ? revision : undefined;
}

/** Undefined when the text is neither empty, nor "0", nor a revision. */
export function parseRequestedVersion(text: string): RequestedVersion | undefined {
  if (text === '') return UNSET;
  if (text === '0') return ANY;
  const revision = parseResourceVersion(text);
  return revision === undefined ? undefined : { kind: 'revision', revision };
}

/** Why a text that did not parse is refused. */
export function explainBadResourceVersion(text: string): string {
  return `resourceVersion: Invalid value: ${quote(text)}: must be a version that the server gave`;
}

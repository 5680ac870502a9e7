/**
 * The `continue` token of a chunked list (spec 1, section 4.9).
 *
 *     base64url, no padding, of {"v":"meta.<domain>/v1","rv":42,"start":"ns/name\u0000"}
 *
 * `start` is where the next page begins: the last key of this page, relative to the listed
 * collection, plus NUL. `rv` is the revision that all pages show; -1 means "go on at the latest",
 * which the server offers when the revision is no longer kept.
 *
 * A token is neither a secret nor a proof: a client can write one, so nothing in it may lead
 * outside the listed collection, and authorization never looks at it. Bound:
 * CONTINUE_TOKEN_LENGTH_MAX characters; longer ones are refused unread.
 */
import { quote } from './quote.ts';
import { newBadRequest, newExpired } from './status-error.ts';
import type { StatusError } from './status-error.ts';
import { REVISION_MAX } from './resource-version.ts';

/** Twice what a namespace and a name at their longest need. */
export const CONTINUE_TOKEN_LENGTH_MAX = 2048;

/** The revision of a token that goes on at whatever is newest. */
export const CONTINUE_AT_LATEST = -1n;

export interface ContinueToken {
  /** 1 .. 2^63 - 1, or CONTINUE_AT_LATEST. */
  readonly revision: bigint;
  /** Not empty; no `.`, `..` or empty path segment in it. */
  readonly start: string;
}

/** The version mark names the identity's meta group: `meta.k8s.io`. */
export function encodeContinueToken(metaGroup: string, token: ContinueToken): string {
  // Written by hand: a revision may have more digits than a double keeps.
  const version = JSON.stringify(`${metaGroup}/v1`);
  const json = `{"v":${version},"rv":${token.revision},"start":${JSON.stringify(token.start)}}`;
  return Buffer.from(json, 'utf8').toString('base64url');
}

/** Returns the 400 for anything this server would not have written. */
export function decodeContinueToken(metaGroup: string, text: string): ContinueToken | StatusError {
  const version = `${metaGroup}/v1`;
  const parts = text.length > CONTINUE_TOKEN_LENGTH_MAX ? undefined : readParts(text);
  if (parts === undefined) return refuse('');
  if (parts.version !== version) {
    return refuse(`: server does not recognize this encoded version ${quote(parts.version)}`);
  }
  const { revision, start } = parts;
  if (revision === 0n || revision < CONTINUE_AT_LATEST || revision > REVISION_MAX) {
    return refuse(`: incorrect encoded start resourceVersion (version ${version})`);
  }
  if (start === '') return refuse(`: encoded start key empty (version ${version})`);
  if (!isContained(start)) return refuse(`: ${start}`);
  return { revision, start };
}

/** The 410 for a token whose revision is gone, with a token that goes on at the latest. */
export function newContinueExpired(metaGroup: string, start: string): StatusError {
  return newExpired(
    'the revision that this list shows is no longer kept: begin again without continue, or take ' +
      'the token in metadata.continue of this answer to get the remaining objects as they are ' +
      'now. Together with the earlier pages that makes an inconsistent list, in which writes ' +
      'made since the first page are partly shown.',
    encodeContinueToken(metaGroup, { revision: CONTINUE_AT_LATEST, start }),
  );
}

interface TokenParts {
  readonly version: string;
  readonly revision: bigint;
  readonly start: string;
}

const BASE64URL = /^[A-Za-z0-9_-]+$/;
const REVISION_FIELD = /"rv"\s*:\s*(-?(?:0|[1-9][0-9]{0,18}))\s*[,}]/;

function readParts(text: string): TokenParts | undefined {
  if (!BASE64URL.test(text)) return undefined;
  const json = Buffer.from(text, 'base64url').toString('utf8');
  const value = parseJson(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { v: version = '', start = '', rv = 0 } = value as Record<string, unknown>;
  if (typeof version !== 'string' || typeof start !== 'string') return undefined;
  if (typeof rv !== 'number' || !Number.isInteger(rv)) return undefined;
  // A small number is exact. A large one is read again from its digits; `start` cannot fake the
  // field, because a quote inside a JSON string is escaped.
  if (Number.isSafeInteger(rv)) return { version, start, revision: BigInt(rv) };
  const digits = REVISION_FIELD.exec(json)?.[1];
  return digits === undefined ? undefined : { version, start, revision: BigInt(digits) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** True when the key, put behind a prefix, stays behind it. One leading slash is allowed. */
function isContained(start: string): boolean {
  const segments = (start.startsWith('/') ? start.slice(1) : start).split('/');
  return segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

function refuse(why: string): StatusError {
  return newBadRequest(`continue key is not valid${why}`);
}

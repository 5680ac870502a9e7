/**
 * The query of a request as data, and the few ways to read a value from it (spec 1, section 4.2).
 *
 * A `%` without two hexadecimal digits, or bytes that are not UTF-8, refuse the request: dropping a
 * selector would widen a delete.
 *
 * Bound: the size of the request head, which transport limits.
 */
import { quote } from './quote.ts';
import { newBadRequest } from './status-error.ts';
import type { StatusError } from './status-error.ts';

/** Values by name, in the order they were given. A name without `=` has the value ''. */
export type QueryParameters = ReadonlyMap<string, readonly string[]>;

const EMPTY: QueryParameters = new Map();

/** `raw` is what follows the question mark, still encoded. `+` is a space. */
export function parseQuery(raw: string): QueryParameters | StatusError {
  if (raw === '') return EMPTY;
  const parameters = new Map<string, string[]>();
  for (const pair of raw.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? '' : decode(pair.slice(at + 1));
    if (name === undefined || value === undefined) {
      return newBadRequest(`the query cannot be decoded: ${quote(pair)}`);
    }
    const values = parameters.get(name);
    if (values === undefined) parameters.set(name, [value]);
    else values.push(value);
  }
  return parameters;
}

/** The first value; undefined when the parameter is absent. */
export function queryValue(query: QueryParameters, name: string): string | undefined {
  return query.get(name)?.[0];
}

/** Present means true, also without a value; only `0` and `false` (in any case) mean false. */
export function queryBoolean(query: QueryParameters, name: string): boolean | undefined {
  const value = queryValue(query, name);
  if (value === undefined) return undefined;
  return value !== '0' && value.toLowerCase() !== 'false';
}

const INT64_MAX = 0x7fff_ffff_ffff_ffffn;
const INTEGER = /^[+-]?[0-9]{1,19}$/;

/** A 64-bit decimal integer; what a double cannot hold exactly is cut to the nearest it can. */
export function queryInteger(
  query: QueryParameters,
  name: string,
): number | undefined | StatusError {
  const value = queryValue(query, name);
  if (value === undefined) return undefined;
  const parsed = INTEGER.test(value) ? BigInt(value.replace('+', '')) : undefined;
  if (parsed === undefined || parsed > INT64_MAX || parsed < -INT64_MAX - 1n) {
    return newBadRequest(`${name}: Invalid value: ${quote(value)}: must be an integer`);
  }
  const max = BigInt(Number.MAX_SAFE_INTEGER);
  if (parsed > max) return Number.MAX_SAFE_INTEGER;
  return parsed < -max ? -Number.MAX_SAFE_INTEGER : Number(parsed);
}

function decode(text: string): string | undefined {
  if (!text.includes('%')) return text.includes('+') ? text.replaceAll('+', ' ') : text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

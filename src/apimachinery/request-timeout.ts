/**
 * The query parameter `timeout` of requests that are to end soon: what a client thinks the request
 * may take, as `1h15m30.5s`.
 *
 * Writes that have to wait for others wait no longer than this; streams do not look at it at all.
 */
import { queryValue } from './query.ts';
import type { QueryParameters } from './query.ts';
import { quote } from './quote.ts';
import { newBadRequest } from './status-error.ts';
import type { StatusError } from './status-error.ts';

export function requestTimeoutProblem(query: QueryParameters): StatusError | undefined {
  const text = queryValue(query, 'timeout') ?? '';
  const problem = text === '' ? undefined : durationProblem(text);
  if (problem === undefined) return undefined;
  return newBadRequest(`invalid timeout specified in the request URL - time: ${problem}`);
}

/** Milliseconds; undefined: the client does not say, or says what is none. */
export function requestTimeoutMs(query: QueryParameters): number | undefined {
  const text = queryValue(query, 'timeout') ?? '';
  if (text === '' || durationProblem(text) !== undefined) return undefined;
  let total = 0;
  for (const [, amount, unit = ''] of text.matchAll(/(?<![\d.])([\d.]+)([^\d.]+)/g)) {
    total += Number(amount) * (units.get(unit) ?? 0);
  }
  return text.startsWith('-') ? -total : total;
}

/** Each in milliseconds. */
const units: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** The words are those of the reference. */
function durationProblem(text: string): string | undefined {
  const rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === '0') return undefined;
  const whole = /(\d*)(?:\.(\d*))?([^\d.]*)/y;
  let at = 0;
  do {
    whole.lastIndex = at;
    const [found = '', before = '', behind = '', unit = ''] = whole.exec(rest) ?? [];
    if (before === '' && behind === '') return `invalid duration ${quote(text)}`;
    if (unit === '') return `missing unit in duration ${quote(text)}`;
    if (!units.has(unit)) return `unknown unit ${quote(unit)} in duration ${quote(text)}`;
    at += found.length;
  } while (at < rest.length);
  return undefined;
}

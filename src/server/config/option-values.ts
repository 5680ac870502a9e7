/**
 * Reading single flags: text as given -> value, or one line that names the flag and what it wants.
 *
 * Elsewhere: the flags (options.ts and the *-options.ts beside it).
 */
import { parseDurationMs } from '../../stdx/duration.ts';

/** What was wrong with the options: one line for the operator. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
}

export interface OptionSpec {
  readonly flag: string;
  readonly value: string;
  readonly default: string;
  readonly help: string;
  /** It may be given several times; the values count together. */
  readonly several?: boolean | undefined;
}

/** Flags and their text. */
export type RawValues<F extends string> = Readonly<Record<F, string>>;

export function fail(flag: string, given: string, wanted: string): never {
  throw new OptionsError(`--${flag}: ${JSON.stringify(given)} is not ${wanted}`);
}

export function nonEmpty<F extends string>(raw: RawValues<F>, flag: F): string {
  return raw[flag] === '' ? fail(flag, '', 'a value') : raw[flag];
}

/** Undefined when the flag is empty. */
export function optional<F extends string>(raw: RawValues<F>, flag: F): string | undefined {
  return raw[flag] === '' ? undefined : raw[flag];
}

export function oneOf<T extends string, F extends string>(
  raw: RawValues<F>,
  flag: F,
  values: readonly T[],
): T {
  const found = values.find((value) => value === raw[flag]);
  return found ?? fail(flag, raw[flag], `one of ${values.join(', ')}`);
}

export function boolean<F extends string>(raw: RawValues<F>, flag: F): boolean {
  return oneOf(raw, flag, ['true', 'false']) === 'true';
}

/** Comma-separated; white space around the parts is cut, empty parts are left out. */
export function list<F extends string>(raw: RawValues<F>, flag: F): readonly string[] {
  const parts = raw[flag].split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

export function integer<F extends string>(
  raw: RawValues<F>,
  flag: F,
  min: number,
  max: number,
): number {
  const text = raw[flag];
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    fail(flag, text, `an integer from ${min} to ${max}`);
  }
  return value;
}

/** Undefined for `off`; 0 lets the system choose. */
export function port<F extends string>(raw: RawValues<F>, flag: F): number | undefined {
  const text = raw[flag];
  if (text === 'off') return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65_535) return value;
  return fail(flag, text, 'an integer from 0 to 65535, or off');
}

/** A bare number is one of seconds. */
export function durationOrSeconds<F extends string>(
  raw: RawValues<F>,
  flag: F,
  minMs: number,
): number {
  const given = raw[flag];
  return duration(/^\d+$/.test(given) ? { ...raw, [flag]: `${given}s` } : raw, flag, minMs);
}

export function duration<F extends string>(raw: RawValues<F>, flag: F, minMs: number): number {
  const value = parseDurationMs(raw[flag]);
  if (value === undefined || value < minMs) {
    return fail(flag, raw[flag], `a duration of at least ${minMs} ms (as 90s, 5m, 1h30m)`);
  }
  return value;
}

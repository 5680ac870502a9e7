/**
 * Texts of a schema's formats as values: durations, dates, times and bytes. What cannot be read is
 * an evaluation error that says what was given.
 *
 * They are read as validation of the same formats reads them, which is more than the conversion
 * functions of the language take: `3 days` is a duration, a time may have no zone.
 */
import { evaluationError } from '../evaluation-error.ts';
import { Duration, Timestamp } from '../value.ts';
import type { Value } from '../value.ts';

const nanosPerSecond = 1_000_000_000n;
const unitNanos: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', nanosPerSecond],
  ['m', 60n * nanosPerSecond],
  ['h', 3600n * nanosPerSecond],
]);

const largest = 2n ** 63n - 1n;
const clockForm = /^([+-]?)((?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const clockPart = /(?<![\d.])(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g;

/** Longer texts are no durations: each part of one is work. */
const durationTextMax = 1024;

export function readDuration(text: string): Value {
  const isShort = text.length <= durationTextMax;
  const nanos = isShort ? (clockDuration(text) ?? spokenDuration(text)) : undefined;
  if (nanos === undefined) {
    throw evaluationError(`Invalid duration ${text}: unable to parse ${text} as duration`);
  }
  return new Duration(nanos);
}

/** `1h30m`, `-1.5s`, `0`. */
function clockDuration(text: string): bigint | undefined {
  if (/^[+-]?0$/.test(text)) return 0n;
  const sign = clockForm.exec(text)?.[1];
  if (sign === undefined) return undefined;
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(clockPart)) {
    const digits = fraction.slice(0, 18);
    const scale = 10n ** BigInt(digits.length);
    const factor = unitNanos.get(unit) as bigint;
    nanos += (BigInt(`0${whole.slice(0, 20)}${digits}`) * factor) / scale;
    if (nanos > largest) return undefined;
  }
  return sign === '-' ? -nanos : nanos;
}

const spokenUnits: readonly (readonly [nanos: bigint, exact: readonly string[], start: string])[] =
  [
    [1n, ['ns'], 'nano'],
    [1_000n, ['us', 'µs'], 'micro'],
    [1_000_000n, ['ms'], 'milli'],
    [nanosPerSecond, ['s'], 'sec'],
    [60n * nanosPerSecond, ['m'], 'min'],
    [3600n * nanosPerSecond, ['h', 'hr'], 'hour'],
    [24n * 3600n * nanosPerSecond, ['d'], 'day'],
    [7n * 24n * 3600n * nanosPerSecond, ['w', 'wk'], 'week'],
  ];

/** Looked for where digits begin only, not again at each of them. */
const spokenPart = /(?<!\d)(\d+)\s*([A-Za-zµ]+)/g;

/** `3 days`, `2 weeks 1 hour`. */
function spokenDuration(text: string): bigint | undefined {
  let nanos: bigint | undefined;
  for (const [, digits = '', unit = ''] of text.matchAll(spokenPart)) {
    if (digits.length > 19) return undefined;
    const lower = unit.toLowerCase();
    for (const [factor, exact, start] of spokenUnits) {
      if (!exact.includes(lower) && !lower.startsWith(start)) continue;
      nanos = BigInt.asIntN(64, (nanos ?? 0n) + BigInt(digits) * factor);
    }
  }
  return nanos;
}

const dateForm = /^(\d{4})-(\d{2})-(\d{2})$/;
const timeForm =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})?$/;

export function readDate(text: string): Value {
  const match = dateForm.exec(text);
  const seconds = match === null ? undefined : secondsOf(match, 0, 0, 0);
  if (seconds === undefined) {
    throw evaluationError(
      `Invalid date formatted string ${text}: it is not of the form 2006-01-02`,
    );
  }
  return new Timestamp(seconds, 0);
}

export function readDateTime(text: string): Value {
  if (text === '') return new Timestamp(0, 0);
  const match = timeForm.exec(text);
  const [hour, minute, second] = [4, 5, 6].map((part) => Number(match?.[part] ?? 99)) as [
    number,
    number,
    number,
  ];
  const local = match === null ? undefined : secondsOf(match, hour, minute, second);
  const offset = offsetOf(match?.[8] ?? 'Z');
  // Only a time of whole seconds may come without its zone.
  const zoneless = match?.[8] === undefined && match?.[7] !== undefined;
  if (match === null || local === undefined || offset === undefined || zoneless) {
    const form = 'it is not of the form 2006-01-02T15:04:05Z';
    throw evaluationError(`Invalid date-time formatted string ${text}: ${form}`);
  }
  const nanos = Number((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return new Timestamp(local - offset, nanos, offset);
}

/** Undefined: there is no such day or time. */
function secondsOf(
  match: RegExpExecArray,
  hour: number,
  minute: number,
  second: number,
): number | undefined {
  const [year, month, day] = [1, 2, 3].map((part) => Number(match[part])) as [
    number,
    number,
    number,
  ];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(Date.UTC(2000, 0, 1, hour, minute, second));
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return date.getTime() / 1000;
}

/** Seconds east of Greenwich. */
function offsetOf(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))];
  if (hours > 24 || minutes > 60) return undefined;
  const seconds = hours * 3600 + minutes * 60;
  return zone.startsWith('-') ? -seconds : seconds;
}

export function readBytes(text: string): Value {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text) || text.length % 4 !== 0) {
    throw evaluationError(`Invalid byte formatted string ${text}: illegal base64 data`);
  }
  return new Uint8Array(Buffer.from(text, 'base64'));
}

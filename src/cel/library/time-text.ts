/**
 * Timestamps and durations as text: RFC 3339, and `1h2m3.5s`. Time zones by name or as `-08:00`.
 */
import { quote } from '../../apimachinery/quote.ts';
import { lookup } from '../../stdx/lookup.ts';
import { evaluationError } from '../evaluation-error.ts';
import { durationOf, timestampOf } from '../evaluate/arithmetic.ts';
import { spendSteps } from '../evaluate/step-allowance.ts';
import type { Duration, Timestamp } from '../value.ts';

const timestampPattern =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

const daysIn = (year: number, month: number): number =>
  new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();

type DateParts = [
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
];

/** Seconds of a date and time in UTC; years from 0 on, which Date.UTC reads otherwise. */
function epochSeconds(parts: readonly number[]): number {
  const [year, month, day, hour, minute, second] = parts as DateParts;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return date.getTime() / 1000;
}

/** Undefined: this is no timestamp. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = timestampPattern.exec(text);
  if (match === null) return undefined;
  const parts = match.slice(1, 7).map(Number);
  const [year, month, day, hour, minute, second] = parts as DateParts;
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const [fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match.slice(7);
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60;
  const seconds = epochSeconds(parts) - (sign === '-' ? -offset : offset);
  const nanos = Number(fraction.slice(0, 9).padEnd(9, '0'));
  try {
    return timestampOf(seconds, nanos, sign === '-' ? -offset : offset);
  } catch {
    return undefined;
  }
}

const fractionText = (nanos: number): string =>
  nanos === 0
    ? ''
    : `.${String(nanos)
        .padStart(9, '0')
        .replace(/(?<!0)0+$/, '')}`;

export function timestampText({ seconds, nanos, offset }: Timestamp): string {
  const whole = new Date((seconds + offset) * 1000).toISOString();
  return `${whole.slice(0, whole.indexOf('.'))}${fractionText(nanos)}${zoneText(offset)}`;
}

function zoneText(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(offset) / 60;
  const two = (part: number): string => String(Math.floor(part)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

const unitNanos: Readonly<Record<string, bigint>> = lookup({
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
});

const durationPattern = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const partPattern = /(?<![\d.])(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g;

/** Longer texts are none: each part of one is work. */
const durationTextMax = 1024;
/** More digits than nanoseconds in the range have, so that no text takes long. */
const digitsMax = 40;

/** Undefined: this is no duration, or one that does not fit. */
export function parseDuration(text: string): Duration | undefined {
  if (text.length > durationTextMax || !durationPattern.test(text)) return undefined;
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(partPattern)) {
    if (whole.length > digitsMax) return undefined;
    const perUnit = unitNanos[unit] as bigint;
    total += BigInt(whole === '' ? 0 : whole) * perUnit;
    const digits = fraction.slice(0, digitsMax);
    total += (BigInt(digits === '' ? 0 : digits) * perUnit) / 10n ** BigInt(digits.length);
  }
  try {
    return durationOf(text.startsWith('-') ? -total : total);
  } catch {
    return undefined;
  }
}

/** In seconds: `3723.5s`. */
export function durationText({ nanos }: Duration): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = fractionText(Number(size % 1_000_000_000n));
  return `${nanos < 0n ? '-' : ''}${size / 1_000_000_000n}${fraction}s`;
}

const fields: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  era: 'short',
  hourCycle: 'h23',
};
/** By time zone. Policy: above `formatsMax` all are forgotten, and made again. */
const formats = new Map<string, Intl.DateTimeFormat>();
const formatsMax = 100;
/** Steps: the reference has one price for all functions. */
const workPerTimeInZone = 400;
const workPerZone = 40_000;
/** Of hours and minutes of an offset, with the sign. */
const offsetDigitsMax = 9;

/** Twice the longest there is. Longer names are none: each part of one is work. */
const zoneNameMax = 64;

/** Names of files, as the reference has them: `../x` is none, and upper and lower case matter. */
function checkZoneName(zone: string): void {
  if (/\.\.|^[/\\]|\\/.test(zone)) throw evaluationError('time: invalid location name');
  if (zone.length > zoneNameMax) throw evaluationError(`unknown time zone ${zone}`);
  const [area = '', ...places] = zone.split('/');
  const isNamed = [area, ...places].every((part) => /^[A-Z]/.test(part));
  const isLoud = places.length > 0 && area !== 'US' && area === area.toUpperCase();
  if (!isNamed || isLoud) throw evaluationError(`unknown time zone ${zone}`);
}

function zoneFormat(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  checkZoneName(zone);
  spendSteps(workPerZone);
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { ...fields, timeZone: zone });
  } catch {
    throw evaluationError(`unknown time zone ${zone}`);
  }
  if (formats.size >= formatsMax) formats.clear();
  formats.set(zone, format);
  return format;
}

/** The first zone of a process takes 15 ms: then the engine reads its tables. */
export function warmZones(): void {
  timeIn({ seconds: 0 }, warmZone);
}

const warmZone = 'Europe/London';

/** Any number of hours and minutes is an offset, as for the reference; its errors are Go's. */
function wholeNumber(text: string): number {
  const problem = (what: string): Error =>
    evaluationError(`strconv.Atoi: parsing ${quote(text)}: ${what}`);
  if (!/^[+-]?\d+$/.test(text)) throw problem('invalid syntax');
  if (text.length > offsetDigitsMax) throw problem('value out of range');
  return Number(text);
}

/** Seconds that a zone is ahead of UTC at this time. */
function zoneOffset(seconds: number, zone: string): number {
  const colon = zone.indexOf(':');
  if (colon >= 0) {
    const hours = wholeNumber(zone.slice(0, colon));
    const minutes = wholeNumber(zone.slice(colon + 1));
    return hours * 3600 + (zone.startsWith('-') ? -minutes : minutes) * 60;
  }
  spendSteps(workPerTimeInZone);
  const parts = new Map(
    zoneFormat(zone)
      .formatToParts(new Date(seconds * 1000))
      .map(({ type, value }) => [type, value]),
  );
  const names = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;
  const numbers = names.map((name) => Number(parts.get(name)));
  if (parts.get('era') === 'BC') numbers[0] = 1 - (numbers[0] as number);
  return epochSeconds(numbers) - seconds;
}

/** The date and time on the clocks of a zone, in the fields of UTC. */
export function timeIn({ seconds }: Pick<Timestamp, 'seconds'>, zone: string | undefined): Date {
  const isUtc = zone === undefined || zone === 'UTC' || zone === '' || zone === 'Local';
  return new Date((isUtc ? seconds : seconds + zoneOffset(seconds, zone)) * 1000);
}

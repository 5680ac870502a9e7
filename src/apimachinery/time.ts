/**
 * Time stamps as the API writes them: RFC 3339, UTC, whole seconds (spec 1, section 2.2).
 *
 *     2026-01-02T03:04:05Z
 *
 * It also reads what clients send, as leniently as the reference does: fractions of any length
 * after a point or a comma, an hour of one digit, offsets up to 24:60; anything else is refused.
 * Years are 0000 to 9999, in UTC.
 */
const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;
const MINUTE_MS = 60_000;

/** `epochMs` is cut, not rounded, to the second. */
export function formatRfc3339(epochMs: number): string {
  const second = Math.floor(epochMs / 1000);
  if (second !== lastSecond) {
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
    lastSecond = second;
  }
  return lastText;
}

/** Thousands of objects are made in one second; its text is made once. */
let lastSecond = NaN;
let lastText = '';

/** Six digits after the point: the form of MicroTime (leases, events, audit). */
export function formatRfc3339Micro(epochMs: number): string {
  const millis = new Date(epochMs).toISOString().slice(0, 23);
  return `${millis}000Z`;
}

/** Milliseconds since the epoch; undefined when the text is not RFC 3339 or no such day exists. */
export function parseRfc3339(text: string): number | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index] ?? '0');
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map(part) as SixNumbers;
  const [offsetHours, offsetMinutes] = [part(9), part(10)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 24 || offsetMinutes > 60) {
    return undefined;
  }
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  const millis = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  // Date.UTC() takes years below 100 for those of another century.
  const local = new Date(Date.UTC(2000, 0, 1, hour, minute, second, millis));
  local.setUTCFullYear(year, month - 1, day);
  const offsetMs = (offsetHours * 60 + offsetMinutes) * MINUTE_MS;
  const epochMs = local.getTime() + (match[8] === '-' ? offsetMs : -offsetMs);
  const utcYear = new Date(epochMs).getUTCFullYear();
  return utcYear < 0 || utcYear > 9999 ? undefined : epochMs;
}

/** What a text that parseRfc3339() accepts says below the second, cut to millionths. */
export function microsOfRfc3339(text: string): number {
  const digits = /[.,](\d+)/.exec(text)?.[1] ?? '';
  return Number(digits.slice(0, 6).padEnd(6, '0'));
}

type SixNumbers = [number, number, number, number, number, number];

function daysInMonth(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/**
 * Time stamps as the API writes them: RFC 3339, UTC, whole seconds (spec 1, section 2.2).
 *
 *     2026-01-02T03:04:05Z
 *
 * What it is not: a clock. It also reads what clients send: fractions and offsets are accepted,
 * anything else is refused. Years are 0000 to 9999.
 */
const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:Z|([+-])(\d{2}):(\d{2}))$/;

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
  const [hour, minute, second] = [part(4), part(5), part(6)];
  const [offsetHour, offsetMinute] = [part(8), part(9)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) {
    return undefined;
  }
  if (part(2) < 1 || part(2) > 12 || part(3) < 1) return undefined;
  if (part(3) > daysInMonth(part(1), part(2))) return undefined;
  return Date.parse(text);
}

function daysInMonth(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/**
 * Times as the two numbers that Protobuf carries, and back.
 *
 * Invariants: the zero time of the reference (the first second of the year 1) and the epoch are
 * "no time" on the wire, as they are there; JSON has years 0 to 9999 only.
 */
import { formatRfc3339, microsOfRfc3339, parseRfc3339 } from '../time.ts';

export interface Timestamp {
  /** Since the epoch. */
  readonly seconds: number;
  /** Behind the second, 0 to 999999. */
  readonly micros: number;
}

const zeroTimeSeconds = -62_135_596_800;
const firstSecond = -62_167_219_200;
const lastSecond = 253_402_300_799;

/** Undefined for what is no time, and for the zero time. */
export function timestampOf(text: string): Timestamp | undefined {
  const epochMs = parseRfc3339(text);
  if (epochMs === undefined) return undefined;
  const seconds = Math.floor(epochMs / 1000);
  const micros = microsOfRfc3339(text);
  return seconds === zeroTimeSeconds && micros === 0 ? undefined : { seconds, micros };
}

/** Text in whole seconds, or with six digits; undefined when there is no time; null when JSON has
 * no text for it. */
export function textOfTimestamp(
  { seconds, micros }: Timestamp,
  withMicros: boolean,
): string | undefined | null {
  if (micros === 0 && (seconds === 0 || seconds === zeroTimeSeconds)) return undefined;
  if (!(seconds >= firstSecond && seconds <= lastSecond)) return null;
  const text = formatRfc3339(seconds * 1000);
  return withMicros ? `${text.slice(0, -1)}.${String(micros).padStart(6, '0')}Z` : text;
}

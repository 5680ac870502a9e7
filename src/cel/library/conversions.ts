/**
 * Conversions between scalars: `int('12')`, `string(1.5)`, `timestamp(0)` ...
 */
import { evaluationError } from '../evaluation-error.ts';
import { timestampOf } from '../evaluate/arithmetic.ts';
import { canonicalInt, Double, Duration, Timestamp, Uint } from '../value.ts';
import type { Value } from '../value.ts';
import { durationText, parseDuration, parseTimestamp, timestampText } from './time-text.ts';

const range = (what: string): Error => evaluationError(`${what} overflow`);

const decimalPattern = /^[+-]?\d{1,20}$/;

function integerText(text: string, min: bigint, max: bigint): bigint | undefined {
  const trimmed = text.replace(/^([+-]?)0+(?=\d)/, '$1');
  if (!decimalPattern.test(trimmed)) return undefined;
  const value = BigInt(trimmed.replace(/^\+/, ''));
  return value >= min && value <= max ? value : undefined;
}

export function toInt(value: Value): Value {
  if (value instanceof Uint) {
    if (typeof value.value === 'bigint' && value.value > 2n ** 63n - 1n) throw range('integer');
    return value.value;
  }
  if (value instanceof Double) {
    // The limits themselves are doubles that are no int, or not for certain.
    if (!(value.value > -(2 ** 63) && value.value < 2 ** 63)) throw range('integer');
    const whole = Math.trunc(value.value);
    return Number.isSafeInteger(whole) ? whole + 0 : canonicalInt(BigInt(whole));
  }
  if (value instanceof Timestamp) return value.seconds;
  if (value instanceof Duration) return canonicalInt(value.nanos);
  const parsed = integerText(value as string, -(2n ** 63n), 2n ** 63n - 1n);
  if (parsed === undefined) throw notOf('int');
  return canonicalInt(parsed);
}

/** The text itself is not named. */
const notOf = (type: string): Error =>
  evaluationError(`type conversion error from 'string' to '${type}'`);

export function toUint(value: Value): Value {
  if (typeof value === 'number' || typeof value === 'bigint') {
    if (value < 0) throw range('unsigned integer');
    return new Uint(value);
  }
  if (value instanceof Double) {
    if (!(value.value >= 0 && value.value < 2 ** 64)) throw range('unsigned integer');
    return new Uint(canonicalInt(BigInt(Math.trunc(value.value))));
  }
  const text = value as string;
  const parsed = /^[+-]/.test(text) ? undefined : integerText(text, 0n, 2n ** 64n - 1n);
  if (parsed === undefined) throw notOf('uint');
  return new Uint(canonicalInt(parsed));
}

const doublePattern = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const infinities = /^([+-]?)inf(?:inity)?$/i;

export function toDouble(value: Value): Value {
  if (typeof value === 'number' || typeof value === 'bigint') return new Double(Number(value));
  if (value instanceof Uint) return new Double(Number(value.value));
  const text = value as string;
  const infinite = infinities.exec(text);
  if (infinite !== null) return new Double(infinite[1] === '-' ? -Infinity : Infinity);
  if (/^nan$/i.test(text)) return new Double(Number.NaN);
  const number = doublePattern.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(number)) throw notOf('double');
  return new Double(number);
}

/** As the reference prints a double: the shortest text that reads back, exponent from 1e6 on. */
function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '-Inf' : '+Inf';
  if (Object.is(value, -0)) return '-0';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return String(value);
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function bytesText(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    throw evaluationError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

export function toText(value: Value): Value {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
    return String(value);
  }
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Double) return doubleText(value.value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  return value instanceof Uint8Array ? bytesText(value) : value;
}

const truths = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const falsehoods = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

export function toBool(value: Value): Value {
  if (truths.has(value as string)) return true;
  if (falsehoods.has(value as string)) return false;
  throw notOf('bool');
}

export function toTimestamp(value: Value): Value {
  if (typeof value === 'number' || typeof value === 'bigint') {
    return timestampOf(Number(value), 0);
  }
  const parsed = parseTimestamp(value as string);
  if (parsed === undefined) throw notOf('google.protobuf.Timestamp');
  return parsed;
}

export function toDuration(value: Value): Value {
  const parsed = parseDuration(value as string);
  if (parsed === undefined) throw notOf('google.protobuf.Duration');
  return parsed;
}

export const toBytes = (value: Value): Value => new TextEncoder().encode(value as string);

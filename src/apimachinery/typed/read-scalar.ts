/**
 * Single values as their types want them: what is accepted, and in which form it goes on
 * (spec 1, section 4.8 rule 1).
 *
 * Elsewhere: the walk over objects; see conform.ts, which knows the path of a value.
 *
 * Invariants: a reader gives back the very value when its form is right already. Integers keep
 * their digits. A reader throws WrongType for a value that its type cannot hold, and no other
 * error. A number in whole seconds or micros keeps its instant; parts of it that the type cannot
 * hold are cut off. MicroTime takes any fraction up to nine digits, more than the reference does.
 */
import { unreachable } from '../../stdx/assert.ts';
import { withoutLineEnds } from '../../stdx/text-units.ts';
import { canonicalQuantity } from '../quantity.ts';
import { quote } from '../quote.ts';
import { formatRfc3339, microsOfRfc3339, parseRfc3339 } from '../time.ts';
import type { JsonValue } from '../unstructured.ts';
import type { ScalarKind } from './type-schema.ts';

/** Thrown by readers, caught by whoever started the walk. */
export class WrongType extends Error {
  readonly expected: string;
  readonly found: JsonValue;

  constructor(expected: string, found: JsonValue) {
    super('');
    this.expected = expected;
    this.found = found;
  }
}

/** Never called with null: what null means depends on where it stands. */
export type ScalarReader = (value: JsonValue) => JsonValue;

export function scalarReader(scalar: ScalarKind): ScalarReader {
  switch (scalar) {
    case 'string':
      return readString;
    case 'boolean':
      return readBoolean;
    case 'int32':
      return readInt32;
    case 'int64':
      return readInt64;
    case 'double':
      return readDouble;
    case 'bytes':
      return readBytes;
    case 'Quantity':
      return readQuantity;
    case 'IntOrString':
      return readIntOrString;
    case 'Time':
      return readTime;
    case 'MicroTime':
      return readMicroTime;
    case 'RawExtension':
    case 'JSON':
    case 'any':
      return readAnything;
    default:
      return unreachable(scalar);
  }
}

/** What a value is that was never given; undefined for a type that has no such value in JSON. */
export function zeroOfScalar(scalar: ScalarKind): JsonValue | undefined {
  switch (scalar) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
    case 'IntOrString':
      return 0;
    case 'Quantity':
      return '0';
    case 'bytes':
    case 'Time':
    case 'MicroTime':
    case 'RawExtension':
    case 'JSON':
    case 'any':
      return undefined;
    default:
      return unreachable(scalar);
  }
}

function readString(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value;
  throw new WrongType('a string', value);
}

function readBoolean(value: JsonValue): JsonValue {
  if (typeof value === 'boolean') return value;
  throw new WrongType('a boolean', value);
}

const int64Max = 2n ** 63n - 1n;

function isInt32(value: JsonValue): value is number {
  return typeof value === 'number' && (value | 0) === value;
}

function readInt32(value: JsonValue): JsonValue {
  if (isInt32(value)) return value;
  throw new WrongType('an integer of 32 bits', value);
}

function readInt64(value: JsonValue): JsonValue {
  if (Number.isSafeInteger(value)) return value;
  if (typeof value === 'bigint' && value <= int64Max && value >= -int64Max - 1n) return value;
  throw new WrongType('an integer of 64 bits', value);
}

function readDouble(value: JsonValue): JsonValue {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  throw new WrongType('a number', value);
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Line breaks inside are skipped; the bits behind the last byte become zero. */
function readBytes(value: JsonValue): JsonValue {
  if (typeof value !== 'string') throw new WrongType('base64 text', value);
  if (value === '') return value;
  const text = withoutLineEnds(value);
  if (text.length % 4 !== 0 || !base64.test(text)) throw new WrongType('base64 text', value);
  if (!text.endsWith('=')) return text;
  const last = text.slice(-4);
  const canonical = Buffer.from(last, 'base64').toString('base64');
  return canonical === last ? text : text.slice(0, -4) + canonical;
}

const quantityForm = 'a quantity such as 500m, 2 or 1Gi';

function readQuantity(value: JsonValue): JsonValue {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (!isNumber && typeof value !== 'string') throw new WrongType(quantityForm, value);
  const canonical = canonicalQuantity(isNumber ? String(value) : value.trim());
  if (canonical === undefined) throw new WrongType(quantityForm, value);
  return canonical;
}

function readIntOrString(value: JsonValue): JsonValue {
  if (typeof value === 'string' || isInt32(value)) return value;
  throw new WrongType('an integer of 32 bits or a string', value);
}

function readTime(value: JsonValue): JsonValue {
  const epochMs = typeof value === 'string' ? parseRfc3339(value) : undefined;
  if (epochMs !== undefined) return formatRfc3339(epochMs);
  throw new WrongType('an RFC 3339 time', value);
}

function readMicroTime(value: JsonValue): JsonValue {
  const epochMs = typeof value === 'string' ? parseRfc3339(value) : undefined;
  if (epochMs === undefined) throw new WrongType('an RFC 3339 time', value);
  const micros = String(microsOfRfc3339(value as string)).padStart(6, '0');
  return `${formatRfc3339(epochMs).slice(0, -1)}.${micros}Z`;
}

function readAnything(value: JsonValue): JsonValue {
  return value;
}

/** Characters of a value in a message. */
const shownMax = 64;

/** `quotes`: the value may be shown. */
export function describeFound(value: JsonValue, quotes: boolean): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (!quotes && typeof value !== 'object') return unquoted(value);
  switch (typeof value) {
    case 'string':
      return quote(value.length > shownMax ? `${value.slice(0, shownMax)}...` : value);
    case 'number':
    case 'bigint':
      return `the number ${String(value).slice(0, shownMax)}`;
    case 'boolean':
      return String(value);
    default:
      return 'an object';
  }
}

function unquoted(value: string | number | bigint | boolean): string {
  if (typeof value === 'string') return 'another text';
  return typeof value === 'boolean' ? 'a boolean' : 'a number';
}

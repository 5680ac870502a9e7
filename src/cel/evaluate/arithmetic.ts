/**
 * Integers of 64 bits. A sum or product of numbers that stays a safe integer is exact; what does
 * not is done again with bigint, and checked against the range.
 */
import { evaluationError } from '../evaluation-error.ts';
import { canonicalInt, Double, Duration, Timestamp, Uint } from '../value.ts';
import type { Value } from '../value.ts';
import { codePointCount } from './text.ts';

type Int = number | bigint;

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
const uint64Max = 2n ** 64n - 1n;

const overflow = (what: string): Error => evaluationError(`${what} overflow`);

function int(value: bigint): Int {
  if (value < int64Min || value > int64Max) throw overflow('integer');
  return canonicalInt(value);
}

function uint(value: bigint): Uint {
  if (value < 0n || value > uint64Max) throw overflow('unsigned integer');
  return new Uint(canonicalInt(value));
}

type Operator = '+' | '-' | '*' | '/' | '%';

const divisionByZero = (operator: Operator): Error =>
  evaluationError(operator === '/' ? 'division by zero' : 'modulus by zero');

function big(operator: Operator, a: bigint, b: bigint): bigint {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return a % b;
  }
}

const bigInt = (operator: Operator, a: Int, b: Int): Int => {
  // The one remainder that the machine of the reference cannot take either.
  if (operator === '%' && b === -1 && BigInt(a) === int64Min) throw overflow('integer');
  return int(big(operator, BigInt(a), BigInt(b)));
};

export function addInts(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return bigInt('+', a, b);
}

export function subtractInts(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return bigInt('-', a, b);
}

export function multiplyInts(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    // + 0: there is no negative zero among ints.
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return bigInt('*', a, b);
}

export function divideInts(a: Int, b: Int): Int {
  if (b === 0) throw divisionByZero('/');
  if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) + 0;
  return bigInt('/', a, b);
}

export function remainderInts(a: Int, b: Int): Int {
  if (b === 0) throw divisionByZero('%');
  if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0;
  return bigInt('%', a, b);
}

export function negateInt(a: Int): Int {
  return typeof a === 'number' ? 0 - a : int(-a);
}

export function uintArithmetic(operator: Operator, a: Uint, b: Uint): Uint {
  if ((operator === '/' || operator === '%') && b.value === 0) throw divisionByZero(operator);
  return uint(big(operator, BigInt(a.value), BigInt(b.value)));
}

export function doubleArithmetic(operator: Operator, a: Double, b: Double): Double {
  switch (operator) {
    case '+':
      return new Double(a.value + b.value);
    case '-':
      return new Double(a.value - b.value);
    case '*':
      return new Double(a.value * b.value);
    default:
      return new Double(a.value / b.value);
  }
}

export function durationOf(nanos: bigint): Duration {
  if (nanos < int64Min || nanos > int64Max) throw overflow('integer');
  return new Duration(nanos);
}

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const secondsMin = -62_135_596_800;
const secondsMax = 253_402_300_799;
const nanosPerSecond = 1_000_000_000n;

export function timestampOf(seconds: number, nanos: number, offset = 0): Timestamp {
  if (seconds < secondsMin || seconds > secondsMax) throw overflow('timestamp');
  return new Timestamp(seconds, nanos, offset);
}

export function timestampPlus(time: Timestamp, nanos: bigint): Timestamp {
  const total = BigInt(time.seconds) * nanosPerSecond + BigInt(time.nanos) + nanos;
  let seconds = total / nanosPerSecond;
  let rest = total % nanosPerSecond;
  if (rest < 0n) {
    rest += nanosPerSecond;
    seconds -= 1n;
  }
  return timestampOf(Number(seconds), Number(rest), time.offset);
}

export function timestampDifference(a: Timestamp, b: Timestamp): Duration {
  const seconds = BigInt(a.seconds) - BigInt(b.seconds);
  return durationOf(seconds * nanosPerSecond + BigInt(a.nanos - b.nanos));
}

/** No text is longer: the engine refuses it, and says so in its own words. */
const textMax = 2 ** 28;

export function joinText(a: string, b: string): string {
  if (a.length + b.length > textMax) throw evaluationError('string too long');
  return a + b;
}

export function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

/** What `size()` gives where there is one, else 1: what prices are counted by. */
export function scalarSize(value: Value): number {
  if (typeof value === 'string') return codePointCount(value);
  return value instanceof Uint8Array ? value.length : 1;
}

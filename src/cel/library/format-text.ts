/**
 * `'%d of %s'.format([1, x])`: the clauses %s %d %f %e %b %x %X %o %%, with a precision for %f and
 * %e.
 *
 * There are two styles. `plain` is that of the language's specification: `[a, 3.14]`. `literal` is
 * that of the second version of the strings library, which releases up to 1.33 have: inside lists
 * and maps values are written as literals, `["a", 3.140000]`, and numbers are grouped: `1,234.500`.
 *
 * Bounds: precision `precisionMax`; what is written at most `resultMax`; depth by the budget that
 * made the value.
 */
import { quote } from '../../apimachinery/quote.ts';
import { evaluationError } from '../evaluation-error.ts';
import { typeOf } from '../evaluate/run-time-type.ts';
import { adapt, Double, Duration, ListValue, MapValue, Timestamp, Uint } from '../value.ts';
import type { PlainMap, Value } from '../value.ts';
import { elementsOf } from './lists-library.ts';
import { spendSteps } from '../evaluate/step-allowance.ts';
import { checkResultSize } from './string-functions.ts';

/** Of a list or a map that is printed: what is printed is not in the price. */
const workPerPart = 384;
import { toText } from './conversions.ts';
import { fixedText, groupThousands, scientificText } from './number-text.ts';
import { Type } from '../type.ts';

export type FormatStyle = 'plain' | 'literal';

const precisionMax = 100;
const defaultPrecision = 6;

export function formatText(format: string, values: Value, style: FormatStyle): string {
  const args = [...elementsOf(values)];
  const parts: string[] = [];
  let [next, size, from] = [0, 0, 0];
  for (let at = format.indexOf('%'); at >= 0; at = format.indexOf('%', from)) {
    const clause = readClause(format, at + 1);
    let text = '%';
    if (clause.letter !== '%') {
      const value = args[next];
      if (value === undefined) throw evaluationError(`index ${next} out of range`);
      next += 1;
      text = formatClause(clause, value, style);
    }
    parts.push(format.slice(from, at), text);
    size += at - from + text.length;
    checkResultSize(size, 'format');
    from = clause.end;
  }
  parts.push(format.slice(from));
  return parts.join('');
}

interface Clause {
  readonly letter: string;
  readonly precision: number | undefined;
  readonly end: number;
}

const clauseForm = /(?:\.(\d*))?([\s\S]?)/y;

function readClause(format: string, at: number): Clause {
  clauseForm.lastIndex = at;
  const [text = '', digits, letter = ''] = clauseForm.exec(format) ?? [];
  if (letter === '') throw evaluationError('unexpected end of string');
  if (!'sdfebxXo%'.includes(letter) || (letter === '%' && digits !== undefined)) {
    const where = 'could not parse formatting clause: unrecognized formatting clause';
    throw evaluationError(`${where} ${quote(letter)}`);
  }
  const precision = digits === undefined ? undefined : Number(digits);
  if (precision !== undefined && precision > precisionMax) {
    throw evaluationError(`precision ${precision} exceeds limit of ${precisionMax}`);
  }
  return { letter, precision, end: at + text.length };
}

function formatClause({ letter, precision }: Clause, value: Value, style: FormatStyle): string {
  const digits = precision ?? defaultPrecision;
  switch (letter) {
    case 's':
      return stringClause(value, style);
    case 'd':
      return decimalClause(value, style);
    case 'f': {
      const number = numberFor(value, style, 'fixed-point');
      if (!Number.isFinite(number)) return notFinite(number, style);
      const text = fixedText(style === 'literal' ? unsignedZero(number) : number, digits);
      return style === 'literal' ? groupThousands(text) : text;
    }
    case 'e': {
      const number = numberFor(value, style, 'scientific');
      if (!Number.isFinite(number)) return notFinite(number, style);
      const text = scientificText(style === 'literal' ? unsignedZero(number) : number, digits);
      return style === 'literal' ? printedExponent(text) : text;
    }
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return radixText(value, 2, 'only integers and bools can be formatted as binary');
    case 'o':
      return radixText(value, 8, 'octal clause can only be used on integers');
    case 'x':
      return hexClause(value);
    default:
      return hexClause(value).toUpperCase();
  }
}

/** Numbers that are printed for people have no negative zero. */
const unsignedZero = (number: number): number => (number === 0 ? 0 : number);

function wrongType(rule: string, value: Value): Error {
  return evaluationError(`error during formatting: ${rule}, was given ${typeOf(value).name}`);
}

function integerOf(value: Value): bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(value);
  return value instanceof Uint ? BigInt(value.value) : undefined;
}

function radixText(value: Value, radix: number, rule: string): string {
  const integer = integerOf(value);
  if (integer === undefined) throw wrongType(rule, value);
  return integer.toString(radix);
}

function hexClause(value: Value): string {
  if (typeof value === 'string') return Buffer.from(value, 'utf8').toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  const rule = 'only integers, byte buffers, and strings can be formatted as hex';
  return radixText(value, 16, rule);
}

function decimalClause(value: Value, style: FormatStyle): string {
  if (style === 'plain' && value instanceof Double && !Number.isFinite(value.value)) {
    return String(value.value);
  }
  return radixText(value, 10, 'decimal clause can only be used on integers');
}

function numberFor(value: Value, style: FormatStyle, clause: string): number {
  if (value instanceof Double) return value.value;
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
  const integer = style === 'plain' ? integerOf(value) : undefined;
  if (integer !== undefined) return Number(integer);
  throw wrongType(`${clause} clause can only be used on doubles`, value);
}

function notFinite(number: number, style: FormatStyle): string {
  return style === 'plain' ? String(number) : String(number).replace('Infinity', '∞');
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** `2.7e+00` as people print it: 2.7×10⁰⁰. */
function printedExponent(text: string): string {
  const [mantissa = '', sign = '', exponent = ''] = /^(.*)e([+-])(\d+)$/.exec(text)?.slice(1) ?? [];
  const raised = exponent.replace(/\d/g, (digit) => superscripts.charAt(Number(digit)));
  return `${mantissa}×10${sign === '-' ? '⁻' : ''}${raised}`;
}

function stringClause(value: Value, style: FormatStyle): string {
  if (value === null) return 'null';
  if (Array.isArray(value) || value instanceof ListValue) return listText(value, style);
  if (value instanceof MapValue || isPlainMap(value)) return mapText(value, style);
  const text = scalarText(value);
  if (text !== undefined) return text;
  const rule =
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, ' +
    'durations, and timestamps';
  throw wrongType(rule, value);
}

function isPlainMap(value: Value): value is PlainMap {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function scalarText(value: Value): string | undefined {
  if (value instanceof Type) return value.name;
  const text = toText(value);
  return typeof text === 'string' ? text : undefined;
}

/** Inside a list or a map. */
function innerText(value: Value, style: FormatStyle): string {
  const text = stringClause(value, style);
  if (style === 'plain') return text;
  if (typeof value === 'string') return quote(text);
  if (value instanceof Uint8Array) return `b${quote(text)}`;
  if (value instanceof Timestamp) return `timestamp(${quote(text)})`;
  if (value instanceof Duration) return `duration(${quote(text)})`;
  if (!(value instanceof Double)) return text;
  return Number.isFinite(value.value) ? fixedText(value.value, defaultPrecision) : quote(text);
}

function listText(list: Value, style: FormatStyle): string {
  const parts: string[] = [];
  let size = 0;
  for (const element of elementsOf(list)) {
    const text = innerText(element, style);
    spendSteps(workPerPart + text.length);
    size += text.length + 2;
    checkResultSize(size, 'format');
    parts.push(text);
  }
  return `[${parts.join(', ')}]`;
}

function mapText(map: MapValue | PlainMap, style: FormatStyle): string {
  const entries: [key: string, value: string][] = [];
  let size = 0;
  for (const [key, value] of entriesOf(map)) {
    const texts: [string, string] = [innerText(key, style), innerText(value, style)];
    spendSteps(workPerPart + texts[1].length);
    size += texts[0].length + texts[1].length + 4;
    checkResultSize(size, 'format');
    entries.push(texts);
  }
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const between = style === 'plain' ? ': ' : ':';
  return `{${entries.map(([key, value]) => key + between + value).join(', ')}}`;
}

function* entriesOf(map: MapValue | PlainMap): Generator<[key: Value, value: Value]> {
  if (map instanceof MapValue) {
    for (const key of map.keys()) yield [key, map.find(key) ?? null];
  } else {
    for (const [key, value] of Object.entries(map)) yield [key, adapt(value)];
  }
}

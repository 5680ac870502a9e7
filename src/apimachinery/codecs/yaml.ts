/**
 * YAML bodies to values, and values to YAML responses (spec 1, section 4.3).
 *
 * A body is one document. Tokens, grammar and values have their files (yaml-tokens.ts,
 * yaml-grammar.ts, yaml-values.ts). Scalars mean what yaml-scalars.ts says. A body that is JSON
 * takes JSON's way, which is faster.
 *
 * It is read by our own reader, because the libraries at hand recurse by nesting, collect every
 * error of a text, or take a second a megabyte; a body is what any caller sends, and everybody
 * waits while it is read. Here one pass reads it, in any number of turns, and ends at the first
 * error.
 *
 * Writing: block style, keys in the value's own order. What is written reads back as the same
 * value here and with any reader of YAML 1.1 or 1.2. A string is left unquoted only when no reader
 * can take it for anything else, becomes a literal block when it is plain text of several lines,
 * and is double-quoted otherwise; JSON's quoted strings are YAML's.
 */
import { isUtf8 } from 'node:buffer';
import { joined } from '../../stdx/joined-bytes.ts';
import { finished } from '../../stdx/stepwise.ts';
import { TextUnits, withEscapes } from '../../stdx/text-units.ts';
import { decodeTrustedText } from '../object-encoding.ts';
import { newBadRequest } from '../status-error.ts';
import { isJsonObject } from '../unstructured.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import { TooManyValues, bodyDepthMax, bodyValuesMax, newTooManyValues } from './body-bounds.ts';
import { jsonSteps } from './json.ts';
import type { DecodeOptions, Decoded } from './json.ts';
import { YamlRefusal } from './yaml-cursor.ts';
import { YamlGrammar } from './yaml-grammar.ts';
import { needsQuotes } from './yaml-scalars.ts';
import { TokenReader } from './yaml-tokens.ts';
import { YamlValues } from './yaml-values.ts';

export function decodeYaml(bytes: Uint8Array, options?: DecodeOptions): Decoded {
  return finished(yamlSteps(bytes, options, stepsMax));
}

/** decodeYaml() in parts, of so many steps of the grammar each, if no scalar is long, and of about
 * `charactersPerPart`. */
export function* yamlSteps(
  bytes: Uint8Array,
  options?: DecodeOptions,
  steps = partSteps,
): Generator<undefined, Decoded> {
  if (isJsonLike(bytes)) {
    const json = yield* jsonSteps(bytes, options);
    if (json.kind === 'value') return json;
    yield;
  }
  const reading = yield* startReading(bytes, valuesMaxOf(options));
  if ('kind' in reading) return reading;
  try {
    do yield;
    while (!reading.grammar.run(steps, charactersPerPart));
    return complete(reading);
  } catch (error) {
    return refusalOf(error, valuesMaxOf(options));
  }
}

function isJsonLike(bytes: Uint8Array): boolean {
  return bytes[0] === 0x7b || bytes[0] === 0x5b;
}

interface Reading {
  readonly grammar: YamlGrammar;
  readonly values: YamlValues;
}

/** No bound: for who wants all of it in one part. */
const stepsMax = 1 << 30;
/** Steps of the grammar in one part: some tenths of a millisecond. */
const partSteps = 128;

/** Characters in one part: a millisecond or two where scalars are of some thousands. */
const charactersPerPart = 64 * 1024;

/** Characters that are searched before others have their turn. */
const searchedAtOnce = 256 * 1024;

/** NUL and its like, which no YAML holds: the reader below ends its text with one. */
const controlCharacter = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]/;

function* startReading(
  bytes: Uint8Array,
  valuesMax: number,
): Generator<undefined, Reading | Decoded> {
  if (!isUtf8(bytes)) return refused('the body is not valid UTF-8');
  yield;
  const text = decodeTrustedText(bytes);
  for (let from = 0; from < text.length; from += searchedAtOnce) {
    yield;
    if (controlCharacter.test(text.slice(from, from + searchedAtOnce))) {
      return refused('the body is not valid YAML: control characters are not allowed');
    }
  }
  const values = new YamlValues(valuesMax);
  return { grammar: new YamlGrammar(new TokenReader(text, bodyDepthMax), values), values };
}

function complete({ values }: Reading): Decoded {
  const { duplicates, value } = values;
  const [paths, places] = [[...duplicates.keys()], [...duplicates.values()]];
  return { kind: 'value', value, duplicates: paths, duplicatePlaces: places };
}

function valuesMaxOf(options: DecodeOptions | undefined): number {
  return options?.valuesMax ?? bodyValuesMax;
}

function refusalOf(error: unknown, valuesMax: number): Decoded {
  if (error instanceof YamlRefusal) return refused(error.message);
  if (error instanceof TooManyValues)
    return { kind: 'refused', error: newTooManyValues(valuesMax) };
  throw error;
}

function refused(message: string): Decoded {
  return { kind: 'refused', error: newBadRequest(message) };
}

export function encodeYaml(value: JsonValue): Uint8Array {
  return finished(encodeYamlSteps(value));
}

/** encodeYaml() in parts. */
export function* encodeYamlSteps(value: JsonValue): Generator<undefined, Uint8Array> {
  const out: Output = { parts: [], text: '', linesLeft: linesPerStep };
  if (isFlow(value)) out.text = `${formatScalar(value, '')}\n`;
  else yield* writeBlock(out, value, '', '');
  return yield* joined([...out.parts, Buffer.from(out.text, 'utf8')]);
}

interface Output {
  /** Those that are complete: of many megabytes of text, to make bytes is long by itself. */
  readonly parts: Uint8Array[];
  /** Of the part in hand. */
  text: string;
  linesLeft: number;
}

/** Each takes some microseconds. */
const linesPerStep = 500;
/** Characters between two yields; each takes some nanoseconds. */
const charactersPerStep = 256 * 1024;

/** A text of one line, as a value stands behind its key. */
export function yamlScalar(text: string): string {
  return formatScalar(text, '');
}

type Block = JsonObject | readonly JsonValue[];

/** Scalars and empty collections stand on the line of their key. */
function isFlow(value: JsonValue): value is Exclude<JsonValue, Block> {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  const members = value as JsonObject;
  for (const name in members) if (members[name] !== undefined) return false;
  return true;
}

/** `first` is what stands before the first line instead of `indent`: the dash of an item. */
function* writeBlock(
  out: Output,
  value: JsonValue,
  indent: string,
  first: string,
): Generator<undefined, void> {
  let lead = first;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) {
      if (isFlow(item)) {
        const text = isLongLiteral(item)
          ? yield* literalSteps(item, indent)
          : formatScalar(item, indent);
        out.text += `${lead}- ${text}\n`;
      } else yield* writeBlock(out, item, `${indent}  `, `${lead}- `);
      lead = indent;
      if (endsStep(out)) yield;
    }
    return;
  }
  const members = value as JsonObject;
  for (const key of Object.keys(members)) {
    const item = members[key];
    if (item === undefined) continue;
    if (isFlow(item)) {
      const text = isLongLiteral(item)
        ? yield* literalSteps(item, indent)
        : formatScalar(item, indent);
      out.text += `${lead}${formatKey(key, indent)}: ${text}\n`;
    } else {
      out.text += `${lead}${formatKey(key, indent)}:\n`;
      // Items of a list stand under their key, those of a map two spaces in.
      const inner = isJsonObject(item) ? `${indent}  ` : indent;
      yield* writeBlock(out, item, inner, inner);
    }
    lead = indent;
    if (endsStep(out)) yield;
  }
}

function endsStep(out: Output): boolean {
  out.linesLeft -= 1;
  if (out.linesLeft > 0 && out.text.length < charactersPerStep) return false;
  out.parts.push(Buffer.from(out.text, 'utf8'));
  out.text = '';
  out.linesLeft = linesPerStep;
  return true;
}

/** YAML readers give up on an implicit key after 1024 characters. */
const implicitKeyLengthMax = 1000;

function formatKey(key: string, indent: string): string {
  const text = isPlainSafe(key) ? key : quote(key);
  return text.length <= implicitKeyLengthMax ? text : `? ${text}\n${indent}`;
}

function formatScalar(value: JsonValue, indent: string): string {
  if (typeof value === 'string') {
    if (isPlainSafe(value)) return value;
    return isLiteralText(value) ? formatLiteral(value, indent) : quote(value);
  }
  if (typeof value === 'bigint') return value.toString();
  // null, booleans, numbers, {} and []
  return JSON.stringify(value);
}

const plainWord =
  /^[A-Za-z0-9_/.+-](?:[A-Za-z0-9_/.+@=-]|[ ](?=[A-Za-z0-9_/.+])|:(?=[A-Za-z0-9_/.+-]))*$/;
/** Most names and words: too long for one that means something, and no letter begins a number. */
const plainName = /^[A-DF-Za-df-z][A-Za-z0-9_/.-]{5,127}$/;
/** Some readers take an exponent alone for a number. */
const lenientNumber = /^[eE][-+]?[0-9]+$/;
/** Marks and signs at the start mean something to one reader or another; quoted, they do not. */
const markerStart = /^[-+.]/;

function isPlainSafe(text: string): boolean {
  if (plainName.test(text)) return true;
  if (text.length > 512 || !plainWord.test(text) || markerStart.test(text)) return false;
  // Time stamps and base-60 numbers are strings to us, but not to every reader.
  if (/^[-+]?[0-9]/.test(text) && /[-:]/.test(text)) return false;
  return !lenientNumber.test(text) && !needsQuotes(text);
}

const notLiteral = /[^\n\x20-\x7e\u00a1-\u2027\u202a-\ud7ff]|^[ \n]| \n| $|\n\n$/;

/** Several lines of printable text without blanks at the start or at the end of a line. */
function isLiteralText(text: string): boolean {
  return text.includes('\n') && !notLiteral.test(text);
}

/** Of a literal block before others have their turn. */
const literalPartLength = 64 * 1024;

function isLongLiteral(value: JsonValue): value is string {
  return typeof value === 'string' && value.length > literalPartLength && isLiteralText(value);
}

function formatLiteral(text: string, indent: string): string {
  return finished(literalSteps(text, indent));
}

/** Lines that are not empty are indented. */
function* literalSteps(text: string, indent: string): Generator<undefined, string> {
  const inner = `${indent}  `;
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  const units = new TextUnits();
  let isAtStart = true;
  let partEnd = literalPartLength;
  for (let at = 0; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (isAtStart && code !== lineFeed) units.addAll(inner);
    units.add(code);
    isAtStart = code === lineFeed;
    if (at < partEnd) continue;
    partEnd = at + literalPartLength;
    yield;
  }
  return `${end < text.length ? '|' : '|-'}\n${units.text}`;
}

const lineFeed = 0x0a;
/** What YAML 1.1 takes for a line break, or forbids. */
const unsafeInQuotes = /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/;

/** JSON's form, with these characters written as escapes. */
function quote(text: string): string {
  const quoted = JSON.stringify(text);
  return unsafeInQuotes.test(quoted) ? withEscapes(quoted, isUnsafeInQuotes) : quoted;
}

function isUnsafeInQuotes(code: number): boolean {
  if (code < 0x2028) return code >= 0x7f && code <= 0xa0;
  return code <= 0x2029 || code === 0xfeff || code >= 0xfffe;
}

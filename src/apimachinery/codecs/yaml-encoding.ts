/**
 * Values to YAML responses (spec 1, section 4.3): block style, keys in the value's own order.
 *
 * What it is not: configurable. Reading YAML is in yaml.ts.
 *
 * Invariants: what is written reads back as the same value with yaml.ts and with any reader of
 * YAML 1.1 or 1.2. A string is left unquoted only when no reader can take it for anything else,
 * becomes a literal block when it is plain text of several lines, and is double-quoted otherwise;
 * JSON's quoted strings are YAML's. Recursion is bounded by what decoding let in.
 */
import type { JsonObject, JsonValue } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';
import { needsQuotes } from './yaml-scalars.ts';

export function encodeYaml(value: JsonValue): Uint8Array {
  const out: string[] = [];
  if (isFlow(value)) out.push(formatScalar(value, ''), '\n');
  else writeBlock(out, value, '', '');
  return Buffer.from(out.join(''), 'utf8');
}

type Block = JsonObject | readonly JsonValue[];

/** Scalars and empty collections stand on the line of their key. */
function isFlow(value: JsonValue): value is Exclude<JsonValue, Block> {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return Object.values(value).every((item) => item === undefined);
}

/** `first` is what stands before the first line instead of `indent`: the dash of an item. */
function writeBlock(out: string[], value: JsonValue, indent: string, first: string): void {
  let lead = first;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) {
      writeItem(out, item, indent, lead);
      lead = indent;
    }
    return;
  }
  for (const [key, item] of Object.entries(value as JsonObject)) {
    if (item === undefined) continue;
    writeEntry(out, key, item, indent, lead);
    lead = indent;
  }
}

function writeItem(out: string[], item: JsonValue, indent: string, lead: string): void {
  if (isFlow(item)) out.push(lead, '- ', formatScalar(item, indent), '\n');
  else writeBlock(out, item, `${indent}  `, `${lead}- `);
}

function writeEntry(
  out: string[],
  key: string,
  item: JsonValue,
  indent: string,
  lead: string,
): void {
  out.push(lead, formatKey(key, indent), ':');
  if (isFlow(item)) {
    out.push(' ', formatScalar(item, indent), '\n');
  } else {
    out.push('\n');
    // Items of a list stand under their key, those of a map two spaces in.
    const inner = isJsonObject(item) ? `${indent}  ` : indent;
    writeBlock(out, item, inner, inner);
  }
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
/** Dashes and dots at the start are markers, a question of position; quoted, they are none. */
const markerStart = /^(?:[-.]|\?)/;

function isPlainSafe(text: string): boolean {
  if (text.length > 512 || !plainWord.test(text) || markerStart.test(text)) return false;
  // Time stamps and base-60 numbers are strings to us, but not to every reader.
  if (/^[-+]?[0-9]/.test(text) && /[-:]/.test(text)) return false;
  return !needsQuotes(text);
}

const notLiteral = /[^\n\x20-\x7e\u00a1-\u2027\u202a-\ud7ff]|^[ \n]| \n| $|\n\n$/;

/** Several lines of printable text without blanks at the start or at the end of a line. */
function isLiteralText(text: string): boolean {
  return text.includes('\n') && !notLiteral.test(text);
}

function formatLiteral(text: string, indent: string): string {
  const ends = text.endsWith('\n');
  const lines = (ends ? text.slice(0, -1) : text).split('\n');
  const inner = `${indent}  `;
  const body = lines.map((line) => (line === '' ? '' : inner + line)).join('\n');
  return `${ends ? '|' : '|-'}\n${body}`;
}

/** JSON's form, with what YAML 1.1 takes for a line break or forbids written as escapes. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

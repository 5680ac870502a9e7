/**
 * Parsed `managedFields`, held once for all objects in which their text is the same.
 *
 * Controllers make objects of one shape by the thousand, and what they own of them is one text in
 * all of these: it is most of what there is to read in a small object. So it is read once and has
 * its text at hand; objects that come and go share it.
 *
 *     text of the fields  ⇄  the fields, as managedFields carry them
 *
 * What the text means is read in fieldmanager/fieldpath.
 *
 * Invariant: fields are never changed once read. Bounds: texts of `textsCharsMax` characters in
 * all, none longer than `textKeptMax`. At the limit they start anew: what is used is soon back.
 */
import { AssertionError } from '../stdx/assert.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { createTextCache } from '../stdx/text-cache.ts';
import { parseJsonText, stringifyJson } from './codecs/lossless.ts';
import type { JsonObject } from './unstructured.ts';

/** What is read takes about ten times the memory of its text. */
const textsCharsMax = 1024 * 1024;
const textKeptMax = 16 * 1024;

const fieldsByText = createTextCache<JsonObject>(textsCharsMax);
const textByFields = new WeakMap<JsonObject, string>();

/** `text` is the JSON of an object. */
function fieldsOfText(text: string): JsonObject {
  const known = fieldsByText.get(text);
  if (known !== undefined) return known;
  const fields = parseJsonText(text) as JsonObject;
  if (text.length <= textKeptMax) keep(alone(text), fields);
  return fields;
}

/** Undefined where it is not known: then it has to be made. */
export function textOfFields(fields: JsonObject): string | undefined {
  return textByFields.get(fields);
}

export interface WithoutFields {
  /** JSON with null in place of the fields. */
  readonly text: string;
  /** What has been taken out, in order. */
  readonly fields: readonly JsonObject[];
}

/** The JSON of an object that has been stored, without what stands as `fieldsV1` in it, wherever
 * that is; what is so long that nobody shares it stays. Undefined: nothing is taken out. */
export function extractFields(text: string): WithoutFields | undefined {
  const taking = startTaking(text);
  while (takeNext(taking)) continue;
  return withoutTaken(taking);
}

/** Characters that are looked at between two steps. */
const takenAtOnce = 64 * 1024;

/** extractFields() in parts. */
export function* extractSteps(text: string): Steps<WithoutFields | undefined> {
  const taking = startTaking(text);
  for (let pauseAt = takenAtOnce; takeNext(taking);) {
    if (taking.searchedTo < pauseAt) continue;
    pauseAt = taking.searchedTo + takenAtOnce;
    yield;
  }
  return withoutTaken(taking);
}

interface Taking {
  readonly text: string;
  readonly fields: JsonObject[];
  /** Of what is before `from`, all that stays. */
  rest: string;
  from: number;
  searchedTo: number;
}

function startTaking(text: string): Taking {
  return { text, fields: [], rest: '', from: 0, searchedTo: 0 };
}

/** False: there is no more. */
function takeNext(taking: Taking): boolean {
  const { fields, from, text } = taking;
  // Nothing else looks like it: within a string, the second quote would have a backslash.
  const at = text.indexOf(fieldsMember, taking.searchedTo);
  if (at < 0) return false;
  const start = at + fieldsMember.length - 1;
  const end = endOfObject(text, start, start + textKeptMax);
  taking.searchedTo = end ?? start + textKeptMax;
  if (end === undefined) return true;
  taking.rest += `${text.slice(from, start)}null`;
  taking.from = end;
  fields.push(fieldsOfText(text.slice(start, end)));
  return true;
}

function withoutTaken({ fields, from, rest, text }: Taking): WithoutFields | undefined {
  return fields.length === 0 ? undefined : { text: rest + text.slice(from), fields };
}

const fieldsMember = '"fieldsV1":{';
const openingBrace = 0x7b;
const closingBrace = 0x7d;
const quote = 0x22;
const backslash = 0x5c;

/** `start` is the opening brace; the result is the offset behind the closing one. Undefined: it
 * would be beyond `most`. */
function endOfObject(text: string, start: number, most: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (at >= most) return undefined;
    const char = text.charCodeAt(at);
    if (char === quote) at = closingQuote(text, at);
    else if (char === openingBrace) depth += 1;
    else if (char === closingBrace) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  throw new AssertionError('the fields of a stored object end');
}

function closingQuote(text: string, start: number): number {
  let at = start + 1;
  for (let char = text.charCodeAt(at); char !== quote; char = text.charCodeAt(at)) {
    // Beyond the end there is no character, and no string.
    if (Number.isNaN(char)) throw new AssertionError('a string in a stored object ends');
    at += char === backslash ? 2 : 1;
  }
  return at;
}

/** Says that these fields, which were not read but made, will stand in many objects. */
export function shareFields(fields: JsonObject): void {
  const text = stringifyJson(fields);
  if (text.length <= textKeptMax && fieldsByText.get(text) === undefined) keep(text, fields);
  else textByFields.set(fields, text);
}

function keep(text: string, fields: JsonObject): void {
  fieldsByText.keep(text, fields);
  textByFields.set(fields, text);
}

/** A copy: a part of a text would keep all of it in memory. */
function alone(text: string): string {
  return Buffer.from(text).toString();
}

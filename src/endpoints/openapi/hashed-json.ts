/**
 * The JSON of a large document and its SHA-512, in steps of about `stepCharacters`, or of
 * `stepPieces`, where those are short.
 *
 * Invariant: the text is the one that stringifyJson gives of the whole. Bound: what lies deeper
 * than `depthMax` is written in one step.
 */
import { createHash } from 'node:crypto';
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { joined } from '../../stdx/joined-bytes.ts';
import type { Steps } from '../../stdx/stepwise.ts';

const stepCharacters = 128 * 1024;
const stepPieces = 2048;
/** As deep as `components.schemas.NAME`. */
const schemasDepth = 3;

export interface HashedJson {
  readonly json: Uint8Array;
  /** In capital letters. */
  readonly hash: string;
}

/** `end`: what stands behind the text, and is not hashed. */
export function* hashedJson(
  document: JsonObject,
  depthMax = schemasDepth,
  end?: Uint8Array,
): Steps<HashedJson> {
  const hash = createHash('sha512');
  const json = yield* jsonInSteps(document, depthMax, end, (part) => hash.update(part));
  return { json, hash: hash.digest('hex').toUpperCase() };
}

/** The JSON alone, and `end` behind it. `onPart`: is shown each part of it, in order. */
export function* jsonInSteps(
  document: JsonObject,
  depthMax: number,
  end?: Uint8Array,
  onPart: (part: Uint8Array) => void = () => undefined,
): Steps<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (const part of jsonParts(document, depthMax)) {
    if (parts.length > 0) yield;
    onPart(part);
    parts.push(part);
  }
  if (end !== undefined) parts.push(end);
  return yield* joined(parts);
}

/** The text in parts of so much; the last one may be short. */
function* jsonParts(document: JsonObject, depthMax: number): Generator<Uint8Array, void> {
  let text = '';
  let pieces = 0;
  for (const piece of jsonPieces(document, depthMax)) {
    text += piece;
    pieces += 1;
    if (text.length < stepCharacters && pieces < stepPieces) continue;
    yield Buffer.from(text, 'utf8');
    [text, pieces] = ['', 0];
  }
  if (text !== '') yield Buffer.from(text, 'utf8');
}

/** What stringifyJson gives, in pieces. */
function* jsonPieces(value: JsonValue, depth: number): Generator<string, void> {
  if (depth > 0 && Array.isArray(value)) return yield* itemPieces(value, depth);
  if (depth === 0 || !isJsonObject(value)) return yield stringifyJson(value);
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    // As there: it is not written.
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* jsonPieces(member, depth - 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* itemPieces(items: readonly JsonValue[], depth: number): Generator<string, void> {
  let before = '[';
  for (const item of items) {
    yield before;
    yield* jsonPieces(item, depth - 1);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

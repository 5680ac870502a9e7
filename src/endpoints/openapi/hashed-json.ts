/**
 * The JSON of a large document and its SHA-512, in steps of about `stepCharacters`.
 *
 * Invariant: the text is the one that stringifyJson gives of the whole. Bound: what lies deeper
 * than `depthMax` is written in one step.
 */
import { createHash } from 'node:crypto';
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { Steps } from '../../stdx/stepwise.ts';

const stepCharacters = 128 * 1024;
/** As deep as `components.schemas.NAME`. */
const schemasDepth = 3;

export interface HashedJson {
  readonly json: Uint8Array;
  /** In capital letters. */
  readonly hash: string;
}

export function* hashedJson(document: JsonObject, depthMax = schemasDepth): Steps<HashedJson> {
  const hash = createHash('sha512');
  const pieces: Uint8Array[] = [];
  let text = '';
  for (const piece of jsonPieces(document, depthMax)) {
    text += piece;
    if (text.length < stepCharacters) continue;
    const bytes = Buffer.from(text, 'utf8');
    hash.update(bytes);
    pieces.push(bytes);
    text = '';
    yield;
  }
  const last = Buffer.from(text, 'utf8');
  pieces.push(last);
  const digest = hash.update(last).digest('hex').toUpperCase();
  return { json: Buffer.concat(pieces), hash: digest };
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

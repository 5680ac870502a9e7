/**
 * OpenAPI documents that are put together of pieces, one for each kind that users define.
 *
 *     piece ─ made once, kept packed ─┐
 *     piece ─ made once, kept packed ─┼▶ document: frame, paths of all, definitions of all
 *     what they share, once ──────────┘
 *
 * In Protobuf a document is the messages of its parts one behind the other, which readers merge.
 *
 * Invariants: a piece is made when a document that has it is first asked for, and again only when
 * its kind is another one. Equal pieces give equal documents. Other requests get their turn after
 * some ten kilobytes, whatever a piece holds.
 * Bounds: a piece is kept, packed, for as long as its kind is served. A document is in memory once
 * while it is put together: each piece is unpacked into its place, and one at a time.
 */
import { createHash } from 'node:crypto';
import { gunzipBytes, gzipBytes } from '../../apimachinery/codecs/gzip.ts';
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import type { Dialect } from '../../apimachinery/openapi/definitions.ts';
import type { DocumentPiece, PieceParts } from '../../apimachinery/openapi/documents.ts';
import { encodeOpenApiV2, encodeOpenApiV3 } from '../../apimachinery/openapi/protobuf-document.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { inSteps } from '../../stdx/in-steps.ts';
import type { Steps } from '../../stdx/stepwise.ts';

export type Encoding = 'json' | 'protobuf';

export interface DocumentForm {
  readonly dialect: Dialect;
  readonly encoding: Encoding;
}

/** A piece in one form. */
interface KeptPiece {
  /** Its paths, then its definitions. */
  readonly packed: Uint8Array;
  readonly pathsBytes: number;
  readonly definitionsBytes: number;
  /** Of what is defined in it, or referred to. */
  readonly defined: readonly string[];
  readonly shared: readonly string[];
  /** Of the JSON of its parts. */
  readonly hash: string;
}

export interface PieceStore {
  /** `frame`: the document with no paths and no definitions. */
  assemble(
    form: DocumentForm,
    frame: JsonObject,
    pieces: readonly DocumentPiece[],
  ): Promise<Uint8Array>;
  /** Of the parts of a piece, as they are. */
  hashOf(dialect: Dialect, piece: DocumentPiece): Promise<string>;
}

type RunSteps = <T>(steps: Steps<T>) => Promise<T>;

/** `run`: with a pause after each step. */
export function pieceStore(run: RunSteps): PieceStore {
  const bySource = new WeakMap<object, Map<string, Promise<KeptPiece>>>();
  /** What pieces share, by form and name: the few types that all objects have. */
  const sharedParts = new Map<string, Uint8Array>();
  const nameOf = ({ dialect, encoding }: DocumentForm): string => `${dialect} ${encoding}`;
  const make = async (form: DocumentForm, piece: DocumentPiece): Promise<KeptPiece> => {
    const parts = await run(piece.make(form.dialect));
    const written = await run(writePiece(form, parts));
    for (const [name, definition] of Object.entries(parts.shared)) {
      const key = `${nameOf(form)} ${name}`;
      if (sharedParts.has(key)) continue;
      const { bytes } = await run(writePiece(form, { ...nothing, own: { [name]: definition } }));
      sharedParts.set(key, bytes);
    }
    return {
      packed: await gzipBytes(written.bytes),
      pathsBytes: written.pathsBytes,
      definitionsBytes: written.bytes.byteLength - written.pathsBytes,
      hash: written.hash,
      defined: Object.keys(parts.own),
      shared: Object.keys(parts.shared),
    };
  };
  /** Concurrent requests share the making; a failed one is not remembered. */
  const kept = (form: DocumentForm, piece: DocumentPiece): Promise<KeptPiece> => {
    const forms = bySource.get(piece.source) ?? new Map<string, Promise<KeptPiece>>();
    bySource.set(piece.source, forms);
    const name = nameOf(form);
    const known = forms.get(name);
    if (known !== undefined) return known;
    const made = make(form, piece);
    forms.set(name, made);
    made.catch(() => forms.delete(name));
    return made;
  };
  return {
    hashOf: async (dialect, piece) => (await kept({ dialect, encoding: 'json' }, piece)).hash,
    async assemble(form, frame, pieces) {
      const all: KeptPiece[] = [];
      const defined = new Set<string>();
      const shared = new Set<string>();
      for (const piece of pieces) {
        const each = await kept(form, piece);
        all.push(each);
        for (const name of each.defined) defined.add(name);
        for (const name of each.shared) shared.add(name);
      }
      const more = [...shared].sort().flatMap((name) => {
        const part = sharedParts.get(`${nameOf(form)} ${name}`);
        return defined.has(name) || part === undefined ? [] : [part];
      });
      const around =
        form.encoding === 'json'
          ? frameOfJson(frame)
          : { ...unframed, head: await run(encoded(form.dialect, frame)) };
      return assembled(around, all, more, run);
    },
  };
}

/** What stands around paths and definitions, and between two of either. */
interface Frame {
  readonly head: Uint8Array;
  readonly between: Uint8Array;
  readonly tail: Uint8Array;
  readonly separator: Uint8Array;
}

const noBytes = new Uint8Array();
const unframed: Frame = { head: noBytes, between: noBytes, tail: noBytes, separator: noBytes };

/** `more`: definitions behind those of the pieces. */
async function assembled(
  { between, head, separator, tail }: Frame,
  pieces: readonly KeptPiece[],
  more: readonly Uint8Array[],
  run: RunSteps,
): Promise<Uint8Array> {
  const [paths, definitions] = await run(lengthsOf(pieces, more, separator.byteLength));
  const pathsAt = head.byteLength;
  const definitionsAt = pathsAt + paths + between.byteLength;
  const tailAt = definitionsAt + definitions;
  const whole = Buffer.allocUnsafeSlow(tailAt + tail.byteLength);
  whole.set(head, 0);
  whole.set(between, pathsAt + paths);
  whole.set(tail, tailAt);
  const addPath = separatedAt(whole, pathsAt, separator);
  const addDefinition = separatedAt(whole, definitionsAt, separator);
  for (const { packed, pathsBytes } of pieces) {
    const bytes = await gunzipBytes(packed);
    addPath(bytes.subarray(0, pathsBytes));
    addDefinition(bytes.subarray(pathsBytes));
  }
  for (const each of more) addDefinition(each);
  return whole;
}

/** Writes parts that are not empty one behind the other. */
function separatedAt(
  whole: Uint8Array,
  start: number,
  separator: Uint8Array,
): (part: Uint8Array) => void {
  let at = start;
  const write = (bytes: Uint8Array): void => {
    whole.set(bytes, at);
    at += bytes.byteLength;
  };
  return (part) => {
    if (part.byteLength === 0) return;
    if (at > start) write(separator);
    write(part);
  };
}

/** Of all paths and of all definitions, with what stands between them. */
function* lengthsOf(
  pieces: readonly KeptPiece[],
  more: readonly Uint8Array[],
  separatorBytes: number,
): Steps<readonly [number, number]> {
  let [paths, definitions] = [0, 0];
  const added = (sum: number, bytes: number): number =>
    bytes === 0 ? sum : sum + bytes + (sum > 0 ? separatorBytes : 0);
  yield* inSteps(pieces, (piece) => {
    paths = added(paths, piece.pathsBytes);
    definitions = added(definitions, piece.definitionsBytes);
    return undefined;
  });
  for (const { byteLength } of more) definitions = added(definitions, byteLength);
  return [paths, definitions];
}

const nothing: PieceParts = { paths: {}, own: {}, shared: {} };

interface WrittenPiece {
  readonly bytes: Uint8Array;
  readonly pathsBytes: number;
  readonly hash: string;
}

function* writePiece(form: DocumentForm, { own, paths }: PieceParts): Steps<WrittenPiece> {
  const hash = createHash('sha512');
  const ofPaths = yield* members(paths, hash);
  const ofOwn = yield* members(own, hash);
  const digest = hash.digest('hex').toUpperCase();
  if (form.encoding === 'json') {
    const bytes = Buffer.concat([...ofPaths, ...ofOwn]);
    return { bytes, pathsBytes: bytesOf(ofPaths), hash: digest };
  }
  const part =
    form.dialect === 'v2' ? { paths, definitions: own } : { paths, components: { schemas: own } };
  const bytes = yield* encoded(form.dialect, part);
  return { bytes, pathsBytes: 0, hash: digest };
}

function* encoded(dialect: Dialect, part: JsonObject): Steps<Uint8Array> {
  return yield* dialect === 'v2' ? encodeOpenApiV2(part) : encodeOpenApiV3(part);
}

/** Written between two pauses. */
const stepCharacters = 32 * 1024;

/** The members of an object as JSON, a comma between them. */
function* members(
  object: JsonObject,
  hash: ReturnType<typeof createHash>,
): Steps<readonly Uint8Array[]> {
  const made: Uint8Array[] = [];
  let text = '';
  let isFirst = true;
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    text += `${isFirst ? '' : ','}${JSON.stringify(name)}:${stringifyJson(value)}`;
    isFirst = false;
    if (text.length < stepCharacters) continue;
    made.push(hashed(text, hash));
    text = '';
    yield;
  }
  if (text !== '') made.push(hashed(text, hash));
  return made;
}

function hashed(text: string, hash: ReturnType<typeof createHash>): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  hash.update(bytes);
  return bytes;
}

function bytesOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** The places of the frame in which members come. */
const places = /(?<="paths":\{)|(?<="(?:definitions|schemas)":\{)/;

function frameOfJson(frame: JsonObject): Frame {
  const [head = '', between = '', tail = ''] = JSON.stringify(frame).split(places);
  return {
    head: Buffer.from(head),
    between: Buffer.from(between),
    tail: Buffer.from(tail),
    separator: Buffer.from(','),
  };
}

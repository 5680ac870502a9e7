/**
 * OpenAPI documents that are put together of pieces, one for each kind that users define.
 *
 *     piece ─ made once, kept packed ─┐
 *     piece ─ made once, kept packed ─┼▶ document: frame, paths of all, definitions of all
 *     what they share, once ──────────┘
 *
 * Pieces are put together as they are packed (codecs/joined-gzip.ts): no document is there unpacked
 * because of that. In Protobuf a document is the messages of its parts one behind the other, which
 * readers merge.
 *
 * Invariants: a piece is made when a document that has it is first asked for, and again only when
 * its kind is another one. Equal pieces give equal documents. Other requests get their turn after
 * some ten kilobytes, whatever a piece holds.
 * Bound: a piece is kept, packed, for as long as its kind is served.
 */
import { createHash } from 'node:crypto';
import { jsonParts } from '../../apimachinery/codecs/json-parts.ts';
import { packPart } from '../../apimachinery/codecs/joined-gzip.ts';
import type { PackedPart } from '../../apimachinery/codecs/joined-gzip.ts';
import type { Dialect } from '../../apimachinery/openapi/definitions.ts';
import type { DocumentPiece, PieceParts } from '../../apimachinery/openapi/documents.ts';
import { encodeOpenApiV2, encodeOpenApiV3 } from '../../apimachinery/openapi/protobuf-document.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { inSteps } from '../../stdx/in-steps.ts';
import { joined } from '../../stdx/joined-bytes.ts';
import type { Steps } from '../../stdx/stepwise.ts';

export type Encoding = 'json' | 'protobuf';

export interface DocumentForm {
  readonly dialect: Dialect;
  readonly encoding: Encoding;
}

/** A piece in one form. */
interface KeptPiece {
  readonly paths: PackedPart;
  /** In Protobuf with its paths. */
  readonly definitions: PackedPart;
  /** Of what is defined in it, or referred to. */
  readonly defined: readonly string[];
  readonly shared: readonly string[];
  /** Of the JSON of its parts. */
  readonly hash: string;
}

const nameOf = ({ dialect, encoding }: DocumentForm): string => `${dialect} ${encoding}`;

export interface PieceStore {
  /** The document in parts. `frame`: the one with no paths and no definitions. */
  assemble(
    form: DocumentForm,
    frame: JsonObject,
    pieces: readonly DocumentPiece[],
  ): Promise<readonly PackedPart[]>;
  /** Of the parts of a piece, as they are. */
  hashOf(dialect: Dialect, piece: DocumentPiece): Promise<string>;
}

type RunSteps = <T>(steps: Steps<T>) => Promise<T>;

/** `run`: with a pause after each step. */
export function pieceStore(run: RunSteps): PieceStore {
  const bySource = new WeakMap<object, Map<string, Promise<KeptPiece>>>();
  /** What pieces share, by form and name: the few types that all objects have. */
  const sharedParts = new Map<string, PackedPart>();
  const packed = packedInTurn(run);
  const frameOf = frameStore(run, packed);
  const make = async (form: DocumentForm, piece: DocumentPiece): Promise<KeptPiece> => {
    const parts = await run(piece.make(form.dialect));
    const written = await run(writePiece(form, parts));
    for (const [name, definition] of Object.entries(parts.shared)) {
      const key = `${nameOf(form)} ${name}`;
      if (sharedParts.has(key)) continue;
      const part = await run(writePiece(form, { ...nothing, own: { [name]: definition } }));
      sharedParts.set(key, await packed(part.definitions));
    }
    return {
      paths: await packed(written.paths),
      definitions: await packed(written.definitions),
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
      return run(partsOf(await frameOf(form, frame), all, more));
    },
  };
}

type Pack = (bytes: Uint8Array) => Promise<PackedPart>;

/** It makes several buffers, and each may cost some milliseconds (blocks.ts). */
function packedInTurn(run: RunSteps): Pack {
  return async (bytes) => {
    await run(aStep());
    return packPart(bytes);
  };
}

function* aStep(): Steps<void> {
  yield;
}

/** What stands around paths and definitions, and between two of either. */
interface Frame {
  readonly head: PackedPart;
  readonly between: PackedPart;
  readonly tail: PackedPart;
  readonly separator: PackedPart;
}

/** Kept: there is one in each form, and whatever a document is of, it stands in that. */
function frameStore(run: RunSteps, packed: Pack) {
  const frames = new Map<string, Promise<Frame>>();
  const make = async ({ dialect, encoding }: DocumentForm, frame: JsonObject): Promise<Frame> =>
    encoding === 'json'
      ? packedFrame(frame, packed)
      : { ...unframed, head: await packed(await run(encoded(dialect, frame))) };
  return (form: DocumentForm, frame: JsonObject): Promise<Frame> => {
    const name = `${nameOf(form)} ${JSON.stringify(frame)}`;
    const known = frames.get(name);
    if (known !== undefined) return known;
    const made = make(form, frame);
    frames.set(name, made);
    made.catch(() => frames.delete(name));
    return made;
  };
}

const noPart: PackedPart = { packed: new Uint8Array(), bytes: 0, checksum: 0 };
const unframed: Frame = { head: noPart, between: noPart, tail: noPart, separator: noPart };

/** Of the document, in order. `more`: definitions behind those of the pieces. */
function* partsOf(
  { between, head, separator, tail }: Frame,
  pieces: readonly KeptPiece[],
  more: readonly PackedPart[],
): Steps<readonly PackedPart[]> {
  const parts = [head];
  const isEmpty = ({ bytes }: PackedPart): boolean => bytes === 0;
  let isFirst = true;
  const add = (part: PackedPart): undefined => {
    if (isEmpty(part)) return;
    if (!isFirst && !isEmpty(separator)) parts.push(separator);
    parts.push(part);
    isFirst = false;
  };
  yield* inSteps(pieces, ({ paths }) => add(paths));
  parts.push(between);
  isFirst = true;
  yield* inSteps(pieces, ({ definitions }) => add(definitions));
  for (const each of more) add(each);
  parts.push(tail);
  return parts;
}

const nothing: PieceParts = { paths: {}, own: {}, shared: {} };

interface WrittenPiece {
  readonly paths: Uint8Array;
  readonly definitions: Uint8Array;
  readonly hash: string;
}

function* writePiece(form: DocumentForm, { own, paths }: PieceParts): Steps<WrittenPiece> {
  const hash = createHash('sha512');
  const ofPaths = yield* members(paths, hash);
  const ofOwn = yield* members(own, hash);
  const digest = hash.digest('hex').toUpperCase();
  if (form.encoding === 'json') {
    const [inPaths, inDefinitions] = [yield* joined(ofPaths), yield* joined(ofOwn)];
    return { paths: inPaths, definitions: inDefinitions, hash: digest };
  }
  const part =
    form.dialect === 'v2' ? { paths, definitions: own } : { paths, components: { schemas: own } };
  const definitions = yield* encoded(form.dialect, part);
  return { paths: new Uint8Array(), definitions, hash: digest };
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
    text += `${isFirst ? '' : ','}${JSON.stringify(name)}:`;
    isFirst = false;
    for (const part of jsonParts(value)) {
      text += part;
      if (part !== '' && text.length < stepCharacters) continue;
      if (text.length >= stepCharacters) {
        made.push(hashed(text, hash));
        text = '';
      }
      yield;
    }
  }
  if (text !== '') made.push(hashed(text, hash));
  return made;
}

function hashed(text: string, hash: ReturnType<typeof createHash>): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  hash.update(bytes);
  return bytes;
}

/** The places of the frame in which members come. */
const places = /(?<="paths":\{)|(?<="(?:definitions|schemas)":\{)/;

async function packedFrame(frame: JsonObject, packed: Pack): Promise<Frame> {
  const [head = '', between = '', tail = ''] = JSON.stringify(frame).split(places);
  return {
    head: await packed(Buffer.from(head)),
    between: await packed(Buffer.from(between)),
    tail: await packed(Buffer.from(tail)),
    separator: await packed(Buffer.from(',')),
  };
}

/**
 * What other servers say of their versions, as pieces of the document of everything (OpenAPI 2.0).
 *
 * A definition that is there already, and says the same, is not there twice; one that says another
 * thing under that name gets another one (`_v2`, `_v3`, ...). Texts for people, and under which
 * kinds a type is served, do not count.
 *
 * Invariants: pieces stay the same objects for as long as nothing that they depend on is another.
 * What has been read for a piece is not kept. In steps.
 */
import { createHash } from 'node:crypto';
import type { RemoteOpenApi } from '../../aggregation/aggregation.ts';
import { renaming } from '../../aggregation/openapi-excerpt.ts';
import { readRemoteOpenApi } from '../../aggregation/remote-openapi.ts';
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import type { DocumentPiece, PieceParts } from '../../apimachinery/openapi/documents.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { Steps } from '../../stdx/stepwise.ts';

type RunSteps = <T>(steps: Steps<T>) => Promise<T>;

/** By name, a digest of what it says. */
type Taken = Map<string, string>;

export interface RemotePieces {
  /** `always`: what is there besides, of which the names are taken. */
  piecesOf(
    always: DocumentPiece,
    documents: readonly RemoteOpenApi[],
  ): Promise<readonly DocumentPiece[]>;
}

export function remotePieces(run: RunSteps): RemotePieces {
  let own: { readonly source: object; readonly taken: Promise<Taken> } | undefined;
  let made: readonly DocumentPiece[] = [];
  return {
    async piecesOf(always, documents) {
      if (documents.length === 0) return [];
      if (own?.source !== always.source)
        own = { source: always.source, taken: run(takenBy(always)) };
      const taken = new Map(await own.taken);
      const pieces: DocumentPiece[] = [];
      for (const document of documents) {
        const names = await run(namesIn(document, taken));
        const stamp = `${document.digest} ${JSON.stringify([...names.renames, ...names.omitted])}`;
        const known = made.find((each) => each.stamp === stamp);
        pieces.push(known ?? pieceOf(document, stamp, names));
      }
      made = pieces;
      return pieces;
    },
  };
}

function* takenBy(always: DocumentPiece): Steps<Taken> {
  const taken: Taken = new Map();
  const { own, shared } = yield* always.make('v2');
  for (const [name, definition] of Object.entries({ ...shared, ...own })) {
    taken.set(name, yield* digestOf(definition));
    yield;
  }
  return taken;
}

interface Names {
  readonly renames: ReadonlyMap<string, string>;
  /** There already. */
  readonly omitted: ReadonlySet<string>;
}

/** Takes names for what is in the document. */
function* namesIn(document: RemoteOpenApi, taken: Taken): Steps<Names> {
  const { definitions } = yield* readRemoteOpenApi(document);
  const renames = new Map<string, string>();
  const omitted = new Set<string>();
  for (const [name, definition] of Object.entries(definitions)) {
    yield;
    const digest = yield* digestOf(definition);
    let free = name;
    for (let i = 2; isOther(taken, free, digest) || (i > 2 && free in definitions); i += 1) {
      free = `${name}_v${i}`;
    }
    if (free !== name) renames.set(name, free);
    if (taken.has(free)) omitted.add(name);
    else taken.set(free, digest);
  }
  return { renames, omitted };
}

function isOther(taken: Taken, name: string, digest: string): boolean {
  const there = taken.get(name);
  return there !== undefined && there !== digest;
}

function pieceOf(
  document: RemoteOpenApi,
  stamp: string,
  { omitted, renames }: Names,
): DocumentPiece {
  return {
    source: {},
    stamp,
    *make(): Steps<PieceParts> {
      const { definitions, paths } = yield* readRemoteOpenApi(document);
      const renamed = renaming(renames);
      const own: Record<string, JsonValue> = {};
      for (const [name, definition] of Object.entries(definitions)) {
        if (omitted.has(name)) continue;
        own[renames.get(name) ?? name] = yield* renamed(definition ?? null);
      }
      return { paths: (yield* renamed(paths)) as JsonObject, own, shared: {} };
    },
  };
}

const notCompared: ReadonlySet<string> = new Set([
  'description',
  'x-kubernetes-group-version-kind',
]);

/** Looked at between two steps. */
const valuesAtOnce = 1024;

function* digestOf(definition: JsonValue | undefined): Steps<string> {
  const hash = createHash('sha256');
  let text = '';
  let values = 0;
  const walk = function* (value: JsonValue): Steps<void> {
    values += 1;
    if (values % valuesAtOnce === 0) {
      hash.update(text);
      text = '';
      yield;
    }
    if (Array.isArray(value)) {
      text += '[';
      for (const item of value as readonly JsonValue[]) yield* walk(item);
      text += ']';
    } else if (isJsonObject(value)) {
      text += '{';
      for (const name of Object.keys(value).sort()) {
        const member = value[name];
        if (member === undefined || (notCompared.has(name) && !isJsonObject(member))) continue;
        text += `${JSON.stringify(name)}:`;
        yield* walk(member);
      }
      text += '}';
    } else text += `${stringifyJson(value)},`;
  };
  yield* walk(definition ?? null);
  return hash.update(text).digest('base64');
}

/**
 * OpenAPI documents as values: one for each group version in v3, one for everything in v2, and the
 * short ones of the discovery paths (spec 1, sections 4 and 8).
 *
 *     piecesV2         what is always there, and each kind that users define, by itself
 *     v3(path)         a version that is always there, whole
 *     piecesOf(path)   each kind of a version in which there is only what users define
 *
 * Invariants: documents depend on the scheme only; each is made anew on every call, so the caller
 * keeps what it wants to have twice. The piece of a kind that users define depends on that kind
 * only, and is made by itself: another kind makes no other anew. Every $ref resolves inside its
 * document. Definitions may have thousands of versions: all of them are walked in steps only.
 */
import type { GroupVersionKind } from '../schema.ts';
import type { KindInfo, Scheme, VersionInfo } from '../scheme.ts';
import {
  metaTypes,
  partialMetadataListType,
  partialMetadataType,
  statusType,
} from '../typed/meta-types.ts';
import type { ObjectSchema } from '../typed/type-schema.ts';
import { inSteps, sortedInSteps } from '../../stdx/in-steps.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { JsonObject } from '../unstructured.ts';
import { definitionNames } from './definition-names.ts';
import type { DefinitionNames } from './definition-names.ts';
import { makeDefinitions, rawExtension, typeMetaProperties } from './definitions.ts';
import type {
  Definitions,
  Describe,
  Dialect,
  KeptDefinitions,
  TypeDescription,
} from './definitions.ts';
import { operationNames, operationsOf, rootOf } from './operations.ts';
import type { BodyType, CustomBody, OperationNames, PathOperations } from './operation-types.ts';
import { pathItemV2, pathItemV3 } from './path-items.ts';
import type { PathItemContext } from './path-items.ts';
import { groupSection, plainSections, resourcesPath, versionInfoSchema } from './plain-sections.ts';

export interface DocumentOptions {
  readonly scheme: Scheme;
  /** The API domain of the identity. */
  readonly domain: string;
  readonly protobufMediaType: string;
  /** Bodies may be in CBOR. Default: no. */
  readonly cbor?: boolean | undefined;
  /** Enumerations that take other values too: `core.Secret.type`. */
  readonly openValues: ReadonlySet<string>;
  /** Texts for people. Default: of kinds, what they are called. */
  readonly texts?: Describe | undefined;
  /** Groups of which others serve versions; in the index each has a document here. */
  readonly otherGroups?: OtherGroups | undefined;
  /** Semantic version of what is served. */
  readonly version: string;
}

export interface OtherGroups {
  has(group: string): boolean;
  all(): Iterable<string>;
}

export interface OpenApiDocuments {
  /** Another one when any document may be another one. */
  readonly generation: number;
  /** As in the index: `api`, `apis`, `version`, `api/v1`, `apis/apps`, `apis/apps/v1`; sorted,
   * in steps. */
  paths(): Steps<readonly string[]>;
  /** What a document is made of: the same object for as long as the document is the same. */
  sourceOf(path: string): object | undefined;
  /** OpenAPI 3.0 of what is not made of pieces, in steps; undefined: it is not among `paths`. */
  v3(path: string): Steps<JsonObject | undefined>;
  /** What a document is made of in which there is only what users define; undefined: any other. */
  piecesOf(path: string): readonly DocumentPiece[] | undefined;
  /** What OpenAPI 2.0 of everything is made of. The first piece is what is always there. */
  piecesV2(): Steps<readonly DocumentPiece[]>;
  /** A document without paths and definitions. */
  frame(dialect: Dialect): JsonObject;
}

/** What a document says of one kind that users define, or of what is always there. */
export interface DocumentPiece {
  /** The same object for as long as the piece is the same. */
  readonly source: object;
  /** Another text when the piece is another one, on whichever server. */
  readonly stamp: string;
  make(dialect: Dialect): Steps<PieceParts>;
}

export interface PieceParts {
  readonly paths: JsonObject;
  /** The kind, and its list. */
  readonly own: JsonObject;
  /** What they refer to, which other pieces have, too. */
  readonly shared: JsonObject;
}

export function openApiDocuments(options: DocumentOptions): OpenApiDocuments {
  const names = definitionNames(options.domain);
  const kept: KeptSections = new WeakMap();
  const sectionAt = (path: string) => sectionOf(options, kept, path);
  let always: Always = { sources: [], sections: [] };
  const context = contextOf(options, names);
  const { alwaysPiece, groupPiece, pieceOf } = piecesOf(options, names, context);
  const others = otherGroupPieces(options, groupPiece);
  return {
    get generation() {
      return options.scheme.generation;
    },
    *paths() {
      const found: string[] = [];
      yield* inSteps(sectionsOf(options, kept), ({ path }) => void found.push(path));
      yield* inSteps(options.otherGroups?.all() ?? [], (group) => {
        if (isOther(options, group)) found.push(groupSection(group, options.domain).path);
        return undefined;
      });
      yield* others.forgetGone();
      return yield* sortedInSteps(found, (a, b) => a < b);
    },
    sourceOf: (path) => sectionAt(path)?.source,
    *v3(path) {
      const section = sectionAt(path);
      if (section === undefined || section.pieces !== undefined) return undefined;
      const { definitions, item } = yield* context('v3');
      const paths: (readonly [string, JsonObject])[] = [];
      for (const each of section.operations()) {
        paths.push([each.path, pathItemV3(each, item)]);
        yield;
      }
      const schemas = yield* definitions.collect();
      // Nothing is no member: Go would write it otherwise than it reads it.
      const some = Object.keys(schemas).length > 0;
      return documentV3(options.version, {
        paths: sorted(paths),
        schemas: some ? schemas : undefined,
      });
    },
    piecesOf: (path) => others.at(path) ?? sectionAt(path)?.pieces?.map(pieceOf),
    *piecesV2() {
      const sections: Section[] = [];
      const defined: DocumentPiece[] = [];
      yield* inSteps(sectionsOf(options, kept), (section) => {
        if (section.pieces === undefined) sections.push(section);
        else for (const piece of section.pieces) defined.push(pieceOf(piece));
        return undefined;
      });
      const sources = sections.map(({ source }) => source);
      if (!sameItems(always.sources, sources)) always = { sources, sections };
      return [alwaysPiece(always), ...defined];
    },
    frame: (dialect) =>
      dialect === 'v2'
        ? documentV2(options.version, { paths: {}, definitions: {} })
        : documentV3(options.version, { paths: {}, schemas: {} }),
  };
}

interface Context {
  readonly definitions: Definitions;
  readonly item: PathItemContext;
}

type ContextOf = (dialect: Dialect, kept?: KeptDefinitions) => Steps<Context>;

function contextOf(options: DocumentOptions, names: DefinitionNames): ContextOf {
  let known: Describer | undefined;
  return function* (dialect, kept) {
    const describe = (known ??= yield* describer(options));
    const definitions = makeDefinitions({
      dialect,
      kept,
      names,
      describe,
      describeField: (owners, field) => options.texts?.field(owners, field),
      openValues: options.openValues,
    });
    const item: PathItemContext = {
      protobufMediaType: options.protobufMediaType,
      cbor: options.cbor === true,
      schemaOf: (type) => bodySchema(type, dialect, definitions, names, describe),
    };
    return { definitions, item };
  };
}

function piecesOf(options: DocumentOptions, names: DefinitionNames, context: ContextOf) {
  /** The few types that all objects have. */
  const shared: Readonly<Record<Dialect, KeptDefinitions>> = { v2: new Map(), v3: new Map() };
  const pieceOf = ({ kind, names: paths }: SectionPiece): DocumentPiece => ({
    source: kind,
    get stamp() {
      return stampOf(kind, options);
    },
    *make(dialect) {
      const { definitions, item } = yield* context(dialect, shared[dialect]);
      const itemOf = dialect === 'v2' ? pathItemV2 : pathItemV3;
      const operations = operationsOf(kind, paths()).map(
        (each) => [each.path, itemOf(each, item)] as const,
      );
      yield;
      const { group, listKind, version } = kind;
      const ofKind = [kind.kind, listKind].map((name) => names.ofCustom(group, version, name));
      const all = Object.entries(yield* definitions.collect());
      return {
        paths: sorted(operations),
        own: Object.fromEntries(all.filter(([name]) => ofKind.includes(name))),
        shared: Object.fromEntries(all.filter(([name]) => !ofKind.includes(name))),
      };
    },
  });
  const alwaysPiece = ({ sections, sources }: Always): DocumentPiece => ({
    source: sources,
    stamp: '',
    *make() {
      const { definitions, item } = yield* context('v2');
      const paths: (readonly [string, JsonObject])[] = [];
      for (const section of sections) {
        for (const each of section.operations()) {
          paths.push([each.path, pathItemV2(each, item)]);
          yield;
        }
      }
      return { paths: sorted(paths), own: yield* definitions.collect(), shared: {} };
    },
  });
  const groupPiece = (group: string): DocumentPiece => ({
    source: {},
    stamp: JSON.stringify([...stampOfServer(options), group]),
    *make(dialect) {
      const { definitions, item } = yield* context(dialect, shared[dialect]);
      const itemOf = dialect === 'v2' ? pathItemV2 : pathItemV3;
      const operations = groupSection(group, options.domain).operations();
      const paths = operations.map((each) => [each.path, itemOf(each, item)] as const);
      return { paths: sorted(paths), own: {}, shared: yield* definitions.collect() };
    },
  });
  return { alwaysPiece, groupPiece, pieceOf };
}

/** Of groups in which this server has nothing of its own: thousands, whose documents say which
 * versions there are, and nothing else. Each is kept for as long as there is such a group. */
function otherGroupPieces(options: DocumentOptions, pieceOf: (group: string) => DocumentPiece) {
  const pieces = new Map<string, readonly DocumentPiece[]>();
  const isThere = (group: string): boolean =>
    isOther(options, group) && options.otherGroups?.has(group) === true;
  return {
    at(path: string): readonly DocumentPiece[] | undefined {
      const [root, group = '', ...more] = path.split('/', 3);
      if (root !== 'apis' || more.length > 0 || !isThere(group)) return undefined;
      const known = pieces.get(group) ?? [pieceOf(group)];
      pieces.set(group, known);
      return known;
    },
    forgetGone: () =>
      inSteps(pieces.keys(), (group) => void (isThere(group) || pieces.delete(group))),
  };
}

function documentV3(
  version: string,
  { paths, schemas }: { readonly paths: JsonObject; readonly schemas: JsonObject | undefined },
): JsonObject {
  return {
    openapi: '3.0.0',
    info: { title: documentTitle, version },
    paths,
    components: { ...(schemas && { schemas }), securitySchemes },
  };
}

function documentV2(
  version: string,
  { paths, definitions }: { readonly paths: JsonObject; readonly definitions: JsonObject },
): JsonObject {
  return {
    swagger: '2.0',
    info: { title: documentTitle, version },
    paths,
    definitions,
    securityDefinitions: securitySchemes,
    security: [{ BearerToken: [] }],
  };
}

const documentTitle = 'Sluice';

const securitySchemes: JsonObject = {
  BearerToken: {
    type: 'apiKey',
    name: 'authorization',
    in: 'header',
    description: 'Bearer token.',
  },
};

function sorted(entries: readonly (readonly [string, JsonObject])[]): JsonObject {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What has no pieces. */
interface Always {
  readonly sections: readonly Section[];
  /** The same list for as long as these are the same. */
  readonly sources: readonly object[];
}

interface Section {
  readonly path: string;
  readonly source: object;
  /** Of what is made whole. */
  readonly operations: () => readonly PathOperations[];
  /** Of what is made of pieces. */
  readonly pieces?: readonly SectionPiece[] | undefined;
}

interface SectionPiece {
  readonly kind: KindInfo;
  readonly names: () => OperationNames;
}

/** Of versions in which there is only what users define: thousands, of which a change makes few
 * others. */
type KeptSections = WeakMap<VersionInfo, Section>;

function sameItems(a: readonly object[], b: readonly object[]): boolean {
  return a.length === b.length && a.every((each, at) => each === b[at]);
}

/** All of them, each made when the walk comes to it. */
function* sectionsOf(options: DocumentOptions, kept: KeptSections): Iterable<Section> {
  yield* plainSections;
  for (const { group, versions } of options.scheme.groups) {
    if (versions.some(isBuiltIn)) yield groupSection(group, options.domain);
    for (const version of versions) yield versionSection(group, version, options.domain, kept);
  }
}

/** The one that has this path; undefined: none has. */
function sectionOf(
  options: DocumentOptions,
  kept: KeptSections,
  path: string,
): Section | undefined {
  const { domain, otherGroups, scheme } = options;
  const plain = plainSections.find((section) => section.path === path);
  if (plain !== undefined) return plain;
  const [root, ...names] = path.split('/', 4);
  if (root === 'api') names.unshift('');
  else if (root !== 'apis' || names[0] === '') return undefined;
  const [group = '', version, more] = names;
  if (more !== undefined) return undefined;
  if (version !== undefined) {
    const found = scheme.findVersion(group, version);
    return found && versionSection(group, found, domain, kept);
  }
  const isThere = hasOwn(options, group) || otherGroups?.has(group) === true;
  return isThere ? groupSection(group, domain) : undefined;
}

/** This server has nothing of its own in it. */
function isOther(options: DocumentOptions, group: string): boolean {
  return group !== '' && !hasOwn(options, group);
}

function hasOwn({ scheme }: DocumentOptions, group: string): boolean {
  return scheme.findGroup(group)?.versions.some(isBuiltIn) === true;
}

function versionSection(
  group: string,
  version: VersionInfo,
  domain: string,
  kept: KeptSections,
): Section {
  if (isBuiltIn(version)) return builtInSection(group, version, domain);
  const made = kept.get(version) ?? customSection(group, version, domain);
  kept.set(version, made);
  return made;
}

function builtInSection(group: string, version: VersionInfo, domain: string): Section {
  const names = operationNames(group, version.version, domain);
  return {
    path: names.root.slice(1),
    source: version,
    operations: () => [
      resourcesPath(names.root, names.groupVersion, names.tag),
      ...version.kinds.flatMap((kind) => operationsOf(kind, names)),
    ],
  };
}

function customSection(group: string, version: VersionInfo, domain: string): Section {
  const path = rootOf(group, version.version).slice(1);
  let known: OperationNames | undefined;
  const names = (): OperationNames => (known ??= operationNames(group, version.version, domain));
  const pieces = version.kinds.map((kind) => ({ kind, names }));
  return { path, source: version, operations: () => [], pieces };
}

/** What a piece is made of; the shape stands for all that the definition says. */
function stampOf(of: KindInfo, options: DocumentOptions): string {
  const { custom, group, kind, listKind, resource, version } = of;
  const server = stampOfServer(options);
  return JSON.stringify([...server, custom?.shape, group, version, resource, kind, listKind]);
}

/** Whatever a piece is of, it depends on this. */
function stampOfServer({ cbor, domain, version }: DocumentOptions): readonly unknown[] {
  return [domain, cbor === true, version];
}

/** In others there is only what users define. */
function isBuiltIn({ kinds }: VersionInfo): boolean {
  return kinds.some(({ custom }) => custom === undefined);
}

function bodySchema(
  type: BodyType,
  dialect: Dialect,
  definitions: Definitions,
  names: DefinitionNames,
  describe: Describer,
): JsonObject {
  switch (type) {
    case 'string':
      return { type: 'string' };
    case 'Status':
      return definitions.toType(statusType);
    case 'DeleteOptions':
      return definitions.toType(metaTypes.object('meta/v1.DeleteOptions'));
    case 'Patch':
      return definitions.toOwn(names.ofMeta('Patch'), () => ({
        description: 'A change in the form that Content-Type names.',
        type: 'object',
      }));
    case 'VersionInfo':
      return definitions.toOwn(names.versionInfo, versionInfoSchema);
    case 'WatchEvent':
      return definitions.toOwn(names.ofMeta('WatchEvent'), () => ({
        description: 'One change of one object.',
        type: 'object',
        required: ['type', 'object'],
        properties: { object: anyObject(definitions, names), type: { type: 'string' } },
        'x-kubernetes-group-version-kind': describe(watchEventType).groupVersionKinds,
      }));
    default:
      return 'custom' in type
        ? customSchema(type, dialect, definitions, names)
        : definitions.toType(type);
  }
}

function anyObject(definitions: Definitions, names: DefinitionNames): JsonObject {
  return definitions.toOwn(names.rawExtension, () => rawExtension);
}

function customSchema(
  { custom: kind, isList }: CustomBody,
  dialect: Dialect,
  definitions: Definitions,
  names: DefinitionNames,
): JsonObject {
  const { custom, group, version } = kind;
  const nameOf = (name: string): string => names.ofCustom(group, version, name);
  const named = (name: string): JsonObject => ({
    'x-kubernetes-group-version-kind': [{ group, kind: name, version }],
  });
  const object = (): JsonObject =>
    definitions.toLarge(nameOf(kind.kind), function* () {
      const metadata = definitions.toField(partialMetadataType, 'metadata');
      const schema = custom && (yield* custom.openApiSteps({ version: dialect, metadata }));
      return { ...schema, ...named(kind.kind) };
    });
  if (!isList) return object();
  return definitions.toLarge(nameOf(kind.listKind), function* () {
    yield;
    return {
      description: `${kind.listKind} is a list of ${kind.kind}`,
      type: 'object',
      required: ['items'],
      properties: {
        ...typeMetaProperties,
        items: { description: `List of ${kind.resource}.`, type: 'array', items: object() },
        metadata: definitions.toField(partialMetadataListType, 'metadata'),
      },
      ...named(kind.listKind),
    };
  });
}

const watchEventType = 'meta/v1.WatchEvent';
/** Known in every group version. */
const everywhere = ['meta/v1.DeleteOptions', watchEventType];
/** Known in the core group only, whoever answers with them. */
const inCore = ['Status', 'APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions'];

/** What documents say of a type: under which names it is served. */
type Describer = (typeName: string) => TypeDescription;

/** Of what is always there, whenever it is asked for; the walk goes over all that is defined. */
function* describer({ scheme, texts }: DocumentOptions): Steps<Describer> {
  const always: AlwaysServed[] = [];
  yield* inSteps(scheme.groups, ({ group, versions }) => {
    for (const version of versions) if (isBuiltIn(version)) always.push({ group, version });
    return undefined;
  });
  const index = indexKinds(always);
  return (typeName) => {
    const served = index.get(typeName) ?? [];
    return {
      groupVersionKinds: served.map(({ group, version, kind }) => ({ group, kind, version })),
      description:
        texts?.type(typeName) ??
        (served.length === 0 ? undefined : descriptionOf(typeName, served)),
    };
  };
}

interface AlwaysServed {
  readonly group: string;
  readonly version: VersionInfo;
}

function descriptionOf(typeName: string, served: readonly GroupVersionKind[]): string | undefined {
  const [first] = served;
  if (first === undefined) return undefined;
  const name = typeName.slice(typeName.lastIndexOf('.') + 1);
  if (served.length > 1) return `${name} is part of every group and version.`;
  const groupVersion = first.group === '' ? first.version : `${first.group}/${first.version}`;
  const item = name.endsWith('List') ? name.slice(0, -'List'.length) : undefined;
  if (item !== undefined) return `${name} is a list of ${item} in ${groupVersion}.`;
  return `${name} is a kind of ${groupVersion}.`;
}

function indexKinds(
  always: readonly AlwaysServed[],
): ReadonlyMap<string, readonly GroupVersionKind[]> {
  const index = new Map<string, GroupVersionKind[]>();
  const add = (schema: ObjectSchema | undefined, kind: GroupVersionKind) => {
    if (schema === undefined) return;
    const known = index.get(schema.name) ?? [];
    const { group, version } = kind;
    const same = (k: GroupVersionKind) =>
      k.group === group && k.version === version && k.kind === kind.kind;
    if (!known.some(same)) index.set(schema.name, [...known, { group, version, kind: kind.kind }]);
  };
  for (const kind of always.flatMap(({ version }) => version.kinds)) {
    // Their types are not listed here, and built-in kinds have Scale.
    if (kind.custom !== undefined) continue;
    const { group, listKind, version } = kind;
    add(kind.schema, kind);
    add(kind.listSchema, { group, version, kind: listKind });
    for (const subresource of kind.subresources) add(subresource.schema, subresource.kind);
  }
  for (const name of inCore) index.set(`meta/v1.${name}`, [coreKind(name)]);
  for (const name of everywhere) index.set(name, inEveryVersion(always, name));
  return index;
}

function coreKind(kind: string): GroupVersionKind {
  return { group: '', version: 'v1', kind };
}

function inEveryVersion(always: readonly AlwaysServed[], typeName: string): GroupVersionKind[] {
  const kind = typeName.slice(typeName.lastIndexOf('.') + 1);
  return always.map(({ group, version: { version } }) => ({ group, version, kind }));
}

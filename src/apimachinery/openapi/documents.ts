/**
 * OpenAPI documents as values: one for each group version in v3, one for everything in v2, and the
 * short ones of the discovery paths (spec 1, sections 4 and 8).
 *
 * What it is not: bytes, hashes or HTTP.
 *
 * Invariants: documents depend on the scheme only; each is made anew on every call, so the caller
 * keeps what it wants to have twice. Every $ref resolves inside its document.
 */
import type { GroupVersionKind } from '../schema.ts';
import type { Scheme } from '../scheme.ts';
import { metaTypes, statusType } from '../typed/meta-types.ts';
import type { ObjectSchema } from '../typed/type-schema.ts';
import type { JsonObject } from '../unstructured.ts';
import { definitionNames } from './definition-names.ts';
import type { DefinitionNames } from './definition-names.ts';
import { makeDefinitions } from './definitions.ts';
import type { Definitions, Describe, Dialect, TypeDescription } from './definitions.ts';
import { groupWord, operationNames, operationsOf } from './operations.ts';
import type { BodyType, PathOperations } from './operation-types.ts';
import { pathItemV2, pathItemV3 } from './path-items.ts';
import type { PathItemContext } from './path-items.ts';

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
  /** Semantic version of what is served. */
  readonly version: string;
}

export interface OpenApiDocuments {
  /** As in the index: `api`, `apis`, `version`, `api/v1`, `apis/apps`, `apis/apps/v1`; sorted. */
  readonly paths: readonly string[];
  /** OpenAPI 3.0; undefined for what is not among `paths`. */
  v3(path: string): JsonObject | undefined;
  /** OpenAPI 2.0 of everything; the pieces come one by one, so that the caller may pause. */
  v2(): Generator<undefined, JsonObject, undefined>;
}

export function openApiDocuments(options: DocumentOptions): OpenApiDocuments {
  const names = definitionNames(options.domain);
  const describe = describer(options);
  const sections = new Map(
    sectionsOf(options).map((section): [string, () => readonly PathOperations[]] => [
      section.path,
      section.operations,
    ]),
  );
  const context = (dialect: Dialect) => {
    const definitions = makeDefinitions({
      dialect,
      names,
      describe,
      describeField: (owners, field) => options.texts?.field(owners, field),
      openValues: options.openValues,
    });
    const item: PathItemContext = {
      protobufMediaType: options.protobufMediaType,
      cbor: options.cbor === true,
      schemaOf: (type) => bodySchema(type, definitions, names, describe),
    };
    return { definitions, item };
  };
  return {
    paths: [...sections.keys()].sort(),
    v3(path) {
      const section = sections.get(path);
      if (section === undefined) return undefined;
      const { definitions, item } = context('v3');
      const paths = section().map((each) => [each.path, pathItemV3(each, item)] as const);
      return {
        openapi: '3.0.0',
        info: { title: documentTitle, version: options.version },
        paths: sorted(paths),
        components: { schemas: definitions.collect(), securitySchemes },
      };
    },
    *v2() {
      const { definitions, item } = context('v2');
      const paths: (readonly [string, JsonObject])[] = [];
      for (const section of sections.values()) {
        for (const each of section()) paths.push([each.path, pathItemV2(each, item)]);
        yield;
      }
      return {
        swagger: '2.0',
        info: { title: documentTitle, version: options.version },
        paths: sorted(paths),
        definitions: definitions.collect(),
        securityDefinitions: securitySchemes,
        security: [{ BearerToken: [] }],
      };
    },
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

interface Section {
  readonly path: string;
  readonly operations: () => readonly PathOperations[];
}

function sectionsOf({ scheme, domain }: DocumentOptions): readonly Section[] {
  const sections: Section[] = [
    plainSection('version', '/version/', 'getCodeVersion', 'version', 'string'),
    plainSection('apis', '/apis/', 'getAPIVersions', 'apis', metaTypes.object(apiGroupList)),
  ];
  for (const group of scheme.groups) {
    const word = groupWord(group.group, domain);
    const tag = `${word.charAt(0).toLowerCase()}${word.slice(1)}`;
    if (group.group === '') {
      const type = metaTypes.object('meta/v1.APIVersions');
      sections.push(plainSection('api', '/api/', 'getCoreAPIVersions', tag, type));
    } else {
      const path = `apis/${group.group}`;
      const type = metaTypes.object('meta/v1.APIGroup');
      sections.push(plainSection(path, `/${path}/`, `get${word}APIGroup`, tag, type));
    }
    for (const version of group.versions) {
      const names = operationNames(group.group, version.version, domain);
      const list = metaTypes.object('meta/v1.APIResourceList');
      const id = `get${names.groupVersion}APIResources`;
      sections.push({
        path: names.root.slice(1),
        operations: () => [
          plainPath(`${names.root}/`, id, names.tag, list),
          ...version.kinds.flatMap((kind) => operationsOf(kind, names)),
        ],
      });
    }
  }
  return sections;
}

const apiGroupList = 'meta/v1.APIGroupList';

function plainSection(
  section: string,
  path: string,
  id: string,
  tag: string,
  type: BodyType,
): Section {
  return { path: section, operations: () => [plainPath(path, id, tag, type)] };
}

function plainPath(path: string, id: string, tag: string, type: BodyType): PathOperations {
  return {
    path,
    parameters: [],
    operations: [
      {
        method: 'get',
        id,
        tag,
        description: `What ${path} holds.`,
        action: undefined,
        kind: undefined,
        parameters: [],
        body: undefined,
        responses: [['200', type]],
        streams: false,
        deprecated: false,
      },
    ],
  };
}

function bodySchema(
  type: BodyType,
  definitions: Definitions,
  names: DefinitionNames,
  describe: (typeName: string) => TypeDescription,
): JsonObject {
  switch (type) {
    case 'string':
      return { type: 'object' };
    case 'Status':
      return definitions.toType(statusType);
    case 'DeleteOptions':
      return definitions.toType(metaTypes.object('meta/v1.DeleteOptions'));
    case 'Patch':
      return definitions.toOwn(names.ofMeta('Patch'), () => ({
        description: 'A change in the form that Content-Type names.',
        type: 'object',
      }));
    case 'WatchEvent':
      return definitions.toOwn(names.ofMeta('WatchEvent'), () => ({
        description: 'One change of one object.',
        type: 'object',
        required: ['type', 'object'],
        properties: { object: { type: 'object' }, type: { type: 'string' } },
        'x-kubernetes-group-version-kind': describe(watchEventType).groupVersionKinds,
      }));
    default:
      return definitions.toType(type);
  }
}

const watchEventType = 'meta/v1.WatchEvent';
/** Known in every group version. */
const everywhere = ['meta/v1.DeleteOptions', watchEventType];
/** Known in the core group only, whoever answers with them. */
const inCore = ['Status', 'APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions'];

/** What documents say of a type: under which names it is served. Worked out when first asked. */
function describer({ scheme, texts }: DocumentOptions): (typeName: string) => TypeDescription {
  let index: ReadonlyMap<string, readonly GroupVersionKind[]> | undefined;
  return (typeName) => {
    index ??= indexKinds(scheme);
    const served = index.get(typeName) ?? [];
    return {
      groupVersionKinds: served.map(({ group, version, kind }) => ({ group, kind, version })),
      description:
        texts?.type(typeName) ??
        (served.length === 0 ? undefined : descriptionOf(typeName, served)),
    };
  };
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

function indexKinds(scheme: Scheme): ReadonlyMap<string, readonly GroupVersionKind[]> {
  const index = new Map<string, GroupVersionKind[]>();
  const add = (schema: ObjectSchema | undefined, kind: GroupVersionKind) => {
    if (schema === undefined) return;
    const known = index.get(schema.name) ?? [];
    const { group, version } = kind;
    const same = (k: GroupVersionKind) =>
      k.group === group && k.version === version && k.kind === kind.kind;
    if (!known.some(same)) index.set(schema.name, [...known, { group, version, kind: kind.kind }]);
  };
  for (const kind of scheme.kinds) {
    add(kind.schema, kind);
    add(kind.listSchema, { ...kind, kind: kind.listKind });
    for (const subresource of kind.subresources) add(subresource.schema, subresource.kind);
  }
  for (const name of inCore) index.set(`meta/v1.${name}`, [coreKind(name)]);
  for (const name of everywhere) index.set(name, everyVersion(scheme, name));
  return index;
}

function coreKind(kind: string): GroupVersionKind {
  return { group: '', version: 'v1', kind };
}

function everyVersion(scheme: Scheme, typeName: string): GroupVersionKind[] {
  const kind = typeName.slice(typeName.lastIndexOf('.') + 1);
  return scheme.groups.flatMap(({ group, versions }) =>
    versions.map(({ version }) => ({ group, version, kind })),
  );
}

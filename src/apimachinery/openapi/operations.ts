/**
 * The operations of a resource: what can be asked at which path, in neither dialect of OpenAPI
 * (spec 1, sections 4.1 to 4.4).
 *
 * Paths follow from the scheme: what a kind does not serve is not here.
 *
 * Invariants: an operationId is unique in the server; it is made as client generators expect:
 * verb, group, version, scope, kind, subresource (`replaceAppsV1NamespacedDeploymentStatus`).
 */
import type { GroupVersionKind } from '../schema.ts';
import type { KindInfo, SubresourceInfo, Verb } from '../scheme.ts';
import { connectPaths } from './connect-operations.ts';
import type { BodyType, Operation, OperationNames, PathOperations } from './operation-types.ts';
import {
  deleteParameters,
  fieldManagementParameters,
  listParameters,
  nameParameter,
  namespaceParameter,
  patchParameters,
  prettyParameter,
  watchOnlyParameters,
} from './parameters.ts';
import type { Parameter } from './parameters.ts';

/** `domain` is the identity's: group names lose it. */
export function operationNames(group: string, version: string, domain: string): OperationNames {
  const words = group === '' ? ['core'] : shortGroup(group, domain).split('.');
  const camel = words.map(capital).join('');
  return {
    groupVersion: `${camel}${capital(version)}`,
    tag: `${camel.charAt(0).toLowerCase()}${camel.slice(1)}_${version}`,
    root: rootOf(group, version),
  };
}

/** Where the paths of a version begin. */
export function rootOf(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** `Apps`, `RbacAuthorization`. */
export function groupWord(group: string, domain: string): string {
  if (group === '') return 'Core';
  return shortGroup(group, domain).split('.').map(capital).join('');
}

function shortGroup(group: string, domain: string): string {
  return group.endsWith(`.${domain}`) ? group.slice(0, -domain.length - 1) : group;
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** Every path of a kind, its subresources and the older watch paths among them. */
export function operationsOf(kind: KindInfo, names: OperationNames): readonly PathOperations[] {
  const isCustom = kind.custom !== undefined;
  const schema: BodyType | undefined = isCustom ? { custom: kind, isList: false } : kind.schema;
  if (schema === undefined) return [];
  // An operation has no list, and no verb that would speak of one.
  const listSchema = isCustom ? { custom: kind, isList: true } : (kind.listSchema ?? schema);
  const make = operationMaker(kind, names, { schema, listSchema });
  const { root } = names;
  const scope = kind.namespaced ? '/namespaces/{namespace}' : '';
  const scoped = kind.namespaced ? [namespaceParameter] : [];
  const collection = `${root}${scope}/${kind.resource}`;
  const watched = `${root}/watch${scope}/${kind.resource}`;
  const object = [nameParameter, ...scoped, prettyParameter];
  const streamed = [...scoped, prettyParameter, ...listParameters, ...watchOnlyParameters];
  const paths: PathOperations[] = [
    {
      path: collection,
      parameters: [...scoped, prettyParameter],
      operations: make.all(['list', 'create', 'deletecollection']),
    },
    { path: `${collection}/{name}`, parameters: object, operations: make.all(objectVerbs) },
    ...kind.subresources.flatMap((subresource) => {
      const at = { path: `${collection}/{name}`, parameters: object };
      if (subresource.connects !== undefined) return connectPaths(kind, subresource, names, at);
      const path = `${at.path}/${subresource.name}`;
      return [{ path, parameters: object, operations: make.subresource(subresource) }];
    }),
    { path: watched, parameters: streamed, operations: make.watch('watchlist', '') },
    {
      path: `${watched}/{name}`,
      parameters: [nameParameter, ...streamed],
      operations: make.watch('watch', ''),
    },
  ];
  if (kind.namespaced) {
    const everywhere = 'ForAllNamespaces';
    paths.push(
      {
        path: `${root}/${kind.resource}`,
        parameters: [prettyParameter, ...listParameters, ...watchOnlyParameters],
        operations: make.all(['list'], everywhere),
      },
      {
        path: `${root}/watch/${kind.resource}`,
        parameters: [prettyParameter, ...listParameters, ...watchOnlyParameters],
        operations: make.watch('watchlist', everywhere),
      },
    );
  }
  // The older watch paths of kinds that users define are served, and were never described.
  const described = isCustom
    ? paths.filter(({ path }) => !path.startsWith(`${root}/watch/`))
    : paths;
  return described.filter((path) => path.operations.length > 0);
}

const objectVerbs: readonly Verb[] = ['get', 'update', 'delete', 'patch'];

interface Types {
  readonly schema: BodyType;
  readonly listSchema: BodyType;
}

interface Maker {
  all(verbs: readonly Verb[], suffix?: string): readonly Operation[];
  subresource(subresource: SubresourceInfo): readonly Operation[];
  watch(action: 'watch' | 'watchlist', suffix: string): readonly Operation[];
}

function operationMaker(kind: KindInfo, names: OperationNames, types: Types): Maker {
  const scope = kind.namespaced ? 'Namespaced' : '';
  const { group, version } = kind;
  const idOf = (verb: string, noun: string) => `${verb}${names.groupVersion}${noun}`;
  const finish = (
    shape: OperationShape,
    noun: string,
    about: GroupVersionKind,
    said: string,
  ): Operation => ({
    method: shape.method,
    id: idOf(shape.word, `${shape.infix ?? ''}${noun}`),
    tag: names.tag,
    description: `${capital(shape.does)} ${said}.`,
    action: shape.action,
    kind: { group: about.group, version: about.version, kind: about.kind },
    parameters: shape.parameters,
    body: shape.body,
    responses: shape.responses,
    streams: shape.streams === true,
    deprecated: false,
    isCustom: kind.custom === undefined ? undefined : true,
  });
  return {
    all(verbs, suffix = '') {
      const everywhere = suffix !== '';
      return verbs
        .filter((verb) => kind.verbs.includes(verb))
        .map((verb) => {
          const shape = shapeOf(verb, types.schema, types.listSchema, kind.returnsDeletedObject);
          const noun = everywhere ? `${kind.kind}${suffix}` : `${scope}${kind.kind}`;
          // Over all namespaces, the query is described once, at the path.
          const trimmed = everywhere ? { ...shape, parameters: [] } : shape;
          return finish(trimmed, noun, kind, objectsOf(verb, kind.kind));
        });
    },
    subresource(subresource) {
      const schema = subresource.custom === undefined ? subresource.schema : types.schema;
      if (schema === undefined) return [];
      return (['get', 'create', 'update', 'patch'] as const)
        .filter((verb) => subresource.verbs.includes(verb))
        .map((verb) => {
          const noun = `${scope}${kind.kind}${capital(subresource.name)}`;
          const shape = shapeOf(verb, schema, schema, false);
          return finish(shape, noun, subresource.kind, `${subresource.name} of a ${kind.kind}`);
        });
    },
    watch(action, suffix) {
      if (!kind.verbs.includes('watch')) return [];
      const list = action === 'watchlist' ? 'List' : '';
      const noun = suffix === '' ? `${scope}${kind.kind}${list}` : `${kind.kind}${list}${suffix}`;
      return [
        {
          method: 'get',
          id: idOf('watch', noun),
          tag: names.tag,
          description: `Watch ${kind.kind}; the query parameter watch of a list does the same.`,
          action,
          kind: { group, version, kind: kind.kind },
          parameters: [],
          body: undefined,
          responses: [['200', 'WatchEvent']],
          streams: true,
          deprecated: true,
        },
      ];
    },
  };
}

function objectsOf(verb: Verb, kind: string): string {
  return verb === 'list' || verb === 'deletecollection' ? `objects of kind ${kind}` : `a ${kind}`;
}

interface OperationShape extends VerbWords {
  readonly parameters: readonly Parameter[];
  readonly body: Operation['body'];
  readonly responses: Operation['responses'];
  readonly streams?: boolean;
}

interface VerbWords {
  readonly method: Operation['method'];
  /** Begins the operationId. */
  readonly word: string;
  /** Stands before the kind. */
  readonly infix?: string;
  readonly does: string;
  readonly action: string;
}

const listWords: VerbWords = { method: 'get', word: 'list', does: 'list or watch', action: 'list' };
const verbWords: Readonly<Record<Verb, VerbWords>> = {
  get: { method: 'get', word: 'read', does: 'read', action: 'get' },
  list: listWords,
  watch: listWords,
  create: { method: 'post', word: 'create', does: 'create', action: 'post' },
  update: { method: 'put', word: 'replace', does: 'replace', action: 'put' },
  patch: { method: 'patch', word: 'patch', does: 'change parts of', action: 'patch' },
  delete: { method: 'delete', word: 'delete', does: 'delete', action: 'delete' },
  deletecollection: {
    method: 'delete',
    word: 'delete',
    infix: 'Collection',
    does: 'delete',
    action: 'deletecollection',
  },
};

function shapeOf(
  verb: Verb,
  schema: BodyType,
  listSchema: BodyType,
  returnsDeleted: boolean,
): OperationShape {
  const words = verbWords[verb];
  const one = (codes: readonly string[], type: BodyType = schema) =>
    codes.map((code): readonly [string, BodyType] => [code, type]);
  const options = { type: 'DeleteOptions', required: false } as const;
  const stored = { type: schema, required: true };
  switch (verb) {
    case 'get':
      return { ...words, parameters: [], body: undefined, responses: one(['200']) };
    case 'list':
    case 'watch': {
      const parameters = [...listParameters, ...watchOnlyParameters];
      const responses = one(['200'], listSchema);
      return { ...words, parameters, body: undefined, responses, streams: true };
    }
    case 'create': {
      const responses = one(['200', '201', '202']);
      return { ...words, parameters: fieldManagementParameters, body: stored, responses };
    }
    case 'update': {
      const responses = one(['200', '201']);
      return { ...words, parameters: fieldManagementParameters, body: stored, responses };
    }
    case 'patch': {
      const body = { type: 'Patch', required: true } as const;
      return { ...words, parameters: patchParameters, body, responses: one(['200', '201']) };
    }
    case 'delete': {
      const responses = one(['200', '202'], returnsDeleted ? schema : 'Status');
      return { ...words, parameters: deleteParameters, body: options, responses };
    }
    case 'deletecollection': {
      const parameters = [...deleteParameters, ...listParameters];
      return { ...words, parameters, body: options, responses: one(['200'], 'Status') };
    }
  }
}

/**
 * The operations of subresources that lead to what runs: logs, terminals, ports, proxies.
 *
 * The ids are those that client generators expect: `connectCoreV1GetNamespacedPodExec`,
 * `...PodProxyWithPath`, `readCoreV1NamespacedPodLog`.
 */
import type { KindInfo, SubresourceInfo, Verb } from '../scheme.ts';
import type { ObjectSchema } from '../typed/type-schema.ts';
import type { Operation, OperationNames, PathOperations } from './operation-types.ts';
import { pathParameter } from './parameters.ts';
import type { Parameter } from './parameters.ts';

/** A proxy passes on what asks about an answer, too; who may do that is decided as for `get`. */
const methodsOfProxies = ['head', 'options'] as const;

const logMedia = { reads: ['*/*'], answers: ['text/plain'], asObjects: true } as const;

const methodOfVerb: Readonly<Partial<Record<Verb, Operation['method']>>> = {
  create: 'post',
  delete: 'delete',
  get: 'get',
  patch: 'patch',
  update: 'put',
};

/** `object` is the path of one object, `parameters` those of that path. */
export function connectPaths(
  kind: KindInfo,
  subresource: SubresourceInfo,
  { groupVersion, tag }: OperationNames,
  object: { readonly path: string; readonly parameters: readonly Parameter[] },
): readonly PathOperations[] {
  const { name, schema, verbs } = subresource;
  if (schema === undefined) return [];
  const noun = `${kind.namespaced ? 'Namespaced' : ''}${kind.kind}${capital(name)}`;
  const isLog = name === 'log';
  const own = isLog ? [] : optionParameters(schema);
  const methods: readonly Operation['method'][] = [
    ...verbs.flatMap((verb) => methodOfVerb[verb] ?? []),
    ...(subresource.connects === 'below' ? methodsOfProxies : []),
  ];
  const operationsOf = (suffix: string): readonly Operation[] =>
    methods.map((method) => {
      const id = isLog
        ? `read${groupVersion}${noun}`
        : `connect${groupVersion}${capital(method)}${noun}${suffix}`;
      return {
        method,
        id,
        tag,
        description: isLog
          ? `Read the log of a container of a ${kind.kind}.`
          : `Connect ${method.toUpperCase()} requests to ${name} of a ${kind.kind}.`,
        action: isLog ? 'get' : 'connect',
        kind: subresource.kind,
        parameters: [],
        body: undefined,
        responses: [['200', 'string']],
        streams: false,
        deprecated: false,
        ...(isLog ? { media: logMedia } : {}),
      };
    });
  const path = `${object.path}/${name}`;
  const parameters = [...object.parameters, ...own];
  const paths = [{ path, parameters, operations: operationsOf('') }];
  if (subresource.connects !== 'below') return paths;
  return [
    ...paths,
    {
      path: `${path}/{path}`,
      parameters: [...object.parameters, pathParameter, ...own],
      operations: operationsOf('WithPath'),
    },
  ];
}

function optionParameters(schema: ObjectSchema): readonly Parameter[] {
  return [...schema.members.keys()].map((name) => ({
    name,
    in: 'query',
    type: typeOf(schema, name),
    description: `As in ${schema.name.replace(/^.*\./, '')}.`,
  }));
}

function typeOf(schema: ObjectSchema, name: string): Parameter['type'] {
  const type = schema.members.get(name)?.type;
  if (type?.kind !== 'scalar') return 'string';
  if (type.scalar === 'boolean') return 'boolean';
  return type.scalar === 'int64' || type.scalar === 'int32' ? 'integer' : 'string';
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

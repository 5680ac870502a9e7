/**
 * The operations of one path as a path item of OpenAPI 3.0 and of 2.0.
 *
 * Elsewhere: operations (operations.ts) and schemas (definitions.ts).
 */
import { lookup } from '../../stdx/lookup.ts';
import type { JsonObject } from '../unstructured.ts';
import type { BodyType, Operation, PathOperations } from './operation-types.ts';
import type { Parameter } from './parameters.ts';

export interface PathItemContext {
  readonly protobufMediaType: string;
  /** Bodies may be in CBOR. */
  readonly cbor: boolean;
  /** `{"$ref": ...}` in the dialect of the document. */
  schemaOf(type: BodyType): JsonObject;
}

/** The last one needs a schema of the reference's own kind. */
const patchMediaTypes: readonly string[] = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

function responseMediaTypes(operation: Operation, context: PathItemContext): readonly string[] {
  const { cbor, protobufMediaType } = context;
  if (operation.action === 'connect') return ['*/*'];
  const named = ['application/json', protobufMediaType, 'application/yaml'];
  const { media } = operation;
  if (media !== undefined) return [...media.answers, ...(media.asObjects === true ? named : [])];
  if (operation.isCustom === true) return customMediaTypes(cbor);
  const plain = cbor ? ['application/cbor', ...named] : named;
  if (!operation.streams) return plain;
  const streams = ['application/json', protobufMediaType].map((type) => `${type};stream=watch`);
  return [...plain, ...streams, ...(cbor ? ['application/cbor-seq'] : [])].sort();
}

function customMediaTypes(cbor: boolean): readonly string[] {
  const named = ['application/json', 'application/yaml'];
  return cbor ? ['application/cbor', ...named] : named;
}

function requestMediaTypes(operation: Operation, context: PathItemContext): readonly string[] {
  if (operation.media !== undefined) return operation.media.reads;
  if (operation.method !== 'patch' || operation.action === 'connect') return ['*/*'];
  const types = operation.isCustom === true ? patchMediaTypes.slice(0, -1) : patchMediaTypes;
  return context.cbor ? ['application/apply-patch+cbor', ...types] : types;
}

export function pathItemV3(path: PathOperations, context: PathItemContext): JsonObject {
  return pathItem(path, parameterV3, (operation) => operationV3(operation, context));
}

export function pathItemV2(path: PathOperations, context: PathItemContext): JsonObject {
  return pathItem(path, parameterV2, (operation) => operationV2(operation, context));
}

function pathItem(
  path: PathOperations,
  parameter: (parameter: Parameter) => JsonObject,
  render: (operation: Operation) => JsonObject,
): JsonObject {
  return {
    ...Object.fromEntries(path.operations.map((each) => [each.method, render(each)])),
    ...(path.parameters.length === 0 ? {} : { parameters: path.parameters.map(parameter) }),
  };
}

function operationV3(operation: Operation, context: PathItemContext): JsonObject {
  const types = responseMediaTypes(operation, context);
  const content = (mediaTypes: readonly string[], type: BodyType): JsonObject => {
    const schema = context.schemaOf(type);
    return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
  };
  const { body } = operation;
  const requestBody = body && {
    content: content(requestMediaTypes(operation, context), body.type),
    ...(body.required ? { required: true } : {}),
  };
  return {
    ...headOf(operation),
    ...(operation.parameters.length === 0
      ? {}
      : { parameters: operation.parameters.map(parameterV3) }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      ...Object.fromEntries(
        operation.responses.map(([code, type]) => [
          code,
          { description: descriptions[code] ?? '', content: content(types, type) },
        ]),
      ),
      '401': { description: 'Unauthorized' },
    },
    ...extensionsOf(operation),
  };
}

function operationV2(operation: Operation, context: PathItemContext): JsonObject {
  const { body } = operation;
  const bodyParameter = body && {
    name: 'body',
    in: 'body',
    ...(body.required ? { required: true } : {}),
    schema: context.schemaOf(body.type),
  };
  const parameters = [
    ...(bodyParameter === undefined ? [] : [bodyParameter]),
    ...operation.parameters.map(parameterV2),
  ];
  return {
    ...headOf(operation),
    consumes: requestMediaTypes(operation, context),
    produces: responseMediaTypes(operation, context),
    schemes: ['https'],
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: {
      ...Object.fromEntries(
        operation.responses.map(([code, type]) => [
          code,
          { description: descriptions[code] ?? '', schema: context.schemaOf(type) },
        ]),
      ),
      '401': { description: 'Unauthorized' },
    },
    ...extensionsOf(operation),
  };
}

function headOf(operation: Operation): JsonObject {
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.id,
    ...(operation.deprecated ? { deprecated: true } : {}),
  };
}

function extensionsOf({ action, kind }: Operation): JsonObject {
  return {
    ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
    ...(kind === undefined ? {} : { 'x-kubernetes-group-version-kind': { ...kind } }),
  };
}

function parameterV3(parameter: Parameter): JsonObject {
  const { name, description, type } = parameter;
  return {
    name,
    in: parameter.in,
    description,
    ...(parameter.in === 'path' ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  };
}

function parameterV2(parameter: Parameter): JsonObject {
  const { name, description, type } = parameter;
  return {
    name,
    in: parameter.in,
    type,
    uniqueItems: true,
    description,
    ...(parameter.in === 'path' ? { required: true } : {}),
  };
}

const descriptions: Readonly<Record<string, string>> = lookup({
  '200': 'OK',
  '201': 'Created',
  '202': 'Accepted',
});

/**
 * The one table of failure reasons, their HTTP codes and their messages (spec 1, section 7).
 *
 * Elsewhere: the error class and its constructors (`status-error.ts`). Nothing else in the service
 * spells a reason, and no code looks inside a message. Names in messages are quoted; resources are
 * group-qualified (`deployments.apps "web" not found`).
 */
import { formatGroupResource } from './schema.ts';
import type { GroupResource } from './schema.ts';
import { quote } from './quote.ts';

/** The closed set. Clients branch on these. */
export const StatusReason = {
  unauthorized: 'Unauthorized',
  forbidden: 'Forbidden',
  notFound: 'NotFound',
  alreadyExists: 'AlreadyExists',
  conflict: 'Conflict',
  expired: 'Expired',
  invalid: 'Invalid',
  badRequest: 'BadRequest',
  methodNotAllowed: 'MethodNotAllowed',
  notAcceptable: 'NotAcceptable',
  requestEntityTooLarge: 'RequestEntityTooLarge',
  unsupportedMediaType: 'UnsupportedMediaType',
  tooManyRequests: 'TooManyRequests',
  serverTimeout: 'ServerTimeout',
  internalError: 'InternalError',
  storeReadError: 'StorageReadError',
  serviceUnavailable: 'ServiceUnavailable',
  timeout: 'Timeout',
} as const;
export type StatusReason = (typeof StatusReason)[keyof typeof StatusReason];

/** ServerTimeout is 500 and Timeout is 504: the first is "try again", the second "gave up". */
export const STATUS_CODES: Readonly<Record<StatusReason, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  Invalid: 422,
  BadRequest: 400,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  TooManyRequests: 429,
  ServerTimeout: 500,
  InternalError: 500,
  StorageReadError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
};

/** Types of causes that are not field errors: `details.causes[].reason`. */
export const CauseType = {
  unexpectedServerResponse: 'UnexpectedServerResponse',
  fieldManagerConflict: 'FieldManagerConflict',
  resourceVersionTooLarge: 'ResourceVersionTooLarge',
  namespaceTerminating: 'NamespaceTerminating',
  disruptionBudget: 'DisruptionBudget',
} as const;

export const OPTIMISTIC_LOCK_MESSAGE =
  'the object has been modified; please apply your changes to the latest version and try again';

export const STATUS_MESSAGES = {
  unauthorized: 'Unauthorized',
  forbidden: (gr: GroupResource, name: string, why: string): string => {
    if (gr.resource === '') return `forbidden: ${why}`;
    return `${describe(gr, name)} is forbidden: ${why}`;
  },
  notFound: (gr: GroupResource, name: string): string => `${identify(gr, name)} not found`,
  genericNotFound: 'the server could not find the requested resource',
  alreadyExists: (gr: GroupResource, name: string): string =>
    `${identify(gr, name)} already exists`,
  beingDeleted: (message: string): string => `object is being deleted: ${message}`,
  generateNameConflict: (gr: GroupResource, name: string): string =>
    `${identify(gr, name)} already exists, the server was not able to generate a unique name ` +
    'for the object',
  conflict: (gr: GroupResource, name: string, why: string): string =>
    `Operation cannot be fulfilled on ${identify(gr, name)}: ${why}`,
  invalid: (kind: string, name: string, why: string): string =>
    `${kind} ${quote(name)} is invalid${why === '' ? '' : `: ${why}`}`,
  methodNotAllowed: (gr: GroupResource, verb: string): string =>
    `${verb} is not supported on resources of kind ${quote(formatGroupResource(gr))}`,
  notAcceptable: (accepted: readonly string[]): string =>
    `only the following media types are accepted: ${accepted.join(', ')}`,
  wrongProjection: (asked: string, isList: boolean): string =>
    `you requested ${asked}, but the requested object is ${isList ? 'a list' : 'not a list'}`,
  tooLarge: (problem: string): string => `Request entity too large: ${problem}`,
  invalidPatch: (problem: string): string =>
    `the server rejected our request due to an error in our request: ${problem}`,
  requestEntityTooLarge: (limitBytes: number): string =>
    `Request entity too large: limit is ${limitBytes}`,
  unsupportedMediaType: (accepted: readonly string[]): string =>
    'the body of the request was in an unknown format - accepted media types include: ' +
    accepted.join(', '),
  serverTimeout: (gr: GroupResource, verb: string): string =>
    `The ${verb} operation against ${formatGroupResource(gr)} could not be completed at this ` +
    'time, please try again.',
  internalError: (message: string): string => `Internal error occurred: ${message}`,
  collectionTimeout: ({ resource }: GroupResource, seconds: number, deletedCount: number): string =>
    `not all ${resource} were deleted within ${seconds} s: ${deletedCount} were, the rest is there`,
  corruptObject: (key: string, why: string): string =>
    `StorageError: corrupt object, Key: ${key}: ${why}`,
  storeReadError: (gr: GroupResource): string =>
    `failed to read one or more ${formatGroupResource(gr)} from the storage`,
  awaitedResource: (gr: GroupResource): string =>
    `storage is (re)initializing: some ${formatGroupResource(gr)} cannot be read yet, ` +
    'because the key service that encrypted them is away',
  timeout: (message: string): string => `Timeout: ${message}`,
  tooLargeResourceVersion: (requested: string, current: string): string =>
    `Too large resource version: ${requested}, current: ${current}`,
  tooLargeResourceVersionCause: 'Too large resource version',
  namespaceTerminating: (namespace: string): string =>
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  namespaceTerminatingCause: (namespace: string): string =>
    `namespace ${namespace} is being terminated`,
} as const;

function identify(gr: GroupResource, name: string): string {
  return `${formatGroupResource(gr)} ${quote(name)}`;
}

/** Like `identify`, but a request about a whole collection names no object. */
function describe(gr: GroupResource, name: string): string {
  return name === '' ? formatGroupResource(gr) : identify(gr, name);
}

/**
 * The one error that reaches a client, as a Status object (spec 1, section 7).
 *
 * Inside the service "no" is a value: storage and actors return unions, and a StatusError is made
 * where the answer to the client is decided. Reasons, codes and texts are in `status-table.ts`.
 *
 * Invariants: `code` follows from `reason`, but where somebody else has refused, who says both;
 * `details.kind` is the plural resource name, except for
 * Invalid, where it is the Kind. `details.retryAfterSeconds` also becomes the header Retry-After.
 */
import { boundedDetails, boundedMessage } from './answer-bounds.ts';
import { isCredentialKind } from './credential-kinds.ts';
import { fieldErrorsMax, formatFieldErrorBody, formatFieldErrors } from './field-error.ts';
import type { FieldError } from './field-error.ts';
import type { GroupResource } from './schema.ts';
import type { JsonValue } from './unstructured.ts';
import {
  CauseType,
  OPTIMISTIC_LOCK_MESSAGE,
  STATUS_CODES,
  STATUS_MESSAGES,
  StatusReason,
} from './status-table.ts';
import type { JsonObject } from './unstructured.ts';

export interface StatusCause {
  /** A FieldErrorType or CauseType. Absent for the cause of an internal error. */
  readonly reason?: string | undefined;
  readonly message: string;
  readonly field?: string | undefined;
}

export interface StatusDetails {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

export interface StatusErrorInit {
  readonly reason: StatusReason;
  readonly message: string;
  readonly details?: StatusDetails | undefined;
  readonly listContinue?: string | undefined;
  /** Of a refusal in the words of others; absent: that of the reason. */
  readonly code?: number | undefined;
  /** For the writer, beside the refusal. */
  readonly warnings?: readonly string[] | undefined;
}

export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly reason: StatusReason;
  readonly code: number;
  readonly details: StatusDetails | undefined;
  /** `metadata.continue`: a token that goes on where an expired one stood. */
  readonly listContinue: string | undefined;
  /** For the writer; no part of the Status. */
  readonly warnings: readonly string[] | undefined;

  constructor(init: StatusErrorInit) {
    super(boundedMessage(init.message));
    this.reason = init.reason;
    this.code = init.code ?? STATUS_CODES[init.reason];
    this.details = init.details && boundedDetails<StatusCause, StatusDetails>(init.details);
    this.listContinue = init.listContinue;
    this.warnings = init.warnings;
  }

  /** The same refusal with more warnings. */
  warned(more: readonly string[]): StatusError {
    if (more.length === 0) return this;
    const { code, details, listContinue, message, reason, warnings = [] } = this;
    const said = [...warnings, ...more];
    return new StatusError({ reason, message, details, listContinue, code, warnings: said });
  }

  /** The wire form, keys in the customary order, without empty members. */
  toStatus(): JsonObject {
    const details = this.details === undefined ? undefined : formatDetails(this.details);
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.listContinue === undefined ? {} : { continue: this.listContinue },
      status: 'Failure',
      ...(this.message === '' ? {} : { message: this.message }),
      ...((this.reason as string) === '' ? {} : { reason: this.reason }),
      ...(details === undefined ? {} : { details }),
      code: this.code,
    };
  }
}

/** The answer to a delete that removed the object. It has no code. */
export function successStatus(details?: StatusDetails): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    ...(details === undefined ? {} : { details: formatDetails(details) }),
  };
}

export function newUnauthorized(message: string = STATUS_MESSAGES.unauthorized): StatusError {
  return new StatusError({ reason: StatusReason.unauthorized, message });
}

/** An empty `name` is a request about the collection; an empty resource, one about a path. */
export function newForbidden(gr: GroupResource, name: string, why: string): StatusError {
  return new StatusError({
    reason: StatusReason.forbidden,
    message: STATUS_MESSAGES.forbidden(gr, name, why),
    details: about(gr, name),
  });
}

export function newNotFound(gr: GroupResource, name: string): StatusError {
  return new StatusError({
    reason: StatusReason.notFound,
    message: STATUS_MESSAGES.notFound(gr, name),
    details: about(gr, name),
  });
}

/** For a path that no resource is served at. */
export function newGenericNotFound(): StatusError {
  const message = STATUS_MESSAGES.genericNotFound;
  return new StatusError({ reason: StatusReason.notFound, message, details: {} });
}

export function newAlreadyExists(gr: GroupResource, name: string): StatusError {
  return new StatusError({
    reason: StatusReason.alreadyExists,
    message: STATUS_MESSAGES.alreadyExists(gr, name),
    details: about(gr, name),
  });
}

/** The name is taken by an object that waits for its finalizers. */
export function newAlreadyExistsBeingDeleted(gr: GroupResource, name: string): StatusError {
  return new StatusError({
    reason: StatusReason.alreadyExists,
    message: STATUS_MESSAGES.beingDeleted(STATUS_MESSAGES.alreadyExists(gr, name)),
    details: about(gr, name),
  });
}

export function newGenerateNameConflict(
  gr: GroupResource,
  name: string,
  retryAfterSeconds: number,
): StatusError {
  return new StatusError({
    reason: StatusReason.alreadyExists,
    message: STATUS_MESSAGES.generateNameConflict(gr, name),
    details: { ...about(gr, name), retryAfterSeconds },
  });
}

export function newConflict(
  gr: GroupResource,
  name: string,
  why: string = OPTIMISTIC_LOCK_MESSAGE,
): StatusError {
  return new StatusError({
    reason: StatusReason.conflict,
    message: STATUS_MESSAGES.conflict(gr, name, why),
    details: about(gr, name),
  });
}

/** `listContinue` lets a client go on with an inconsistent list instead of starting over. */
export function newExpired(message: string, listContinue?: string): StatusError {
  return new StatusError({ reason: StatusReason.expired, message, listContinue });
}

export function newInvalid(
  groupKind: { readonly group: string; readonly kind: string },
  name: string,
  found: readonly FieldError[],
): StatusError {
  const { group, kind } = groupKind;
  const errors = isCredentialKind(kind) ? found.map(withoutValue) : found;
  const qualified = group === '' ? kind : `${kind}.${group}`;
  return new StatusError({
    reason: StatusReason.invalid,
    message: STATUS_MESSAGES.invalid(qualified, name, formatFieldErrors(errors)),
    details: {
      name,
      group,
      kind,
      causes: errors.slice(0, fieldErrorsMax).map((error) => ({
        reason: error.type,
        message: formatFieldErrorBody(error),
        field: error.field,
      })),
    },
  });
}

function withoutValue({ detail, field, type }: FieldError): FieldError {
  return { type, field, detail };
}

export function newBadRequest(message: string): StatusError {
  return new StatusError({ reason: StatusReason.badRequest, message });
}

export function newMethodNotAllowed(gr: GroupResource, verb: string): StatusError {
  return new StatusError({
    reason: StatusReason.methodNotAllowed,
    message: STATUS_MESSAGES.methodNotAllowed(gr, verb),
    details: about(gr, ''),
  });
}

/** Of a kind whose definition is being deleted: nothing is created any more. */
export function newDefinitionEnding(gr: GroupResource): StatusError {
  return new StatusError({
    reason: StatusReason.methodNotAllowed,
    message: 'create not allowed while custom resource definition is terminating',
    details: about(gr, ''),
  });
}

export function newNotAcceptable(accepted: readonly string[]): StatusError {
  return new StatusError({
    reason: StatusReason.notAcceptable,
    message: STATUS_MESSAGES.notAcceptable(accepted),
  });
}

/** One thing was asked for as a list, or a list as one thing. */
export function newWrongProjection(asked: string, isList: boolean): StatusError {
  return new StatusError({
    reason: StatusReason.notAcceptable,
    message: STATUS_MESSAGES.wrongProjection(asked, isList),
  });
}

export function newRequestEntityTooLarge(limitBytes: number): StatusError {
  return new StatusError({
    reason: StatusReason.requestEntityTooLarge,
    message: STATUS_MESSAGES.requestEntityTooLarge(limitBytes),
  });
}

/**
 * A patch that is one, but not for this object. The details are there and name nothing: the
 * command line client shows the message only of such a status.
 */
export function newInvalidPatch(problem: string): StatusError {
  return new StatusError({
    reason: StatusReason.invalid,
    message: STATUS_MESSAGES.invalidPatch(problem),
    details: {},
  });
}

export function newTooLarge(problem: string): StatusError {
  return new StatusError({
    reason: StatusReason.requestEntityTooLarge,
    message: STATUS_MESSAGES.tooLarge(problem),
  });
}

/** Why the name in a body is not the one on the URL, if it is not; '': there is none. */
export function nameMismatch(found: JsonValue, expected: string): StatusError | undefined {
  if (found === expected) return undefined;
  if (found === '') {
    const problem = `the name of the object (${expected} based on URL) was undeterminable`;
    return newBadRequest(`${problem}: name must be provided`);
  }
  const shown = typeof found === 'string' ? found : 'another';
  return newBadRequest(
    `the name of the object (${shown}) does not match the name on the URL (${expected})`,
  );
}

export function newOtherNamespace(): StatusError {
  return newBadRequest(
    'the namespace of the provided object does not match the namespace sent on the request',
  );
}

export function newUnsupportedMediaType(accepted: readonly string[]): StatusError {
  return new StatusError({
    reason: StatusReason.unsupportedMediaType,
    message: STATUS_MESSAGES.unsupportedMediaType(accepted),
  });
}

/** `retryAfterSeconds` 0: nobody knows when. */
export function newTooManyRequests(
  message: string,
  retryAfterSeconds: number,
  causes?: readonly StatusCause[],
): StatusError {
  return new StatusError({
    reason: StatusReason.tooManyRequests,
    message,
    details: { retryAfterSeconds, causes },
  });
}

/** The server could not do it now and nothing was changed; 500 on the wire. */
export function newServerTimeout(
  gr: GroupResource,
  verb: string,
  retryAfterSeconds: number,
): StatusError {
  return new StatusError({
    reason: StatusReason.serverTimeout,
    message: STATUS_MESSAGES.serverTimeout(gr, verb),
    details: { ...about(gr, ''), retryAfterSeconds },
  });
}

export function newInternalError(message: string): StatusError {
  return new StatusError({
    reason: StatusReason.internalError,
    message: STATUS_MESSAGES.internalError(message),
    details: { causes: [{ message }] },
  });
}

/** What the reference answers with where it has only a text. */
export function newUnknownError(message: string): StatusError {
  return new StatusError({ reason: '' as StatusReason, message, code: 500 });
}

/** The store did not do it, and changed nothing: it may be tried again. */
export function newStoreFailure(message: string, retryAfterSeconds: number): StatusError {
  return new StatusError({
    reason: StatusReason.internalError,
    message: STATUS_MESSAGES.internalError(message),
    details: { causes: [{ message }], retryAfterSeconds },
  });
}

/** Something that the store holds and nobody can decode. */
export interface UnreadableObject {
  /** `<group>/<resource>/<namespace>/<name>`. */
  readonly key: string;
  readonly why: string;
}

/** One object was asked for, and it cannot be read. */
export function newCorruptObject(
  gr: GroupResource,
  name: string,
  object: UnreadableObject,
): StatusError {
  const message = STATUS_MESSAGES.corruptObject(object.key, object.why);
  return new StatusError({
    reason: StatusReason.internalError,
    message: STATUS_MESSAGES.internalError(message),
    details: { ...about(gr, name), causes: [unreadableCause(object)] },
  });
}

/** One object was asked for, and it cannot be read yet: its key is away. */
export function newAwaitedObject(
  gr: GroupResource,
  name: string,
  object: UnreadableObject,
): StatusError {
  return new StatusError({
    reason: StatusReason.internalError,
    message: STATUS_MESSAGES.internalError(`${object.key} cannot be read yet: ${object.why}`),
    details: { ...about(gr, name), causes: [unreadableCause(object)] },
  });
}

/** Objects of it cannot be read yet: nothing whole can be shown of it, now or while it changes. */
export function newAwaitedResource(gr: GroupResource): StatusError {
  return newTooManyRequests(STATUS_MESSAGES.awaitedResource(gr), awaitedRetrySeconds);
}

/** Key services that are away are looked at about as often. */
const awaitedRetrySeconds = 2;

/** Keys that one answer names. */
const unreadableShownMax = 100;

/** Among the objects that were asked for are some that cannot be read. */
export function newStoreReadError(
  gr: GroupResource,
  objects: readonly UnreadableObject[],
): StatusError {
  const causes = objects.slice(0, unreadableShownMax).map(unreadableCause);
  return new StatusError({
    reason: StatusReason.storeReadError,
    message: STATUS_MESSAGES.storeReadError(gr),
    details: { group: gr.group, kind: gr.resource, causes },
  });
}

function unreadableCause({ key, why }: UnreadableObject): StatusCause {
  return { reason: CauseType.unexpectedServerResponse, message: why, field: key };
}

export function newServiceUnavailable(message: string, retryAfterSeconds?: number): StatusError {
  const details = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
  return new StatusError({ reason: StatusReason.serviceUnavailable, message, details });
}

/** The request ran out of time; 504 on the wire. Whether it took effect may be unknown. */
export function newTimeout(message: string, retryAfterSeconds: number): StatusError {
  return new StatusError({
    reason: StatusReason.timeout,
    message: STATUS_MESSAGES.timeout(message),
    details: { retryAfterSeconds },
  });
}

/** Nobody reads it; the audit trail may. `undone`: what was left, as "its body was read". */
export function newClientGone(undone: string): StatusError {
  return newTimeout(`the client went away before ${undone}`, 1);
}

/** The time that the request had, by its client or by its kind, is over. */
export function newRequestTimeout(): StatusError {
  const message = 'request did not complete within requested timeout';
  return new StatusError({
    reason: StatusReason.timeout,
    message: STATUS_MESSAGES.timeout(message),
  });
}

/** Of a request that waits for another server. */
export function newAllottedTimeout(): StatusError {
  const message = 'request did not complete within the allotted timeout';
  return new StatusError({
    reason: StatusReason.timeout,
    message: STATUS_MESSAGES.timeout(message),
  });
}

/** Without a hint to retry: clients follow one unasked, and it was the client that set the time. */
export function newCollectionTimeout(
  gr: GroupResource,
  seconds: number,
  deletedCount: number,
): StatusError {
  const message = STATUS_MESSAGES.collectionTimeout(gr, seconds, deletedCount);
  return new StatusError({
    reason: StatusReason.timeout,
    message: STATUS_MESSAGES.timeout(message),
    details: { group: gr.group, kind: gr.resource },
  });
}

/** Both in decimal. Clients recognise this error by its cause and restart from "". */
export function newTooLargeResourceVersion(requested: string, current: string): StatusError {
  return new StatusError({
    reason: StatusReason.timeout,
    message: STATUS_MESSAGES.timeout(STATUS_MESSAGES.tooLargeResourceVersion(requested, current)),
    details: {
      causes: [
        {
          reason: CauseType.resourceVersionTooLarge,
          message: STATUS_MESSAGES.tooLargeResourceVersionCause,
        },
      ],
      retryAfterSeconds: 1,
    },
  });
}

export function newNamespaceNotFound(name: string): StatusError {
  return newNotFound({ group: '', resource: 'namespaces' }, name);
}

/** `gr` and `name` are of the object that cannot be created in `namespace`. */
export function newNamespaceTerminating(
  gr: GroupResource,
  name: string,
  namespace: string,
): StatusError {
  const why = STATUS_MESSAGES.namespaceTerminating(namespace);
  return new StatusError({
    reason: StatusReason.forbidden,
    message: STATUS_MESSAGES.forbidden(gr, name, why),
    details: {
      ...about(gr, name),
      causes: [
        {
          reason: CauseType.namespaceTerminating,
          message: STATUS_MESSAGES.namespaceTerminatingCause(namespace),
          field: 'metadata.namespace',
        },
      ],
    },
  });
}

const hasReason =
  (reason: StatusReason) =>
  (error: unknown): error is StatusError =>
    error instanceof StatusError && error.reason === reason;

export const isNotFound = hasReason(StatusReason.notFound);
export const isConflict = hasReason(StatusReason.conflict);
export const isAlreadyExists = hasReason(StatusReason.alreadyExists);

function about(gr: GroupResource, name: string): StatusDetails {
  return { name, group: gr.group, kind: gr.resource };
}

function formatDetails(details: StatusDetails): JsonObject {
  const out: { [key: string]: string | number | readonly JsonObject[] } = {};
  if (details.name) out['name'] = details.name;
  if (details.group) out['group'] = details.group;
  if (details.kind) out['kind'] = details.kind;
  if (details.uid) out['uid'] = details.uid;
  if (details.causes && details.causes.length > 0) out['causes'] = details.causes.map(formatCause);
  if (details.retryAfterSeconds) out['retryAfterSeconds'] = details.retryAfterSeconds;
  return out;
}

function formatCause(cause: StatusCause): JsonObject {
  return {
    ...(cause.reason ? { reason: cause.reason } : {}),
    ...(cause.message ? { message: cause.message } : {}),
    ...(cause.field ? { field: cause.field } : {}),
  };
}

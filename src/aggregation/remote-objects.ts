/**
 * Objects of other servers, as this server's own controllers see and change them: their metadata,
 * a page at a time, by calls that are made in the name of a controller.
 *
 * Elsewhere: requests of callers, which are passed on as they are (passed-on.ts).
 *
 * Invariants: what is not answered as it should be is a RemoteError, which says whether the server
 * itself has spoken; a call says nothing that the controller's own rights do not allow there. A
 * name that cannot stand in a path as it is is never sent.
 * Bounds: `callLimits` for each call; remote-lanes.ts for how many there are.
 */
import { jsonSteps } from '../apimachinery/codecs/json.ts';
import type { Identity } from '../apimachinery/identity.ts';
import { objects, part, text } from '../apimachinery/members.ts';
import { StatusReason } from '../apimachinery/status-table.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import { checkPathSegmentName } from '../apimachinery/validation/names.ts';
import type { Requester } from '../stdx/requester.ts';
import { messageOf } from '../stdx/message-of.ts';
import { runToEnd } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import type { HttpAnswer } from '../webhooks/http-call.ts';
import { HttpCallError } from '../webhooks/http-call.ts';
import { pathOf, serverNameOf } from './api-service.ts';
import type { BackendCall, Backends } from './backends.ts';
import type { RemoteLanes } from './remote-lanes.ts';
import type { RemoteResource } from './remote-resources.ts';

const callLimits = {
  answerBytesMax: 4 * 1024 * 1024,
  timeoutMs: 30_000,
  /** Objects in a page. Policy: where that is too much, fewer and fewer. */
  pageSizes: [500, 100, 20, 4, 1],
} as const;

/** In whose name, and for how long. */
export interface RemoteAsking {
  readonly user: UserInfo;
  readonly requester: Requester;
}

/** `namespace` is '' for all of them, or where there are none. */
export interface RemotePlace {
  readonly resource: RemoteResource;
  readonly namespace: string;
}

export interface RemotePage {
  /** Metadata. */
  readonly items: readonly JsonObject[];
  readonly resourceVersion: string;
  /** '': it is the last one. */
  readonly next: string;
  /** How many there are behind it, as the server says. */
  readonly moreCount: number;
}

/** `options`: DeleteOptions without their type. */
export interface RemoteObjects {
  page(place: RemotePlace, next: string, asking: RemoteAsking): Promise<RemotePage>;
  /** The metadata of one. */
  get(place: RemotePlace, name: string, asking: RemoteAsking): Promise<JsonObject>;
  deleteAll(place: RemotePlace, options: JsonObject, asking: RemoteAsking): Promise<void>;
  delete(
    place: RemotePlace,
    name: string,
    options: JsonObject,
    asking: RemoteAsking,
  ): Promise<void>;
  /** A merge patch. */
  patch(place: RemotePlace, name: string, patch: JsonObject, asking: RemoteAsking): Promise<void>;
}

/** `status`: what was answered; undefined: nothing that can be used. `reason`: of a Status. */
class RemoteError extends Error {
  override readonly name = 'RemoteError';
  readonly status: number | undefined;
  readonly reason: string;
  constructor(status: number | undefined, message: string, reason = '') {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** The server itself says that there is no such object; what stands in between never does. */
export function isGone(error: unknown): boolean {
  return isUnsupported(error) && (error as RemoteError).reason === StatusReason.notFound;
}

/** It is not as it was when it was decided what to do with it. */
export function isConflict(error: unknown): boolean {
  return error instanceof RemoteError && error.status === 409;
}

/** The server has no such objects, or does not do this with them. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof RemoteError && (error.status === 404 || error.status === 405);
}

export interface RemoteObjectsDeps {
  readonly backends: Pick<Backends, 'call'>;
  readonly lanes: RemoteLanes;
  readonly identity: Pick<Identity, 'groups'>;
  readonly turns: Pick<Turns, 'run'>;
}

export function createRemoteObjects(deps: RemoteObjectsDeps): RemoteObjects {
  const accept = acceptedForms(deps.identity);
  const send = async (place: RemotePlace, what: Sent, asking: RemoteAsking): Promise<JsonObject> =>
    objectOf(deps, await answerOf(deps, place, what, asking));
  return {
    async page(place, next, asking) {
      for (const size of callLimits.pageSizes) {
        const query = new URLSearchParams({ limit: String(size), ...(next && { continue: next }) });
        const sent = { name: '', query: query.toString(), accept: accept.list };
        try {
          return pageOf(await send(place, sent, asking));
        } catch (error) {
          if (!(error instanceof TooLarge) || size === 1) throw error;
        }
      }
      throw new RemoteError(undefined, 'the answer is too long');
    },
    async get(place, name, asking) {
      return part(await send(place, { name, accept: accept.one }, asking), 'metadata');
    },
    async deleteAll(place, options, asking) {
      await send(place, { name: '', method: 'DELETE', body: deletion(options) }, asking);
    },
    async delete(place, name, options, asking) {
      await send(place, { name, method: 'DELETE', body: deletion(options) }, asking);
    },
    async patch(place, name, patch, asking) {
      const type = 'application/merge-patch+json';
      const body = JSON.stringify(patch);
      await send(place, { name, method: 'PATCH', body, type, accept: accept.one }, asking);
    },
  };
}

function acceptedForms({ groups }: RemoteObjectsDeps['identity']) {
  const form = (kind: string): string =>
    `application/json;as=${kind};g=${groups.meta};v=v1,application/json`;
  return { list: form('PartialObjectMetadataList'), one: form('PartialObjectMetadata') };
}

function deletion(options: JsonObject): string {
  return JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', ...options });
}

interface Sent extends Pick<BackendCall, 'method' | 'body'> {
  /** '': all of them. */
  readonly name: string;
  readonly query?: string;
  readonly accept?: string;
  /** Of the body. */
  readonly type?: string;
}

/** A page that is too long, which a smaller one may not be. */
class TooLarge extends RemoteError {}

/** As clients of the reference say it. */
const unavailable = 'the server is currently unable to handle the request';

async function answerOf(
  { backends, lanes }: Pick<RemoteObjectsDeps, 'backends' | 'lanes'>,
  place: RemotePlace,
  sent: Sent,
  { requester, user }: RemoteAsking,
): Promise<HttpAnswer> {
  const { service } = place.resource;
  if (!service.isAvailable) throw new RemoteError(undefined, unavailable);
  const { accept = 'application/json', body, method, type = 'application/json' } = sent;
  const headers = { Accept: accept, ...(body === undefined ? {} : { 'Content-Type': type }) };
  const { answerBytesMax, timeoutMs } = callLimits;
  const call = { path: pathAt(place, sent), method, body, headers, user, requester };
  const server = `${serverNameOf(service.backend)}:${service.backend.port}`;
  try {
    return await lanes.run(server, () =>
      backends.call(service.backend, { ...call, answerBytesMax, timeoutMs }),
    );
  } catch (error) {
    const why = `error trying to reach service: ${messageOf(error)}`;
    const isTooLarge = error instanceof HttpCallError && error.problem === 'too large';
    throw isTooLarge ? new TooLarge(undefined, why) : new RemoteError(undefined, why);
  }
}

/** @throws RemoteError for a name that is none. */
function pathAt({ namespace, resource }: RemotePlace, { name, query }: Sent): string {
  if (name !== '' && checkPathSegmentName(name).length > 0) {
    throw new RemoteError(undefined, 'an object has a name that cannot stand in a path');
  }
  const within = namespace === '' ? '' : `/namespaces/${namespace}`;
  const one = name === '' ? '' : `/${encodeURIComponent(name)}`;
  const path = `${pathOf(resource.service)}${within}/${resource.resource}${one}`;
  return query === undefined ? path : `${path}?${query}`;
}

/** @throws RemoteError for what is no success. */
async function objectOf(
  { turns }: Pick<RemoteObjectsDeps, 'turns'>,
  { body, status }: HttpAnswer,
): Promise<JsonObject> {
  const decoded = await runToEnd(turns, jsonSteps(body));
  const value = decoded.kind === 'value' ? decoded.value : undefined;
  if (status >= 200 && status <= 299) {
    if (isJsonObject(value)) return value;
    const why = decoded.kind === 'refused' ? decoded.error.message : 'it is no JSON object';
    const isTooMuch = decoded.kind === 'refused' && decoded.error.code === tooMuch;
    throw new (isTooMuch ? TooLarge : RemoteError)(undefined, `its answer: ${why}`);
  }
  const said = isJsonObject(value) && text(value, 'kind') === 'Status' ? value : undefined;
  const words = text(said, 'message') || `answered with status ${status}`;
  throw new RemoteError(status, words, text(said, 'reason'));
}

const tooMuch = 413;

function pageOf(list: JsonObject): RemotePage {
  const metadata = part(list, 'metadata');
  return {
    items: objects(list, 'items').map((item) => part(item, 'metadata')),
    resourceVersion: text(metadata, 'resourceVersion'),
    next: text(metadata, 'continue'),
    moreCount: Math.max(Number(metadata['remainingItemCount'] ?? 0), 0) || 0,
  };
}

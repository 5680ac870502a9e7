/**
 * Follows the metadata of all objects of a resource of another server: a list, a page at a time,
 * then a watch from there; a list again where the watch cannot go on.
 *
 *     list ─▶ each item, `listed` ─▶ watch ─▶ each change ─▶ its time is over ─▶ watch from there
 *       ▲                              │ failed, or too old
 *       └────── later and later ◀──────┘
 *
 * Invariants: changes come in the order in which the server sends them, and no more is read than
 * has been taken. What cannot be read ends the watch.
 * Bounds: `watchLimits`.
 */
import type { IncomingMessage } from 'node:http';
import { jsonSteps } from '../apimachinery/codecs/json.ts';
import type { Identity } from '../apimachinery/identity.ts';
import { part, text } from '../apimachinery/members.ts';
import { newInternalError } from '../apimachinery/status-error.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import { openRequest } from '../proxy/open-request.ts';
import type { Timers } from '../stdx/clock.ts';
import { sleepFor } from '../stdx/requester.ts';
import { runToEnd } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import type { Header } from '../transport/http-exchange.ts';
import { isInCrumbs } from '../webhooks/http-call.ts';
import { pathOf } from './api-service.ts';
import type { Backends } from './backends.ts';
import type { RemoteAsking, RemoteObjects } from './remote-objects.ts';
import type { RemoteResource } from './remote-resources.ts';
import { headersOfUser } from './remote-user.ts';

const watchLimits = {
  dialTimeoutMs: 30_000,
  headTimeoutMs: 30_000,
  /** For which a watch is asked. */
  timeoutSeconds: 300,
  /** Behind which it is cut. */
  cutMs: 330_000,
  /** Of one event. */
  eventBytesMax: 1024 * 1024,
  retryMinMs: 500,
  retryMaxMs: 30_000,
  /** A watch that lasted so long was none that failed. */
  wellMs: 10_000,
} as const;

export type RemoteEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

export interface RemoteFollower {
  /** Of a list that has begun anew where `isFirst`. */
  listing(items: readonly JsonObject[], isFirst: boolean): Promise<void>;
  /** What was in no page is not there. */
  listed(): Promise<void>;
  changed(type: RemoteEventType, metadata: JsonObject): void;
  failed(error: unknown): void;
}

export interface RemoteWatchDeps {
  readonly backends: Pick<Backends, 'reach'>;
  readonly objects: Pick<RemoteObjects, 'page'>;
  readonly timers: Timers;
  readonly turns: Pick<Turns, 'run'>;
  readonly clock: { monotonicMs(): number };
  readonly identity: Pick<Identity, 'groups'>;
}

/** `resource`: as it is now. Until the requester goes; never rejects. */
export type FollowRemote = (
  resource: () => RemoteResource,
  asking: RemoteAsking,
  follower: RemoteFollower,
) => Promise<void>;

export function createFollowRemote(deps: RemoteWatchDeps): FollowRemote {
  return async (resource, asking, follower) => {
    const { retryMaxMs, retryMinMs, wellMs } = watchLimits;
    const { requester } = asking;
    let from = '';
    let failures = 0;
    while (!requester.closed) {
      const begunMs = deps.clock.monotonicMs();
      try {
        if (from === '') from = await list(deps, resource(), asking, follower);
        from = await watch(deps, resource(), from, asking, follower);
      } catch (error) {
        from = '';
        if (!requester.closed) follower.failed(error);
      }
      failures = deps.clock.monotonicMs() - begunMs > wellMs ? 0 : failures + 1;
      if (requester.closed) return;
      const delayMs = Math.min(retryMinMs * 2 ** Math.min(failures, 20), retryMaxMs);
      await sleepFor(requester, deps.timers, delayMs);
    }
  };
}

/** Resolves to where a watch goes on. */
async function list(
  { objects }: RemoteWatchDeps,
  resource: RemoteResource,
  asking: RemoteAsking,
  follower: RemoteFollower,
): Promise<string> {
  let next = '';
  for (let isFirst = true; ; isFirst = false) {
    const page = await objects.page({ resource, namespace: '' }, next, asking);
    await follower.listing(page.items, isFirst);
    next = page.next;
    if (next !== '') continue;
    await follower.listed();
    return page.resourceVersion;
  }
}

/** Resolves to where the next one goes on; '': nowhere. */
async function watch(
  deps: RemoteWatchDeps,
  resource: RemoteResource,
  from: string,
  { requester, user }: RemoteAsking,
  follower: RemoteFollower,
): Promise<string> {
  const { service } = resource;
  const reached = deps.backends.reach(service.backend);
  if (reached.kind !== 'reached') throw new Error(reached.why);
  const { cutMs, dialTimeoutMs, headTimeoutMs, timeoutSeconds } = watchLimits;
  const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${timeoutSeconds}`;
  const target = `${pathOf(service)}/${resource.resource}?${query}`;
  const { meta } = deps.identity.groups;
  const headers: Header[] = [
    ['host', reached.origin.host],
    ['accept', `application/json;as=PartialObjectMetadata;g=${meta};v=v1,application/json`],
    ...headersOfUser(user),
  ];
  const passed = {
    url: reached.origin,
    target: `${target}&resourceVersion=${encodeURIComponent(from)}`,
    method: 'GET',
    headers,
    agent: reached.fresh,
    body: undefined,
    dialTimeoutMs,
    headTimeoutMs,
    unreachable: newInternalError,
  };
  const opened = await openRequest(passed, undefined, requester, deps.timers);
  if (opened.kind !== 'answered') {
    throw new Error(opened.kind === 'failed' ? opened.why : 'the watch was not answered');
  }
  const { response } = opened;
  const cut = (): void => void response.destroy();
  const timer = deps.timers.after(cutMs, cut);
  requester.onAbort(cut);
  try {
    if (response.statusCode !== 200) throw new Error(`watch: status ${response.statusCode}`);
    return await readEvents(deps, response, from, follower);
  } finally {
    timer.cancel();
    requester.offAbort(cut);
    cut();
  }
}

async function readEvents(
  { turns }: RemoteWatchDeps,
  response: IncomingMessage,
  from: string,
  follower: RemoteFollower,
): Promise<string> {
  let at = from;
  for await (const line of linesOf(response as AsyncIterable<Buffer>)) {
    const decoded = await runToEnd(turns, jsonSteps(line));
    const event = decoded.kind === 'value' && isJsonObject(decoded.value) ? decoded.value : {};
    const metadata = part(part(event, 'object'), 'metadata');
    const type = text(event, 'type');
    if (type === 'ERROR') return '';
    if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
      follower.changed(type, metadata);
    } else if (type !== 'BOOKMARK') throw new Error('an event of the watch cannot be read');
    at = text(metadata, 'resourceVersion');
  }
  return at;
}

const newline = 0x0a;

async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const { eventBytesMax } = watchLimits;
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream) {
    let start = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, start)) {
      const line = Buffer.concat([...pieces, piece.subarray(start, end)]);
      pieces = [];
      size = 0;
      start = end + 1;
      if (line.length > 0) yield line;
    }
    pieces.push(piece.subarray(start));
    size += piece.length - start;
    if (size > eventBytesMax || isInCrumbs(pieces.length, size)) {
      throw new Error('an event of the watch is too long');
    }
  }
}

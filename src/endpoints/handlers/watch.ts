/**
 * watch: a stream of events on a collection or on one object, with or without the state first
 * (spec 1, section 6).
 *
 * Whoever asks for WebSocket gets each event as a message (watch-messages.ts).
 *
 * Making and sending events is the business of streams/; this handler translates the request for
 * it.
 *
 * Invariant: once the head is sent, what goes wrong is an ERROR event in the stream.
 */
import type { ListOptions } from '../../apimachinery/list-options.ts';
import { fieldSelectorOf } from '../../apimachinery/selectors/field-selector.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { newAwaitedResource, StatusError } from '../../apimachinery/status-error.ts';
import { revisionZero } from '../../storage/storage.ts';
import type { Revision } from '../../storage/storage.ts';
import type { Predicate, WatchHandle, WatchStart } from '../../../streams/streams.ts';
import type { HttpExchange, ResponseStream } from '../../transport/http-exchange.ts';
import { callerOf } from '../caller.ts';
import { listOptionsOf, selectedBy } from '../collection-query.ts';
import { bodyHeaders } from '../object-response.ts';
import { negotiateRepresentation } from '../representation.ts';
import type { Representation } from '../representation.ts';
import { conversionIdOf, convertsToShow } from '../response-conversion.ts';
import type { ShownSelection } from '../response-conversion.ts';
import { convertingSink, storedFrames } from '../shown-events.ts';
import type { Sharing } from '../shown-events.ts';
import { eventFramesOf } from '../watch-frames.ts';
import type { WatchScope } from '../watch-counts.ts';
import { framePreambles, withoutPreamble } from '../watch-preamble.ts';
import type { Answer } from '../answer.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';
import type { ResourceInfo } from '../request-info.ts';

export async function handleWatch(deps: EndpointDeps, request: ResourceRequest): Promise<Answer> {
  const { kind, resource } = request;
  const startMs = deps.clock.monotonicMs();
  const representation = negotiateRepresentation(deps, request, {
    projections: true,
    stream: true,
  });
  if (representation.kind === 'refused') return representation.error;
  const query = new Map(request.query).set('watch', ['true']);
  const options = listOptionsOf(deps, query);
  if (options instanceof StatusError) return options;
  const named = resource.name === '' ? options : onOneObject(options, resource.name);
  const selected = selectedBy(kind, named);
  if (selected.kind === 'refused') return selected.error;
  const { ofShown, predicate } = selected.value;

  const { streams } = deps.registry;
  if (streams.isWaiting(kind.storage)) return newAwaitedResource(kind);

  const watch = { options, predicate, ofShown, representation: representation.value, startMs };
  const { mediaType, format } = representation.value.negotiated;
  const contentType = format === 'protobuf' ? `${mediaType};stream=watch` : mediaType;
  return {
    kind: 'stream',
    headers: bodyHeaders(request, contentType),
    preamble: framePreambles[format].bytes,
    messages: format,
    begin: (stream) => startWatch(deps, request, watch, stream),
  };
}

interface RequestedWatch {
  readonly options: ListOptions;
  readonly predicate: Predicate;
  readonly ofShown: ShownSelection['ofShown'];
  readonly representation: Representation;
  readonly startMs: number;
}

function startWatch(
  deps: EndpointDeps,
  { exchange, kind, resource, seat, user }: ResourceRequest,
  { ofShown, options, predicate, representation, startMs }: RequestedWatch,
  stream: ResponseStream,
): void {
  const preamble = framePreambles[representation.negotiated.format];
  const frames = eventFramesOf(deps, kind, representation, deps.prng.uuid());
  const plain = preamble.partOfFrame ? withoutPreamble(stream, preamble.bytes) : stream;
  const convert = convertsToShow(kind) ? representation.convert : undefined;
  const start = startOf(options);
  if (start.kind !== 'state') seat.begun();
  const handle = deps.registry.streams.watch(
    {
      resource: kind.storage,
      namespace: resource.namespace === '' ? undefined : resource.namespace,
      predicate,
      start,
      bookmarks: options.allowWatchBookmarks,
      timeoutMs: timeoutMs(deps, options),
      encoder: convert === undefined ? frames : storedFrames(deps, kind, ofShown !== undefined),
      caller: callerOf(user, deps.identity),
      sent: deps.watchCounts.sentOf(kind),
      onInitialEventsEnd: whenListed(deps, seat, kind, scopeOf(resource, predicate), startMs),
    },
    convert === undefined
      ? plain
      : convertingSink(plain, {
          convert,
          frames,
          ofShown,
          requester: exchange,
          ...sharing(deps, kind),
        }),
  );
  closeOnAbort(exchange, handle);
}

// Closures that live as long as a watch are made in functions of their own: one that is made in the
// handler keeps all that others in it use, for each of ten thousand watches.

function closeOnAbort(exchange: HttpExchange, handle: WatchHandle): void {
  exchange.onAbort(() => handle.close());
}

function whenListed(
  { clock, watchCounts }: EndpointDeps,
  seat: ResourceRequest['seat'],
  kind: KindInfo,
  scope: WatchScope,
  startMs: number,
): (marked: boolean) => void {
  return (marked) => {
    seat.begun();
    if (marked) watchCounts.listed(kind, scope, (clock.monotonicMs() - startMs) / 1000);
  };
}

/** What watches at one version of a kind have in common. */
function sharing({ registry, sharedEvents }: EndpointDeps, kind: KindInfo): Sharing {
  return { turns: registry.turns, shared: sharedEvents, conversionId: conversionIdOf(kind) };
}

function scopeOf({ namespace }: ResourceInfo, { pins }: Predicate): WatchScope {
  if (pins.has('metadata.name')) return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

/** A watch on an object path: its name is one more requirement. */
function onOneObject(options: ListOptions, name: string): ListOptions {
  const named = { field: 'metadata.name', operator: '=', value: name } as const;
  const fieldSelector = fieldSelectorOf([named, ...options.fieldSelector.requirements]);
  return { ...options, fieldSelector };
}

function startOf(options: ListOptions): WatchStart {
  const { resourceVersion: version, sendInitialEvents } = options;
  if (sendInitialEvents === true) {
    const mark = options.allowWatchBookmarks;
    switch (version.kind) {
      case 'unset':
        return { kind: 'state', atLeast: undefined, mark };
      case 'any':
        return { kind: 'state', atLeast: revisionZero, mark };
      case 'revision':
        return { kind: 'state', atLeast: version.revision as Revision, mark };
    }
  }
  if (version.kind === 'revision') return { kind: 'after', revision: version.revision as Revision };
  if (sendInitialEvents === false) return { kind: 'now' };
  const atLeast = version.kind === 'any' ? revisionZero : undefined;
  return { kind: 'state', atLeast, mark: false };
}

function timeoutMs(deps: EndpointDeps, options: ListOptions): number {
  if (options.timeoutSeconds > 0) return options.timeoutSeconds * 1000;
  const spread = deps.prng.uint32() / 0x1_0000_0000;
  return deps.limits.minRequestTimeoutMs * (1 + spread);
}

/**
 * watch: a stream of events on a collection or on one object, with or without the state first
 * (spec 1, section 6).
 *
 * Making and sending events is the business of streams/; this handler translates the request for
 * it.
 *
 * Invariant: once the head is sent, what goes wrong is an ERROR event in the stream.
 */
import type { EventFrames } from '../../apimachinery/event-frames.ts';
import { shownEvents } from '../../apimachinery/event-frames.ts';
import type { ListOptions } from '../../apimachinery/list-options.ts';
import { formatGroupVersion } from '../../apimachinery/schema.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { newSelection } from '../../apimachinery/selectors/selection.ts';
import { fieldSelectorOf } from '../../apimachinery/selectors/field-selector.ts';
import { StatusError } from '../../apimachinery/status-error.ts';
import { revisionZero } from '../../storage/storage.ts';
import type { Revision } from '../../storage/storage.ts';
import type { Predicate, WatchStart } from '../../../streams/streams.ts';
import { listOptionsOf, predicateOf } from '../collection-query.ts';
import { bodyHeaders } from '../object-response.ts';
import { negotiateRepresentation } from '../representation.ts';
import { convertingSink } from '../response-conversion.ts';
import { eventFramesOf } from '../watch-frames.ts';
import type { WatchScope } from '../watch-counts.ts';
import { framePreambles, withoutPreamble } from '../watch-preamble.ts';
import type { Answer, EndpointDeps, ResourceRequest } from '../request.ts';
import type { ResourceInfo } from '../request-info.ts';

export async function handleWatch(deps: EndpointDeps, request: ResourceRequest): Promise<Answer> {
  const { exchange, kind, resource } = request;
  const startMs = deps.clock.monotonicMs();
  const representation = negotiateRepresentation(deps, request, {
    projections: true,
    stream: true,
  });
  if (representation.kind === 'refused') return representation.error;
  const query = new Map(request.query).set('watch', ['true']);
  const options = listOptionsOf(deps, query);
  if (options instanceof StatusError) return options;
  const selected = predicateOf(kind, options);
  if (selected.kind === 'refused') return selected.error;
  const predicate = resource.name === '' ? selected.value : onOneObject(options, resource.name);

  const { mediaType, format } = representation.value.negotiated;
  const contentType = format === 'protobuf' ? `${mediaType};stream=watch` : mediaType;
  const preamble = framePreambles[format];
  const beginning = request.beforeStream?.();
  if (beginning !== undefined) await beginning;
  const stream = exchange.stream(200, bodyHeaders(request, contentType), preamble.bytes);
  const frames = eventFramesOf(deps, kind, representation.value, deps.prng.uuid());
  const plain = preamble.partOfFrame ? withoutPreamble(stream, preamble.bytes) : stream;
  const convert = convertsForWatch(kind) ? representation.value.convert : undefined;
  const handle = deps.registry.streams.watch(
    {
      resource: kind.storage,
      namespace: resource.namespace === '' ? undefined : resource.namespace,
      predicate,
      start: startOf(options),
      bookmarks: options.allowWatchBookmarks,
      timeoutMs: timeoutMs(deps, options),
      encoder: convert === undefined ? frames : storedFrames(deps, kind),
      sent: deps.watchCounts.sentOf(kind),
      onInitialEventsEnd() {
        const seconds = (deps.clock.monotonicMs() - startMs) / 1000;
        deps.watchCounts.listed(kind, scopeOf(resource, predicate), seconds);
      },
    },
    convert === undefined ? plain : convertingSink(plain, convert, frames),
  );
  exchange.onAbort(() => handle.close());
}

/** What is stored in the version that is asked for is shown to all of its watches at once, unless
 * some of it may still be stored in another. */
function convertsForWatch({ custom, storageVersion, version }: KindInfo): boolean {
  return version !== storageVersion || custom?.storesSeveral() === true;
}

/** Objects as they are stored: what a webhook converts. */
function storedFrames({ identity: { domain } }: EndpointDeps, kind: KindInfo): EventFrames {
  const { group } = kind.storage;
  const apiVersion = formatGroupVersion({ group, version: kind.storageVersion });
  const shown = { apiVersion, kind: kind.kind, domain };
  return shownEvents(`json/stored/${apiVersion}/${kind.kind}`, shown, (bytes) => bytes);
}

function scopeOf({ namespace }: ResourceInfo, { pins }: Predicate): WatchScope {
  if (pins.has('metadata.name')) return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

/** A watch on an object path: its name is one more requirement. */
function onOneObject(options: ListOptions, name: string): Predicate {
  const named = { field: 'metadata.name', operator: '=', value: name } as const;
  const fields = fieldSelectorOf([named, ...options.fieldSelector.requirements]);
  return newSelection(options.labelSelector, fields);
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

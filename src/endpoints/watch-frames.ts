/**
 * How a watch is shown: the negotiated media type, version and projection as frames of events
 * (spec 1, sections 2.4, 4.3 and 6).
 *
 * The items of a list and the objects of initial events are the same bytes, kept once for both
 * (list-layout.ts).
 */
import { cborEvents, cborTableEvents } from '../apimachinery/cbor-events.ts';
import type { EventFrames, EventItems, TableEventOptions } from '../apimachinery/event-frames.ts';
import { partialEvents, shownEvents, tableEvents } from '../apimachinery/event-frames.ts';
import type { MetaVersion } from '../apimachinery/negotiation.ts';
import { partialForm } from '../apimachinery/projection/partial-metadata.ts';
import { protobufEvents } from '../apimachinery/protobuf-events.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { partialMetadataType } from '../apimachinery/typed/meta-types.ts';
import { responseFormId } from '../registry/versions.ts';
import { assert } from '../stdx/assert.ts';
import { eventItems } from './list-layout.ts';
import type { Representation } from './representation.ts';
import type { EndpointDeps } from './request.ts';

/** The encoder of a watch in this representation; `watchId` names the watch. */
export function eventFramesOf(
  deps: EndpointDeps,
  kind: KindInfo,
  representation: Representation,
  watchId: string,
): EventFrames {
  const { domain } = deps.identity;
  const { projection, format } = representation.negotiated;
  const shown = { apiVersion: formatGroupVersion(kind), kind: kind.kind, domain };
  if (projection.kind === 'table') {
    const table = tableOptionsOf(deps, kind, representation, projection.version, watchId);
    return format === 'cbor' ? cborTableEvents(table) : tableEvents(table);
  }
  const items = eventItems(deps, kind, representation);
  if (format === 'protobuf') return protobufFramesOf(deps, shown, representation, items);
  if (format !== 'cbor') return jsonFramesOf(deps, kind, representation, items);
  const frames = jsonFramesOf(deps, kind, representation, undefined);
  return cborEvents(frames, projection.kind === 'none' ? representation.schema : undefined, items);
}

function jsonFramesOf(
  deps: EndpointDeps,
  kind: KindInfo,
  { negotiated, show }: Representation,
  items: EventItems | undefined,
): EventFrames {
  const { domain } = deps.identity;
  const { projection } = negotiated;
  const shown = { apiVersion: formatGroupVersion(kind), kind: kind.kind, domain };
  if (projection.kind !== 'partial') {
    return shownEvents(`json/${responseFormId(kind)}`, shown, show, items);
  }
  // Metadata that is cut out of what is stored takes no longer than a copy of it.
  const own = items?.large === undefined ? undefined : items;
  const showId = responseFormId(kind);
  return partialEvents({ domain, version: projection.version, show, showId, items: own });
}

/** Rows are those of lists. */
function tableOptionsOf(
  deps: EndpointDeps,
  kind: KindInfo,
  representation: Representation,
  version: MetaVersion,
  watchId: string,
): TableEventOptions {
  const { includeObject, printer, show } = representation;
  return {
    apiVersion: formatGroupVersion(kind),
    kind: kind.kind,
    domain: deps.identity.domain,
    version,
    includeObject,
    printer,
    nowMs: () => deps.clock.nowMs(),
    watchId,
    show,
    rows: eventItems(deps, kind, representation),
  };
}

function protobufFramesOf(
  deps: EndpointDeps,
  shown: { readonly apiVersion: string; readonly kind: string; readonly domain: string },
  { negotiated, schema, show }: Representation,
  items: EventItems | undefined,
): EventFrames {
  const { projection } = negotiated;
  if (projection.kind !== 'partial') {
    assert(schema !== undefined, 'protobuf is negotiated for what has a schema');
    return protobufEvents({ ...shown, schema, show, items });
  }
  const { domain } = deps.identity;
  const { apiVersion, kind, project } = partialForm({ domain, version: projection.version });
  const projected = (bytes: Uint8Array) => project(show(bytes));
  const id = `/${shown.apiVersion}/${shown.kind}`;
  const options = { apiVersion, kind, domain, schema: partialMetadataType, show: projected, items };
  const frames = protobufEvents(options);
  return { ...frames, id: frames.id + id };
}

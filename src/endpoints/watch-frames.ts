/**
 * How a watch is shown: the negotiated media type, version and projection as frames of events
 * (spec 1, sections 2.4, 4.3 and 6).
 *
 * The items of a list and the objects of initial events are the same bytes, kept once for both
 * (list-layout.ts).
 */
import { cborEvents } from '../apimachinery/cbor-events.ts';
import type { EventFrames } from '../apimachinery/event-frames.ts';
import { partialEvents, shownEvents, tableEvents } from '../apimachinery/event-frames.ts';
import type { StateEncoder } from '../apimachinery/kept-encodings.ts';
import type { MetaVersion } from '../apimachinery/negotiation.ts';
import { partialForm } from '../apimachinery/projection/partial-metadata.ts';
import { protobufEvents } from '../apimachinery/protobuf-events.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { partialMetadataType } from '../apimachinery/typed/meta-types.ts';
import { responseFormId } from '../registry/versions.ts';
import { assert } from '../stdx/assert.ts';
import { keptItems } from './list-layout.ts';
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
    const frames = tableFramesOf(deps, kind, representation, projection.version, watchId);
    return format === 'cbor' ? cborEvents(frames, undefined, undefined) : frames;
  }
  const kept = keptItems(deps, kind, representation);
  if (format === 'protobuf') return protobufFramesOf(deps, shown, representation, kept);
  if (format !== 'cbor') return jsonFramesOf(deps, kind, representation, kept);
  const frames = jsonFramesOf(deps, kind, representation, undefined);
  return cborEvents(frames, projection.kind === 'none' ? representation.schema : undefined, kept);
}

function jsonFramesOf(
  deps: EndpointDeps,
  kind: KindInfo,
  { negotiated, show }: Representation,
  kept: StateEncoder | undefined,
): EventFrames {
  const { domain } = deps.identity;
  const { projection } = negotiated;
  const shown = { apiVersion: formatGroupVersion(kind), kind: kind.kind, domain };
  if (projection.kind !== 'partial') {
    return shownEvents(`json/${responseFormId(kind)}`, shown, show, kept);
  }
  return partialEvents({ domain, version: projection.version, show, showId: responseFormId(kind) });
}

/** In JSON. Rows are those of lists. */
function tableFramesOf(
  deps: EndpointDeps,
  kind: KindInfo,
  representation: Representation,
  version: MetaVersion,
  watchId: string,
): EventFrames {
  const { negotiated, includeObject, printer, show } = representation;
  const inJson = { ...representation, negotiated: { ...negotiated, format: 'json' as const } };
  return tableEvents({
    apiVersion: formatGroupVersion(kind),
    kind: kind.kind,
    domain: deps.identity.domain,
    version,
    includeObject,
    printer,
    nowMs: () => deps.clock.nowMs(),
    watchId,
    show,
    rows: keptItems(deps, kind, inJson),
  });
}

function protobufFramesOf(
  deps: EndpointDeps,
  shown: { readonly apiVersion: string; readonly kind: string; readonly domain: string },
  { negotiated, schema, show }: Representation,
  kept: StateEncoder | undefined,
): EventFrames {
  const { projection } = negotiated;
  if (projection.kind !== 'partial') {
    assert(schema !== undefined, 'protobuf is negotiated for what has a schema');
    return protobufEvents({ ...shown, schema, show, kept });
  }
  const { domain } = deps.identity;
  const { apiVersion, kind, project } = partialForm({ domain, version: projection.version });
  const projected = (bytes: Uint8Array) => project(show(bytes));
  const id = `/${shown.apiVersion}/${shown.kind}`;
  const options = { apiVersion, kind, domain, schema: partialMetadataType, show: projected, kept };
  const frames = protobufEvents(options);
  return { ...frames, id: frames.id + id };
}

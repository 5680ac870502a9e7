/**
 * How a list is shown: its form, and how the entry of an object becomes an item of it
 * (spec 1, sections 2.6, 4.3).
 *
 *     entry ─ show ─▶ JSON in the version ─ project ─▶ JSON of the item ─ form.item ─▶ item
 *             └──────────────────── kept by revision, where it costs something ──────────┘
 *
 * Elsewhere: sending; see list-response.ts.
 *
 * Invariant: in the common case (JSON, stored version, whole objects) an item is the entry's own
 * bytes. Rows of Tables are kept without the ages in them, which are put in as they are sent.
 */
import { parseJsonText } from '../apimachinery/codecs/lossless.ts';
import type { EventItems, LargeItems } from '../apimachinery/event-frames.ts';
import type { EncodableState, StateEncoder } from '../apimachinery/kept-encodings.ts';
import { largeStateSteps } from '../apimachinery/large-states.ts';
import type { LargeForm } from '../apimachinery/large-states.ts';
import { agedItem, itemAt } from '../apimachinery/lists/aged-item.ts';
import { cborList } from '../apimachinery/lists/cbor-list.ts';
import { indentedList, jsonList } from '../apimachinery/lists/json-list.ts';
import type { ListForm, ListMeta } from '../apimachinery/lists/list-form.ts';
import { protobufList } from '../apimachinery/lists/protobuf-list.ts';
import { yamlList } from '../apimachinery/lists/yaml-list.ts';
import type { MetaVersion, Projection } from '../apimachinery/negotiation.ts';
import { decodeObject, decodeTrustedText, isLarge } from '../apimachinery/object-encoding.ts';
import { partialForm } from '../apimachinery/projection/partial-metadata.ts';
import type { MarkedRow } from '../apimachinery/projection/table.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { metaTypes, partialMetadataType } from '../apimachinery/typed/meta-types.ts';
import type { ObjectSchema } from '../apimachinery/typed/type-schema.ts';
import type { JsonValue } from '../apimachinery/unstructured.ts';
import { convertsForResponse, responseFormId } from '../registry/versions.ts';
import { assert } from '../stdx/assert.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { Representation } from './representation.ts';
import { metaVersionOf, shownSteps, tableFormOf } from './representation.ts';
import type { EndpointDeps } from './request.ts';
import { convertsToShow } from './response-conversion.ts';

export interface ListLayout {
  readonly form: ListForm;
  readonly itemOf: StateEncoder;
  /** Making an item costs more than copying it. */
  readonly costly: boolean;
  /** An item is valid until the next one is made. */
  readonly isPassing: boolean;
  /** The cache key for what `itemOf` makes; undefined: not cached. */
  readonly keptAs: string | undefined;
  /** What `keptAs` names, in parts; undefined: it takes no longer than a part. */
  readonly large?: LargeForm | undefined;
  /** From what was made so to the item; absent: it is the item. Undefined: it has to be made anew.
   */
  readonly itemNow?: ((made: Uint8Array) => Uint8Array | undefined) | undefined;
  /** Prepares the item of a large object in parts, before `itemOf` is called. Undefined: nothing to
   * prepare. */
  readonly prepare?: ((entry: EncodableState) => Steps<void> | undefined) | undefined;
}

/** The list's own members, but for what it is. */
export type ListPosition = Omit<ListMeta, 'kind' | 'apiVersion' | 'columns'>;

/** What a projection makes of objects, before it is encoded. */
interface Formed {
  readonly meta: ListMeta;
  readonly parse: (json: Uint8Array) => JsonValue;
  /** In Protobuf. */
  readonly schemas: { readonly list: ObjectSchema; readonly item: ObjectSchema } | undefined;
  /** Which texts are bytes, in CBOR. */
  readonly itemType: ObjectSchema | undefined;
}

interface Projected extends Formed {
  readonly project: (json: Uint8Array) => Uint8Array;
  /** Not the whole object: a part has to be found in it. */
  readonly isCut: boolean;
  readonly id: string;
}

export function listLayout(
  deps: EndpointDeps,
  kind: KindInfo,
  representation: Representation,
  position: ListPosition,
): ListLayout {
  const { negotiated, show } = representation;
  if (negotiated.projection.kind === 'table') {
    return tableLayout(deps, kind, representation, negotiated.projection.version, position);
  }
  const projected = projectedOf(deps, kind, representation, negotiated.projection, position);
  const form = formOf(representation, projected);
  const { project } = projected;
  const { item } = form;
  const make =
    item === undefined
      ? (bytes: Uint8Array) => project(show(bytes))
      : (bytes: Uint8Array) => item(project(show(bytes)));
  if (item === undefined && !projected.isCut && !convertsForResponse(kind)) {
    const itemOf: StateEncoder = (entry) => make(entry.bytes);
    return { form, itemOf, costly: false, isPassing: false, keptAs: undefined };
  }
  const keptAs = keptName(deps, kind, representation, projected.id);
  const kept = deps.encodings.encoder(keptAs, make);
  const layout = { form, costly: true, isPassing: false, keptAs };
  const inParts = itemInParts(representation, form, project);
  if (inParts === undefined) return { ...layout, itemOf: kept };
  const large = { id: keptAs, steps: inParts };
  const itemOf: StateEncoder = (entry) => preparedItem(deps, large, entry) ?? kept(entry);
  return { ...layout, itemOf, large, prepare: preparerOf(deps, large) };
}

function preparerOf(
  { encodings, largeStates }: EndpointDeps,
  form: LargeForm,
): ListLayout['prepare'] {
  return encodings.preparer(form.id, (state) => largeStateSteps(largeStates, form, state));
}

/** Of a large entry, if that was just made. */
function preparedItem(
  { largeStates }: EndpointDeps,
  form: LargeForm,
  entry: EncodableState,
): Uint8Array | undefined {
  return isLarge(entry.bytes) ? largeStates.find(form, 'ADDED', entry) : undefined;
}

/** Undefined: no part of the work can be done alone. */
function itemInParts(
  representation: Representation,
  { item, itemSteps }: ListForm,
  project: Projected['project'],
): ((bytes: Uint8Array) => Steps<Uint8Array>) | undefined {
  if (itemSteps === undefined && representation.showSteps === undefined) return undefined;
  return function* (bytes) {
    const shown = yield* shownSteps(representation, bytes);
    if (shown !== bytes) yield;
    const projected = project(shown);
    if (itemSteps !== undefined) return yield* itemSteps(projected);
    return item === undefined ? projected : item(projected);
  };
}

/** What a webhook converts is kept for one list only: it may answer otherwise the next time. */
function keptName(
  { prng }: EndpointDeps,
  kind: KindInfo,
  { negotiated, pretty }: Representation,
  id: string,
): string {
  const form = negotiated.format === 'json' && pretty ? 'indented' : negotiated.format;
  const shape = convertsToShow(kind) ? prng.uuid() : (kind.custom?.shape ?? '');
  return `${form} ${id} ${responseFormId(kind)} ${shape}`;
}

/** A cached row has gaps for ages, so the length of an item changes with time; such a list cannot
 * have a form that begins with its length. */
function tableLayout(
  deps: EndpointDeps,
  kind: KindInfo,
  representation: Representation,
  version: MetaVersion,
  position: ListPosition,
): ListLayout {
  const { show, includeObject } = representation;
  const table = tableFormOf(deps, version, representation);
  const columns = JSON.parse(table.columnsText) as JsonValue;
  const form = formOf(representation, {
    meta: listMeta(table.kind, table.apiVersion, position, columns),
    parse: (json) => parseJsonText(decodeTrustedText(json)),
    schemas: undefined,
    itemType: undefined,
  });
  assert(form.needs !== 'bytes', 'rows have no fixed length');
  const { item, scalarOf } = form;
  // Nobody who writes objects can know it.
  const mark = `age${deps.prng.uuid().replaceAll('-', '')}`;
  const make = (bytes: Uint8Array): Uint8Array => {
    const { json, ages } = table.row(show(bytes), mark);
    return agedItem(item === undefined ? json : item(json), mark, ages, scalarOf);
  };
  const anew = (bytes: Uint8Array): Uint8Array => {
    const json = table.rowNow(show(bytes));
    return item === undefined ? json : item(json);
  };
  const itemNow = (made: Uint8Array) => itemAt(made, deps.clock.nowMs(), scalarOf);
  const id = `table/${version}/${includeObject}`;
  const keptAs = keptName(deps, kind, representation, id);
  const kept = deps.encodings.encoder(keptAs, make);
  // The copy of a large object that would be kept takes longer than its row.
  const { printer, showSteps } = representation;
  const isCopy = item === undefined && includeObject === 'Object' && showSteps === undefined;
  const isQuick = isCopy && (printer === undefined || printer.readsMetadataOnly === true);
  const inParts = rowInParts(representation, form, (shown) => table.rowSteps(shown, mark), mark);
  const large = isQuick ? undefined : { id: keptAs, steps: inParts };
  const itemOf: StateEncoder = (entry) => {
    if (isQuick && isLarge(entry.bytes)) return anew(entry.bytes);
    const made = (large && preparedItem(deps, large, entry)) ?? kept(entry);
    return itemNow(made) ?? anew(entry.bytes);
  };
  const prepare = large && preparerOf(deps, large);
  return { form, itemOf, itemNow, costly: true, keptAs, isPassing: true, large, prepare };
}

function rowInParts(
  representation: Representation,
  { item, itemSteps, scalarOf }: ListForm,
  row: (shown: Uint8Array) => Steps<MarkedRow>,
  mark: string,
): (bytes: Uint8Array) => Steps<Uint8Array> {
  return function* (bytes) {
    const shown = yield* shownSteps(representation, bytes);
    if (shown !== bytes) yield;
    const { json, ages } = yield* row(shown);
    yield;
    const made = itemSteps !== undefined ? yield* itemSteps(json) : (item?.(json) ?? json);
    if (made !== json) yield;
    return agedItem(made, mark, ages, scalarOf);
  };
}

/** Items that are the objects of events, too: those that are worth keeping. */
export function eventItems(
  deps: EndpointDeps,
  kind: KindInfo,
  representation: Representation,
): EventItems | undefined {
  const position = { resourceVersion: '' };
  const layout = listLayout(deps, kind, { ...representation, pretty: false }, position);
  const { itemNow, itemOf, keptAs, large } = layout;
  if (keptAs === undefined) return undefined;
  return { kept: itemOf, large: large && largeItems(deps, large, itemNow) };
}

function largeItems(
  { encodings, largeStates }: EndpointDeps,
  form: LargeForm,
  itemNow: ListLayout['itemNow'],
): LargeItems {
  return {
    isReady(type, entry) {
      if (type === 'ADDED' && encodings.holds(form.id, entry)) return true;
      return largeStates.isReady(form, type, entry);
    },
    find(type, entry) {
      const made = largeStates.find(form, type, entry);
      return made === undefined || itemNow === undefined ? made : itemNow(made);
    },
  };
}

function formOf({ negotiated, pretty }: Representation, formed: Formed): ListForm {
  const { meta, parse, schemas, itemType } = formed;
  switch (negotiated.format) {
    case 'json':
      return pretty ? indentedList(meta, parse) : jsonList(meta);
    case 'yaml':
      return yamlList(meta, parse);
    case 'cbor':
      return cborList(meta, parse, itemType);
    case 'protobuf':
      assert(schemas !== undefined, 'protobuf is negotiated for what has a schema');
      return protobufList(schemas.list, schemas.item, meta, parse);
  }
}

function projectedOf(
  deps: EndpointDeps,
  kind: KindInfo,
  representation: Representation,
  projection: Exclude<Projection, { readonly kind: 'table' }>,
  position: ListPosition,
): Projected {
  if (projection.kind === 'none') return wholeObjects(kind, representation, position);
  return partialObjects(deps, projection.version, position);
}

/** Spelt out: what spreading makes has a hidden class of its own each time. */
function listMeta(
  kind: string,
  apiVersion: string,
  position: ListPosition,
  columns?: JsonValue,
): ListMeta {
  return {
    kind,
    apiVersion,
    resourceVersion: position.resourceVersion,
    continue: position.continue,
    remainingItemCount: position.remainingItemCount,
    columns,
  };
}

function wholeObjects(
  kind: KindInfo,
  { schema }: Representation,
  position: ListPosition,
): Projected {
  const { listKind, listSchema } = kind;
  const typed = schema !== undefined && listSchema !== undefined;
  return {
    meta: listMeta(listKind, formatGroupVersion(kind), position),
    project: (json) => json,
    parse: decodeObject,
    schemas: typed ? { list: listSchema, item: schema } : undefined,
    itemType: typed ? schema : undefined,
    isCut: false,
    id: 'object',
  };
}

function partialObjects(
  deps: EndpointDeps,
  version: 'v1' | 'v1beta1',
  position: ListPosition,
): Projected {
  const form = partialForm({ domain: deps.identity.domain, version });
  return {
    meta: listMeta(form.listKind, metaVersionOf(deps, version), position),
    project: form.project,
    parse: decodeObject,
    schemas: {
      list: metaTypes.object(`meta/${version}.${form.listKind}`),
      item: partialMetadataType,
    },
    itemType: undefined,
    isCut: true,
    id: `partial/${version}`,
  };
}

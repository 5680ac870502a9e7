/**
 * Conversion by webhook of objects in answers: they are converted in batches before anything is
 * sent. For watches see shown-events.ts.
 *
 * Invariants: only the request that needs the conversion waits for the webhook; without an answer
 * it gets a 500 that says so. A selector that depends on what the version of the request shows is
 * applied to that: the stored form says where an object lies, and nothing else.
 * Bounds: a list holds its objects while it is sent, so clients with many objects should ask for
 * pages; those of a call are webhook-conversion.ts's.
 */
import {
  decodeObject,
  decodeSteps,
  hasObjectHead,
  isLarge,
  objectHead,
} from '../apimachinery/object-encoding.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import { selectableValues } from '../apimachinery/scheme.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { FieldSelector } from '../apimachinery/selectors/field-selector.ts';
import { fieldSelectorOf } from '../apimachinery/selectors/field-selector.ts';
import { everyLabel } from '../apimachinery/selectors/label-selector.ts';
import type { LabelSelector } from '../apimachinery/selectors/label-selector.ts';
import { newSelection } from '../apimachinery/selectors/selection.ts';
import { newClientGone, StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { SelectShown } from '../registry/read.ts';
import type { ListResult, StoredObject } from '../registry/registry.ts';
import { ok, refused } from '../registry/registry.ts';
import { encodeVersionedSteps } from '../registry/versions.ts';
import type { Requester } from '../stdx/requester.ts';
import type { Turns } from '../stdx/turns.ts';
import type { Predicate } from '../../streams/streams.ts';

/** From stored bytes to those in the version of the request. `requester`: who waits for them. */
export type ResponseConverter = (
  all: readonly Uint8Array[],
  requester: Requester | undefined,
) => Promise<readonly Uint8Array[] | StatusError>;

/** Undefined: nobody has to be asked to show objects at this version. */
export function responseConverter(kind: KindInfo): ResponseConverter | undefined {
  const webhook = kind.custom?.webhook;
  if (webhook === undefined) return undefined;
  const apiVersion = formatGroupVersion(kind);
  const head = objectHead(kind.kind, apiVersion);
  return async (all, requester) => {
    // Those that are stored in the version that is asked for are most where it is the one.
    const others = [...all.keys()].filter((at) => !hasObjectHead(all[at] as Uint8Array, head));
    if (others.length === 0) return all;
    const objects = decoded(others, all);
    const steps = encodeVersionedSteps;
    const converted = await webhook.convert(objects, apiVersion, steps, requester);
    if (converted.kind === 'refused') return converted.error;
    const shown = [...all];
    for (const [i, at] of others.entries()) shown[at] = converted.objects[i] as Uint8Array;
    return shown;
  };
}

/** Undefined among them: a part of a large one has been read. */
function* decoded(
  places: readonly number[],
  all: readonly Uint8Array[],
): Generator<ApiObject | undefined, void> {
  for (const at of places) {
    const bytes = all[at] as Uint8Array;
    if (!isLarge(bytes)) {
      yield decodeObject(bytes);
      continue;
    }
    const steps = decodeSteps(bytes);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) yield undefined;
    yield step.value;
  }
}

/** The page with its objects converted. */
export async function convertedList(
  turns: Pick<Turns, 'pause'>,
  convert: ResponseConverter,
  list: ListResult,
  reader: Requester,
): Promise<ListResult | StatusError> {
  const stored: StoredObject[] = [];
  for (const entry of list.entries) {
    if (reader.closed) return nobodyReads;
    if (entry === undefined) await turns.pause();
    else stored.push(entry);
  }
  if (reader.closed) return nobodyReads;
  const bytes = await convert(
    stored.map((entry) => entry.bytes),
    reader,
  );
  if (bytes instanceof StatusError) return bytes;
  const entries = stored.map((entry, at) => withBytes(entry, bytes[at] as Uint8Array));
  return { ...list, entries, count: entries.length, extent: undefined };
}

const nobodyReads = newClientGone('its list was converted');

function withBytes({ name, namespace, revision }: StoredObject, bytes: Uint8Array): StoredObject {
  return { name, namespace, revision, bytes };
}

/** Whether objects may have to be converted to be shown at this version: those that are stored in
 * the version that is asked for are all there is, unless some may be stored in another. */
export function convertsToShow({ custom, storageVersion, version }: KindInfo): boolean {
  if (custom?.webhook === undefined) return false;
  return version !== storageVersion || custom.storesSeveral();
}

/** Kinds with equal ones are converted alike. */
export function conversionIdOf(kind: KindInfo): string {
  return `${kind.custom?.webhook?.id ?? ''} ${formatGroupVersion(kind)}`;
}

/** What a list, a watch or a deletecollection selects. */
export interface ShownSelection {
  /** Of the objects as they are stored. */
  readonly predicate: Predicate;
  /** Of those, by what the version of the request shows; undefined: all of them. */
  readonly ofShown: MatchesShown | undefined;
}

/** `bytes`: as shown. */
export type MatchesShown = (bytes: Uint8Array) => boolean;

/** Labels and fields are those that the version shows. Only a webhook makes them differ from the
 * stored ones, so other kinds are selected by what is kept beside the bytes. */
export function selectionOf(
  kind: KindInfo,
  labels: LabelSelector,
  fields: FieldSelector,
): ShownSelection {
  const whole = newSelection(labels, fields);
  if (!convertsToShow(kind)) return { predicate: whole, ofShown: undefined };
  const common = fields.requirements.filter(({ field }) => isCommonField(field));
  if (labels.isEmpty && common.length === fields.requirements.length) {
    return { predicate: whole, ofShown: undefined };
  }
  const ofShown = (bytes: Uint8Array): boolean => {
    const object = decodeObject(bytes);
    const { labels: own = {}, name = '', namespace = '' } = object.metadata;
    const shown = selectableValues(kind.selectableFields, object);
    return whole.matches({ name, namespace, labels: own, fields: shown });
  };
  return { predicate: newSelection(everyLabel, fieldSelectorOf(common)), ofShown };
}

/** It is the same in all versions. */
function isCommonField(field: string): boolean {
  return field === 'metadata.name' || field === 'metadata.namespace';
}

/** For lists: converts entries, and leaves out those that are not selected. */
export function selectShown(convert: ResponseConverter, ofShown: MatchesShown): SelectShown {
  return async (entries, reader) => {
    const bytes = await convert(
      entries.map((entry) => entry.bytes),
      reader,
    );
    if (bytes instanceof StatusError) return refused(bytes);
    return ok(
      entries.map((entry, at) => {
        const shown = bytes[at] as Uint8Array;
        return ofShown(shown) ? withBytes(entry, shown) : undefined;
      }),
    );
  };
}

/**
 * From a large JSON value to the Protobuf message of its type, in parts: others have their turns in
 * between. The rules of the form, and the writers of what is small, are those of
 * protobuf-encode.ts.
 *
 * Invariant: what it writes is, byte for byte, what encodeMessage() writes. It relies on values
 * that are never changed once they are made. Bounds: `bytesAtOnce` are written between two steps,
 * more only of one text.
 */
import type { Steps } from '../../stdx/stepwise.ts';
import { isJsonObject } from '../unstructured.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import { alternativeOf, isLeftOut, sortedKeys, writeEntry, writeValue } from './protobuf-encode.ts';
import { planOf, wireTypeOf } from './protobuf-plan.ts';
import type { MessagePlan, MessageType, PlannedField, WireValue } from './protobuf-plan.ts';
import { ReverseWriter } from './protobuf-writer.ts';

/** Written between two steps. */
const bytesAtOnce = 64 * 1024;

/** Sorting more of them takes a part for itself. */
const keysAtOnce = 1_024;

type Value = JsonValue | undefined;

const nothing: JsonObject = Object.freeze({});

interface Progress {
  readonly w: ReverseWriter;
  /** The size at which it pauses. */
  pauseAt: number;
}

/** `bytesAbout`: of the message, so that it is not moved as it grows. */
export function* encodeMessageSteps(
  type: MessageType,
  value: JsonValue,
  bytesAbout: number,
): Steps<Uint8Array> {
  const progress = { w: new ReverseWriter(bytesAbout), pauseAt: bytesAtOnce };
  yield* messageSteps(progress, planOf(type), value);
  yield;
  return progress.w.finish();
}

function* messageSteps(progress: Progress, plan: MessagePlan, value: Value): Steps<void> {
  const { union, fields } = plan;
  const object = isJsonObject(value) ? value : nothing;
  for (let at = fields.length - 1; at >= 0; at -= 1) {
    const field = fields[at] as PlannedField;
    if (union) {
      const form = alternativeOf(field, value);
      if (form !== undefined) yield* fieldSteps(progress, field, form);
    } else yield* fieldSteps(progress, field, field.inline ? object : object[field.name]);
  }
}

function* fieldSteps(progress: Progress, field: PlannedField, value: Value): Steps<void> {
  if (isLeftOut(field, value)) return;
  const { w } = progress;
  switch (field.cardinality) {
    case 'one':
      yield* valueSteps(progress, field.value, value);
      w.uvarint(field.tag);
      return;
    case 'list':
      if (Array.isArray(value)) yield* itemsSteps(progress, field.value, field.tag, value);
      return;
    case 'map':
      if (isJsonObject(value)) yield* entriesSteps(progress, field, value);
  }
}

function* itemsSteps(
  progress: Progress,
  value: WireValue,
  tag: number,
  items: readonly JsonValue[],
): Steps<void> {
  for (let at = items.length - 1; at >= 0; at -= 1) {
    yield* valueSteps(progress, value, items[at]);
    progress.w.uvarint(tag);
  }
}

function* entriesSteps(progress: Progress, field: PlannedField, map: JsonObject): Steps<void> {
  const keys = sortedKeys(map);
  if (keys.length > keysAtOnce) yield;
  for (let at = keys.length - 1; at >= 0; at -= 1) {
    writeEntry(progress.w, field, map, keys[at] as string);
    if (isPauseDue(progress)) yield;
  }
}

function* valueSteps(progress: Progress, value: WireValue, json: Value): Steps<void> {
  const { w } = progress;
  if (value.kind === 'scalar' || json === undefined || json === null) writeValue(w, value, json);
  else {
    const end = w.size;
    if (value.kind === 'message') yield* messageSteps(progress, value.plan(), json);
    else if (Array.isArray(json)) {
      yield* itemsSteps(progress, value.items, (1 << 3) | wireTypeOf(value.items), json);
    }
    w.uvarint(w.size - end);
  }
  if (isPauseDue(progress)) yield;
}

/** True: it has been noted. */
function isPauseDue(progress: Progress): boolean {
  if (progress.w.size < progress.pauseAt) return false;
  progress.pauseAt = progress.w.size + bytesAtOnce;
  return true;
}

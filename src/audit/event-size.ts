/**
 * Keeps events within the size that a backend takes: what is too long loses its bodies, and what is
 * too long without them is lost.
 *
 * Elsewhere: the bound on bodies that holds for every event (auditor.ts).
 */
import { stringifyJson } from '../apimachinery/codecs/lossless.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import type { AuditEvent } from './backend.ts';

export interface SizeLimits {
  readonly eventBytesMax: number;
  readonly batchBytesMax: number;
}

/** Undefined: too long even without its bodies. `mark`: the annotation that says what happened. */
export function truncateEvent(
  event: AuditEvent,
  limits: SizeLimits,
  mark: string,
): AuditEvent | undefined {
  if (Buffer.byteLength(event.json) <= limits.eventBytesMax) return event;
  const { requestObject, responseObject, ...fields } = event.fields;
  if (requestObject === undefined && responseObject === undefined) return undefined;
  const annotations = { ...(fields['annotations'] as JsonObject | undefined), [mark]: 'true' };
  const short = { ...fields, annotations };
  const json = stringifyJson(short);
  return Buffer.byteLength(json) <= limits.eventBytesMax ? { fields: short, json } : undefined;
}

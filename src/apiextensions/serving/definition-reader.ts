/**
 * Reads stored definitions, whichever version they are stored in.
 *
 * Invariants: a definition is read once for its summary, whoever asks for it: those who follow
 * definitions all hear of the same bytes. One whose spec is known already is not read whole: its
 * status, which stands last, is enough.
 */
import { objectAtVersion } from '../../apimachinery/object-version.ts';
import {
  decodeShared,
  decodeSharedSteps,
  identifyingMetadata,
  isLarge,
} from '../../apimachinery/object-encoding.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { standingOf, summaryOf, summarySteps } from './definition-summary.ts';
import type { DefinitionSummary } from './definition-summary.ts';

export interface DefinitionReader {
  /** In the form of v1. */
  read(bytes: Uint8Array): ApiObject;
  summary(bytes: Uint8Array): DefinitionSummary;
  /** The same where nothing large has to be decoded for it; undefined: it has. */
  summaryAtOnce(bytes: Uint8Array): DefinitionSummary | undefined;
  /** summary() in parts, the first of which is nothing. */
  summarySteps(bytes: Uint8Array): Steps<DefinitionSummary>;
  /** It has gone: nothing of it is kept. */
  forget(name: string): void;
}

/** `definitions`: the kind of definitions, at any version. */
export function definitionReader({ conversions, group }: KindInfo): DefinitionReader {
  const summaries = new WeakMap<Uint8Array, DefinitionSummary>();
  /** The newest of each definition, by name: as many as there are. */
  const newest = new Map<string, WeakRef<DefinitionSummary>>();
  const read = (bytes: Uint8Array): ApiObject =>
    objectAtVersion(decodeShared(bytes), `${group}/v1`, conversions);
  /** Of one whose spec is known. */
  const summaryByStatus = (bytes: Uint8Array): DefinitionSummary | undefined => {
    const metadata = identifyingMetadata(bytes);
    const before = newest.get(metadata.name ?? '')?.deref();
    if (before === undefined || !isOfSpec(before, metadata)) return undefined;
    const status = lastStatus(bytes);
    return status && { ...before, ...standingOf(metadata, status) };
  };
  const kept = (bytes: Uint8Array, summary: DefinitionSummary): DefinitionSummary => {
    newest.set(summary.name, new WeakRef(summary));
    summaries.set(bytes, summary);
    return summary;
  };
  const summaryAtOnce = (bytes: Uint8Array): DefinitionSummary | undefined => {
    const known = summaries.get(bytes);
    if (known !== undefined) return known;
    const made = summaryByStatus(bytes) ?? (isLarge(bytes) ? undefined : summaryOf(read(bytes)));
    return made && kept(bytes, made);
  };
  return {
    read,
    forget: (name) => void newest.delete(name),
    summary: (bytes) => summaryAtOnce(bytes) ?? kept(bytes, summaryOf(read(bytes))),
    summaryAtOnce,
    *summarySteps(bytes) {
      yield;
      const object = yield* decodeSharedSteps(bytes);
      yield;
      const definition = objectAtVersion(object, `${group}/v1`, conversions);
      return summaries.get(bytes) ?? kept(bytes, yield* summarySteps(definition));
    },
  };
}

function isOfSpec({ generation, uid }: DefinitionSummary, now: ApiObject['metadata']): boolean {
  return uid === now.uid && generation === now.generation;
}

const statusWord = Buffer.from(',"status":{');

/** Of a definition in which the status comes last; undefined: it may stand elsewhere. */
function lastStatus({ buffer, byteLength, byteOffset }: Uint8Array): JsonObject | undefined {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const at = bytes.lastIndexOf(statusWord);
  if (at < 0) return undefined;
  try {
    const text = bytes.toString('utf8', at + statusWord.length - 1, byteLength - 1);
    const status = JSON.parse(text) as JsonValue;
    return isJsonObject(status) ? status : undefined;
  } catch {
    // What was found is a part of the spec: more follows behind it.
    return undefined;
  }
}

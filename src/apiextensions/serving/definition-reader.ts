/**
 * Reads stored definitions, whichever version they are stored in.
 *
 * Invariants: a definition is read once for its summary, whoever asks for it: those who follow
 * definitions all hear of the same bytes. One whose spec is known already is not read whole: its
 * status, which stands last, is enough.
 */
import { objectAtVersion } from '../../apimachinery/object-version.ts';
import { decodeShared, identifyingMetadata } from '../../apimachinery/object-encoding.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { standingOf, summaryOf } from './definition-summary.ts';
import type { DefinitionSummary } from './definition-summary.ts';

export interface DefinitionReader {
  /** In the form of v1. */
  read(bytes: Uint8Array): ApiObject;
  summary(bytes: Uint8Array): DefinitionSummary;
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
  const readSummary = (bytes: Uint8Array): DefinitionSummary => {
    const metadata = identifyingMetadata(bytes);
    const { name = '' } = metadata;
    const before = newest.get(name)?.deref();
    const known = before !== undefined && isOfSpec(before, metadata) ? before : undefined;
    const status = known && lastStatus(bytes);
    const summary =
      known === undefined || status === undefined
        ? summaryOf(read(bytes))
        : { ...known, ...standingOf(metadata, status) };
    newest.set(name, new WeakRef(summary));
    return summary;
  };
  return {
    read,
    forget: (name) => void newest.delete(name),
    summary(bytes) {
      const known = summaries.get(bytes);
      if (known !== undefined) return known;
      const summary = readSummary(bytes);
      summaries.set(bytes, summary);
      return summary;
    },
  };
}

/** A deletion that begins counts as a change of the spec, and is none. */
function isOfSpec(
  { generation, isEnding, uid }: DefinitionSummary,
  { deletionTimestamp, ...now }: ApiObject['metadata'],
): boolean {
  const began = deletionTimestamp !== undefined && !isEnding ? 1 : 0;
  return uid === now.uid && generation + began === now.generation;
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

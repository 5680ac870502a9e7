/**
 * Reads stored definitions, whichever version they are stored in.
 *
 * Invariant: a definition is read once for its summary, whoever asks for it: those who follow
 * definitions all hear of the same bytes.
 */
import { objectAtVersion } from '../../apimachinery/object-version.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { summaryOf } from './definition-summary.ts';
import type { DefinitionSummary } from './definition-summary.ts';

export interface DefinitionReader {
  /** In the form of v1. */
  read(bytes: Uint8Array): ApiObject;
  summary(bytes: Uint8Array): DefinitionSummary;
}

/** `definitions`: the kind of definitions, at any version. */
export function definitionReader({ conversions, group }: KindInfo): DefinitionReader {
  const summaries = new WeakMap<Uint8Array, DefinitionSummary>();
  const read = (bytes: Uint8Array): ApiObject =>
    objectAtVersion(decodeObject(bytes), `${group}/v1`, conversions);
  return {
    read,
    summary(bytes) {
      const known = summaries.get(bytes);
      if (known !== undefined) return known;
      const summary = summaryOf(read(bytes));
      summaries.set(bytes, summary);
      return summary;
    },
  };
}

/** One row of what validation is tested with. */
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';

export interface ValidationRow {
  readonly version: string;
  readonly kind: string;
  readonly title: string;
  readonly object: JsonObject;
  /** What is stored, for an update. */
  readonly from?: JsonObject;
  /** What is written of the status, where that is what is written. */
  readonly status?: JsonObject;
  readonly errors: readonly string[];
}

export function rowsOf(version: string, kind: string) {
  return (
    title: string,
    object: JsonObject,
    errors: readonly string[] = [],
    from?: JsonObject,
  ): ValidationRow => ({ version, kind, title, object, errors, ...(from ? { from } : {}) });
}

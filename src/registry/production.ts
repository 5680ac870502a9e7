/** What the decision of a write makes of the object that is there. Nothing here does anything. */
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';

/** What a write makes of the current object: the whole next one, in the stored version, or why
 * not. */
export type Production =
  | {
      readonly kind: 'object';
      readonly object: ApiObject;
      /** For the writer. */
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'refused'; readonly error: StatusError };

const noWarnings: readonly string[] = [];

export function produced(object: ApiObject, warnings = noWarnings): Production {
  return { kind: 'object', object, warnings };
}

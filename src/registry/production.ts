/** The result of computing a write, as a value: the next object with its warnings, or an error. */
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';

/** The whole next object, in the stored version, or the reason of the refusal. */
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

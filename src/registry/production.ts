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
      /** The object as it was said, with its owners, before the rules of its kind have looked at
       * it: with what they will drop. Absent: the object itself. */
      readonly said?: ApiObject | undefined;
    }
  | { readonly kind: 'refused'; readonly error: StatusError };

const noWarnings: readonly string[] = [];

export function produced(object: ApiObject, warnings = noWarnings, said?: ApiObject): Production {
  return { kind: 'object', object, warnings, said };
}

/** The same, with more to say to the writer. */
export function withWarnings(production: Production, warnings: readonly string[]): Production {
  if (warnings.length === 0) return production;
  return production.kind === 'refused'
    ? { kind: 'refused', error: production.error.warned(warnings) }
    : produced(production.object, warnings, production.said);
}

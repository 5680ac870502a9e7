/** The validation rules of a kind: functions of objects that return errors. */
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { KindStrategy } from '../../registry/strategy.ts';

export interface KindRules {
  /** What the rules are going to find out, in parts, and kept for them (KindStrategy). */
  readonly prepareValidation?: KindStrategy['prepareValidation'];
  /** Of an object by itself: on create, and on every update of the main resource too. */
  readonly validate?: ((object: ApiObject) => readonly FieldError[]) | undefined;
  /** On create only: for rules that validate an update as a whole. */
  readonly validateCreate?: ((object: ApiObject) => readonly FieldError[]) | undefined;
  /** What may not change between the two; `next` has passed `validate`'s own look as well. */
  readonly validateUpdate?:
    ((next: ApiObject, current: ApiObject) => readonly FieldError[]) | undefined;
  /** Of a write to the status; then neither of the others is asked. */
  readonly validateStatusUpdate?:
    ((next: ApiObject, current: ApiObject) => readonly FieldError[]) | undefined;
}

/**
 * Hand-written rules of the built-in kinds: what a schema does not say.
 *
 * What it is not: the checks that follow from the schema (required fields, enumerations: they run
 * first, for every kind, see src/apimachinery/typed/validate-typed.ts), nor those of metadata.
 *
 *     'apps/deployments': deploymentRules      `<group template>/<resource>`, as in behaviour.ts
 *
 * Rules see objects that are typed, defaulted, prepared, and in the storage version of their
 * resource. They are pure: they run inside an actor's decision and may run again. Each rule adds
 * one FieldError for each wrong field, with its full path.
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';

export interface KindRules {
  /** Of an object by itself: on create, and on every update of the main resource too. */
  readonly validate?: ((object: ApiObject) => readonly FieldError[]) | undefined;
  /** What may not change between the two; `next` has passed `validate`'s own look as well. */
  readonly validateUpdate?:
    ((next: ApiObject, current: ApiObject) => readonly FieldError[]) | undefined;
  /** Of a write to the status; then neither of the others is asked. */
  readonly validateStatusUpdate?:
    ((next: ApiObject, current: ApiObject) => readonly FieldError[]) | undefined;
}

/** Rules by resource. A resource that is not in it has none. */
export function kindRulesOf(_identity: Identity): Readonly<Record<string, KindRules>> {
  return {};
}

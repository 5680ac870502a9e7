/**
 * A body whose apiVersion or kind is not the expected one.
 *
 * For a custom type it is an invalid value of the object (422). For a built-in one the error
 * depends on where the body came from: a request, a patch, a webhook.
 */
import { invalid } from './field-error.ts';
import type { FieldError } from './field-error.ts';
import { newInvalid } from './status-error.ts';
import type { StatusError } from './status-error.ts';
import type { JsonObject, JsonValue } from './unstructured.ts';

export interface TypeMismatch {
  readonly field: 'apiVersion' | 'kind';
  /** Undefined: the body does not have it. */
  readonly found: JsonValue | undefined;
  readonly expected: string;
}

/** The first that differs; absent is the same as ''. */
export function typeMismatch(
  body: JsonObject,
  expected: { readonly apiVersion?: string | undefined; readonly kind?: string | undefined },
): TypeMismatch | undefined {
  for (const field of ['apiVersion', 'kind'] as const) {
    const found = body[field];
    if ((found ?? '') === (expected[field] ?? '')) continue;
    return { field, found, expected: expected[field] ?? '""' };
  }
  return undefined;
}

/** `absent`: how a missing member is shown. */
export function typeMismatchError(
  { expected, field, found }: TypeMismatch,
  absent: '' | null,
): FieldError {
  return invalid(field, found ?? absent, `must be ${expected}`);
}

/** For an object of a custom type. */
export function newTypeMismatch(
  object: { readonly group: string; readonly kind: string; readonly name: string },
  mismatch: TypeMismatch,
  absent: '' | null,
): StatusError {
  const { group, kind, name } = object;
  return newInvalid({ group, kind }, name, [typeMismatchError(mismatch, absent)]);
}

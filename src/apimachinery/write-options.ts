/**
 * Options of create, update and patch, from the query (spec 1, sections 4.2, 4.7, 4.8).
 *
 * Elsewhere: options of delete (`delete-options.ts`) and the effect of any option.
 */
import { invalid, noErrors, notSupported, tooLong } from './field-error.ts';
import type { FieldError } from './field-error.ts';
import { queryBoolean, queryValue } from './query.ts';
import type { QueryParameters } from './query.ts';
import { newInvalid } from './status-error.ts';
import type { StatusError } from './status-error.ts';
import type { OptionsContext } from './list-options.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  /** Everything happens except the write. */
  readonly dryRun: boolean;
  /** '' when not given; the default comes from the User-Agent. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly pretty: boolean | undefined;
}

export type WriteOptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';

/** Bytes of UTF-8. */
export const FIELD_MANAGER_LENGTH_MAX = 128;

/** `owner`: what else is wrong with under whose name it writes; it comes first. */
export function parseWriteOptions(
  query: QueryParameters,
  kind: WriteOptionsKind,
  context: OptionsContext,
  owner: readonly FieldError[] = noErrors,
): WriteOptions | StatusError {
  const fieldManager = queryValue(query, 'fieldManager') ?? '';
  const fieldValidation = queryValue(query, 'fieldValidation') ?? '';
  const dryRun = query.get('dryRun') ?? [];
  const errors = [
    ...owner,
    ...validateFieldManager('fieldManager', fieldManager),
    ...validateDryRun(dryRun),
    ...validateFieldValidation('fieldValidation', fieldValidation),
  ];
  if (errors.length > 0) return newInvalid({ group: context.metaGroup, kind }, '', errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidationOf(query),
    pretty: queryBoolean(query, 'pretty'),
  };
}

/** `All`, or present without a value; anything else could be a wish that is not granted. */
export function validateDryRun(values: readonly string[]): readonly FieldError[] {
  if (values.every((value) => value === '' || value === 'All')) return [];
  return [notSupported('dryRun', values, ['All'])];
}

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

let lastRight = '';

/** At most FIELD_MANAGER_LENGTH_MAX bytes, all printable. Empty is fine: not given. */
export function validateFieldManager(field: string, manager: string): readonly FieldError[] {
  // Writers come again: most names are the one that was right the last time.
  if (manager === lastRight || manager === '') return noErrors;
  const errors = fieldManagerErrors(field, manager);
  if (errors.length === 0) lastRight = manager;
  return errors;
}

function fieldManagerErrors(field: string, manager: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager, 'utf8') > FIELD_MANAGER_LENGTH_MAX) {
    errors.push(tooLong(field, FIELD_MANAGER_LENGTH_MAX));
  }
  let position = 0;
  for (const char of manager) {
    if (!PRINTABLE.test(char)) {
      const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      const detail = `invalid character U+${code} (at position ${position})`;
      errors.push(invalid(field, manager, detail));
      // One is enough: the value is repeated in each.
      break;
    }
    position += Buffer.byteLength(char, 'utf8');
  }
  return errors;
}

function validateFieldValidation(field: string, value: string): readonly FieldError[] {
  if (value === '' || isFieldValidation(value)) return [];
  return [notSupported(field, value, ['', 'Ignore', 'Strict', 'Warn'])];
}

/** What the query asks for; the default also where it asks for what there is not, which
 * parseWriteOptions refuses. */
export function fieldValidationOf(query: QueryParameters): FieldValidation {
  const value = queryValue(query, 'fieldValidation') ?? '';
  return isFieldValidation(value) ? value : 'Warn';
}

function isFieldValidation(value: string): value is FieldValidation {
  return value === 'Ignore' || value === 'Warn' || value === 'Strict';
}

/**
 * What is wrong with one field of an object or of a request's options (spec 1, section 7).
 *
 * Validators return lists of these; `newInvalid` makes one 422 of them. The text forms are fixed:
 * clients and people compare them.
 *
 *   spec.replicas: Invalid value: -1: must be greater than or equal to 0
 *   ^ field        ^ type         ^ value ^ detail
 */
import type { JsonValue } from './unstructured.ts';
import { boundedCause, boundedField, messageMax } from './answer-bounds.ts';
import { quote } from './quote.ts';

/** Each type under the name that `causes[].reason` carries on the wire. */
export const FieldErrorType = {
  notFound: 'FieldValueNotFound',
  required: 'FieldValueRequired',
  duplicate: 'FieldValueDuplicate',
  invalid: 'FieldValueInvalid',
  notSupported: 'FieldValueNotSupported',
  forbidden: 'FieldValueForbidden',
  tooLong: 'FieldValueTooLong',
  tooMany: 'FieldValueTooMany',
  typeInvalid: 'FieldValueTypeInvalid',
  internal: 'InternalError',
} as const;
export type FieldErrorType = (typeof FieldErrorType)[keyof typeof FieldErrorType];

/** How each type reads, and whether the offending value is shown after it. */
const PHRASES: Readonly<Record<FieldErrorType, { text: string; showsValue: boolean }>> = {
  FieldValueNotFound: { text: 'Not found', showsValue: true },
  FieldValueRequired: { text: 'Required value', showsValue: false },
  FieldValueDuplicate: { text: 'Duplicate value', showsValue: true },
  FieldValueInvalid: { text: 'Invalid value', showsValue: true },
  FieldValueNotSupported: { text: 'Unsupported value', showsValue: true },
  FieldValueForbidden: { text: 'Forbidden', showsValue: false },
  FieldValueTooLong: { text: 'Too long', showsValue: false },
  FieldValueTooMany: { text: 'Too many', showsValue: true },
  FieldValueTypeInvalid: { text: 'Invalid value', showsValue: true },
  InternalError: { text: 'Internal error', showsValue: false },
};

export interface FieldError {
  readonly type: FieldErrorType;
  /** The path as people write it: `spec.containers[0].name`, `metadata.labels[a/b]`. */
  readonly field: string;
  /** Absent: nothing is shown. Never a secret: it goes to the client and to logs. */
  readonly value?: JsonValue | undefined;
  /** How the value is shown where clients know another form of it. */
  readonly shown?: string | undefined;
  readonly detail: string;
}

/** Errors that one answer lists. Policy: behind them it says `too many errors`. */
export const fieldErrorsMax = 100;

/** One for all: nearly every check finds nothing, and need not make a list of it. */
export const noErrors: readonly FieldError[] = [];

/** All of them, in order. No list is made for nothing, nor for those of one check alone. */
export function allErrors(...lists: readonly (readonly FieldError[])[]): readonly FieldError[] {
  let all = noErrors;
  for (const list of lists) {
    if (list.length > 0) all = all.length === 0 ? list : [...all, ...list];
  }
  return all;
}

export function required(field: string, detail = ''): FieldError {
  return { type: FieldErrorType.required, field, detail };
}

export function invalid(field: string, value: JsonValue | undefined, detail: string): FieldError {
  return { type: FieldErrorType.invalid, field, value, detail };
}

/** Of a list of texts, shown as clients know it: `[]string{"a"}`. */
export function invalidTexts(field: string, values: readonly string[], detail: string): FieldError {
  const all = values.map((each) => JSON.stringify(each)).join(', ');
  const more = all.length > shownValueMax ? '...' : '';
  const shown = `[]string{${all.slice(0, shownValueMax)}${more}}`;
  return { ...invalid(field, [...values], detail), shown };
}

/** `supported` is shown in the order given. */
export function notSupported(
  field: string,
  value: JsonValue | undefined,
  supported: readonly string[],
): FieldError {
  return { type: FieldErrorType.notSupported, field, value, detail: supportedValues(supported) };
}

/** What is taken, in words; of a long list the beginning. */
export function supportedValues(supported: readonly string[]): string {
  if (supported.length === 0) return '';
  let text = 'supported values: ';
  for (const [at, each] of supported.entries()) {
    if (text.length > shownValueMax) return `${text}...`;
    text += `${at === 0 ? '' : ', '}${quote(each.slice(0, shownValueMax))}`;
  }
  return text;
}

export function notFound(field: string, value: JsonValue): FieldError {
  return { type: FieldErrorType.notFound, field, value, detail: '' };
}

export function duplicate(field: string, value: JsonValue): FieldError {
  return { type: FieldErrorType.duplicate, field, value, detail: '' };
}

export function forbidden(field: string, detail: string): FieldError {
  return { type: FieldErrorType.forbidden, field, detail };
}

/** The value itself is not repeated: it is too long. */
export function tooLong(field: string, maxBytes: number): FieldError {
  const detail = `may not be more than ${maxBytes} ${maxBytes === 1 ? 'byte' : 'bytes'}`;
  return { type: FieldErrorType.tooLong, field, detail };
}

export function tooMany(field: string, actualCount: number, maxCount: number): FieldError {
  const detail = `must have at most ${maxCount} ${maxCount === 1 ? 'item' : 'items'}`;
  return { type: FieldErrorType.tooMany, field, value: actualCount, detail };
}

export function internal(field: string, detail: string): FieldError {
  return { type: FieldErrorType.internal, field, detail };
}

/** Everything after the field path: the `message` of a cause. */
export function formatFieldErrorBody(error: FieldError): string {
  const phrase = PHRASES[error.type];
  let body = phrase.text;
  if (phrase.showsValue && error.value !== undefined)
    body += `: ${error.shown ?? formatValue(error.value)}`;
  return boundedCause(error.detail === '' ? body : `${body}: ${error.detail}`);
}

export function formatFieldError(error: FieldError): string {
  return `${boundedField(error.field)}: ${formatFieldErrorBody(error)}`;
}

/** One error stands alone, several in brackets; the same text is said once. Empty for none. What
 * no message has room for is not put together. */
export function formatFieldErrors(errors: readonly FieldError[]): string {
  const found = new Set<string>();
  let size = 0;
  for (const error of errors.slice(0, fieldErrorsMax)) {
    if (size > messageMax) break;
    const text = formatFieldError(error);
    found.add(text);
    size += text.length;
  }
  const texts = [...found];
  if (errors.length > fieldErrorsMax) texts.push('too many errors');
  return texts.length > 1 ? `[${texts.join(', ')}]` : (texts[0] ?? '');
}

/** Characters of a value that an error shows; what is longer ends in dots. */
const shownValueMax = 10_000;

function formatValue(value: JsonValue): string {
  const shown = textOf(value);
  return shown.length <= shownValueMax ? shown : `${shown.slice(0, shownValueMax)}...`;
}

function textOf(value: JsonValue): string {
  if (typeof value === 'string') return quote(value.slice(0, shownValueMax + 1));
  if (typeof value !== 'object' || value === null) return String(value);
  // Each of many errors may show the same list.
  const known = shownTexts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'bigint' ? part.toString() : part,
  ).slice(0, shownValueMax + 1);
  shownTexts.set(value, text);
  return text;
}

/** Gone with the values; these are not changed while anybody shows them. */
const shownTexts = new WeakMap<object, string>();

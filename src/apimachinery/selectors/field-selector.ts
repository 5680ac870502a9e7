/**
 * Field selectors (spec 1, section 4.2): parse, canonical text, match.
 *
 *     metadata.name=web,status.phase!=Running        `=`, `==`, `!=`; commas mean AND
 *     data.x=a\,b                                    in values, `\` escapes `\`, `,` and `=`
 *
 * Whether a kind can select by a field is checked by `checkFieldSelector`.
 *
 * Invariants: terms are ordered by their text; a missing field equals the empty value; parsing the
 * canonical text gives the same selector again. A selector is immutable.
 */
import { quote } from '../quote.ts';
import { newBadRequest } from '../status-error.ts';
import type { StatusError } from '../status-error.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly text: string;
  readonly isEmpty: boolean;
  /** Fields that are pinned to one value: the requirements with `=`; the first one counts. */
  readonly pins: ReadonlyMap<string, string>;
  /** `valueOf` gives '' for a field that the object does not have. */
  matches(valueOf: (field: string) => string): boolean;
}

export const everyField: FieldSelector = fieldSelectorOf([]);

export function fieldSelectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  const pins = new Map<string, string>();
  for (const { field, operator, value } of requirements) {
    if (operator === '=' && !pins.has(field)) pins.set(field, value);
  }
  return {
    requirements,
    text: requirements.map((r) => r.field + r.operator + escapeFieldValue(r.value)).join(','),
    isEmpty: requirements.length === 0,
    pins,
    matches: (valueOf) =>
      requirements.every((r) => (valueOf(r.field) === r.value) === (r.operator === '=')),
  };
}

export function parseFieldSelector(text: string): FieldSelector | StatusError {
  if (text === '') return everyField;
  const requirements: FieldRequirement[] = [];
  for (const term of [...splitFieldTerms(text)].sort()) {
    if (term === '') continue;
    const parts = splitFieldTerm(term);
    if (parts === undefined) {
      return newBadRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    }
    const value = unescapeFieldValue(parts.value);
    if (typeof value !== 'string') return newBadRequest(value.problem);
    const operator = parts.operator === '!=' ? '!=' : '=';
    requirements.push({ field: parts.field, operator, value });
  }
  return fieldSelectorOf(requirements);
}

/** Most kinds can be selected by these. */
const METADATA_FIELDS = ['metadata.name', 'metadata.namespace'] as const;

/** The 400 for a field the kind cannot be selected by. `fields`: those beside METADATA_FIELDS;
 * `withNamespace`: the namespace is one of these, as it is unless the kind says otherwise. */
export function checkFieldSelector(
  selector: FieldSelector,
  fields: ReadonlySet<string>,
  withNamespace = true,
): StatusError | undefined {
  for (const { field } of selector.requirements) {
    if (fields.has(field) || field === 'metadata.name') continue;
    if (withNamespace && field === 'metadata.namespace') continue;
    if (fields.size > 0 || !withNamespace)
      return newBadRequest(`field label not supported: ${field}`);
    const known = METADATA_FIELDS.map(quote).join(', ');
    return newBadRequest(`${quote(field)} is not a known field selector: only ${known}`);
  }
  return undefined;
}

export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

export function unescapeFieldValue(escaped: string): string | { readonly problem: string } {
  if (!/[\\,=]/.test(escaped)) return escaped;
  let value = '';
  for (let at = 0; at < escaped.length; at += 1) {
    const char = escaped.charAt(at);
    if (char === ',' || char === '=') {
      return { problem: `invalid field selector: unescaped character in value: ${char}` };
    }
    if (char !== '\\') {
      value += char;
      continue;
    }
    at += 1;
    const escapedChar = escaped.charAt(at);
    if (escapedChar === '' || !'\\,='.includes(escapedChar)) {
      return { problem: `invalid field selector: invalid escape sequence: \\${escapedChar}` };
    }
    value += escapedChar;
  }
  return value;
}

/** Cuts at commas that no backslash precedes; escapes stay as they are. */
export function splitFieldTerms(text: string): readonly string[] {
  if (text === '') return [];
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\') at += 1;
    else if (char === ',') {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

export interface FieldTerm {
  readonly field: string;
  readonly operator: '=' | '==' | '!=';
  /** Still escaped. */
  readonly value: string;
}

/** Cuts at the first operator; undefined when there is none. */
export function splitFieldTerm(term: string): FieldTerm | undefined {
  const match = /!=|==|=/.exec(term);
  if (match === null) return undefined;
  return {
    field: term.slice(0, match.index),
    operator: match[0] as FieldTerm['operator'],
    value: term.slice(match.index + match[0].length),
  };
}

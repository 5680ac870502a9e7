/** Comparing a body with the members that matter: what is not named is not looked at. */
import assert from 'node:assert/strict';

/** Stands for "this member must not be there". */
export const absent = Object.freeze({ '\u0000absent': true });
/** Stands for "this member must be there, whatever it is". */
export const present = Object.freeze({ '\u0000present': true });

/** Objects: each expected member, deep. Arrays: same length, each item. RegExp: text matches. */
export function partialDeepEqual(actual: unknown, expected: unknown, context: string): void {
  compare(actual, expected, '', context);
}

function compare(actual: unknown, expected: unknown, at: string, context: string): void {
  const where = `at ${at === '' ? 'the top' : at} of ${context}`;
  if (isMark(expected, '\u0000absent')) return assert.equal(actual, undefined, where);
  if (isMark(expected, '\u0000present')) return assert.notEqual(actual, undefined, where);
  if (expected instanceof RegExp) return assert.match(String(actual), expected, where);
  if (Array.isArray(expected)) {
    assert(Array.isArray(actual), `expected a list ${where}`);
    assert.equal(actual.length, expected.length, `length ${where}`);
    expected.forEach((item, i) => compare(actual[i], item, `${at}[${i}]`, context));
    return;
  }
  if (typeof expected === 'object' && expected !== null) {
    assert(typeof actual === 'object' && actual !== null, `expected an object ${where}`);
    for (const [name, value] of Object.entries(expected)) {
      compare((actual as Record<string, unknown>)[name], value, `${at}.${name}`, context);
    }
    return;
  }
  assert.deepEqual(actual, expected, where);
}

function isMark(value: unknown, mark: string): boolean {
  return typeof value === 'object' && value !== null && mark in value;
}

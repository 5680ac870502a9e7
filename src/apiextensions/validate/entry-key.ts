/**
 * One text for the keys of an entry of a list, so that a Map finds it. Equal texts are equal keys:
 * each part says its type and, of texts, its length.
 *
 * Nobody reads the text back.
 */
import type { JsonValue } from '../../apimachinery/unstructured.ts';
import { canonicalText } from '../../stdx/canonical-text.ts';

/** `undefined` is no value, and not null. */
export function keyText(values: readonly (JsonValue | undefined)[]): string {
  const [only] = values;
  return values.length === 1 ? partText(only) : values.map(partText).join('');
}

function partText(value: JsonValue | undefined): string {
  switch (typeof value) {
    case 'string':
      return `${value.length}"${value}`;
    case 'number':
    case 'bigint':
      return `${value},`;
    case 'boolean':
      return value ? 't' : 'f';
    case 'undefined':
      return 'u';
    default: {
      const text = value === null ? '' : canonicalText(value);
      return `${text.length}{${text}`;
    }
  }
}

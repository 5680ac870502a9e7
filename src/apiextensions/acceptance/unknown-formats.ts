/** Formats in a schema that nothing checks: they are taken as notes, and who writes is told so. */
import { text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { checkedFormat } from '../schema/formats.ts';
import { allBelow } from './demands.ts';

export function unknownFormats(
  schema: JsonObject,
  found: Set<string> = new Set(),
): ReadonlySet<string> {
  const format = text(schema, 'format');
  if (format !== '' && checkedFormat(format, text(schema, 'type'), undefined) === '') {
    found.add(format);
  }
  for (const inner of allBelow(schema)) unknownFormats(inner, found);
  return found;
}

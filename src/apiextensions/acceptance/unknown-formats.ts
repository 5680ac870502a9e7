/** Formats in a schema that nothing checks: they are taken as notes, with a warning. */
import { text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { checkedFormat } from '../schema/formats.ts';
import { subschemasOf } from './schema-options.ts';

/** Of each schema once: it is a walk over all of it. */
const known = new WeakMap<JsonObject, ReadonlySet<string>>();

export function unknownFormats(schema: JsonObject): ReadonlySet<string> {
  let formats = known.get(schema);
  if (formats === undefined) {
    const found = new Set<string>();
    collect(schema, found);
    formats = found;
    known.set(schema, formats);
  }
  return formats;
}

function collect(schema: JsonObject, found: Set<string>): void {
  const format = text(schema, 'format');
  if (format !== '' && checkedFormat(format, text(schema, 'type'), undefined) === '') {
    found.add(format);
  }
  for (const inner of subschemasOf(schema)) collect(inner, found);
}

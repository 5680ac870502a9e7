/**
 * The `fieldPath` of a validation rule: `.a.b`, `.a['b.c']`, relative to where the rule stands, of
 * fields that its schema declares. There are no indexes of lists.
 */
import { memberOf, valueSchema } from '../../cel/schema/schema.ts';
import type { Schema } from '../../cel/schema/schema.ts';

const step = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/sy;
const escapes: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
]);

export function isFieldPath(path: string, schema: Schema): boolean {
  let place: Schema | undefined = schema;
  let at = 0;
  while (at < path.length) {
    step.lastIndex = at;
    const match = step.exec(path);
    if (match === null || place === undefined) return false;
    const name = match[1] ?? unescape(match[2] ?? '');
    if (name === undefined) return false;
    const properties: Schema['properties'] = place.properties;
    place = properties === undefined ? valueSchema(place) : memberOf(properties, name);
    if (place === undefined) return false;
    at = step.lastIndex;
  }
  return true;
}

function unescape(quoted: string): string | undefined {
  let wrong = false;
  const name = quoted.replace(/\\(.)/gs, (_all, char: string) => {
    const meant = escapes.get(char);
    wrong ||= meant === undefined;
    return meant ?? '';
  });
  return wrong ? undefined : name;
}

/**
 * Events: one store under two groups. The core group's form is the hub; the events group names the
 * same fields anew (spec 2, section 9.3).
 */
import type { FieldMaps } from '../conversion/conversion.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { renamed, swapped, without } from '../conversion/fields.ts';

/** Core name, name in the events group. */
const names = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
] as const;

/** Who reports: in the core group always said, if only with an empty text; in the other not. */
const reporters = ['reportingComponent', 'reportingInstance'] as const;

export const eventMaps: FieldMaps = {
  toHub: (event) => withReporters(renamed(event, swapped(names))),
  fromHub: (event) =>
    renamed(without(event, ...reporters.filter((name) => event[name] === '')), names),
};

function withReporters(event: JsonObject): JsonObject {
  const missing = reporters.filter((name) => event[name] === undefined);
  if (missing.length === 0) return event;
  return { ...event, ...Object.fromEntries(missing.map((name) => [name, ''])) };
}

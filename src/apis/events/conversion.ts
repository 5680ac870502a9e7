/**
 * Events: one store under two groups. The core group's form is the hub; the events group names the
 * same fields anew (spec 2, section 9.3).
 */
import type { FieldMaps } from '../conversion/conversion.ts';
import { renamed, swapped } from '../conversion/fields.ts';

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

export const eventMaps: FieldMaps = {
  toHub: (event) => renamed(event, swapped(names)),
  fromHub: (event) => renamed(event, names),
};

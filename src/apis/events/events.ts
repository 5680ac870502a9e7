/** Events: what happened to an object. Both groups store them under the names of the core group. */
import { invalid } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { CellValue } from '../../apimachinery/projection/printer.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { column, naming, table, wide } from '../tables/columns.ts';
import { timeSince } from '../tables/duration.ts';
import { countAt, partAt, printedAt, valueAt } from '../tables/fields.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { reporterRules, stableEventRules } from './version-rules.ts';
import { eventMaps } from './conversion.ts';

/** Of both groups: each member stands under the name of the one or the other. */
function either(event: JsonObject, ...members: string[]): JsonObject[string] {
  return members.map((member) => valueAt(event, member)).find((value) => value !== undefined);
}

function firstSeen(event: JsonObject): CellValue {
  const first = either(event, 'firstTimestamp', 'deprecatedFirstTimestamp', 'eventTime');
  return timeSince(first);
}

function lastSeen(event: JsonObject): CellValue {
  const series = valueAt(event, 'series', 'lastObservedTime');
  const last = series ?? either(event, 'lastTimestamp', 'deprecatedLastTimestamp');
  return last === undefined ? firstSeen(event) : timeSince(last);
}

function eventObject(event: JsonObject): string {
  const about = partAt(either(event, 'involvedObject', 'regarding'));
  const kind = printedAt(about, 'kind').toLowerCase();
  const name = printedAt(about, 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function eventSource(event: JsonObject): string {
  const source = partAt(either(event, 'source', 'deprecatedSource'));
  const component =
    printedAt(source, 'component') ||
    printedAt(event, 'reportingComponent') ||
    printedAt(event, 'reportingController');
  const instance = printedAt(source, 'host') || printedAt(event, 'reportingInstance');
  return instance === '' ? component : `${component}, ${instance}`;
}

function eventCount(event: JsonObject): number {
  const series = valueAt(event, 'series');
  if (series !== undefined) return countAt(series, 'count');
  return countAt(event, 'count') || countAt(event, 'deprecatedCount') || 1;
}

const eventTable = table([
  column('Last Seen', 'Time since it happened last.', lastSeen),
  column('Type', 'Normal, or Warning.', (event) => printedAt(event, 'type')),
  column('Reason', 'Why it happened, in one word.', (event) => printedAt(event, 'reason')),
  column('Object', 'What it happened to.', eventObject),
  wide(
    column('Subobject', 'The part of the object that it happened to.', (event) =>
      printedAt(either(event, 'involvedObject', 'regarding'), 'fieldPath'),
    ),
  ),
  wide(column('Source', 'Who says so.', eventSource)),
  column('Message', 'What happened.', (event) =>
    printedAt(either(event, 'message', 'note')).trim(),
  ),
  wide(column('First Seen', 'Time since it happened first.', firstSeen)),
  wide(column('Count', 'How often it happened.', eventCount)),
  wide(
    naming(column('Name', 'Name of the event.', (event) => printedAt(event, 'metadata', 'name'))),
  ),
]);

/** Events stand in the namespace of what they are about; those about cluster objects in default, or
 * with a time of their own in that of the system, and then others may stand anywhere. */
function eventRules(identity: Identity): KindRules {
  const { default: shared, system } = identity.namespaces;
  return {
    validate: (event) => {
      const own = event.metadata.namespace;
      // Said of the metadata already.
      if (own === undefined) return [];
      const about = text(part(event, 'involvedObject'), 'namespace');
      const timed = event['eventTime'] !== undefined;
      const fits =
        about === '' ? own === shared || (timed && own === system) : timed || about === own;
      const field = 'involvedObject.namespace';
      return fits ? [] : [invalid(field, about, 'does not match event.namespace')];
    },
  };
}

export const coreEvents: KindDefinition = {
  resource: '/events',
  createOnUpdate: true,
  ownsNothing: true,
  selectableFields: `involvedObject.kind involvedObject.namespace involvedObject.name
    involvedObject.uid
    involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath
    reason reportingComponent source=source.component|reportingComponent type`,
  validation: eventRules,
  table: eventTable,
  versions: { v1: { validation: reporterRules('reportingComponent') } },
};

export const eventsOfGroup: KindDefinition = {
  resource: 'events.{domain}/events',
  storedIn: '',
  ownsNothing: true,
  selectableFields: `regarding.kind=involvedObject.kind
    regarding.namespace=involvedObject.namespace regarding.name=involvedObject.name
    regarding.uid=involvedObject.uid regarding.apiVersion=involvedObject.apiVersion
    regarding.resourceVersion=involvedObject.resourceVersion
    regarding.fieldPath=involvedObject.fieldPath
    reason reportingController=reportingComponent type`,
  table: eventTable,
  versions: {
    v1: { conversion: eventMaps, validation: stableEventRules() },
    v1beta1: { conversion: eventMaps, validation: reporterRules('reportingController') },
  },
};

/**
 * What a new event must say, by the version that it comes through (spec 2, section 9.3).
 *
 *     eventTime set       who reports, what was done and why, in any version
 *     events.{domain}/v1  these always, and none of the fields that only older clients fill
 *
 * Rules see events under the names of the core group, which stores them; only the reporter is named
 * as the client's version does.
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import { invalid, required } from '../../apimachinery/field-error.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { checkQualifiedName } from '../../apimachinery/validation/names.ts';
import { givenForm, numberOf, unchanged } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';

/** Through the core group, and through the older versions of the group of events. */
export function reporterRules(reporter: 'reportingComponent' | 'reportingController'): KindRules {
  const checkReporter = reported(reporter);
  return {
    validateCreate: checkReporter,
    validateUpdate: (next) => checkReporter(next),
  };
}

export function stableEventRules(): KindRules {
  const checkReporter = reported('reportingController');
  return {
    validateCreate: (event) => [
      ...checkReporter(event),
      ...stable(event),
      ...seriesProblems(event),
    ],
    validateUpdate: (next, current) => [
      ...checkReporter(next),
      ...(deepEqual(next['series'], current['series']) ? [] : seriesProblems(next)),
      ...fixed.flatMap((name) => unchanged(shown(name), next[name], current[name])),
    ],
  };
}

/** As clients of the group of events call it. */
function shown(name: string): string {
  return name === 'reportingComponent' ? 'reportingController' : name;
}

const wordsMax = 128;

const noteMax = 1024;

const types = ['Normal', 'Warning'];

type Check = (event: ApiObject) => readonly FieldError[];

/** Nothing is demanded of events without a time of their own: older clients write them. */
function reported(reporter: string): Check {
  return (event) => {
    if (event['eventTime'] === undefined) return [];
    const component = text(event, 'reportingComponent');
    const words = ['reportingInstance', 'action', 'reason'].flatMap((name) => [
      ...(text(event, name) === '' ? [required(name)] : []),
      ...tooMany(event, name, wordsMax),
    ]);
    return [
      ...(component === '' ? [required(reporter)] : []),
      ...givenForm(reporter, component, checkQualifiedName),
      ...words,
      ...tooMany(event, 'message', noteMax),
    ];
  };
}

function tooMany(event: ApiObject, name: string, max: number): readonly FieldError[] {
  return Buffer.byteLength(text(event, name)) > max
    ? [invalid(name, '', `can have at most ${max} characters`)]
    : [];
}

function seriesProblems(event: ApiObject): readonly FieldError[] {
  if (event['series'] === undefined) return [];
  const series = part(event, 'series');
  const count = numberOf(series['count']) ?? 0;
  return [
    ...(count < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(series['lastObservedTime'] === undefined ? [required('series.lastObservedTime')] : []),
  ];
}

const unset = 'needs to be unset';

const stable: Check = (event) => {
  const type = text(event, 'type');
  const source = part(event, 'source');
  const older = ['firstTimestamp', 'lastTimestamp', 'count'].filter(
    (name) => event[name] !== undefined && event[name] !== 0,
  );
  return [
    ...(event['eventTime'] === undefined ? [required('eventTime')] : []),
    ...(types.includes(type) ? [] : [invalid('type', '', `has invalid value: ${type}`)]),
    ...older.map((name) => invalid(name, '', unset)),
    ...(text(source, 'component') === '' && text(source, 'host') === ''
      ? []
      : [invalid('source', '', unset)]),
  ];
};

/** Only the series of an event goes on. */
const fixed = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
];

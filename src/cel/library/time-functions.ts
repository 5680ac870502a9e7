/** Parts of timestamps, in UTC or a zone, and durations in units: `t.getHours('Europe/Berlin')`. */
import { lookup } from '../../stdx/lookup.ts';
import type { FunctionDeclaration, Implementation, Overload } from '../declaration.ts';
import { durationType, intType, stringType, timestampType } from '../type.ts';
import { canonicalInt } from '../value.ts';
import type { Duration, Timestamp } from '../value.ts';
import { timeIn } from './time-text.ts';

const dayMs = 86_400_000;

function dayOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / dayMs);
}

type Part = readonly [
  name: string,
  id: string,
  part: (date: Date, time: Timestamp) => number,
  idWithZone?: string,
];

const parts: readonly Part[] = [
  ['getFullYear', 'timestamp_to_year', (date) => date.getUTCFullYear()],
  ['getMonth', 'timestamp_to_month', (date) => date.getUTCMonth()],
  ['getDayOfYear', 'timestamp_to_day_of_year', dayOfYear],
  ['getDayOfMonth', 'timestamp_to_day_of_month', (date) => date.getUTCDate() - 1],
  ['getDate', 'timestamp_to_day_of_month_1_based', (date) => date.getUTCDate()],
  ['getDayOfWeek', 'timestamp_to_day_of_week', (date) => date.getUTCDay()],
  ['getHours', 'timestamp_to_hours', (date) => date.getUTCHours()],
  ['getMinutes', 'timestamp_to_minutes', (date) => date.getUTCMinutes()],
  ['getSeconds', 'timestamp_to_seconds', (date) => date.getUTCSeconds(), 'timestamp_to_seconds_tz'],
  [
    'getMilliseconds',
    'timestamp_to_milliseconds',
    (_date, { nanos }) => Math.trunc(nanos / 1_000_000),
  ],
];

/** How many of a unit a duration has. The language's specification counts the milliseconds beyond
 * the whole seconds, Kubernetes counts all of them. */
const durations: Readonly<Record<string, readonly [string, (nanos: bigint) => bigint]>> = lookup<
  readonly [string, (nanos: bigint) => bigint]
>({
  getHours: ['duration_to_hours', (nanos) => nanos / 3_600_000_000_000n],
  getMinutes: ['duration_to_minutes', (nanos) => nanos / 60_000_000_000n],
  getSeconds: ['duration_to_seconds', (nanos) => nanos / 1_000_000_000n],
  getMilliseconds: ['duration_to_milliseconds', (nanos) => nanos / 1_000_000n],
});

function overloadsOf([name, id, part, idWithZone]: Part): Overload[] {
  const inZone = (time: Timestamp, zone?: string): number => part(timeIn(time, zone), time);
  const implementation = inZone as Implementation;
  const rest = { result: intType, member: true, implementation };
  const made: Overload[] = [
    { id, args: [timestampType], ...rest },
    { id: idWithZone ?? `${id}_with_tz`, args: [timestampType, stringType], ...rest },
  ];
  const duration = durations[name];
  if (duration === undefined) return made;
  const [durationId, count] = duration;
  const counted = (value: Duration): number | bigint => canonicalInt(count(value.nanos));
  const counting = { ...rest, implementation: counted as Implementation };
  return [...made, { id: durationId, args: [durationType], ...counting }];
}

export const timeFunctions: readonly FunctionDeclaration[] = parts.map((part) => ({
  name: part[0],
  overloads: overloadsOf(part),
}));

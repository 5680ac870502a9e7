/**
 * The named formats as data: a function that lists what is wrong with a text, and the length of the
 * pattern that the cost of a check is computed from.
 *
 * Invariants: a check reports all mistakes and is linear in the text.
 */
import {
  checkLabelValue,
  checkQualifiedName,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
} from '../../apimachinery/validation/names.ts';
import type { NameValidator } from '../../apimachinery/validation/names.ts';
import { uriProblem } from './url-parser.ts';

export interface NamedFormat {
  /** What two formats are compared by. */
  readonly name: string;
  /** Characters; what a check costs is in proportion. */
  readonly patternLength: number;
  /** Sentences; none for a text that is right. */
  readonly problems: (text: string) => readonly string[];
}

const uuidPattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const uuidPatternLength = `(?i)${uuidPattern.source}`.length;
const timePattern = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/;
const timePatternLength = timePattern.source.length;
const base64PatternLength = 84;
const uriPatternLength = 1103;

export const namedFormats: ReadonlyMap<string, NamedFormat> = new Map([
  ['dns1123Label', named('DNS1123Label', 30, dns1123Label, false)],
  ['dns1123Subdomain', named('DNS1123Subdomain', 60, dns1123Subdomain, false)],
  ['dns1035Label', named('DNS1035Label', 30, dns1035Label, false)],
  ['qualifiedName', { name: 'QualifiedName', patternLength: 60, problems: checkQualifiedName }],
  ['dns1123LabelPrefix', named('DNS1123LabelPrefix', 30, dns1123Label, true)],
  ['dns1123SubdomainPrefix', named('DNS1123SubdomainPrefix', 60, dns1123Subdomain, true)],
  ['dns1035LabelPrefix', named('DNS1035LabelPrefix', 30, dns1035Label, true)],
  ['labelValue', { name: 'LabelValue', patternLength: 40, problems: checkLabelValue }],
  ['uri', { name: 'URI', patternLength: uriPatternLength, problems: uriProblems }],
  [
    'uuid',
    formed('uuid', uuidPatternLength, 'does not match the UUID format', (text) =>
      uuidPattern.test(text),
    ),
  ],
  ['byte', formed('byte', base64PatternLength, 'invalid base64', isBase64)],
  ['date', formed('date', timePatternLength, 'invalid date', isFullDate)],
  ['datetime', formed('datetime', timePatternLength, 'invalid datetime', isDateTime)],
]);

function named(
  name: string,
  patternLength: number,
  validate: NameValidator,
  prefix: boolean,
): NamedFormat {
  return { name, patternLength, problems: (text) => validate(text, prefix) };
}

function formed(
  name: string,
  patternLength: number,
  problem: string,
  holds: (text: string) => boolean,
): NamedFormat {
  return { name, patternLength, problems: (text) => (holds(text) ? [] : [problem]) };
}

function uriProblems(text: string): readonly string[] {
  const problem = uriProblem(text);
  return problem === undefined ? [] : [problem];
}

function isBase64(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** `2006-01-02`, a day that there is. */
function isFullDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= (month === 2 && isLeap(year) ? 29 : (monthDays[month - 1] ?? 0));
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** RFC 3339, in either case. */
function isDateTime(text: string): boolean {
  const [day = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isFullDate(day)) return false;
  const match = timePattern.exec(time);
  if (match === null) return false;
  const [, hours = '', minutes = '', seconds = ''] = match;
  return hours <= '23' && minutes <= '59' && seconds <= '59';
}

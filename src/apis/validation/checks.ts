/**
 * What the rules of kinds are made of: the checks that many kinds share, in the words of the
 * reference.
 *
 * The rules of single kinds are with their kinds. Rules read members as empty where they are
 * missing or of another type (members.ts), because the schema has been checked before, and says so
 * itself.
 */
import { deepEqual } from '../../stdx/deep-equal.ts';
import {
  duplicate,
  fieldErrorsMax,
  invalid,
  noErrors as noProblems,
  notSupported,
  required,
  allErrors,
  tooMany,
} from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { isInRange, parseCidr, parseIp, rangeText } from '../../apimachinery/ip-address.ts';
import type { IpAddress, IpRange } from '../../apimachinery/ip-address.ts';
import { compareQuantities, parseQuantity } from '../../apimachinery/quantity.ts';
import { text } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';

export const immutableMessage = 'field is immutable';
const negativeMessage = 'must be greater than or equal to 0';
const portMax = 65_535;

export type Problems = readonly FieldError[];

export { noProblems, allErrors };

/** What the rule finds in each of a list, in order. No more is looked for than an answer says. */
export function each<T>(list: readonly T[], rule: (item: T, at: number) => Problems): Problems {
  let all: FieldError[] | undefined;
  for (let at = 0; at < list.length; at += 1) {
    const found = rule(list[at] as T, at);
    if (found.length === 0) continue;
    all ??= [];
    for (const problem of found) all.push(problem);
    if (all.length > fieldErrorsMax) break;
  }
  return all ?? noProblems;
}

/** Integers beyond a double count as infinite: every bound is smaller. */
export function numberOf(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return value > 0n ? Infinity : -Infinity;
  return undefined;
}

export function itemsAtMost(list: readonly unknown[], field: string, max: number): Problems {
  return list.length > max ? [tooMany(field, list.length, max)] : noProblems;
}

/** Each problem that a check of a text finds is one error. Empty texts are not looked at. */
export function form(
  field: string,
  value: string,
  check: (value: string) => readonly string[],
): Problems {
  return value === '' ? noProblems : givenForm(field, value, check);
}

/** Likewise of a member that can be left out otherwise than by an empty text: that is looked at. */
export function givenForm(
  field: string,
  value: JsonValue | undefined,
  check: (value: string) => readonly string[],
): Problems {
  if (typeof value !== 'string') return noProblems;
  const problems = check(value);
  if (problems.length === 0) return noProblems;
  return problems.map((problem) => invalid(field, value, problem));
}

/** Likewise of each text in a list. */
export function formEach(
  field: string,
  values: readonly string[],
  check: (value: string) => readonly string[],
): Problems {
  return each(values, (value, at) => givenForm(`${field}[${at}]`, value, check));
}

/** Likewise, where the text must be there. */
export function requiredForm(
  field: string,
  value: string,
  check: (value: string) => readonly string[],
): Problems {
  return value === '' ? [required(field)] : form(field, value, check);
}

export function needed(object: JsonObject, path: string, name: string, detail = ''): Problems {
  const value = object[name];
  const missing = value === undefined || value === '' || (Array.isArray(value) && !value.length);
  return missing ? [required(`${path}.${name}`, detail)] : noProblems;
}

/** `names` are members that may be absent. */
export function nonNegative(object: JsonObject, path: string, names: readonly string[]): Problems {
  return each(names, (name) => {
    const value = numberOf(object[name]);
    return value !== undefined && value < 0
      ? [invalid(`${path}.${name}`, object[name], negativeMessage)]
      : noProblems;
  });
}

export function between(
  field: string,
  value: JsonValue | undefined,
  min: number,
  max: number,
): Problems {
  const number = numberOf(value);
  if (number === undefined || (number >= min && number <= max)) return noProblems;
  return [invalid(field, value, `must be between ${min} and ${max}, inclusive`)];
}

export function portNumber(field: string, value: JsonValue | undefined): Problems {
  return between(field, value, 1, portMax);
}

/** Where an enumeration of the schema lets through more than the field takes here. */
export function oneOf(field: string, value: string, supported: readonly string[]): Problems {
  if (value === '' || supported.includes(value)) return noProblems;
  return [notSupported(field, value, supported)];
}

/** Likewise of a text that is there, if only empty. */
export function among(field: string, value: string, supported: readonly string[]): Problems {
  return supported.includes(value) ? noProblems : [notSupported(field, value, supported)];
}

/** Of members that are texts: each may be there once. */
export function uniqueTexts(field: string, values: readonly string[]): Problems {
  if (values.length < 2) return noProblems;
  const isRepeated = repetitions<string>();
  return each(values, (value, at) =>
    isRepeated(value) ? [duplicate(`${field}[${at}]`, value)] : noProblems,
  );
}

/** Whether what it is asked for has been asked for before. */
export function repetitions<T extends string | number>(): (value: T) => boolean {
  const seen = new Set<T>();
  return (value) => {
    if (seen.has(value)) return true;
    seen.add(value);
    return false;
  };
}

const portNameMax = 15;

export function checkPortName(name: string): readonly string[] {
  const problems: string[] = [];
  if (name.length > portNameMax) problems.push(`must be no more than ${portNameMax} characters`);
  if (!/^[-a-z0-9]+$/.test(name)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) {
    problems.push('must not begin or end with a hyphen');
  }
  return problems;
}

export function portNumberOrName(field: string, value: JsonValue | undefined): Problems {
  if (typeof value !== 'string') return portNumber(field, value);
  const problems = checkPortName(value);
  if (problems.length === 0) return noProblems;
  return problems.map((problem) => invalid(field, value, problem));
}

/** `next` is shown: what the client wanted. */
export function unchanged(
  field: string,
  next: JsonValue | undefined,
  current: JsonValue | undefined,
): Problems {
  return deepEqual(next, current) ? [] : [invalid(field, next ?? null, immutableMessage)];
}

/** Of each object in a list by this member; empty ones do not count. */
export function uniqueBy(list: readonly JsonObject[], path: string, name: string): Problems {
  const seen = new Set<string>();
  return each(list, (item, at) => {
    const value = text(item, name);
    if (value === '') return noProblems;
    if (seen.has(value)) return [duplicate(`${path}[${at}].${name}`, value)];
    seen.add(value);
    return noProblems;
  });
}

/** At most, or exactly, one of several members. */
export function givenAmong(object: JsonObject, names: readonly string[]): readonly string[] {
  return names.filter((name) => object[name] !== undefined);
}

const configKeyMax = 253;
const configKey = /^[-._a-zA-Z0-9]+$/;

/** Keys of config maps and secrets: they become file names. */
export function checkConfigKey(key: string): readonly string[] {
  const problems: string[] = [];
  if (Buffer.byteLength(key, 'utf8') > configKeyMax) {
    problems.push(`must be no more than ${configKeyMax} bytes`);
  }
  if (!configKey.test(key)) {
    problems.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. " +
        "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is " +
        "'[-._a-zA-Z0-9]+')",
    );
  }
  if (key === '.' || key === '..') problems.push(`must not be '${key}'`);
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}

const ipMessage = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const cidrMessage = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** Forms that are going are taken, with a warning (../warnings/ip-addresses.ts). */
export function checkIp(value: string): readonly string[] {
  return parseIp(value) === undefined ? [ipMessage] : [];
}

export function checkCidr(value: string): readonly string[] {
  return parseCidr(value) === undefined ? [cidrMessage] : [];
}

/** Of kinds that came when those forms were known to be dangerous: as everybody writes it. */
export function checkCanonicalCidr(value: string): readonly string[] {
  const range = parseCidr(value);
  if (range === undefined) return [cidrMessage];
  const written = rangeText(range);
  return written === value ? [] : [`must be in canonical form (${quote(written)})`];
}

/** 0 when it is none. */
export function ipFamily(value: string): 0 | 4 | 6 {
  return parseIp(value)?.family ?? 0;
}

const percent = /^[0-9]+%$/;
const percentMessage =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or " +
  "'93%', regex used for validation is '[0-9]+%')";

const rangesOf = (...texts: string[]): readonly IpRange[] =>
  texts.map(parseCidr).filter((range) => range !== undefined);
const isInOne = (ranges: readonly IpRange[], address: IpAddress): boolean =>
  ranges.some((range) => isInRange(range, address));

const loopback = rangesOf('127.0.0.0/8', '::1/128');
const linkLocal = rangesOf('169.254.0.0/16', 'fe80::/10');
const linkLocalMulticast = rangesOf('224.0.0.0/24', 'ff02::/16');

function isUnspecified({ bytes }: IpAddress): boolean {
  for (const byte of bytes) if (byte !== 0) return false;
  return true;
}

/** Of an address that traffic is sent to: a valid one that means the same everywhere. */
export function checkReachableIp(ip: string): readonly string[] {
  const parsed = parseIp(ip);
  if (parsed === undefined) return [ipMessage];
  if (isUnspecified(parsed)) return [`may not be unspecified (${ip})`];
  if (isInOne(loopback, parsed)) {
    return ['may not be in the loopback range (127.0.0.0/8, ::1/128)'];
  }
  if (isInOne(linkLocal, parsed)) {
    return ['may not be in the link-local range (169.254.0.0/16, fe80::/10)'];
  }
  return isInOne(linkLocalMulticast, parsed)
    ? ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)']
    : [];
}

/** A count that is not negative, or a percentage. */
export function countOrPercent(field: string, value: JsonValue | undefined): Problems {
  if (typeof value === 'string') {
    return percent.test(value) ? [] : [invalid(field, value, percentMessage)];
  }
  const number = numberOf(value);
  return number !== undefined && number < 0 ? [invalid(field, value, negativeMessage)] : [];
}

export function atMostAll(field: string, value: JsonValue | undefined): Problems {
  if (typeof value !== 'string' || !percent.test(value)) return [];
  const share = Number(value.slice(0, -1));
  return share <= 100 ? [] : [invalid(field, value, 'must not be greater than 100%')];
}

/** The count, or the percentage without its sign. */
export function countOf(value: JsonValue | undefined): number {
  return typeof value === 'string' ? Number.parseInt(value, 10) || 0 : (numberOf(value) ?? 0);
}

/** Undefined when one of them is not a quantity. */
export function compareAmounts(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
): number | undefined {
  const left = typeof a === 'string' ? parseQuantity(a) : undefined;
  const right = typeof b === 'string' ? parseQuantity(b) : undefined;
  return left === undefined || right === undefined ? undefined : compareQuantities(left, right);
}

/** Only a sign makes an amount negative; zero with one is not. */
export function isNegativeAmount(value: JsonValue | undefined): boolean {
  if (typeof value !== 'string' || !value.startsWith('-')) return false;
  return (compareAmounts(value, '0') ?? 0) < 0;
}

export function nonNegativeAmount(field: string, value: JsonValue | undefined): Problems {
  return isNegativeAmount(value) ? [invalid(field, value, negativeMessage)] : noProblems;
}

export function positiveAmount(field: string, value: JsonValue | undefined): Problems {
  const order = compareAmounts(value, '0') ?? 1;
  return order > 0 ? noProblems : [invalid(field, value, 'must be greater than zero')];
}

/** What is counted has no parts; of canonical amounts these endings have. */
export function wholeAmount(field: string, value: JsonValue | undefined): Problems {
  return typeof value === 'string' && /(?:[num]|e-\d+)$/.test(value)
    ? [invalid(field, value, 'must be an integer')]
    : noProblems;
}

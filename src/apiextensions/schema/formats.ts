/**
 * The formats of texts and numbers that are checked; all others are taken as notes (spec 1,
 * section 4.8). Names are compared without dashes.
 *
 * Invariants: a check is linear in the text, with patterns of our own that cannot be made to
 * search: each ends in a fixed number of steps a character, or is asked of short texts only.
 */
import { isIPv6 } from 'node:net';
import { namedFormats } from '../../cel/library/named-formats.ts';
import { readDuration } from '../../cel/schema/schema-text.ts';
import { isEmailAddress } from './email-address.ts';

export type FormatCheck = (text: string) => boolean;

/** In this minor release came what is not older than any that is served. */
const shortAndLongNamesSince = 34;

const checks: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', (text) => /^[0-9a-fA-F]{24}$/.test(text)],
  ['uri', byName('uri')],
  ['email', isEmailAddress],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && isAddress(text)],
  ['ipv6', (text) => isPlainIpv6(text)],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', (text) => isUuid(text, /./, /./)],
  ['uuid3', (text) => isUuid(text, /3/, /./)],
  ['uuid4', (text) => isUuid(text, /4/, /[89ab]/i)],
  ['uuid5', (text) => isUuid(text, /5/, /[89ab]/i)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ['rgbcolor', isRgbColor],
  ['byte', byName('byte')],
  ['password', () => true],
  ['date', byName('date')],
  ['duration', isDuration],
  ['datetime', byName('datetime')],
  ['k8sshortname', (text) => text.length <= 63 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text)],
  ['k8slongname', isLongName],
]);

const integerFormats: ReadonlySet<string> = new Set(['int32', 'int64']);
const numberFormats: ReadonlySet<string> = new Set(['float', 'double']);

/** The format as far as it is checked for values of this type; '' where it is not. */
export function checkedFormat(
  format: string | undefined,
  type: string | undefined,
  release: number | undefined,
): string {
  if (format === undefined || format === '') return '';
  switch (type ?? '') {
    case '':
    case 'string':
      return formatCheck(format, release) === undefined ? '' : format;
    case 'integer':
      return integerFormats.has(format) ? format : '';
    case 'number':
      return numberFormats.has(format) ? format : '';
    default:
      return '';
  }
}

/** Undefined: nothing is known of texts of this format. */
export function formatCheck(format: string, release: number | undefined): FormatCheck | undefined {
  const name = format.replaceAll('-', '');
  const isNew = name === 'k8sshortname' || name === 'k8slongname';
  if (isNew && release !== undefined && release < shortAndLongNamesSince) return undefined;
  return checks.get(name);
}

function byName(name: string): FormatCheck {
  const problems = namedFormats.get(name)?.problems;
  return (text) => problems === undefined || problems(text).length === 0;
}

/** How a name begins, and how it ends: the pattern that it comes from holds it to one of them. */
const hostnameStart = /^[a-zA-Z0-9\p{S}\p{L}]/u;
const hostnameEnd = /[a-zA-Z0-9\p{S}\p{L}]\.[a-zA-Z\p{L}]{2,63}$/u;

function isHostname(text: string): boolean {
  if (Buffer.byteLength(text, 'utf8') > 255) return false;
  if (!hostnameStart.test(text) && !hostnameEnd.test(text)) return false;
  return text.split('.').every((label) => Buffer.byteLength(label, 'utf8') <= 63);
}

function isLongName(text: string): boolean {
  if (text.length > 253) return false;
  return text.split('.').every((label) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(label));
}

function isPlainIpv6(text: string): boolean {
  return !text.includes('%') && isIPv6(text);
}

/** Numbers may have zeros in front. */
function isAddress(text: string): boolean {
  return isDottedQuad(text) || isPlainIpv6(text);
}

function isDottedQuad(text: string): boolean {
  const parts = text.split('.', 5);
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255);
}

function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash === -1) return false;
  const [address, length] = [text.slice(0, slash), text.slice(slash + 1)];
  if (!/^\d{1,9}$/.test(length)) return false;
  if (isDottedQuad(address)) return Number(length) <= 32;
  return isPlainIpv6(address) && Number(length) <= 128;
}

function isMac(text: string): boolean {
  const pairs = /^[0-9a-fA-F]{2}(?:([:-])[0-9a-fA-F]{2})(?:\1[0-9a-fA-F]{2})*$/;
  if (text.length > 59) return false;
  if (pairs.test(text)) return [6, 8, 20].includes((text.length + 1) / 3);
  if (!/^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})+$/.test(text)) return false;
  return [3, 4, 10].includes((text.length + 1) / 5);
}

const uuid =
  /^[0-9a-f]{8}-?[0-9a-f]{4}-?([0-9a-f])[0-9a-f]{3}-?([0-9a-f])[0-9a-f]{3}-?[0-9a-f]{12}$/i;

function isUuid(text: string, version: RegExp, variant: RegExp): boolean {
  const match = uuid.exec(text);
  return match !== null && version.test(match[1] as string) && variant.test(match[2] as string);
}

/** Longer texts are nobody's number. */
const numberTextMax = 1000;

function digitsOf(text: string, left: RegExp): string {
  return text.length > numberTextMax ? '' : text.replace(left, '');
}

function isIsbn10(text: string): boolean {
  const digits = digitsOf(text, /[\s-]+/g);
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i += 1) sum += (i + 1) * (digits[i] === 'X' ? 10 : Number(digits[i]));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = digitsOf(text, /[\s-]+/g);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 12; i += 1) sum += (i % 2 === 0 ? 1 : 3) * Number(digits[i]);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

/** By who gives them out. */
const cards = [
  /^4[0-9]{12}(?:[0-9]{3})?$/,
  /^5[1-5][0-9]{14}$/,
  /^6(?:011|5[0-9][0-9])[0-9]{12}$/,
  /^3[47][0-9]{13}$/,
  /^3(?:0[0-5]|[68][0-9])[0-9]{11}$/,
  /^(?:2131|1800|35\d{3})\d{11}$/,
];

function isCreditCard(text: string): boolean {
  const digits = digitsOf(text, /[^0-9]+/g);
  if (!cards.some((card) => card.test(digits))) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits[digits.length - 1 - i]) * (i % 2 === 0 ? 1 : 2);
    sum += digit >= 10 ? (digit % 10) + 1 : digit;
  }
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const match = /^rgb\(([^()]*)\)$/.exec(text.length > 200 ? '' : text);
  const parts = match?.[1]?.split(',') ?? [];
  return parts.length === 3 && parts.every((part) => isColorPart(part.trim()));
}

function isColorPart(part: string): boolean {
  return /^(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])$/.test(part);
}

function isDuration(text: string): boolean {
  try {
    readDuration(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Forms of the names and values of resource slices (spec 1, section 2.8), for the hand-written
 * rules and the declared ones.
 */
import type { Format } from '../../apimachinery/validation/declarative.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
} from '../../apimachinery/validation/names.ts';
import { lookup } from '../../stdx/lookup.ts';

export const devicesMax = 128;

export const attributesAndCapacitiesMax = 32;

export const taintsMax = 4;

export const attributeValueBytesMax = 64;

export const poolNameBytesMax = 253;

export const driverNameBytesMax = 63;

const identifierBytesMax = 32;

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

const identifierMessage =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of " +
  "alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for " +
  "validation is '[A-Za-z_][A-Za-z0-9_]*')";

const number = '(0|[1-9]\\d*)';

const preRelease = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';

const build = '[0-9a-zA-Z-]+';

const semanticVersion = new RegExp(
  `^${number}\\.${number}\\.${number}(-${preRelease}(\\.${preRelease})*)?` +
    `(\\+${build}(\\.${build})*)?$`,
);

function checkIdentifier(name: string): readonly string[] {
  const problems: string[] = [];
  if (Buffer.byteLength(name, 'utf8') > identifierBytesMax) {
    problems.push(`must be no more than ${identifierBytesMax} bytes`);
  }
  if (!identifier.test(name)) problems.push(identifierMessage);
  return problems;
}

/** Case does not matter in a domain. */
export function checkDriverName(name: string): readonly string[] {
  return checkDns1123Subdomain(name.toLowerCase());
}

/** An identifier, after the domain of who defines it where that is not the driver. */
export function checkQualifiedIdentifier(name: string): readonly string[] {
  const [domain = '', local, ...more] = name.split('/', 3);
  if (more.length > 0) return ['must not contain more than one slash'];
  if (local === undefined) return checkIdentifier(domain);
  return [
    ...(domain === '' ? ['the domain must not be empty'] : checkDomain(domain)),
    ...(local === '' ? ['the name must not be empty'] : checkIdentifier(local)),
  ];
}

function checkDomain(domain: string): readonly string[] {
  const long = Buffer.byteLength(domain, 'utf8') > driverNameBytesMax;
  return [
    ...(long ? [`the domain must be no more than ${driverNameBytesMax} bytes`] : []),
    ...checkDriverName(domain),
  ];
}

/** The errors of each part. A name that is too long is only looked at up to its bound. */
export function checkPoolName(name: string): readonly string[] {
  return name.split('/', poolNameBytesMax + 1).flatMap((part) => checkDns1123Subdomain(part));
}

export function checkSemanticVersion(version: string): readonly string[] {
  if (semanticVersion.test(version)) return [];
  return ['must be a string compatible with semver.org spec 2.0.0'];
}

export const resourceSliceFormats: Readonly<Record<string, Format>> = lookup({
  'dns-label': checkDns1123Label,
  'dns-subdomain': checkDns1123Subdomain,
  'driver-name': checkDriverName,
  'label-key': checkQualifiedName,
  'label-value': checkLabelValue,
  'pool-name': checkPoolName,
  'qualified-identifier': checkQualifiedIdentifier,
  'semantic-version': checkSemanticVersion,
});

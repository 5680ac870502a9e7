/**
 * The `jwt` entries of an AuthenticationConfiguration: which issuers are trusted, and what their
 * tokens' claims mean (spec 2, section 2.1).
 *
 * What it is not: talking to issuers. Claims are named; expressions over claims are refused, as is
 * every field that is not known, since it may have been meant as a restriction.
 *
 * Bounds: `issuersMax`, `audiencesMax`, `rulesMax`.
 */
import { unknownField } from '../apimachinery/configuration-document.ts';
import { quote } from '../apimachinery/quote.ts';
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';

const issuerLimits = { issuersMax: 64, audiencesMax: 64, rulesMax: 64 } as const;

export interface MappedClaim {
  readonly claim: string;
  /** Put before each value; '' puts nothing. */
  readonly prefix: string;
}

export interface IssuerConfig {
  readonly url: string;
  /** Where its configuration is, if not below its URL. */
  readonly discoveryUrl: string | undefined;
  /** PEM; undefined: the system's. */
  readonly ca: string | undefined;
  readonly audiences: readonly string[];
  readonly username: MappedClaim;
  readonly groups: MappedClaim | undefined;
  readonly uidClaim: string | undefined;
  readonly requiredClaims: readonly { readonly claim: string; readonly value: string }[];
}

/** What is wrong with the entries: its text names the field. */
class ConfigProblem extends Error {}

export type ReadIssuers =
  | { readonly kind: 'ok'; readonly issuers: readonly IssuerConfig[] }
  | { readonly kind: 'invalid'; readonly problem: string };

/** `own`: issuers of the server's own tokens, which no entry may claim to be. */
export function readIssuers(entries: readonly JsonValue[], own: readonly string[]): ReadIssuers {
  try {
    if (entries.length > issuerLimits.issuersMax) {
      fail('jwt', `must have at most ${issuerLimits.issuersMax} entries`);
    }
    const issuers = entries.map((entry, index) => readIssuer(entry, `jwt[${index}]`));
    issuers.forEach(({ url }, index) => {
      const field = `jwt[${index}].issuer.url`;
      if (issuers.findIndex((other) => other.url === url) !== index) fail(field, 'is given twice');
      if (own.includes(url)) fail(field, "must not be the issuer of service accounts' tokens");
    });
    return { kind: 'ok', issuers };
  } catch (error) {
    if (error instanceof ConfigProblem) return { kind: 'invalid', problem: error.message };
    throw error;
  }
}

function fail(field: string, problem: string): never {
  throw new ConfigProblem(`${field}: ${problem}`);
}

function readIssuer(entry: JsonValue, field: string): IssuerConfig {
  const known = ['issuer', 'claimValidationRules', 'claimMappings', 'userValidationRules'];
  const fields = objectAt(entry, field, known);
  if (listAt(fields, 'userValidationRules', field).length > 0) {
    fail(`${field}.userValidationRules`, 'expressions are not supported');
  }
  const issuer = objectAt(fields['issuer'], `${field}.issuer`, [
    'url',
    'discoveryURL',
    'certificateAuthority',
    'audiences',
    'audienceMatchPolicy',
  ]);
  const mappings = objectAt(fields['claimMappings'], `${field}.claimMappings`, [
    'username',
    'groups',
    'uid',
    'extra',
  ]);
  if (listAt(mappings, 'extra', `${field}.claimMappings`).length > 0) {
    fail(`${field}.claimMappings.extra`, 'expressions are not supported');
  }
  const username = mappedClaim(mappings['username'], `${field}.claimMappings.username`);
  if (username === undefined) fail(`${field}.claimMappings.username.claim`, 'is required');
  return {
    url: httpsUrl(issuer['url'], `${field}.issuer.url`),
    discoveryUrl: optionalUrl(issuer['discoveryURL'], `${field}.issuer.discoveryURL`),
    ca: optionalText(issuer['certificateAuthority'], `${field}.issuer.certificateAuthority`),
    audiences: audiencesAt(issuer, `${field}.issuer`),
    username,
    groups: mappedClaim(mappings['groups'], `${field}.claimMappings.groups`),
    uidClaim: uidClaim(mappings['uid'], `${field}.claimMappings.uid`),
    requiredClaims: requiredClaims(fields, field),
  };
}

function audiencesAt(issuer: JsonObject, field: string): readonly string[] {
  const audiences = listAt(issuer, 'audiences', field).map((item, index) =>
    textAt(item, `${field}.audiences[${index}]`),
  );
  const policy = issuer['audienceMatchPolicy'] ?? '';
  if (audiences.length === 0) fail(`${field}.audiences`, 'at least one is required');
  if (audiences.length > issuerLimits.audiencesMax) {
    fail(`${field}.audiences`, `must have at most ${issuerLimits.audiencesMax} entries`);
  }
  if (policy !== '' && policy !== 'MatchAny')
    fail(`${field}.audienceMatchPolicy`, 'must be MatchAny');
  if (audiences.length > 1 && policy === '') {
    fail(`${field}.audienceMatchPolicy`, 'must be MatchAny where there are several audiences');
  }
  return audiences;
}

/** A prefix must be given, if only as '': nobody is called like somebody else by accident. */
function mappedClaim(value: JsonValue | undefined, field: string): MappedClaim | undefined {
  if (value === undefined || value === null) return undefined;
  const fields = objectAt(value, field, ['claim', 'prefix', 'expression']);
  refuseExpression(fields, field);
  const claim = optionalText(fields['claim'], `${field}.claim`);
  if (claim === undefined) return undefined;
  const { prefix } = fields;
  if (typeof prefix !== 'string') fail(`${field}.prefix`, 'is required, and may be ""');
  return { claim, prefix };
}

function uidClaim(value: JsonValue | undefined, field: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  const fields = objectAt(value, field, ['claim', 'expression']);
  refuseExpression(fields, field);
  return optionalText(fields['claim'], `${field}.claim`);
}

function requiredClaims(fields: JsonObject, field: string): IssuerConfig['requiredClaims'] {
  const rules = listAt(fields, 'claimValidationRules', field);
  if (rules.length > issuerLimits.rulesMax) {
    fail(`${field}.claimValidationRules`, `must have at most ${issuerLimits.rulesMax} entries`);
  }
  return rules.map((rule, index) => {
    const at = `${field}.claimValidationRules[${index}]`;
    const known = ['claim', 'requiredValue', 'expression', 'message'];
    const given = objectAt(rule, at, known);
    refuseExpression(given, at);
    const value = given['requiredValue'] ?? '';
    if (typeof value !== 'string') fail(`${at}.requiredValue`, 'must be a text');
    return { claim: textAt(given['claim'], `${at}.claim`), value };
  });
}

function refuseExpression(fields: JsonObject, field: string): void {
  if ((fields['expression'] ?? '') !== '') {
    fail(`${field}.expression`, 'expressions are not supported');
  }
}

function objectAt(
  value: JsonValue | undefined,
  field: string,
  known: readonly string[],
): JsonObject {
  if (!isJsonObject(value)) fail(field, 'must be an object');
  const strange = unknownField(value, known);
  if (strange !== undefined) fail(field, `unknown field ${quote(strange)}`);
  return value;
}

function listAt(fields: JsonObject, name: string, field: string): readonly JsonValue[] {
  const value = fields[name] ?? [];
  return Array.isArray(value)
    ? (value as readonly JsonValue[])
    : fail(`${field}.${name}`, 'must be a list');
}

function textAt(value: JsonValue | undefined, field: string): string {
  return typeof value === 'string' && value !== '' ? value : fail(field, 'must be a text');
}

function optionalText(value: JsonValue | undefined, field: string): string | undefined {
  return (value ?? '') === '' ? undefined : textAt(value, field);
}

function optionalUrl(value: JsonValue | undefined, field: string): string | undefined {
  return (value ?? '') === '' ? undefined : httpsUrl(value, field);
}

function httpsUrl(value: JsonValue | undefined, field: string): string {
  const text = textAt(value, field);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') fail(field, 'must be a URL that begins with https://');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    fail(field, 'must have neither a user, a query nor a fragment');
  }
  return text;
}

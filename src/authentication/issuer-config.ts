/**
 * The `jwt` entries of an AuthenticationConfiguration: which issuers are trusted, and what their
 * tokens' claims mean (spec 2, section 2.1).
 *
 * A claim is named, or an expression makes something of all of them (claim-expressions.ts). A field
 * that is not known is refused, since it may have been meant as a restriction.
 *
 * Bounds: `issuersMax`, `audiencesMax`, `rulesMax`, `extraMax`.
 */
import { unknownField } from '../apimachinery/configuration-document.ts';
import { quote } from '../apimachinery/quote.ts';
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import { checkDns1123Subdomain } from '../apimachinery/validation/names.ts';
import type { CompiledExpression, Expression } from '../cel/expression.ts';
import { areCertificates } from '../pki/certificates.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { usesClaim } from './claim-expressions.ts';
import type { ClaimLanguage, ValidationRule } from './claim-expressions.ts';

const issuerLimits = { issuersMax: 64, audiencesMax: 64, rulesMax: 64, extraMax: 64 } as const;

export interface MappedClaim {
  readonly claim: string;
  /** Put before each value; '' puts nothing. */
  readonly prefix: string;
}

export interface MappedExpression {
  readonly expression: Expression;
}

export interface ExtraMapping extends MappedExpression {
  readonly key: string;
}

export interface IssuerConfig {
  readonly url: string;
  /** Where its configuration is, if not below its URL. */
  readonly discoveryUrl: string | undefined;
  /** PEM; undefined: the system's. */
  readonly ca: string | undefined;
  readonly audiences: readonly string[];
  readonly username: MappedClaim | MappedExpression;
  readonly groups: MappedClaim | MappedExpression | undefined;
  readonly uid: { readonly claim: string } | MappedExpression | undefined;
  readonly extra: readonly ExtraMapping[];
  readonly requiredClaims: readonly { readonly claim: string; readonly value: string }[];
  readonly claimRules: readonly ValidationRule[];
  readonly userRules: readonly ValidationRule[];
}

type Compiling = Steps<CompiledExpression>;

/** What is wrong with the entries: its text names the field. */
class ConfigProblem extends Error {}

export type ReadIssuers =
  | { readonly kind: 'ok'; readonly issuers: readonly IssuerConfig[] }
  | { readonly kind: 'invalid'; readonly problem: string };

/** `own`: issuers of the server's own tokens, which no entry may claim to be. Yields where others
 * may have a turn: entries may be many, and long. */
export function* readIssuers(
  entries: readonly JsonValue[],
  own: readonly string[],
  language: ClaimLanguage,
): Steps<ReadIssuers> {
  try {
    if (entries.length > issuerLimits.issuersMax) {
      fail('jwt', `must have at most ${issuerLimits.issuersMax} entries`);
    }
    const issuers: IssuerConfig[] = [];
    for (const [index, entry] of entries.entries()) {
      issuers.push(yield* readIssuer(entry, `jwt[${index}]`, language));
      yield;
    }
    issuers.forEach(({ url }, index) => {
      const field = `jwt[${index}].issuer.url`;
      if (issuers.findIndex((other) => other.url === url) !== index) fail(field, 'is given twice');
      if (own.includes(url)) fail(field, "must not be the issuer of service accounts' tokens");
    });
    issuers.forEach(({ discoveryUrl }, index) => {
      const first = issuers.findIndex((other) => other.discoveryUrl === discoveryUrl);
      if (discoveryUrl === undefined || first === index) return;
      fail(`jwt[${index}].issuer.discoveryURL`, 'is given twice');
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

function* readIssuer(
  entry: JsonValue,
  field: string,
  language: ClaimLanguage,
): Steps<IssuerConfig> {
  const known = ['issuer', 'claimValidationRules', 'claimMappings', 'userValidationRules'];
  const fields = objectAt(entry, field, known);
  const issuer = objectAt(fields['issuer'], `${field}.issuer`, [
    'url',
    'discoveryURL',
    'certificateAuthority',
    'audiences',
    'audienceMatchPolicy',
  ]);
  const at = `${field}.claimMappings`;
  const mappings = objectAt(fields['claimMappings'], at, ['username', 'groups', 'uid', 'extra']);
  const username = yield* mappedClaim(mappings['username'], `${at}.username`, language);
  if (username === undefined) fail(`${at}.username`, 'claim or expression is required');
  const read: IssuerConfig = {
    url: httpsUrl(issuer['url'], `${field}.issuer.url`),
    discoveryUrl: discoveryUrlAt(issuer, `${field}.issuer.discoveryURL`),
    ca: yield* certificatesAt(issuer, `${field}.issuer.certificateAuthority`),
    audiences: audiencesAt(issuer, `${field}.issuer`),
    username,
    groups: yield* mappedClaim(mappings['groups'], `${at}.groups`, language),
    uid: yield* mappedUid(mappings['uid'], `${at}.uid`, language),
    extra: yield* mappedExtra(mappings, at, language),
    ...(yield* claimRules(fields, field, language)),
    userRules: yield* userRules(fields, field, language),
  };
  checkVerifiedAddress(read, `${at}.username.expression`);
  return read;
}

/** Undefined: below the issuer's URL, which it may not name itself. */
function discoveryUrlAt(issuer: JsonObject, field: string): string | undefined {
  const url = issuer['discoveryURL'] ?? '';
  if (url === '') return undefined;
  const read = httpsUrl(url, field);
  const withoutSlashes = (text: string): string => text.replace(/(?<!\/)\/+$/, '');
  if (withoutSlashes(read) === withoutSlashes(String(issuer['url']))) {
    fail(field, 'must be different from the url');
  }
  return read;
}

/** As PEM. */
function* certificatesAt(issuer: JsonObject, field: string): Steps<string | undefined> {
  const pem = optionalText(issuer['certificateAuthority'], field);
  if (pem === undefined) return undefined;
  return (yield* areCertificates(pem)) ? pem : fail(field, 'has no certificate, or a broken one');
}

/** Anybody can ask for an account with somebody else's address. */
function checkVerifiedAddress(config: IssuerConfig, field: string): void {
  const { username, extra, claimRules } = config;
  if (!('expression' in username) || !usesClaim(username.expression, 'email')) return;
  const others = [...extra, ...claimRules].map(({ expression }) => expression);
  if ([username.expression, ...others].some((each) => usesClaim(each, 'email_verified'))) return;
  fail(
    field,
    'claims.email_verified must be used in claimMappings.username.expression or ' +
      'claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when ' +
      'claims.email is used in claimMappings.username.expression',
  );
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
  const twice = audiences.findIndex((audience, index) => audiences.indexOf(audience) !== index);
  if (twice >= 0) fail(`${field}.audiences[${twice}]`, 'is given twice');
  if (policy !== '' && policy !== 'MatchAny')
    fail(`${field}.audienceMatchPolicy`, 'must be MatchAny');
  if (audiences.length > 1 && policy === '') {
    fail(`${field}.audienceMatchPolicy`, 'must be MatchAny where there are several audiences');
  }
  return audiences;
}

/** A prefix must be given, if only as '': nobody is called like somebody else by accident. */
function* mappedClaim(
  value: JsonValue | undefined,
  field: string,
  language: ClaimLanguage,
): Steps<MappedClaim | MappedExpression | undefined> {
  if (value === undefined || value === null) return undefined;
  const fields = objectAt(value, field, ['claim', 'prefix', 'expression']);
  const claim = optionalText(fields['claim'], `${field}.claim`);
  const { prefix } = fields;
  const expression = yield* expressionAt(fields, 'expression', field, (text) =>
    language.mapping(text),
  );
  if (expression !== undefined) {
    if (claim !== undefined) fail(field, "claim and expression can't both be set");
    if ((prefix ?? null) !== null) {
      fail(`${field}.prefix`, 'may not be specified when expression is set');
    }
    return { expression };
  }
  if (claim === undefined) return undefined;
  if (typeof prefix !== 'string') fail(`${field}.prefix`, 'is required, and may be ""');
  return { claim, prefix };
}

function* mappedUid(
  value: JsonValue | undefined,
  field: string,
  language: ClaimLanguage,
): Steps<IssuerConfig['uid']> {
  if (value === undefined || value === null) return undefined;
  const fields = objectAt(value, field, ['claim', 'expression']);
  const claim = optionalText(fields['claim'], `${field}.claim`);
  const expression = yield* expressionAt(fields, 'expression', field, (text) =>
    language.mapping(text),
  );
  if (expression === undefined) return claim === undefined ? undefined : { claim };
  if (claim !== undefined) fail(field, "claim and expression can't both be set");
  return { expression };
}

function* mappedExtra(
  mappings: JsonObject,
  field: string,
  language: ClaimLanguage,
): Steps<readonly ExtraMapping[]> {
  const given = listAt(mappings, 'extra', field);
  if (given.length > issuerLimits.extraMax) {
    fail(`${field}.extra`, `must have at most ${issuerLimits.extraMax} entries`);
  }
  const keys = new Set<string>();
  const extra: ExtraMapping[] = [];
  for (const [index, item] of given.entries()) {
    const at = `${field}.extra[${index}]`;
    const fields = objectAt(item, at, ['key', 'valueExpression']);
    const key = textAt(fields['key'], `${at}.key`);
    const wrong = extraKeyProblem(key, language.reservedDomains);
    if (wrong !== undefined) fail(`${at}.key`, wrong);
    if (keys.has(key)) fail(`${at}.key`, 'is given twice');
    keys.add(key);
    const compile = (text: string): Compiling => language.mapping(text);
    const expression = yield* expressionAt(fields, 'valueExpression', at, compile);
    if (expression === undefined) fail(`${at}.valueExpression`, 'is required');
    extra.push({ key, expression });
  }
  return extra;
}

/** `example.com/team`: whose it is must be seen. */
function extraKeyProblem(key: string, own: readonly string[]): string | undefined {
  const slash = key.indexOf('/');
  const domain = key.slice(0, Math.max(slash, 0));
  if (slash < 1 || slash === key.length - 1) {
    return 'must be a domain-prefixed path (such as "acme.io/foo")';
  }
  const [wrong] = checkDns1123Subdomain(domain);
  if (wrong !== undefined) return wrong;
  if (key !== key.toLowerCase()) return 'must be lowercase';
  if (!/^[a-z0-9/\-._~%!$&'()*+,;=:]+$/.test(key)) return 'Invalid path';
  const reserved = own.some((name) => domain === name || domain.endsWith(`.${name}`));
  if (!reserved) return undefined;
  return `${own.join(', ')} and their subdomains are reserved for Kubernetes use`;
}

function rulesAt(fields: JsonObject, name: string, field: string): readonly JsonValue[] {
  const rules = listAt(fields, name, field);
  if (rules.length > issuerLimits.rulesMax) {
    fail(`${field}.${name}`, `must have at most ${issuerLimits.rulesMax} entries`);
  }
  return rules;
}

function* claimRules(
  fields: JsonObject,
  field: string,
  language: ClaimLanguage,
): Steps<Pick<IssuerConfig, 'claimRules' | 'requiredClaims'>> {
  const required: { readonly claim: string; readonly value: string }[] = [];
  const rules: ValidationRule[] = [];
  for (const [index, rule] of rulesAt(fields, 'claimValidationRules', field).entries()) {
    const at = `${field}.claimValidationRules[${index}]`;
    const given = objectAt(rule, at, ['claim', 'requiredValue', 'expression', 'message']);
    const compile = (text: string): Compiling => language.claimRule(text);
    const expression = yield* expressionAt(given, 'expression', at, compile);
    const claim = optionalText(given['claim'], `${at}.claim`);
    const value = given['requiredValue'] ?? '';
    const message = optionalText(given['message'], `${at}.message`) ?? '';
    if (typeof value !== 'string') fail(`${at}.requiredValue`, 'must be a text');
    if (claim !== undefined) {
      if (expression !== undefined) fail(at, "claim and expression can't both be set");
      if (message !== '') fail(`${at}.message`, 'may not be specified when claim is set');
      if (required.some((each) => each.claim === claim)) fail(`${at}.claim`, 'is given twice');
      required.push({ claim, value });
      continue;
    }
    if (expression === undefined) fail(at, 'claim or expression is required');
    if (value !== '') fail(`${at}.requiredValue`, 'may not be specified when expression is set');
    addRule(rules, { expression, message }, at);
  }
  return { claimRules: rules, requiredClaims: required };
}

function* userRules(
  fields: JsonObject,
  field: string,
  language: ClaimLanguage,
): Steps<readonly ValidationRule[]> {
  const rules: ValidationRule[] = [];
  for (const [index, rule] of rulesAt(fields, 'userValidationRules', field).entries()) {
    const at = `${field}.userValidationRules[${index}]`;
    const given = objectAt(rule, at, ['expression', 'message']);
    const compile = (text: string): Compiling => language.userRule(text);
    const expression = yield* expressionAt(given, 'expression', at, compile);
    if (expression === undefined) fail(`${at}.expression`, 'is required');
    const message = optionalText(given['message'], `${at}.message`) ?? '';
    addRule(rules, { expression, message }, at);
  }
  return rules;
}

function addRule(rules: ValidationRule[], rule: ValidationRule, field: string): void {
  if (rules.some(({ expression }) => expression.text === rule.expression.text)) {
    fail(`${field}.expression`, 'is given twice');
  }
  rules.push(rule);
}

function* expressionAt(
  fields: JsonObject,
  name: string,
  field: string,
  compile: (text: string) => Compiling,
): Steps<Expression | undefined> {
  const text = optionalText(fields[name], `${field}.${name}`);
  if (text === undefined) return undefined;
  const compiled = yield* compile(text);
  yield;
  return compiled.kind === 'ok' ? compiled.expression : fail(`${field}.${name}`, compiled.problem);
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

function httpsUrl(value: JsonValue | undefined, field: string): string {
  const text = textAt(value, field);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') fail(field, 'must be a URL that begins with https://');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    fail(field, 'must have neither a user, a query nor a fragment');
  }
  return text;
}

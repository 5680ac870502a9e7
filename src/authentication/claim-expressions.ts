/**
 * Expressions over the claims of a token and over the resulting user (spec 2, section 2.1): claim
 * mappings, claim validation rules, user validation rules.
 *
 *     'oidc:' + claims.preferred_username
 *     claims.exp - claims.nbf <= 86400
 *     !user.username.startsWith('system:')
 *
 * Invariants: an expression that fails authenticates nobody, and so does one whose value has not
 * the type that its place needs. Numbers of claims are doubles. Bounds: the budget of one
 * evaluation; the size of a token.
 */
import type { Identity } from '../apimachinery/identity.ts';
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import { budgets } from '../cel/budgets.ts';
import type { Environment, Outcome } from '../cel/cel.ts';
import {
  compileForStepwiseRun,
  evaluateInTurns,
  nothingSpent,
  selectsField,
} from '../cel/expression.ts';
import type { CompiledExpression, Expression, SpentUnits } from '../cel/expression.ts';
import type { Language } from '../cel/language.ts';
import { elementsOf } from '../cel/library/lists-library.ts';
import {
  declaredList,
  declaredMap,
  declaredObject,
  declaredText,
} from '../cel/schema/declared-types.ts';
import { schemaProvider } from '../cel/schema/schema-provider.ts';
import { schemaValue } from '../cel/schema/schema-value.ts';
import { anyType, boolType, mapType, stringType } from '../cel/type.ts';
import { Double, ListValue } from '../cel/value.ts';
import type { Value } from '../cel/value.ts';
import { lookup } from '../stdx/lookup.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';

const texts = declaredList(declaredText);
const userType = declaredObject('kubernetes.UserInfo', {
  username: declaredText,
  uid: declaredText,
  groups: texts,
  extra: declaredMap(texts),
});

export interface ClaimLanguage {
  /** Any value: what it may be depends on what it is mapped to. */
  mapping(text: string): Steps<CompiledExpression>;
  claimRule(text: string): Steps<CompiledExpression>;
  userRule(text: string): Steps<CompiledExpression>;
  /** Domains that no key of an extra may be in: the service's own. */
  readonly reservedDomains: readonly string[];
}

export function claimLanguage(language: Language, identity: Identity): ClaimLanguage {
  // Made when the first expression is seen: most configurations name claims.
  let claims: Environment | undefined;
  let user: Environment | undefined;
  const forClaims = (): Environment =>
    (claims ??= language.forStored({
      variables: [{ name: 'claims', type: mapType(stringType, anyType) }],
    }));
  const forUser = (): Environment =>
    (user ??= language.forStored({
      variables: [{ name: 'user', type: userType.type }],
      providers: [schemaProvider(userType)],
    }));
  return {
    mapping: (expression) => compileForStepwiseRun(forClaims(), expression),
    claimRule: (expression) => compileForStepwiseRun(forClaims(), expression, [boolType]),
    userRule: (expression) => compileForStepwiseRun(forUser(), expression, [boolType]),
    reservedDomains: [...new Set([identity.domain, identity.labelDomain])],
  };
}

/** A mapping of an e-mail address to a user name must check that the address was verified. */
export const usesClaim = (expression: Expression, claim: string): boolean =>
  selectsField(expression.ast, 'claims', claim);

export interface ValidationRule {
  readonly expression: Expression;
  /** For whoever reads the log. */
  readonly message: string;
}

type Evaluated =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'failed'; readonly why: string };

async function evaluate(expression: Expression, { bindings, spent, turns }: ClaimValues) {
  const options = { budget: budgets.perEvaluation };
  const outcome = await evaluateInTurns(expression, bindings, options, turns, spent);
  return evaluatedOf(expression, outcome);
}

function evaluatedOf(expression: Expression, outcome: Outcome): Evaluated {
  if (outcome.kind === 'value') return { kind: 'ok', value: outcome.value };
  const why = outcome.kind === 'unknown' ? 'the result is not known' : outcome.message;
  return { kind: 'failed', why: `expression '${expression.text}' resulted in error: ${why}` };
}

/** What expressions see, and where those go on that take long. */
export interface ClaimValues {
  readonly bindings: Readonly<Record<string, Value>>;
  readonly turns: Pick<Turns, 'run'>;
  readonly spent: SpentUnits;
}

/** Made once for a token, for all of its expressions. */
export function claimValues(claims: JsonObject, turns: ClaimValues['turns']): ClaimValues {
  const bindings = lookup({ claims: withDoubles(claims) as Value });
  return { bindings, turns, spent: nothingSpent() };
}

function withDoubles(value: JsonValue | undefined): unknown {
  if (typeof value === 'number' || typeof value === 'bigint') return new Double(Number(value));
  if (Array.isArray(value)) return value.map(withDoubles);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withDoubles(each)]));
}

export type MappedText =
  | { readonly kind: 'ok'; readonly text: string }
  | { readonly kind: 'failed'; readonly why: string };

export async function mapToText(
  expression: Expression,
  claims: ClaimValues,
  what: string,
): Promise<MappedText> {
  const evaluated = await evaluate(expression, claims);
  if (evaluated.kind === 'failed') return evaluated;
  if (typeof evaluated.value === 'string') return { kind: 'ok', text: evaluated.value };
  return { kind: 'failed', why: `${what} claim expression must return a string` };
}

export type MappedTexts =
  | { readonly kind: 'ok'; readonly texts: readonly string[] }
  | { readonly kind: 'failed'; readonly why: string };

/** A text, a list of texts, or null for none. Empty ones are left out. */
export async function mapToTexts(
  expression: Expression,
  claims: ClaimValues,
): Promise<MappedTexts> {
  const evaluated = await evaluate(expression, claims);
  if (evaluated.kind === 'failed') return evaluated;
  const { value } = evaluated;
  const list = Array.isArray(value) || value instanceof ListValue;
  const found = value === null ? [] : list ? [...elementsOf(value)] : [value];
  const given = found.filter((item): item is string => typeof item === 'string');
  if (given.length !== found.length) {
    return { kind: 'failed', why: 'expression must return a string or a list of strings' };
  }
  return { kind: 'ok', texts: given.filter((item) => item !== '') };
}

/** What the first rule that does not hold says; undefined: all hold. */
export async function failedRule(
  rules: readonly ValidationRule[],
  values: ClaimValues,
): Promise<string | undefined> {
  for (const { expression, message } of rules) {
    const evaluated = await evaluate(expression, values);
    if (evaluated.kind === 'failed') return evaluated.why;
    if (evaluated.value === true) continue;
    const rule = `validation expression '${expression.text}' failed`;
    return message === '' ? rule : `${rule}: ${message}`;
  }
  return undefined;
}

export async function failedUserRule(
  rules: readonly ValidationRule[],
  user: UserInfo,
  turns: ClaimValues['turns'],
): Promise<string | undefined> {
  if (rules.length === 0) return undefined;
  const { name: username, uid, groups, extra } = user;
  const value = schemaValue({ username, uid, groups, extra }, userType);
  return failedRule(rules, { bindings: { user: value }, turns, spent: nothingSpent() });
}

/**
 * The authorization configuration file: which authorizers, in which order (spec 2, section 2.1).
 *
 * Elsewhere: reading the file and what it names (authorization.ts).
 *
 * Invariants: strict. A field that is not known, a required one that is missing, a value that makes
 * no sense, a condition that does not compile: the whole file is refused, with every problem and
 * its place. It is read in parts: while it is read again, everybody else is served.
 * Bounds: `authorizersMax`, `conditionsMax`, `textLimits.perExpression`.
 */
import {
  durationMs,
  oneOf,
  openDocumentSteps,
  trueOrFalse,
  unknownFields,
} from '../apimachinery/configuration-document.ts';
import { text } from '../apimachinery/members.ts';
import type { Environment } from '../cel/cel.ts';
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import { parseDurationMs } from '../stdx/duration.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { checkDns1123Subdomain } from '../apimachinery/validation/names.ts';
import { accessReviewVersions } from './webhook/access-review.ts';
import type { AccessReviewVersion } from './webhook/access-review.ts';
import { compileConditions, conditionsMax } from './webhook/match-conditions.ts';
import type { MatchConditions } from './webhook/match-conditions.ts';

export const webhookTimeoutMaxMs = 30_000;
export const webhookTtlDefaults = { authorized: '5m0s', unauthorized: '30s' } as const;

export interface WebhookSettings {
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  readonly timeoutMs: number;
  readonly version: AccessReviewVersion;
  readonly failurePolicy: 'NoOpinion' | 'Deny';
  readonly kubeConfigFile: string;
  /** Undefined: it is asked about everything. */
  readonly conditions?: MatchConditions | undefined;
}

export type ConfiguredAuthorizer =
  | { readonly type: 'RBAC' | 'Node'; readonly name: string }
  | { readonly type: 'Webhook'; readonly name: string; readonly webhook: WebhookSettings };

export type AuthorizationConfiguration =
  | { readonly kind: 'ok'; readonly authorizers: readonly ConfiguredAuthorizer[] }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

const authorizersMax = 64;

const configVersions = ['v1', 'v1beta1', 'v1alpha1'] as const;

/** `group`: apiserver.config.<domain>. `environment`: what match conditions are compiled in. Yields
 * where others may have a turn. */
export function* authorizationConfigurationSteps(
  bytes: Uint8Array,
  group: string,
  environment: Environment,
): Steps<AuthorizationConfiguration> {
  const versions = configVersions.map((version) => `${group}/${version}`);
  const opened = yield* openDocumentSteps(bytes, versions, 'AuthorizationConfiguration');
  if (opened.kind === 'invalid') return invalid(opened.problem);
  const { document } = opened;
  const problems: string[] = [];
  unknownFields(document, ['apiVersion', 'kind', 'authorizers'], '', problems);
  const list = document['authorizers'];
  if (!Array.isArray(list) || list.length === 0) {
    return invalid('authorizers: at least one authorization mode must be defined', ...problems);
  }
  if (list.length > authorizersMax) {
    return invalid(`authorizers: at most ${authorizersMax} expected`, ...problems);
  }
  const authorizers: ConfiguredAuthorizer[] = [];
  for (const [at, item] of list.entries()) {
    const read = yield* readAuthorizer(item, `authorizers[${at}]`, environment, problems);
    if (read !== undefined) authorizers.push(read);
  }
  repetitions(authorizers, problems);
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'ok', authorizers };
}

function invalid(...problems: readonly string[]): AuthorizationConfiguration {
  return { kind: 'invalid', problems };
}

function repetitions(authorizers: readonly ConfiguredAuthorizer[], problems: string[]): void {
  const names = new Set<string>();
  const types = new Set<string>();
  for (const { name, type } of authorizers) {
    if (names.has(name)) problems.push(`authorizers: the name ${name} is there twice`);
    names.add(name);
    if (type === 'Webhook') continue;
    if (types.has(type)) problems.push(`authorizers: the type ${type} is there twice`);
    types.add(type);
  }
}

function* readAuthorizer(
  item: JsonValue,
  path: string,
  environment: Environment,
  problems: string[],
): Steps<ConfiguredAuthorizer | undefined> {
  if (!isJsonObject(item)) {
    problems.push(`${path}: not an object`);
    return undefined;
  }
  unknownFields(item, ['type', 'name', 'webhook'], path, problems);
  const name = text(item, 'name');
  if (name === '') problems.push(`${path}.name: required`);
  else problems.push(...checkDns1123Subdomain(name).map((why) => `${path}.name: ${why}`));
  const type = text(item, 'type');
  const { webhook } = item;
  switch (type) {
    case 'RBAC':
    case 'Node':
      if (webhook !== undefined) problems.push(`${path}.webhook: only of type Webhook`);
      return { type, name };
    case 'Webhook': {
      if (!isJsonObject(webhook)) {
        problems.push(`${path}.webhook: required for type Webhook`);
        return undefined;
      }
      const settings = readWebhook(webhook, `${path}.webhook`, problems);
      const conditions = yield* readConditions(webhook, `${path}.webhook`, environment, problems);
      return { type, name, webhook: { ...settings, conditions } };
    }
    default:
      problems.push(`${path}.type: one of RBAC, Node, Webhook expected`);
      return undefined;
  }
}

const webhookFields = [
  'authorizedTTL',
  'cacheAuthorizedRequests',
  'unauthorizedTTL',
  'cacheUnauthorizedRequests',
  'timeout',
  'subjectAccessReviewVersion',
  'matchConditionSubjectAccessReviewVersion',
  'failurePolicy',
  'connectionInfo',
  'matchConditions',
] as const;

function readWebhook(webhook: JsonObject, path: string, problems: string[]): WebhookSettings {
  unknownFields(webhook, webhookFields, path, problems);
  const at = (field: string): string => `${path}.${field}`;
  const timeoutMs = durationMs(webhook, 'timeout', '', path, problems);
  if (timeoutMs <= 0 || timeoutMs > webhookTimeoutMaxMs) {
    problems.push(`${at('timeout')}: a duration above 0 and at most 30s is required`);
  }
  if (webhook['matchConditionSubjectAccessReviewVersion'] !== 'v1') {
    problems.push(`${at('matchConditionSubjectAccessReviewVersion')}: v1 is required`);
  }
  return {
    authorizedTtlMs: ttlMs(webhook, 'authorized', path, problems),
    unauthorizedTtlMs: ttlMs(webhook, 'unauthorized', path, problems),
    timeoutMs,
    version: oneOf(webhook, 'subjectAccessReviewVersion', accessReviewVersions, path, problems),
    failurePolicy: oneOf(webhook, 'failurePolicy', ['NoOpinion', 'Deny'] as const, path, problems),
    kubeConfigFile: readConnection(webhook['connectionInfo'], at('connectionInfo'), problems),
  };
}

const cacheFields = {
  authorized: 'cacheAuthorizedRequests',
  unauthorized: 'cacheUnauthorizedRequests',
} as const;

/** A time of zero counts as none given, as in the reference; 0 here: these answers are not kept. */
function ttlMs(
  webhook: JsonObject,
  answer: keyof typeof cacheFields,
  path: string,
  problems: string[],
): number {
  const byDefault = webhookTtlDefaults[answer];
  const given = durationMs(webhook, `${answer}TTL`, byDefault, path, problems);
  if (trueOrFalse(webhook, cacheFields[answer], path, problems) === false) return 0;
  return given > 0 ? given : (parseDurationMs(byDefault) ?? 0);
}

function* readConditions(
  webhook: JsonObject,
  path: string,
  environment: Environment,
  problems: string[],
): Steps<MatchConditions | undefined> {
  const given = webhook['matchConditions'] ?? [];
  const at = `${path}.matchConditions`;
  if (!Array.isArray(given)) {
    problems.push(`${at}: a list expected`);
    return undefined;
  }
  if (given.length > conditionsMax) {
    problems.push(`${at}: at most ${conditionsMax} conditions expected`);
    return undefined;
  }
  const expressions = given.map((item, index) => {
    if (!isJsonObject(item)) return '';
    unknownFields(item, ['expression'], `${at}[${index}]`, problems);
    return text(item, 'expression');
  });
  if (expressions.length === 0) return undefined;
  const compiled = yield* compileConditions(expressions, environment);
  if (compiled.kind === 'ok') return compiled.conditions;
  for (const [index, problem] of compiled.problems) {
    problems.push(`${at}[${index}].expression: ${problem}`);
  }
  return undefined;
}

function readConnection(
  connection: JsonValue | undefined,
  path: string,
  problems: string[],
): string {
  if (!isJsonObject(connection)) {
    problems.push(`${path}: required`);
    return '';
  }
  unknownFields(connection, ['type', 'kubeConfigFile'], path, problems);
  const type = text(connection, 'type');
  if (type === 'InClusterConfig') {
    problems.push(`${path}.type: InClusterConfig would ask this server itself`);
  } else if (type !== 'KubeConfigFile') {
    problems.push(`${path}.type: KubeConfigFile is required`);
  }
  const file = text(connection, 'kubeConfigFile');
  if (file === '') problems.push(`${path}.kubeConfigFile: required`);
  else if (!file.startsWith('/')) problems.push(`${path}.kubeConfigFile: not an absolute path`);
  return file;
}

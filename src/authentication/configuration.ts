/**
 * The AuthenticationConfiguration file, read strictly (spec 2, sections 2.1 and 5.3).
 *
 *     apiVersion: apiserver.config.{domain}/v1beta1
 *     kind: AuthenticationConfiguration
 *     anonymous: {enabled: true, conditions: [{path: /livez}, ...]}
 *     jwt: [...]                                                      (read by the token methods)
 *
 * `jwt` is handed on as it is.
 *
 * Invariants: a field that is not known is an error, for it may have been meant as a restriction.
 * Bounds: `conditionsMax`.
 */
import { yamlSteps } from '../apimachinery/codecs/yaml.ts';
import { unknownField, unreadable } from '../apimachinery/configuration-document.ts';
import type { Identity } from '../apimachinery/identity.ts';
import { quote } from '../apimachinery/quote.ts';
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { AnonymousRule } from './union.ts';

const conditionsMax = 64;
const versions = ['v1', 'v1beta1', 'v1alpha1'];

export interface ConfiguredAuthentication {
  /** Undefined: the file says nothing about anonymous requests. */
  readonly anonymous: AnonymousRule | undefined;
  readonly jwt: readonly JsonValue[];
}

export type ReadConfiguration =
  | { readonly kind: 'ok'; readonly value: ConfiguredAuthentication }
  | { readonly kind: 'invalid'; readonly problem: string };

/** Yields where others may have a turn. */
export function* readAuthenticationConfiguration(
  bytes: Uint8Array,
  identity: Identity,
): Steps<ReadConfiguration> {
  const decoded = yield* yamlSteps(bytes, { findDuplicates: true });
  if (decoded.kind === 'refused') return invalid(unreadable(decoded.error));
  const [twice] = decoded.duplicates ?? [];
  if (twice !== undefined) return invalid(`${twice} is given twice`);
  const document = decoded.value;
  if (!isJsonObject(document)) return invalid('it is no object');
  const group = identity.groups.apiserverConfig;
  const known = versions.map((version) => `${group}/${version}`);
  if (!known.includes(String(document['apiVersion']))) {
    return invalid(`apiVersion: must be one of ${known.join(', ')}`);
  }
  if (document['kind'] !== 'AuthenticationConfiguration') {
    return invalid('kind: must be AuthenticationConfiguration');
  }
  const strange = strangeField(document, '', ['apiVersion', 'kind', 'anonymous', 'jwt']);
  if (strange !== undefined) return invalid(strange);
  const jwt = document['jwt'] ?? [];
  if (!Array.isArray(jwt)) return invalid('jwt: must be a list');
  const anonymous = anonymousOf(document['anonymous'] ?? undefined);
  if (anonymous?.kind === 'invalid') return anonymous;
  return { kind: 'ok', value: { anonymous: anonymous?.rule, jwt } };
}

function invalid(problem: string): { readonly kind: 'invalid'; readonly problem: string } {
  return { kind: 'invalid', problem };
}

type ReadRule =
  | { readonly kind: 'rule'; readonly rule: AnonymousRule }
  | { readonly kind: 'invalid'; readonly problem: string };

function anonymousOf(value: JsonValue | undefined): ReadRule | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) return invalid('anonymous: must be an object');
  const strange = strangeField(value, 'anonymous.', ['enabled', 'conditions']);
  if (strange !== undefined) return invalid(strange);
  const enabled = value['enabled'] ?? false;
  if (typeof enabled !== 'boolean') return invalid('anonymous.enabled: must be true or false');
  const conditions = value['conditions'] ?? [];
  if (!Array.isArray(conditions)) return invalid('anonymous.conditions: must be a list');
  if (conditions.length > conditionsMax) {
    return invalid(`anonymous.conditions: must have at most ${conditionsMax} entries`);
  }
  if (!enabled && conditions.length > 0) {
    return invalid('anonymous.conditions: enabled should be set to true when there are conditions');
  }
  if (!enabled) return { kind: 'rule', rule: { kind: 'nowhere' } };
  if (conditions.length === 0) return { kind: 'rule', rule: { kind: 'everywhere' } };
  return pathsOf(conditions);
}

function pathsOf(conditions: readonly JsonValue[]): ReadRule {
  const paths = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    const field = `anonymous.conditions[${index}]`;
    if (!isJsonObject(condition)) return invalid(`${field}: must be an object`);
    const strange = strangeField(condition, `${field}.`, ['path']);
    if (strange !== undefined) return invalid(strange);
    const { path } = condition;
    if (typeof path !== 'string' || !path.startsWith('/')) {
      return invalid(`${field}.path: must be a path that begins with a slash`);
    }
    paths.add(path);
  }
  return { kind: 'rule', rule: { kind: 'paths', paths } };
}

function strangeField(
  value: JsonObject,
  prefix: string,
  known: readonly string[],
): string | undefined {
  const strange = unknownField(value, known);
  return strange === undefined ? undefined : `unknown field ${quote(prefix + strange)}`;
}

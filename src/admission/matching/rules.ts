/**
 * The rules of configurations: groups, versions, resources with their subresources, operations,
 * scope and names.
 *
 *     pods        the objects, without their subresources
 *     pods/log    one subresource
 *     pods/ALL    the objects and all of their subresources
 *     ALL/status  this subresource of every resource
 *     ALL         every resource, without subresources         (ALL is written as an asterisk)
 *
 * Invariant: a Namespace is cluster-scoped, although its requests have its name as namespace.
 */
import { objects, text, texts } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type {
  EquivalentResource,
  GroupVersionResource,
  MatchedAs,
  MatchRequest,
  RequestShape,
} from './matching.ts';

export interface Rule {
  readonly groups: TextSet;
  readonly versions: TextSet;
  readonly operations: TextSet;
  readonly resources: readonly (readonly [resource: string, subresource: string])[];
  readonly scope: string;
  /** Empty: any name. */
  readonly names: ReadonlySet<string>;
}

/** Undefined: all texts. */
type TextSet = ReadonlySet<string> | undefined;

const all = '*';

/** Of the list of this name: rules of webhooks, resource rules of policies. */
export function readRules(holder: JsonObject, name: string): readonly Rule[] {
  return objects(holder, name).map(readRule);
}

function readRule(rule: JsonObject): Rule {
  return {
    groups: textSet(texts(rule, 'apiGroups')),
    versions: textSet(texts(rule, 'apiVersions')),
    operations: textSet(texts(rule, 'operations')),
    resources: texts(rule, 'resources').map(splitResource),
    scope: text(rule, 'scope') || all,
    names: new Set(texts(rule, 'resourceNames')),
  };
}

function textSet(list: readonly string[]): TextSet {
  return list.includes(all) ? undefined : new Set(list);
}

function splitResource(resource: string): readonly [string, string] {
  const slash = resource.indexOf('/');
  if (slash === -1) return [resource, ''];
  return [resource.slice(0, slash), resource.slice(slash + 1)];
}

function has(set: TextSet, value: string): boolean {
  return set === undefined || set.has(value);
}

/** Whether requests of this shape, seen as this resource, match; of any name. */
export function ruleMatches(
  rule: Rule,
  shape: Pick<RequestShape, 'namespaced' | 'operation' | 'subresource'>,
  resource: GroupVersionResource,
): boolean {
  return (
    has(rule.operations, shape.operation) &&
    has(rule.groups, resource.group) &&
    has(rule.versions, resource.version) &&
    inScope(rule.scope, shape.namespaced, resource) &&
    rule.resources.some(
      ([name, sub]) =>
        (name === all || name === resource.resource) && (sub === all || sub === shape.subresource),
    )
  );
}

function inScope(scope: string, namespaced: boolean, resource: GroupVersionResource): boolean {
  if (scope === all) return true;
  const isNamespace = resource.group === '' && resource.resource === 'namespaces';
  const wanted = scope === 'Namespaced';
  return wanted === (namespaced && !isNamespace) && (wanted || scope === 'Cluster');
}

/** Whether some name could make a request of this shape match. */
export function someRuleMatches(
  rules: readonly Rule[],
  shape: RequestShape,
  equivalent: boolean,
): boolean {
  if (rules.some((rule) => ruleMatches(rule, shape, shape))) return true;
  if (!equivalent) return false;
  const others = othersOf(shape);
  return rules.some((rule) => others.some(({ resource }) => ruleMatches(rule, shape, resource)));
}

function othersOf(shape: RequestShape): readonly EquivalentResource[] {
  const same = ({ group, resource, version }: GroupVersionResource): boolean =>
    group === shape.group && version === shape.version && resource === shape.resource;
  return shape.equivalents().filter(({ resource }) => !same(resource));
}

export type RuleMatch =
  | { readonly kind: 'match'; readonly as: MatchedAs }
  | { readonly kind: 'none' }
  /** A rule names this version, of which no kind is known. */
  | { readonly kind: 'unknown-kind'; readonly resource: GroupVersionResource };

const noRule: RuleMatch = { kind: 'none' };

/** As the request stands, else as another version of it; the first rule that matches decides. */
export function matchRules(
  rules: readonly Rule[],
  { kind, name, shape }: Pick<MatchRequest, 'kind' | 'name' | 'shape'>,
  equivalent: boolean,
): RuleMatch {
  if (rules.length === 0) return noRule;
  const named = ({ names }: Rule): boolean => names.size === 0 || names.has(name);
  if (rules.some((rule) => named(rule) && ruleMatches(rule, shape, shape))) {
    const { group, resource, version } = shape;
    return { kind: 'match', as: { resource: { group, version, resource }, kind } };
  }
  if (!equivalent) return noRule;
  const others = othersOf(shape);
  for (const rule of rules) {
    for (const other of others) {
      if (!ruleMatches(rule, shape, other.resource)) continue;
      if (other.kind === undefined) return { kind: 'unknown-kind', resource: other.resource };
      if (named(rule)) return { kind: 'match', as: { resource: other.resource, kind: other.kind } };
    }
  }
  return noRule;
}

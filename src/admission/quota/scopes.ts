/**
 * Scopes of a quota: which objects it limits. Without scopes it limits all.
 *
 *     Terminating, NotTerminating, BestEffort, NotBestEffort, CrossNamespacePodAffinity    of pods
 *     PriorityClass         In, NotIn, Exists, DoesNotExist                                of pods
 *     VolumeAttributesClass likewise, of any of its classes                              of claims
 *
 * Invariants: pure. A scope does not apply to kinds that lack its property, so a quota with scopes
 * never counts services.
 */
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import { parseQuantity } from '../../apimachinery/quantity.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';

/** Plain JSON. What is absent is not asked of such an object. */
export interface ScopeFacts {
  readonly terminating?: boolean;
  readonly bestEffort?: boolean;
  readonly crossNamespace?: boolean;
  /** '': none. */
  readonly priorityClass?: string;
  readonly volumeAttributesClasses?: readonly string[];
}

/** Resources of the core group whose objects can be in a scope. */
export const scopesByResource: ReadonlySet<string> = new Set(['pods', 'persistentvolumeclaims']);

export function podScopes(pod: ApiObject): ScopeFacts {
  const spec = part(pod, 'spec');
  return {
    terminating: typeof spec['activeDeadlineSeconds'] === 'number',
    bestEffort: isBestEffort(spec),
    crossNamespace: crossesNamespaces(part(spec, 'affinity')),
    priorityClass: text(spec, 'priorityClassName'),
  };
}

function isBestEffort(spec: JsonObject): boolean {
  const holders = [spec, ...objects(spec, 'containers'), ...objects(spec, 'initContainers')];
  return !holders.some((holder) =>
    ['requests', 'limits'].some((list) => {
      const amounts = part(part(holder, 'resources'), list);
      return ['cpu', 'memory'].some((name) => isSome(amounts[name]));
    }),
  );
}

function isSome(amount: unknown): boolean {
  const quantity = amount === undefined ? undefined : parseQuantity(String(amount));
  return quantity !== undefined && quantity.unscaled > 0n;
}

function crossesNamespaces(affinity: JsonObject): boolean {
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const rules = part(affinity, kind);
    const terms = [
      ...objects(rules, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...objects(rules, 'preferredDuringSchedulingIgnoredDuringExecution').map((each) =>
        part(each, 'podAffinityTerm'),
      ),
    ];
    return terms.some(
      (term) => texts(term, 'namespaces').length > 0 || term['namespaceSelector'] !== undefined,
    );
  });
}

/** Whether the quota is about such an object. */
export function inScope(spec: JsonObject, facts: ScopeFacts | null): boolean {
  return inAllScopes(selectorsOf(spec), facts);
}

export function inAllScopes(selectors: readonly JsonObject[], facts: ScopeFacts | null): boolean {
  if (selectors.length === 0) return true;
  return facts !== null && selectors.every((each) => isInScope(each, facts));
}

/** `selector`: scopeName, operator, values. */
export function isInScope(selector: JsonObject, facts: ScopeFacts): boolean {
  const values = texts(selector, 'values');
  const has = (name: string): boolean => values.includes(name);
  return holds(text(selector, 'scopeName'), text(selector, 'operator'), { has }, facts);
}

/** inScope() for one quota and many objects: its values are looked up. */
export function scopeTest(spec: JsonObject): (facts: ScopeFacts | null) => boolean {
  const selectors = selectorsOf(spec).map((selector) => ({
    scope: text(selector, 'scopeName'),
    operator: text(selector, 'operator'),
    values: new Set(texts(selector, 'values')),
  }));
  if (selectors.length === 0) return () => true;
  return (facts) =>
    facts !== null &&
    selectors.every(({ operator, scope, values }) => holds(scope, operator, values, facts));
}

type Values = Pick<ReadonlySet<string>, 'has'>;

/** What a quota asks of objects; `scopes` are selectors of what exists. */
export function selectorsOf(spec: JsonObject): readonly JsonObject[] {
  const scopes = texts(spec, 'scopes').map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...scopes, ...objects(part(spec, 'scopeSelector'), 'matchExpressions')];
}

function holds(scope: string, operator: string, values: Values, facts: ScopeFacts): boolean {
  switch (scope) {
    case 'Terminating':
      return facts.terminating === true;
    case 'NotTerminating':
      return facts.terminating === false;
    case 'BestEffort':
      return facts.bestEffort === true;
    case 'NotBestEffort':
      return facts.bestEffort === false;
    case 'CrossNamespacePodAffinity':
      return facts.crossNamespace === true;
    case 'PriorityClass': {
      const { priorityClass } = facts;
      if (priorityClass === undefined) return false;
      return oneOf(operator, values, priorityClass === '' ? [] : [priorityClass]);
    }
    case 'VolumeAttributesClass': {
      const { volumeAttributesClasses } = facts;
      return (
        volumeAttributesClasses !== undefined && oneOf(operator, values, volumeAttributesClasses)
      );
    }
    default:
      return false;
  }
}

function oneOf(operator: string, values: Values, names: readonly string[]): boolean {
  switch (operator) {
    case 'Exists':
      return names.length > 0;
    case 'DoesNotExist':
      return names.length === 0;
    case 'In':
      return names.some((name) => values.has(name));
    case 'NotIn':
      // One that is not among them is enough, as in the reference.
      return names.length === 0 || names.some((name) => !values.has(name));
    default:
      return false;
  }
}

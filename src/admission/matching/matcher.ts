/**
 * The compiled criteria of one configuration: selectors of namespaces and objects, rules, excluding
 * rules, and whether other versions of a resource count as the same one.
 *
 * Invariants: selectors are evaluated before rules. A selector that cannot be read, or a missing
 * namespace, is an error only for requests that match otherwise.
 */
import { formatFieldErrors } from '../../apimachinery/field-error.ts';
import { part, text } from '../../apimachinery/members.ts';
import { labelSelectorFromSpec, noLabel } from '../../apimachinery/selectors/label-selector.ts';
import type { LabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import { newInternalError, newNotFound } from '../../apimachinery/status-error.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { noMatch } from './matching.ts';
import type { GroupVersionResource, Labelled, Match, Matcher, MatchRequest } from './matching.ts';
import { matchRules, readRules, someRuleMatches } from './rules.ts';
import type { Rule } from './rules.ts';

const nothing: JsonObject = {};

/** One webhook: without rules it matches nothing. */
export function webhookMatcher(webhook: JsonObject): Matcher {
  return matcherOf(webhook, readRules(webhook, 'rules'), [], false);
}

/** Of a policy (matchConstraints) or of a binding (matchResources; absent: everything): without
 * rules it matches whatever its selectors do. */
export function resourcesMatcher(match: JsonObject | undefined): Matcher {
  if (match === undefined) return everything;
  const rules = readRules(match, 'resourceRules');
  return matcherOf(match, rules, readRules(match, 'excludeResourceRules'), true);
}

const everything: Matcher = {
  mayMatch: () => true,
  match: (request) => matchedAsItIs(request),
  requirements: 0,
};

function matchedAsItIs({ kind, shape }: MatchRequest): Match {
  const { group, resource, version } = shape;
  return { kind: 'match', as: { resource: { group, version, resource }, kind } };
}

function matcherOf(
  holder: JsonObject,
  rules: readonly Rule[],
  excluded: readonly Rule[],
  emptyIsAll: boolean,
): Matcher {
  const equivalent = text(holder, 'matchPolicy') === 'Equivalent';
  const namespaces = readSelector(holder, 'namespaceSelector');
  const labels = readSelector(holder, 'objectSelector');
  const all = emptyIsAll && rules.length === 0;
  return {
    mayMatch: (shape) => all || someRuleMatches(rules, shape, equivalent),
    match(request) {
      const ofNamespace = namespaceVerdict(namespaces, request);
      if (ofNamespace === false) return noMatch;
      const ofObject = objectVerdict(labels, request);
      if (ofObject === false) return noMatch;
      const out = matchRules(excluded, request, equivalent);
      if (out.kind === 'match') return noMatch;
      if (out.kind === 'unknown-kind') return unknownKind(out.resource);
      const found = all ? matchedAsItIs(request) : matchRules(rules, request, equivalent);
      if (found.kind === 'unknown-kind') return unknownKind(found.resource);
      if (found.kind !== 'match') return noMatch;
      if (ofNamespace !== true) return { kind: 'error', error: ofNamespace };
      return ofObject === true ? found : { kind: 'error', error: ofObject };
    },
    requirements: requirementsOf(namespaces) + requirementsOf(labels),
  };
}

function unknownKind({ group, resource, version }: GroupVersionResource): Match {
  const named = `${group}/${version}, Resource=${resource}`;
  return { kind: 'error', error: newInternalError(`unable to convert to ${named}: unknown kind`) };
}

/** Or why it is none. */
type Selector = LabelSelector | StatusError;

/** Absent: it selects nothing. What is stored has been given a default. */
function readSelector(holder: JsonObject, name: string): Selector {
  if (!isJsonObject(holder[name])) return noLabel;
  const selector = labelSelectorFromSpec(part(holder, name) ?? nothing);
  if ('matches' in selector) return selector;
  return newInternalError(formatFieldErrors(selector));
}

function requirementsOf(selector: Selector): number {
  return 'matches' in selector ? selector.requirements.length : 0;
}

type Verdict = boolean | StatusError;

const namespacesResource = { group: '', resource: 'namespaces' } as const;

function namespaceVerdict(selector: Selector, request: MatchRequest): Verdict {
  const { namespace, object, shape } = request;
  // As the reference has it: of any group.
  const isNamespace = shape.resource === namespacesResource.resource;
  if (namespace === '' && !isNamespace) return true;
  if (!('matches' in selector)) return selector;
  if (selector.isEmpty) return true;
  const { operation, subresource } = shape;
  const isWritten = operation === 'CREATE' || operation === 'UPDATE';
  // Its labels are those that it is about to have.
  if (isNamespace && subresource === '' && isWritten) return selector.matches(labelsOf(object));
  const labels = request.namespaceLabels();
  if (labels === undefined) return newNotFound(namespacesResource, namespace);
  return selector.matches(labels);
}

function objectVerdict(selector: Selector, { object, oldObject }: MatchRequest): Verdict {
  if (!('matches' in selector)) return selector;
  if (selector.isEmpty) return true;
  const selects = (one: Labelled | undefined): boolean =>
    one !== undefined && selector.matches(labelsOf(one));
  return selects(object) || selects(oldObject);
}

const noLabels: Readonly<Record<string, string>> = {};

function labelsOf(object: Labelled | undefined): Readonly<Record<string, string>> {
  return object?.metadata?.labels ?? noLabels;
}

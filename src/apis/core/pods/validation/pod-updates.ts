/**
 * What an update of a pod may change: only the fields of `updateMessage`, because nodes and the
 * scheduler have already acted on the others.
 */
import { forbidden, invalid } from '../../../../apimachinery/field-error.ts';
import { items, objects, part, text, textMap } from '../../../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../../../apimachinery/unstructured.ts';
import type { Problems } from '../../../validation/checks.ts';
import { allErrors, each, noProblems, numberOf } from '../../../validation/checks.ts';
import { canonicalText } from '../../../../stdx/canonical-text.ts';
import { deepEqual } from '../../../../stdx/deep-equal.ts';
import { ownMember } from '../../../../stdx/lookup.ts';

const updateMessage =
  'pod updates may not change fields other than `spec.containers[*].image`,' +
  '`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only ' +
  'additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set ' +
  'to 1 if it was previously negative)';

export function podUpdateRules(next: ApiObject, current: ApiObject): Problems {
  const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
  const resized = ['containers', 'initContainers'].filter(
    (name) => objects(spec, name).length !== objects(before, name).length,
  );
  if (resized.length > 0) {
    return resized.map((name) =>
      forbidden(`spec.${name}`, 'pod updates may not add or remove containers'),
    );
  }
  const rest = deepEqual(withoutMutable(spec, before), withoutMutable(before, before));
  return [
    ...deadlineRules(spec, before),
    ...addedTolerationsRules(spec, before),
    ...gateRules(spec, before),
    ...(rest ? [] : [forbidden('spec', updateMessage)]),
  ];
}

/** What is left of a spec when everything that may change is taken out. */
function withoutMutable(spec: JsonObject, before: JsonObject): JsonObject {
  const {
    activeDeadlineSeconds: _deadline,
    tolerations: _tolerations,
    schedulingGates: _gates,
    ...rest
  } = spec;
  const plain: Record<string, JsonObject[string]> = { ...rest };
  for (const name of ['containers', 'initContainers']) {
    if (plain[name] === undefined) continue;
    plain[name] = objects(spec, name).map(({ image: _image, ...container }) => container);
  }
  const grace = numberOf(before['terminationGracePeriodSeconds']) ?? 0;
  if (grace < 0 && plain['terminationGracePeriodSeconds'] === 1) {
    plain['terminationGracePeriodSeconds'] = before['terminationGracePeriodSeconds'];
  }
  // While gates hold it back, where the pod may go can still be said.
  if (items(before, 'schedulingGates').length > 0) {
    delete plain['nodeSelector'];
    const { nodeAffinity: _toNodes, ...toPods } = part(plain, 'affinity');
    delete plain['affinity'];
    if (Object.keys(toPods).length > 0) plain['affinity'] = toPods;
  }
  return plain;
}

function deadlineRules(spec: JsonObject, before: JsonObject): Problems {
  const field = 'spec.activeDeadlineSeconds';
  const was = numberOf(before['activeDeadlineSeconds']);
  const now = numberOf(spec['activeDeadlineSeconds']);
  if (was === undefined) return [];
  if (now === undefined) {
    return [invalid(field, null, 'must not update from a positive integer to nil value')];
  }
  return now > was ? [invalid(field, now, 'must be less than or equal to previous value')] : [];
}

function addedTolerationsRules(spec: JsonObject, before: JsonObject): Problems {
  const plain = ({ tolerationSeconds: _seconds, ...rest }: JsonObject): JsonObject => rest;
  const now = new Set(objects(spec, 'tolerations').map((each) => canonicalText(plain(each))));
  const kept = objects(before, 'tolerations').every((each) => now.has(canonicalText(plain(each))));
  if (kept) return [];
  const detail = 'existing toleration can not be modified except its tolerationSeconds';
  return [forbidden('spec.tolerations', detail)];
}

function gateRules(spec: JsonObject, before: JsonObject): Problems {
  const gates = objects(before, 'schedulingGates');
  const known = new Set(gates.map((gate) => text(gate, 'name')));
  const added = each(objects(spec, 'schedulingGates'), (gate, at) => {
    const name = text(gate, 'name');
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return known.has(name) ? noProblems : [forbidden(`spec.schedulingGates[${at}].name`, detail)];
  });
  return gates.length === 0 ? added : allErrors(added, narrowedRules(spec, before));
}

/** A controller of a gated pod may narrow where it is scheduled, not change what was requested. */
function narrowedRules(spec: JsonObject, before: JsonObject): Problems {
  const [now, was] = [textMap(spec, 'nodeSelector'), textMap(before, 'nodeSelector')];
  const kept = Object.entries(was).every(([name, value]) => ownMember(now, name) === value);
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return allErrors(
    kept ? noProblems : [invalid('spec.nodeSelector', now, detail)],
    narrowedTerms(requiredTerms(spec), requiredTerms(before)),
  );
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';

function requiredTerms(spec: JsonObject): readonly JsonObject[] {
  return objects(part(part(part(spec, 'affinity'), 'nodeAffinity'), required), 'nodeSelectorTerms');
}

/** One term of several is enough for a node: another one would widen the choice. */
function narrowedTerms(now: readonly JsonObject[], was: readonly JsonObject[]): Problems {
  const field = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms`;
  if (was.length === 0) return noProblems;
  if (now.length !== was.length) {
    const detail = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    return [invalid(field, [...now], detail)];
  }
  const detail = 'only additions are allowed (no mutations or deletions)';
  return each(now, (term, at) =>
    hasOnlyAdditions(term, was[at] ?? {}) ? noProblems : [invalid(`${field}[${at}]`, term, detail)],
  );
}

/** A term without requirements is met by no node, and stays so. */
function hasOnlyAdditions(term: JsonObject, before: JsonObject): boolean {
  const lists = ['matchExpressions', 'matchFields'];
  const empty = (of: JsonObject): boolean => lists.every((name) => items(of, name).length === 0);
  if (empty(before)) return empty(term);
  return lists.every((name) => {
    const kept = items(before, name);
    return deepEqual(items(term, name).slice(0, kept.length), kept);
  });
}

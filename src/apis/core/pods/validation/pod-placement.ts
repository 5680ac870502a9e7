/** Rules of scheduling constraints: affinity, topology spread, tolerations. */
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
} from '../../../../apimachinery/field-error.ts';
import { objects, part, text, textMap, texts } from '../../../../apimachinery/members.ts';
import type { JsonObject } from '../../../../apimachinery/unstructured.ts';
import {
  checkDns1123Label,
  checkLabelValue,
  checkQualifiedName,
} from '../../../../apimachinery/validation/names.ts';
import { nodeSelectorRules, nodeSelectorTermRules } from '../../nodes/node-selectors.ts';
import type { Problems } from '../../../validation/checks.ts';
import {
  allErrors,
  each,
  form,
  givenForm,
  noProblems,
  numberOf,
} from '../../../validation/checks.ts';
import { labelSelectorRules } from '../../../validation/labels.ts';

const requiredNow = 'requiredDuringSchedulingIgnoredDuringExecution';

const preferredNow = 'preferredDuringSchedulingIgnoredDuringExecution';

export function affinityRules(affinity: JsonObject, path: string): Problems {
  return allErrors(
    affinity['nodeAffinity'] === undefined
      ? noProblems
      : nodeAffinityRules(part(affinity, 'nodeAffinity'), `${path}.nodeAffinity`),
    each(['podAffinity', 'podAntiAffinity'], (name) =>
      affinity[name] === undefined
        ? noProblems
        : podAffinityRules(part(affinity, name), `${path}.${name}`),
    ),
  );
}

function nodeAffinityRules(affinity: JsonObject, path: string): Problems {
  return allErrors(
    affinity[requiredNow] === undefined
      ? noProblems
      : nodeSelectorRules(part(affinity, requiredNow), `${path}.${requiredNow}`),
    each(objects(affinity, preferredNow), (term, at) => {
      const here = `${path}.${preferredNow}[${at}]`;
      return allErrors(
        weightRules(term, here),
        nodeSelectorTermRules(part(term, 'preference'), `${here}.preference`, false),
      );
    }),
  );
}

function weightRules(term: JsonObject, path: string): Problems {
  const weight = numberOf(term['weight']) ?? 0;
  if (weight >= 1 && weight <= 100) return noProblems;
  return [invalid(`${path}.weight`, weight, 'must be in the range 1-100')];
}

function podAffinityRules(affinity: JsonObject, path: string): Problems {
  return allErrors(
    each(objects(affinity, requiredNow), (term, at) =>
      termRules(term, `${path}.${requiredNow}[${at}]`),
    ),
    each(objects(affinity, preferredNow), (term, at) => {
      const here = `${path}.${preferredNow}[${at}]`;
      return allErrors(
        weightRules(term, here),
        termRules(part(term, 'podAffinityTerm'), `${here}.podAffinityTerm`),
      );
    }),
  );
}

function termRules(term: JsonObject, path: string): Problems {
  return allErrors(
    each(['labelSelector', 'namespaceSelector'], (name) =>
      labelSelectorRules(part(term, name), `${path}.${name}`),
    ),
    each(texts(term, 'namespaces'), (name) => form(`${path}.namespace`, name, checkDns1123Label)),
    matchKeysRules(term, path),
    form(`${path}.topologyKey`, text(term, 'topologyKey'), checkQualifiedName),
  );
}

const withoutSelector = 'must not be specified when labelSelector is not set';

/** Keys whose values are the pod's own. */
function matchKeysRules(term: JsonObject, path: string): Problems {
  const [same, other] = [texts(term, 'matchLabelKeys'), texts(term, 'mismatchLabelKeys')];
  if (same.length === 0 && other.length === 0) return noProblems;
  return allErrors(
    each(['matchLabelKeys', 'mismatchLabelKeys'], (name) => {
      const keys = texts(term, name);
      if (keys.length === 0) return noProblems;
      return term['labelSelector'] === undefined
        ? [forbidden(`${path}.${name}`, withoutSelector)]
        : each(keys, (key, at) => form(`${path}.${name}[${at}]`, key, checkQualifiedName));
    }),
    each(same, (key, at) =>
      other.includes(key)
        ? [
            invalid(
              `${path}.matchLabelKeys[${at}]`,
              key,
              'exists in both matchLabelKeys and mismatchLabelKeys',
            ),
          ]
        : noProblems,
    ),
  );
}

export function spreadRules(constraints: readonly JsonObject[], path: string): Problems {
  const pair = (constraint: JsonObject): string =>
    `{${text(constraint, 'topologyKey')}, ${text(constraint, 'whenUnsatisfiable')}}`;
  const times = new Map<string, number>();
  for (const each of constraints) times.set(pair(each), (times.get(pair(each)) ?? 0) + 1);
  return each(constraints, (constraint, at) => {
    const here = `${path}[${at}]`;
    const skew = numberOf(constraint['maxSkew']) ?? 0;
    const left = (times.get(pair(constraint)) ?? 0) - 1;
    times.set(pair(constraint), left);
    return allErrors(
      skew <= 0 ? [invalid(`${here}.maxSkew`, skew, 'must be greater than zero')] : noProblems,
      // An unknown one is named by the schema.
      text(constraint, 'whenUnsatisfiable') === ''
        ? [notSupported(`${here}.whenUnsatisfiable`, '', ['DoNotSchedule', 'ScheduleAnyway'])]
        : noProblems,
      left > 0
        ? [duplicate(`${here}.{topologyKey, whenUnsatisfiable}`, pair(constraint))]
        : noProblems,
      domainRules(constraint, `${here}.minDomains`),
      spreadKeysRules(constraint, `${here}.matchLabelKeys`),
      labelSelectorRules(part(constraint, 'labelSelector'), `${here}.labelSelector`),
    );
  });
}

function domainRules(constraint: JsonObject, field: string): Problems {
  const domains = numberOf(constraint['minDomains']);
  if (domains === undefined) return noProblems;
  const action = text(constraint, 'whenUnsatisfiable');
  const only = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return allErrors(
    domains <= 0 ? [invalid(field, domains, 'must be greater than zero')] : noProblems,
    action === 'DoNotSchedule' ? noProblems : [invalid(field, domains, only)],
  );
}

function spreadKeysRules(constraint: JsonObject, field: string): Problems {
  const keys = texts(constraint, 'matchLabelKeys');
  if (keys.length === 0) return noProblems;
  const selector = part(constraint, 'labelSelector');
  const selected = new Set([
    ...Object.keys(textMap(selector, 'matchLabels')),
    ...objects(selector, 'matchExpressions').map((expression) => text(expression, 'key')),
  ]);
  return allErrors(
    constraint['labelSelector'] === undefined ? [forbidden(field, withoutSelector)] : noProblems,
    each(keys, (key, at) =>
      allErrors(
        form(`${field}[${at}]`, key, checkQualifiedName),
        selected.has(key)
          ? [invalid(`${field}[${at}]`, key, 'exists in both matchLabelKeys and labelSelector')]
          : noProblems,
      ),
    ),
  );
}

export function tolerationRules(toleration: JsonObject, path: string): Problems {
  const key = text(toleration, 'key');
  const operator = text(toleration, 'operator');
  const value = text(toleration, 'value');
  const effect = text(toleration, 'effect');
  const all =
    'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  return allErrors(
    form(`${path}.key`, key, checkQualifiedName),
    key === '' && operator !== 'Exists' ? [invalid(`${path}.operator`, operator, all)] : noProblems,
    toleration['tolerationSeconds'] !== undefined && effect !== 'NoExecute'
      ? [
          invalid(
            `${path}.effect`,
            effect,
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
          ),
        ]
      : noProblems,
    operator === 'Exists' && value !== ''
      ? [invalid(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'")]
      : noProblems,
    operator === 'Exists' ? noProblems : form(`${path}.operator`, value, checkLabelValue),
  );
}

/** A gate holds a pod back until whoever set it takes it away. */
export function gatesRules(gates: readonly JsonObject[], path: string): Problems {
  const seen = new Set<string>();
  return each(gates, (gate, at) => {
    const name = text(gate, 'name');
    const repeated = seen.has(name);
    seen.add(name);
    return allErrors(
      givenForm(`${path}[${at}]`, name, checkQualifiedName),
      repeated ? [duplicate(`${path}[${at}]`, name)] : noProblems,
    );
  });
}

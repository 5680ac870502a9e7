/**
 * What a pod's affinity says by keys alone, said by value: pods that share the pod's own labels
 * under `matchLabelKeys`, or differ under `mismatchLabelKeys`, are what its selector asks for from
 * the day the pod is made. The scheduler reads the selector only.
 *
 * A term without a selector selects nothing, and stays so; a key that the pod does not have as a
 * label says nothing. Templates keep their keys: each pod has labels of its own.
 *
 * Bounds: `matchKeysMax` keys of all terms together, for each becomes an object. A pod with more is
 * left as it is, and refused (matchKeysRules).
 */
import { tooMany } from '../../../apimachinery/field-error.ts';
import { objects, part, texts } from '../../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import { ownMember } from '../../../stdx/lookup.ts';
import { noProblems } from '../../validation/checks.ts';
import type { Problems } from '../../validation/checks.ts';

/** A pod has no more labels. */
const matchKeysMax = 1000;

type Labels = Readonly<Record<string, string>>;

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

const affinities = ['podAffinity', 'podAntiAffinity'];

/** Asked of new pods. */
export function matchKeysRules(spec: JsonObject, path: string): Problems {
  const count = countKeys(spec);
  return count > matchKeysMax ? [tooMany(`${path}.affinity`, count, matchKeysMax)] : noProblems;
}

function countKeys(spec: JsonObject): number {
  const terms = affinities.flatMap((name) => termsOf(part(part(spec, 'affinity'), name)));
  return terms.reduce((sum, term) => sum + keysOf(term).length, 0);
}

function termsOf(affinity: JsonObject): readonly JsonObject[] {
  const weighted = objects(affinity, preferred);
  return [...objects(affinity, required), ...weighted.map((each) => part(each, 'podAffinityTerm'))];
}

function keysOf(term: JsonObject): readonly string[] {
  return [...texts(term, 'matchLabelKeys'), ...texts(term, 'mismatchLabelKeys')];
}

export function withMatchedLabels(pod: ApiObject): ApiObject {
  const { labels = {} } = pod.metadata;
  const spec = part(pod, 'spec');
  if (spec['affinity'] === undefined || countKeys(spec) > matchKeysMax) return pod;
  const before = part(spec, 'affinity');
  let affinity = before;
  for (const name of affinities) {
    if (before[name] === undefined) continue;
    const own = inPodAffinity(part(before, name), labels);
    if (own !== before[name]) affinity = { ...affinity, [name]: own };
  }
  return affinity === before ? pod : { ...pod, spec: { ...spec, affinity } };
}

function inPodAffinity(affinity: JsonObject, labels: Labels): JsonObject {
  const terms = objects(affinity, required);
  const weighted = objects(affinity, preferred);
  if (!termsOf(affinity).some(hasKeys)) return affinity;
  return {
    ...affinity,
    ...(terms.length === 0 ? {} : { [required]: terms.map((term) => inTerm(term, labels)) }),
    ...(weighted.length === 0
      ? {}
      : {
          [preferred]: weighted.map((each) => ({
            ...each,
            podAffinityTerm: inTerm(part(each, 'podAffinityTerm'), labels),
          })),
        }),
  };
}

function hasKeys(term: JsonObject): boolean {
  return keysOf(term).length > 0;
}

function inTerm(term: JsonObject, labels: Labels): JsonObject {
  if (term['labelSelector'] === undefined || !hasKeys(term)) return term;
  const asked = (name: string, operator: string): readonly JsonObject[] =>
    texts(term, name).flatMap((key) => {
      const value = ownMember(labels, key);
      return value === undefined ? [] : [{ key, operator, values: [value] }];
    });
  const added = [...asked('matchLabelKeys', 'In'), ...asked('mismatchLabelKeys', 'NotIn')];
  if (added.length === 0) return term;
  const selector = part(term, 'labelSelector');
  const matchExpressions = [...objects(selector, 'matchExpressions'), ...added];
  return { ...term, labelSelector: { ...selector, matchExpressions } };
}

/** Warnings about deprecated node labels, wherever they select nodes. */
import type { Identity } from '../../../apimachinery/identity.ts';
import { objects, part, text } from '../../../apimachinery/members.ts';
import type { JsonObject } from '../../../apimachinery/unstructured.ts';
import type { Warnings } from '../../warnings/kind-warnings.ts';
import { allWarnings, noWarnings, warningsOfEach } from '../../warnings/kind-warnings.ts';

/** Templates of identity names, with what to say. */
const deprecated: readonly (readonly [string, string])[] = [
  ['beta.{labelDomain}/arch', 'deprecated since v1.14; use "{labelDomain}/arch" instead'],
  ['beta.{labelDomain}/os', 'deprecated since v1.14; use "{labelDomain}/os" instead'],
  [
    'failure-domain.beta.{labelDomain}/region',
    'deprecated since v1.17; use "topology.{labelDomain}/region" instead',
  ],
  [
    'failure-domain.beta.{labelDomain}/zone',
    'deprecated since v1.17; use "topology.{labelDomain}/zone" instead',
  ],
  [
    'beta.{labelDomain}/instance-type',
    'deprecated since v1.17; use "node.{labelDomain}/instance-type" instead',
  ],
  ['app.{labelDomain}/created-by', 'deprecated since v1.9'],
  [
    'scheduler.alpha.{labelDomain}/preferAvoidPods',
    'deprecated since v1.22; use Taints and Tolerations instead',
  ],
  ['node-role.{labelDomain}/master', 'use "node-role.{labelDomain}/control-plane" instead'],
];

export interface NodeLabels {
  /** What to say of this label; undefined: nothing. */
  messageOf(label: string): string | undefined;
  /** Of `{matchExpressions: [{key}]}`; fields are not looked at. */
  ofTerm(term: JsonObject, path: string): Warnings;
  /** Of a map of labels to values; `at` writes the path of one. */
  ofMap(labels: JsonObject, at: (label: string) => string): Warnings;
}

export function nodeLabels({ fill }: Identity): NodeLabels {
  const messages = new Map(deprecated.map(([label, message]) => [fill(label), fill(message)]));
  const messageOf = (label: string): string | undefined => messages.get(label);
  return {
    messageOf,
    ofTerm: (term, path) =>
      warningsOfEach(objects(term, 'matchExpressions'), (requirement, at) => {
        const key = text(requirement, 'key');
        const message = messageOf(key);
        if (message === undefined) return noWarnings;
        return [`${path}.matchExpressions[${at}].key: ${key} is ${message}`];
      }),
    ofMap: (labels, at) =>
      warningsOfEach(Object.keys(labels), (label) => {
        const message = messageOf(label);
        return message === undefined ? noWarnings : [`${at(label)}: ${message}`];
      }),
  };
}

/** Of a node affinity as pods have it; `path` is that of the affinity. */
export function nodeAffinityWarnings(
  affinity: JsonObject,
  path: string,
  labels: NodeLabels,
): Warnings {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  return allWarnings(
    warningsOfEach(objects(part(affinity, required), 'nodeSelectorTerms'), (term, at) =>
      labels.ofTerm(term, `${path}.${required}.nodeSelectorTerms[${at}]`),
    ),
    warningsOfEach(objects(affinity, preferred), (term, at) =>
      labels.ofTerm(part(term, 'preference'), `${path}.${preferred}[${at}].preference`),
    ),
  );
}

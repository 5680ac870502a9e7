/** Rules of what makes pods: deployments, sets, controllers. */
import { deepEqual } from '../../stdx/deep-equal.ts';
import { forbidden, invalid, notSupported, required } from '../../apimachinery/field-error.ts';
import { objects, part, text, textMap } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { ownMember } from '../../stdx/lookup.ts';
import { atMostAll, countOf, countOrPercent, nonNegative, numberOf, unchanged } from './checks.ts';
import type { Problems } from './checks.ts';
import { isEmptySelector, labelSelectorRules, selects } from './labels.ts';
import { templateRules } from './pods.ts';
import type { KindRules } from './kind-rules.ts';

const mismatch = '`selector` does not match template `labels`';

/** `what` as the messages name the kind: they say deployment of a replica set, too. */
function selectorRules(spec: JsonObject, what: string): Problems {
  const selector = spec['selector'];
  if (selector === undefined) return [];
  const given = part(spec, 'selector');
  return [
    ...labelSelectorRules(given, 'spec.selector'),
    ...(isEmptySelector(given)
      ? [invalid('spec.selector', selector, `empty selector is invalid for ${what}`)]
      : []),
  ];
}

/** Pods that a workload makes are its own, run for ever, and end when it says. */
function workloadTemplateRules(
  spec: JsonObject,
  kind: string,
  template: JsonObject = part(spec, 'template'),
): Problems {
  const path = 'spec.template';
  const pod = part(template, 'spec');
  const labels = textMap(part(template, 'metadata'), 'labels');
  const selector = part(spec, 'selector');
  const policy = text(pod, 'restartPolicy');
  // No selector at all selects nothing, an empty one everything.
  const given = spec['selector'] !== undefined;
  const own = given && (isEmptySelector(selector) || selects(selector, labels));
  return [
    ...(own ? [] : [invalid(`${path}.metadata.labels`, labels, mismatch)]),
    ...templateRules(template, path),
    ...(policy === '' || policy === 'Always'
      ? []
      : [notSupported(`${path}.spec.restartPolicy`, policy, ['Always'])]),
    ...(pod['activeDeadlineSeconds'] === undefined
      ? []
      : [
          forbidden(
            `${path}.spec.activeDeadlineSeconds`,
            `activeDeadlineSeconds in ${kind} is not Supported`,
          ),
        ]),
  ];
}

function selectorUnchanged(next: ApiObject, current: ApiObject): Problems {
  return unchanged(
    'spec.selector',
    part(next, 'spec')['selector'],
    part(current, 'spec')['selector'],
  );
}

export const deploymentRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const counts = ['replicas', 'minReadySeconds', 'revisionHistoryLimit'];
    const deadline = numberOf(spec['progressDeadlineSeconds']);
    const deadlineField = 'spec.progressDeadlineSeconds';
    return [
      ...nonNegative(spec, 'spec', [...counts, 'progressDeadlineSeconds']),
      ...selectorRules(spec, 'deployment'),
      ...workloadTemplateRules(spec, 'ReplicaSet'),
      ...strategyRules(part(spec, 'strategy'), 'spec.strategy'),
      ...(deadline !== undefined && deadline <= (numberOf(spec['minReadySeconds']) ?? 0)
        ? [invalid(deadlineField, deadline, 'must be greater than minReadySeconds')]
        : []),
    ];
  },
  validateUpdate: selectorUnchanged,
};

function strategyRules(strategy: JsonObject, path: string): Problems {
  if (strategy['rollingUpdate'] === undefined) return [];
  if (text(strategy, 'type') === 'Recreate') {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return [forbidden(`${path}.rollingUpdate`, detail)];
  }
  const { maxUnavailable, maxSurge } = part(strategy, 'rollingUpdate');
  const here = `${path}.rollingUpdate`;
  const stuck =
    maxUnavailable !== undefined &&
    maxSurge !== undefined &&
    countOf(maxUnavailable) === 0 &&
    countOf(maxSurge) === 0;
  return [
    ...countOrPercent(`${here}.maxUnavailable`, maxUnavailable),
    ...countOrPercent(`${here}.maxSurge`, maxSurge),
    ...(stuck
      ? [invalid(`${here}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...atMostAll(`${here}.maxUnavailable`, maxUnavailable),
  ];
}

export const replicaSetRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    return [
      ...nonNegative(spec, 'spec', ['replicas', 'minReadySeconds']),
      // The reference says deployment here, too.
      ...selectorRules(spec, 'deployment'),
      ...workloadTemplateRules(spec, 'ReplicaSet'),
    ];
  },
  validateUpdate: selectorUnchanged,
};

export const daemonSetRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    return [
      ...nonNegative(spec, 'spec', ['minReadySeconds', 'revisionHistoryLimit']),
      ...selectorRules(spec, 'daemonset'),
      ...workloadTemplateRules(spec, 'DaemonSet'),
      ...daemonStrategyRules(part(spec, 'updateStrategy'), 'spec.updateStrategy.rollingUpdate'),
    ];
  },
  validateUpdate: selectorUnchanged,
};

function daemonStrategyRules(strategy: JsonObject, path: string): Problems {
  const rolling = strategy['rollingUpdate'];
  if (rolling === undefined || text(strategy, 'type') !== 'RollingUpdate') return [];
  const { maxUnavailable, maxSurge } = part(strategy, 'rollingUpdate');
  const problems = [
    ...countOrPercent(`${path}.maxUnavailable`, maxUnavailable),
    ...countOrPercent(`${path}.maxSurge`, maxSurge),
    ...atMostAll(`${path}.maxUnavailable`, maxUnavailable),
    ...atMostAll(`${path}.maxSurge`, maxSurge),
  ];
  const [unavailable, surge] = [countOf(maxUnavailable) !== 0, countOf(maxSurge) !== 0];
  if (unavailable && surge) {
    const detail = 'may not be set when maxUnavailable is non-zero';
    problems.push(invalid(`${path}.maxSurge`, maxSurge, detail));
  } else if (!unavailable && !surge) {
    problems.push(required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  }
  return problems;
}

const mutableOfStatefulSet = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;

const statefulSetMessage =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', " +
  "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and " +
  "'minReadySeconds' are forbidden";

/** Claims are volumes of each pod by their names, and go before what the template calls so. */
function withClaimedVolumes(spec: JsonObject): JsonObject {
  const template = part(spec, 'template');
  const claims = objects(spec, 'volumeClaimTemplates');
  if (claims.length === 0) return template;
  const names = claims.map((claim) => text(part(claim, 'metadata'), 'name'));
  const claimed = new Set(names);
  const pod = part(template, 'spec');
  const volumes = [
    ...objects(pod, 'volumes').filter((volume) => !claimed.has(text(volume, 'name'))),
    ...names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
  ];
  return { ...template, spec: { ...pod, volumes } };
}

export const statefulSetRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const strategy = part(spec, 'updateStrategy');
    const rolling = part(strategy, 'rollingUpdate');
    const field = 'spec.updateStrategy.rollingUpdate';
    const misplaced = text(strategy, 'type') === 'OnDelete' && 'rollingUpdate' in strategy;
    return [
      // A negative revisionHistoryLimit keeps all revisions, with a warning.
      ...nonNegative(spec, 'spec', ['replicas', 'minReadySeconds']),
      ...nonNegative(rolling, field, ['partition']),
      ...(misplaced
        ? [invalid(field, rolling, "only allowed for updateStrategy 'RollingUpdate'")]
        : []),
      ...nonNegative(part(spec, 'ordinals'), 'spec.ordinals', ['start']),
      ...selectorRules(spec, 'statefulset'),
      ...workloadTemplateRules(spec, 'StatefulSet', withClaimedVolumes(spec)),
    ];
  },
  validateUpdate: (next, current) => {
    const fixed = (object: ApiObject): JsonObject => {
      const kept = Object.entries(part(object, 'spec')).filter(
        ([name]) => !mutableOfStatefulSet.some((mutable) => mutable === name),
      );
      return Object.fromEntries(kept);
    };
    return deepEqual(fixed(next), fixed(current)) ? [] : [forbidden('spec', statefulSetMessage)];
  },
};

export const replicationControllerRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const selector = textMap(spec, 'selector');
    const template = part(spec, 'template');
    const labels = textMap(part(template, 'metadata'), 'labels');
    const policy = text(part(template, 'spec'), 'restartPolicy');
    const own = Object.entries(selector).every(([key, value]) => ownMember(labels, key) === value);
    return [
      ...nonNegative(spec, 'spec', ['replicas', 'minReadySeconds']),
      ...(Object.keys(selector).length === 0 ? [required('spec.selector')] : []),
      ...(spec['template'] === undefined ? [required('spec.template')] : []),
      ...(own || spec['template'] === undefined
        ? []
        : [invalid('spec.template.metadata.labels', labels, mismatch)]),
      ...templateRules(template, 'spec.template'),
      ...(policy === '' || policy === 'Always'
        ? []
        : [notSupported('spec.template.spec.restartPolicy', policy, ['Always'])]),
    ];
  },
};

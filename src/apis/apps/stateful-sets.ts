/** StatefulSets: pods with stable names and volumes. */
import { forbidden, invalid } from '../../apimachinery/field-error.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { readyColumn } from './table-columns.ts';
import { selectorRules, template, whenChanged, workloadTemplateRules } from './templates.ts';
import type { TemplateWarnings } from '../core/pods/warnings.ts';
import { ageColumn, nameColumn, table, templateColumns } from '../tables/columns.ts';
import { nonNegative } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { claimSpecWarnings } from '../warnings/amounts.ts';
import type { KindWarnings, Warnings } from '../warnings/kind-warnings.ts';
import { allWarnings, noWarnings, warningsOfEach } from '../warnings/kind-warnings.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import { when } from '../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { templateWarnings } from '../core/pods/warnings.ts';
import { selectorOfTemplate, replicas, rollingUpdate } from './template-defaults.ts';

const statefulSetTable = table([nameColumn, readyColumn, ageColumn, ...templateColumns]);

const statefulSetDefaults: DefaultTable = {
  fields: {
    'apps/v1.StatefulSetSpec': {
      replicas: 1,
      revisionHistoryLimit: 10,
      podManagementPolicy: 'OrderedReady',
      persistentVolumeClaimRetentionPolicy: {},
    },
    'apps/v1.StatefulSetUpdateStrategy': {
      // A strategy that names its type keeps what it says.
      rollingUpdate: when({ type: null }, {}),
      type: 'RollingUpdate',
    },
    'apps/v1.RollingUpdateStatefulSetStrategy': { partition: 0 },
    'apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy': {
      whenDeleted: 'Retain',
      whenScaled: 'Retain',
    },
    'apps/v1beta1.StatefulSetSpec': {
      selector: selectorOfTemplate,
      ...replicas(10),
      podManagementPolicy: 'OrderedReady',
    },
    'apps/v1beta1.StatefulSetUpdateStrategy': { type: 'OnDelete' },
    'apps/v1beta2.StatefulSetSpec': { ...replicas(10), podManagementPolicy: 'OrderedReady' },
    'apps/v1beta2.StatefulSetUpdateStrategy': rollingUpdate,
    'apps/v1beta2.RollingUpdateStatefulSetStrategy': { partition: 0 },
  },
};

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

const statefulSetRules: KindRules = {
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

function statefulSetWarnings(of: TemplateWarnings): KindWarnings {
  const found = (set: ApiObject, claims: string): Warnings => {
    const spec = part(set, 'spec');
    const limit = spec['revisionHistoryLimit'];
    return allWarnings(
      of(part(spec, 'template'), template),
      warningsOfEach(objects(spec, 'volumeClaimTemplates'), (claim, at) =>
        claimSpecWarnings(part(claim, 'spec'), `spec.volumeClaimTemplates[${at}]${claims}`),
      ),
      typeof limit === 'number' && limit < 0
        ? [
            'spec.revisionHistoryLimit: a negative value retains all historical revisions; ' +
              'a value >= 0 is recommended',
          ]
        : noWarnings,
    );
  };
  return {
    onCreate: (set) => found(set, ''),
    // The reference writes the path so.
    onUpdate: whenChanged((set) => found(set, '.Spec')),
  };
}

export const statefulSets: KindDefinition = {
  resource: 'apps/statefulsets',
  tracksGeneration: true,
  defaults: statefulSetDefaults,
  validation: statefulSetRules,
  warnings: (identity) => statefulSetWarnings(templateWarnings(identity)),
  table: statefulSetTable,
  versions: { v1beta1: { orphansDependents: true }, v1beta2: { orphansDependents: true } },
};

/** StatefulSets: pods with stable names and volumes. */
import { forbidden, invalid } from '../../apimachinery/field-error.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { readyColumn } from './table-columns.ts';
import { template, whenChanged, workloadRules } from './templates.ts';
import type { TemplateWarnings } from '../core/pods/warnings.ts';
import { ageColumn, nameColumn, table, templateColumns } from '../tables/columns.ts';
import { checkDns1123Label } from '../../apimachinery/validation/names.ts';
import type { Problems } from '../validation/checks.ts';
import { form, nonNegative } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { claimSpecWarnings } from '../warnings/amounts.ts';
import type { KindWarnings, Warnings } from '../warnings/kind-warnings.ts';
import { allWarnings, noWarnings, warningsOfEach } from '../warnings/kind-warnings.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import { when } from '../../apimachinery/typed/defaulting.ts';
import { withTemplateAnnotations } from '../core/pods/validation/template-annotations.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { templateWarnings } from '../core/pods/warnings.ts';
import { statusRules } from './status-rules.ts';
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
  complete: { 'apps/v1.StatefulSetSpec': withNamedClaims },
};

const claimKind = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' };

/** Whatever they call themselves, templates of claims are shown as what they are. */
function withNamedClaims(spec: JsonObject): JsonObject {
  const claims = objects(spec, 'volumeClaimTemplates');
  const { apiVersion, kind } = claimKind;
  if (claims.every((each) => each['apiVersion'] === apiVersion && each['kind'] === kind)) {
    return spec;
  }
  return {
    ...spec,
    volumeClaimTemplates: claims.map((each) => ({ ...claimKind, ...each, ...claimKind })),
  };
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

/** As the pods will be: claims are volumes by their names, and go before what the template calls
 * so; host name and subdomain are the set's to say. */
function templateOfPods(spec: JsonObject): JsonObject {
  const template = part(spec, 'template');
  const { hostname, subdomain, ...pod } = part(template, 'spec');
  const claims = objects(spec, 'volumeClaimTemplates');
  if (claims.length === 0) {
    const own = hostname === undefined && subdomain === undefined;
    return own ? template : { ...template, spec: pod };
  }
  const claimed = new Set(claims.map((claim) => text(part(claim, 'metadata'), 'name')));
  const volumes = [
    ...objects(pod, 'volumes').filter((volume) => !claimed.has(text(volume, 'name'))),
    ...[...claimed].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
  ];
  return { ...template, spec: { ...pod, volumes } };
}

const managements = ['OrderedReady', 'Parallel'];
const strategies = ['RollingUpdate', 'OnDelete'];
const either = (names: readonly string[]): string =>
  `must be ${names.map((name) => `'${name}'`).join(' or ')}`;

function updateStrategyRules(strategy: JsonObject, field: string): Problems {
  const type = text(strategy, 'type');
  const rolling = part(strategy, 'rollingUpdate');
  const path = `${field}.rollingUpdate`;
  if (!strategies.includes(type)) return [invalid(field, strategy, either(strategies))];
  if (type === 'RollingUpdate') return nonNegative(rolling, path, ['partition']);
  return 'rollingUpdate' in strategy
    ? [invalid(path, rolling, "only allowed for updateStrategy 'RollingUpdate'")]
    : [];
}

const statefulSetRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const management = text(spec, 'podManagementPolicy');
    return [
      ...(managements.includes(management)
        ? []
        : [invalid('spec.podManagementPolicy', management, either(managements))]),
      ...updateStrategyRules(part(spec, 'updateStrategy'), 'spec.updateStrategy'),
      // A negative revisionHistoryLimit keeps all revisions, with a warning.
      ...nonNegative(spec, 'spec', ['replicas', 'minReadySeconds']),
      ...nonNegative(part(spec, 'ordinals'), 'spec.ordinals', ['start']),
      ...workloadRules(spec, { kind: 'StatefulSet', what: 'statefulset' }, templateOfPods(spec)),
    ];
  },
  // It becomes the subdomain of the pods, and cannot be changed.
  validateCreate: (object) => {
    const name = text(part(object, 'spec'), 'serviceName');
    return form('spec.serviceName', name, checkDns1123Label);
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
  validateStatusUpdate: statusRules({
    parts: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    others: ['observedGeneration', 'replicas', 'collisionCount'],
  }),
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
  validation: withTemplateAnnotations(statefulSetRules),
  schemaExemptions: {
    openValues: 'apps.StatefulSetUpdateStrategy.type apps.StatefulSetSpec.podManagementPolicy',
  },
  warnings: (identity) => statefulSetWarnings(templateWarnings(identity)),
  table: statefulSetTable,
  versions: { v1beta1: { orphansDependents: true }, v1beta2: { orphansDependents: true } },
};

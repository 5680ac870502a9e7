/** Defaults of what makes pods, deployments aside. Those of the pods stand with the pods. */
import { when } from '../../apimachinery/typed/defaulting.ts';
import type { Complete, DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { inSpec } from './pods.ts';

const int32Max = 2_147_483_647;
const retriesByDefault = 6;

export const workloadDefaults: DefaultTable = {
  fields: {
    'apps/v1.ReplicaSetSpec': { replicas: 1 },
    'apps/v1.DaemonSetSpec': { revisionHistoryLimit: 10 },
    'apps/v1.DaemonSetUpdateStrategy': {
      type: 'RollingUpdate',
      rollingUpdate: when({ type: 'RollingUpdate' }, {}),
    },
    'apps/v1.RollingUpdateDaemonSet': { maxUnavailable: 1, maxSurge: 0 },
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
    'batch/v1.CronJobSpec': {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    },
    'batch/v1.PodFailurePolicyOnPodConditionsPattern': { status: 'True' },
  },
  complete: {
    // Of a job itself: the template in a cron job stays as it was written.
    'batch/v1.Job': (job, context) => inSpec(withTemplateLabels(job, context), completeJobSpec),
    'core/v1.ReplicationController': (controller, context) =>
      inSpec(withTemplateLabels(controller, context), withTemplateSelector),
  },
};

function completeJobSpec(spec: JsonObject): JsonObject {
  const alone = spec['completions'] === undefined && spec['parallelism'] === undefined;
  const defaults: JsonObject = {
    ...(alone ? { completions: 1 } : {}),
    parallelism: 1,
    backoffLimit: spec['backoffLimitPerIndex'] === undefined ? retriesByDefault : int32Max,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: spec['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed',
  };
  if (Object.keys(defaults).every((name) => spec[name] !== undefined)) return spec;
  return { ...defaults, ...spec };
}

function templateLabels(spec: JsonObject): JsonObject | undefined {
  const { template } = spec;
  const metadata = isJsonObject(template) ? template['metadata'] : undefined;
  const labels = isJsonObject(metadata) ? metadata['labels'] : undefined;
  return isJsonObject(labels) && Object.keys(labels).length > 0 ? labels : undefined;
}

/** An object without labels carries those of its pods. */
const withTemplateLabels: Complete = (object) => {
  const { spec, metadata = {} } = object;
  const labels = isJsonObject(spec) ? templateLabels(spec) : undefined;
  if (labels === undefined || !isJsonObject(metadata)) return object;
  const own = metadata['labels'];
  if (isJsonObject(own) && Object.keys(own).length > 0) return object;
  return { ...object, metadata: { ...metadata, labels } };
};

function withTemplateSelector(spec: JsonObject): JsonObject {
  const { selector } = spec;
  const labels = templateLabels(spec);
  if (labels === undefined) return spec;
  if (isJsonObject(selector) && Object.keys(selector).length > 0) return spec;
  return { ...spec, selector: labels };
}

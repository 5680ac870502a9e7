/**
 * Jobs: pods that run until enough of them have succeeded.
 *
 * A job gets a selector of its own and the labels that it selects, unless the client sets
 * manualSelector.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { part, text } from '../../apimachinery/members.ts';
import { humanDuration } from '../../apimachinery/projection/human-duration.ts';
import type { CellValue } from '../../apimachinery/projection/printer.ts';
import { ageSince } from '../../apimachinery/projection/printer.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { specSelector } from '../apps/table-columns.ts';
import { whenChanged } from '../apps/templates.ts';
import type { TemplateWarnings } from '../core/pods/warnings.ts';
import { nameWarnings, templateWarnings } from '../core/pods/warnings.ts';
import { ageColumn, column, nameColumn, table, templateColumns } from '../tables/columns.ts';
import { timeOf } from '../tables/duration.ts';
import { countAt, hasCondition, valueAt } from '../tables/fields.ts';
import type { KindWarnings, Warnings } from '../warnings/kind-warnings.ts';
import { allWarnings, noWarnings } from '../warnings/kind-warnings.ts';
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import { inSpec } from '../defaults/parts.ts';
import { withTemplateAnnotations } from '../core/pods/validation/template-annotations.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { ownMark, withMarks } from './job-marks.ts';
import { jobRules } from './job-rules.ts';
import { withTemplateLabels } from '../apps/template-defaults.ts';

function jobStatus(job: JsonObject): string {
  if (hasCondition(job, 'Complete')) return 'Complete';
  if (hasCondition(job, 'Failed')) return 'Failed';
  if (valueAt(job, 'metadata', 'deletionTimestamp') !== undefined) return 'Terminating';
  const word = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) =>
    hasCondition(job, type),
  );
  return word ?? 'Running';
}

function jobCompletions(job: JsonObject): string {
  const succeeded = countAt(job, 'status', 'succeeded');
  if (valueAt(job, 'spec', 'completions') !== undefined) {
    return `${succeeded}/${countAt(job, 'spec', 'completions')}`;
  }
  const parallelism = countAt(job, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: JsonObject): CellValue {
  const start = timeOf(valueAt(job, 'status', 'startTime'));
  if (start === undefined) return '';
  const end = timeOf(valueAt(job, 'status', 'completionTime'));
  return end === undefined ? ageSince(start) : humanDuration(end - start);
}

const jobTable = table([
  nameColumn,
  column('Status', 'Whether the job runs, and how it ended.', jobStatus),
  column('Completions', 'Pods that ended well, of those that shall.', jobCompletions),
  column('Duration', 'Time that the job has taken.', jobDuration),
  ageColumn,
  ...templateColumns,
  specSelector,
]);

const int32Max = 2_147_483_647;
const retriesByDefault = 6;

const jobDefaults: DefaultTable = {
  fields: {
    'batch/v1.PodFailurePolicyOnPodConditionsPattern': { status: 'True' },
  },
  complete: {
    // Of a job itself: the template in a cron job stays as it was written.
    'batch/v1.Job': (job, context) => inSpec(withTemplateLabels(job, context), completeJobSpec),
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

const manyCompletions = 100_000;

const muchParallelism = 10_000;

export function jobSpecWarnings(spec: JsonObject, path: string, of: TemplateWarnings): Warnings {
  const indexed = text(spec, 'completionMode') === 'Indexed';
  const above = (name: string, limit: number): boolean => Number(spec[name] ?? 0) > limit;
  return allWarnings(
    indexed && above('completions', manyCompletions) && above('parallelism', muchParallelism)
      ? [
          `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a ` +
            'parallelism higher than 10^4, Kubernetes might not be able to track ' +
            'completedIndexes when a big number of indexes fail',
        ]
      : noWarnings,
    of(part(spec, 'template'), `${path}.template`),
  );
}

function jobWarnings(of: TemplateWarnings): KindWarnings {
  const inSpec = (job: ApiObject): Warnings => jobSpecWarnings(part(job, 'spec'), 'spec', of);
  return {
    onCreate: (job) => allWarnings(nameWarnings(job.metadata.name), inSpec(job)),
    onUpdate: whenChanged(inSpec),
  };
}

function withSelector(job: ApiObject, identity: Identity): ApiObject {
  const spec = part(job, 'spec');
  const { name, uid } = job.metadata;
  if (spec['manualSelector'] === true || uid === undefined || name === undefined) return job;
  const template = part(spec, 'template');
  const metadata = part(template, 'metadata');
  const labels = withMarks(part(metadata, 'labels'), job, identity);
  const matchLabels = { [ownMark(identity)]: uid, ...part(part(spec, 'selector'), 'matchLabels') };
  return {
    ...job,
    ...(hasTemplateLabels(job, metadata) ? { metadata: { ...job.metadata, labels } } : {}),
    spec: {
      ...spec,
      selector: { ...part(spec, 'selector'), matchLabels },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  };
}

/** A job without labels has those of its pods, as whenever it is read; and then the marks, too. */
function hasTemplateLabels(job: ApiObject, template: JsonObject): boolean {
  const { labels = {} } = job.metadata;
  return Object.keys(labels).length === 0 || labels === template['labels'];
}

/** By default: of today's kinds jobs alone keep to that in their stable version. */
const podsOfJobsStay =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background ' +
  'to remove them or set propagationPolicy=Orphan to suppress this warning';

export const jobs: KindDefinition = {
  resource: 'batch/jobs',
  tracksGeneration: true,
  selectableFields: 'status.successful=status.succeeded!0',
  defaults: jobDefaults,
  validation: (identity) => withTemplateAnnotations(jobRules(identity))(identity),
  schemaExemptions: {
    optional:
      'batch.PodFailurePolicy.rules batch.PodFailurePolicyOnExitCodesRequirement.values ' +
      'batch.PodFailurePolicyOnPodConditionsPattern.type',
    openValues:
      'batch.PodFailurePolicyOnPodConditionsPattern.type batch.JobSpec.podReplacementPolicy ' +
      'batch.JobSpec.completionMode',
  },
  warnings: (identity) => jobWarnings(templateWarnings(identity)),
  strategy: (_generic, identity) => ({
    prepareForCreate: (job) => withSelector({ ...job, status: {} }, identity),
  }),
  table: jobTable,
  versions: { v1: { deletionWarning: podsOfJobsStay, orphansDependents: true } },
};

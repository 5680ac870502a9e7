/** CronJobs: jobs that are created on a schedule. */
import { invalid } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { whenChanged } from '../apps/templates.ts';
import { scheduleProblem, timeZoneProblem } from './cron-schedule.ts';
import { generatedSelectorRules, jobSpecRules } from './job-rules.ts';
import { jobSpecWarnings } from './jobs.ts';
import type { TemplateWarnings } from '../core/pods/warnings.ts';
import { nameWarnings, templateWarnings } from '../core/pods/warnings.ts';
import {
  ageColumn,
  boolean,
  column,
  containerColumns,
  formatSelector,
  integer,
  nameColumn,
  selectorColumn,
  table,
  wide,
  yesNo,
} from '../tables/columns.ts';
import { timeSince } from '../tables/duration.ts';
import { objectsAt, printedAt, valueAt } from '../tables/fields.ts';
import { form, nonNegative } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import type { KindWarnings, Warnings } from '../warnings/kind-warnings.ts';
import { allWarnings, noWarnings } from '../warnings/kind-warnings.ts';
import type { TypeDefaults, DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import { withTemplateAnnotations } from '../core/pods/validation/template-annotations.ts';
import type { KindDefinition } from '../kind-definition.ts';

const jobTemplate = ['spec', 'jobTemplate', 'spec'];

const cronJobTable = table([
  nameColumn,
  column('Schedule', 'When jobs start.', (object) => printedAt(object, 'spec', 'schedule')),
  column(
    'Timezone',
    'Where that time is meant.',
    (object) => printedAt(object, 'spec', 'timeZone') || '<none>',
  ),
  boolean('Suspend', 'Whether no job starts.', (object) =>
    yesNo(valueAt(object, 'spec', 'suspend')),
  ),
  integer('Active', 'Jobs that run.', (object) => objectsAt(object, 'status', 'active').length),
  column('Last Schedule', 'Time since a job started.', (object) => {
    const last = valueAt(object, 'status', 'lastScheduleTime');
    return last === undefined ? '<none>' : timeSince(last);
  }),
  ageColumn,
  ...containerColumns(...jobTemplate, 'template', 'spec').map(wide),
  selectorColumn((object) => formatSelector(valueAt(object, ...jobTemplate, 'selector'))),
]);

const cronJob: TypeDefaults = {
  concurrencyPolicy: 'Allow',
  suspend: false,
  successfulJobsHistoryLimit: 3,
  failedJobsHistoryLimit: 1,
};

const cronJobDefaults: DefaultTable = {
  fields: { 'batch/v1.CronJobSpec': cronJob, 'batch/v1beta1.CronJobSpec': cronJob },
};

const cronJobRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const schedule = text(spec, 'schedule');
    const zone = spec['timeZone'];
    const wrongZone = typeof zone === 'string' ? timeZoneProblem(zone) : undefined;
    const jobSpec = part(part(spec, 'jobTemplate'), 'spec');
    return [
      ...form('spec.schedule', schedule, scheduleProblems),
      ...(wrongZone === undefined ? [] : [invalid('spec.timeZone', zone, wrongZone)]),
      ...nonNegative(spec, 'spec', [
        'startingDeadlineSeconds',
        'successfulJobsHistoryLimit',
        'failedJobsHistoryLimit',
      ]),
      ...jobSpecRules(jobSpec, 'spec.jobTemplate.spec'),
      ...generatedSelectorRules(jobSpec, 'spec.jobTemplate.spec'),
    ];
  },
};

function scheduleProblems(schedule: string): readonly string[] {
  const problem = scheduleProblem(schedule);
  return problem === undefined ? [] : [problem];
}

function cronJobWarnings(of: TemplateWarnings, { fill }: Identity): KindWarnings {
  const inSpec = (job: ApiObject): Warnings => {
    const spec = part(part(part(job, 'spec'), 'jobTemplate'), 'spec');
    return jobSpecWarnings(spec, 'spec.jobTemplate.spec', of);
  };
  const zone =
    'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://' +
    `${fill('{labelDomain}')}/docs/concepts/workloads/controllers/cron-jobs/ for more details`;
  const changed = whenChanged(inSpec);
  return {
    onCreate: (job) => allWarnings(nameWarnings(job.metadata.name), inSpec(job)),
    onUpdate: (next, current) =>
      allWarnings(
        changed?.(next, current) ?? noWarnings,
        text(part(next, 'spec'), 'schedule').includes('TZ') ? [zone] : noWarnings,
      ),
  };
}

export const cronJobs: KindDefinition = {
  resource: 'batch/cronjobs',
  names: 'dns-subdomain-52',
  tracksGeneration: true,
  defaults: cronJobDefaults,
  validation: withTemplateAnnotations(cronJobRules, 'spec.jobTemplate.spec.template'),
  warnings: (identity) => cronJobWarnings(templateWarnings(identity), identity),
  table: cronJobTable,
  versions: { v1beta1: { orphansDependents: true } },
};

/** Rules of jobs and cron jobs. */
import { invalid, required } from '../../apimachinery/field-error.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { nonNegative, numberOf, part, text, unchanged } from './checks.ts';
import type { Problems } from './checks.ts';
import { scheduleProblem, timeZoneProblem } from './cron-schedule.ts';
import { labelSelectorRules } from './labels.ts';
import { restartRules, templateRules } from './pods.ts';
import type { KindRules } from './kind-rules.ts';

const indexedParallelismMax = 100_000;

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

function jobSpecRules(spec: JsonObject, path: string): Problems {
  const template = part(spec, 'template');
  const failing = spec['podFailurePolicy'] !== undefined;
  const policy = text(part(template, 'spec'), 'restartPolicy');
  const restart = restartRules(template, `${path}.template`, ['OnFailure', 'Never']);
  const onlyNever = 'only "Never" is supported when podFailurePolicy is specified';
  return [
    ...nonNegative(spec, path, counts),
    ...labelSelectorRules(part(spec, 'selector'), `${path}.selector`),
    ...indexedRules(spec, path),
    ...templateRules(template, `${path}.template`),
    ...restart,
    ...(failing && restart.length === 0 && policy !== 'Never'
      ? [invalid(`${path}.template.spec.restartPolicy`, policy, onlyNever)]
      : []),
  ];
}

function indexedRules(spec: JsonObject, path: string): Problems {
  if (text(spec, 'completionMode') !== 'Indexed') return [];
  const parallelism = numberOf(spec['parallelism']) ?? 0;
  const most =
    `must be less than or equal to ${indexedParallelismMax} ` + 'when completion mode is Indexed';
  return [
    ...(spec['completions'] === undefined
      ? [required(`${path}.completions`, 'when completion mode is Indexed')]
      : []),
    ...(parallelism > indexedParallelismMax
      ? [invalid(`${path}.parallelism`, parallelism, most)]
      : []),
  ];
}

const fixedFields = ['selector', 'completionMode', 'podFailurePolicy', 'backoffLimitPerIndex'];

function jobUpdateRules(next: ApiObject, current: ApiObject): Problems {
  const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
  // A job that has not begun may still be told where its pods go.
  const waiting = before['suspend'] === true;
  return [
    ...(isElastic(spec, before)
      ? []
      : unchanged('spec.completions', spec['completions'], before['completions'])),
    ...fixedFields.flatMap((name) => unchanged(`spec.${name}`, spec[name], before[name])),
    ...(waiting ? [] : unchanged('spec.template', spec['template'], before['template'])),
  ];
}

/** Completions of an indexed job change together with its parallelism. */
function isElastic(spec: JsonObject, before: JsonObject): boolean {
  const equal = (of: JsonObject): boolean => of['completions'] === of['parallelism'];
  return text(before, 'completionMode') === 'Indexed' && equal(spec) && equal(before);
}

export const jobRules: KindRules = {
  validate: (job) => jobSpecRules(part(job, 'spec'), 'spec'),
  validateUpdate: jobUpdateRules,
};

export const cronJobRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const schedule = text(spec, 'schedule');
    const scheduled = schedule === '' ? undefined : scheduleProblem(schedule);
    const zone = spec['timeZone'];
    const wrongZone = typeof zone === 'string' ? timeZoneProblem(zone) : undefined;
    return [
      ...(scheduled === undefined ? [] : [invalid('spec.schedule', schedule, scheduled)]),
      ...(wrongZone === undefined ? [] : [invalid('spec.timeZone', zone, wrongZone)]),
      ...nonNegative(spec, 'spec', [
        'startingDeadlineSeconds',
        'successfulJobsHistoryLimit',
        'failedJobsHistoryLimit',
      ]),
      ...jobSpecRules(part(part(spec, 'jobTemplate'), 'spec'), 'spec.jobTemplate.spec'),
    ];
  },
};

/** Rules of jobs: their templates, counts and indexes, and what an update may change. */
import { invalid, notSupported, required, tooLong } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { part, text, textMap } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { checkDns1123Label } from '../../apimachinery/validation/names.ts';
import { markRules } from './job-marks.ts';
import { jobStatusRules } from './job-status-rules.ts';
import { failurePolicyRules, replacementPolicyRules, successPolicyRules } from './job-policies.ts';
import { restartRules, templateRules } from '../core/pods/validation/pods.ts';
import { unselected } from '../apps/templates.ts';
import type { Problems } from '../validation/checks.ts';
import {
  among,
  noProblems,
  nonNegative,
  numberOf,
  requiredForm,
  unchanged,
} from '../validation/checks.ts';
import { checkDomainPath } from '../validation/domain-path.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { labelSelectorRules, selects } from '../validation/labels.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';

const indexedParallelismMax = 100_000;

const failedIndexesMax = 100_000;

/** Above so many completions, jobs with a limit for each index are held tighter. */
const manyCompletions = 100_000;

const parallelismOfManyMax = 10_000;

const managedByBytesMax = 63;

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

export function jobSpecRules(spec: JsonObject, path: string): Problems {
  const template = part(spec, 'template');
  const failing = spec['podFailurePolicy'] !== undefined;
  const policy = text(part(template, 'spec'), 'restartPolicy');
  const restart = restartRules(template, `${path}.template`);
  const onlyNever = 'only "Never" is supported when podFailurePolicy is specified';
  return [
    ...nonNegative(spec, path, counts),
    ...labelSelectorRules(part(spec, 'selector'), `${path}.selector`),
    ...managerRules(spec, `${path}.managedBy`),
    ...(spec['maxFailedIndexes'] !== undefined && spec['backoffLimitPerIndex'] === undefined
      ? [required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
      : []),
    ...(text(spec, 'completionMode') === 'Indexed'
      ? indexedRules(spec, path)
      : ['backoffLimitPerIndex', 'maxFailedIndexes']
          .filter((name) => spec[name] !== undefined)
          .map((name) =>
            invalid(`${path}.${name}`, spec[name], 'requires indexed completion mode'),
          )),
    ...(failing ? failurePolicyRules(spec, `${path}.podFailurePolicy`) : []),
    ...(spec['successPolicy'] === undefined
      ? []
      : successPolicyRules(spec, `${path}.successPolicy`)),
    ...replacementPolicyRules(spec, `${path}.podReplacementPolicy`),
    ...(spec['completionMode'] === undefined
      ? []
      : among(`${path}.completionMode`, text(spec, 'completionMode'), completionModes)),
    ...templateRules(template, `${path}.template`),
    ...restart,
    ...(failing && restart.length === 0 && policy !== 'Never'
      ? [invalid(`${path}.template.spec.restartPolicy`, policy, onlyNever)]
      : []),
  ];
}

const completionModes = ['NonIndexed', 'Indexed'];

function managerRules(spec: JsonObject, field: string): Problems {
  if (spec['managedBy'] === undefined) return noProblems;
  const manager = text(spec, 'managedBy');
  return [
    ...requiredForm(field, manager, checkDomainPath),
    ...(Buffer.byteLength(manager, 'utf8') > managedByBytesMax
      ? [tooLong(field, managedByBytesMax)]
      : []),
  ];
}

function indexedRules(spec: JsonObject, path: string): Problems {
  const [parallelism, failed] = [spec['parallelism'], spec['maxFailedIndexes']].map(
    (value) => numberOf(value) ?? 0,
  ) as [number, number];
  const completions = numberOf(spec['completions']);
  const many = completions !== undefined && completions > manyCompletions;
  const tight = many && spec['backoffLimitPerIndex'] !== undefined;
  const atMost = (name: string, value: number, max: number, when = ''): Problems =>
    value > max
      ? [invalid(`${path}.${name}`, value, `must be less than or equal to ${max}${when}`)]
      : noProblems;
  const whenMany =
    ` when completions are above ${manyCompletions} and used with ` + 'backoff limit per index';
  const needed = `must be specified when completions is above ${manyCompletions}`;
  return [
    ...(completions === undefined
      ? [required(`${path}.completions`, 'when completion mode is Indexed')]
      : []),
    ...atMost(
      'parallelism',
      parallelism,
      indexedParallelismMax,
      ' when completion mode is Indexed',
    ),
    ...(completions !== undefined && failed > completions
      ? [invalid(`${path}.maxFailedIndexes`, failed, 'must be less than or equal to completions')]
      : []),
    ...atMost('maxFailedIndexes', failed, failedIndexesMax),
    ...(tight && spec['maxFailedIndexes'] === undefined
      ? [required(`${path}.maxFailedIndexes`, needed)]
      : []),
    ...(tight ? atMost('parallelism', parallelism, parallelismOfManyMax, whenMany) : []),
    ...(tight ? atMost('maxFailedIndexes', failed, parallelismOfManyMax, whenMany) : []),
  ];
}

const fixedFields = [
  'selector',
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
];

function jobUpdateRules(next: ApiObject, current: ApiObject): Problems {
  const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
  return [
    // Only a new job is given one.
    ...(before['selector'] !== undefined && spec['selector'] === undefined
      ? [required('spec.selector'), unselected(part(spec, 'template'))]
      : []),
    ...(isElastic(spec, before)
      ? []
      : unchanged('spec.completions', spec['completions'], before['completions'])),
    ...fixedFields.flatMap((name) => unchanged(`spec.${name}`, spec[name], before[name])),
    ...templateUnchanged(next, current),
  ];
}

/** What may still be said of a job's pods as long as none was made: where they go. */
const directives = ['nodeSelector', 'tolerations', 'schedulingGates'];

function templateUnchanged(next: ApiObject, current: ApiObject): Problems {
  const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
  const waiting = before['suspend'] === true && part(current, 'status')['startTime'] === undefined;
  const [now, was] = waiting
    ? [undirected(part(spec, 'template')), undirected(part(before, 'template'))]
    : [spec['template'], before['template']];
  return deepEqual(now, was) ? [] : unchanged('spec.template', spec['template'], null);
}

function undirected(template: JsonObject): JsonObject {
  const { labels: _labels, annotations: _annotations, ...metadata } = part(template, 'metadata');
  const { affinity: _affinity, ...pod } = part(template, 'spec');
  const { nodeAffinity: _node, ...affinity } = part(part(template, 'spec'), 'affinity');
  const rest = Object.entries(pod).filter(([name]) => !directives.includes(name));
  return { ...template, metadata, spec: { ...Object.fromEntries(rest), affinity } };
}

/** Completions of an indexed job change together with its parallelism. */
function isElastic(spec: JsonObject, before: JsonObject): boolean {
  const equal = (of: JsonObject): boolean => of['completions'] === of['parallelism'];
  return text(before, 'completionMode') === 'Indexed' && equal(spec) && equal(before);
}

/** The pods of an indexed job are hosts whose names end with their index. */
function hostRules(job: ApiObject): Problems {
  const spec = part(job, 'spec');
  const completions = numberOf(spec['completions']) ?? 0;
  const { name = '' } = job.metadata;
  if (text(spec, 'completionMode') !== 'Indexed' || completions <= 0 || name === '') return [];
  const host = `${name}-${completions - 1}`;
  if (checkDns1123Label(host).length === 0) return [];
  const detail = `will not able to create pod with invalid DNS label: ${host}`;
  return [invalid('metadata.name', name, detail)];
}

function selectionRules(spec: JsonObject): Problems {
  const template = part(spec, 'template');
  if (spec['selector'] === undefined) {
    // Without manualSelector the server writes one.
    return spec['manualSelector'] === true
      ? [required('spec.selector'), unselected(template)]
      : noProblems;
  }
  const selector = part(spec, 'selector');
  // Of a selector that is wrong in itself nobody knows what it selects.
  return selects(selector, textMap(part(template, 'metadata'), 'labels')) ||
    labelSelectorRules(selector, '').length > 0
    ? noProblems
    : [unselected(template)];
}

export function jobRules(identity: Identity): KindRules {
  return {
    validate: (job) => [
      ...jobSpecRules(part(job, 'spec'), 'spec'),
      ...selectionRules(part(job, 'spec')),
    ],
    validateCreate: (job) => [...markRules(job, identity), ...hostRules(job)],
    validateUpdate: (next, current) => [
      ...markRules(next, identity, current),
      ...jobUpdateRules(next, current),
    ],
    validateStatusUpdate: jobStatusRules,
  };
}

/** The jobs of a cron job are told apart by the server. */
export function generatedSelectorRules(spec: JsonObject, path: string): Problems {
  return [
    ...(spec['selector'] === undefined
      ? []
      : [invalid(`${path}.selector`, spec['selector'], '`selector` will be auto-generated')]),
    ...(spec['manualSelector'] === true
      ? [notSupported(`${path}.manualSelector`, true, ['nil', 'false'])]
      : []),
  ];
}

/** Warnings of what makes pods: of its name, which pods take over, and of its template. */
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { claimSpecWarnings } from './amounts.ts';
import { each, noWarnings, together } from './kind-warnings.ts';
import type { KindWarnings, Warnings } from './kind-warnings.ts';
import { nameWarnings } from './pods.ts';
import type { TemplateWarnings } from './pods.ts';

const template = 'spec.template';

/** What has been said of a spec is not said again until the spec changes. */
function whenChanged(of: (object: ApiObject) => Warnings): KindWarnings['onUpdate'] {
  return (next, current) =>
    next.metadata.generation === current.metadata.generation ? noWarnings : of(next);
}

export function workloadWarnings(of: TemplateWarnings): KindWarnings {
  const inTemplate = (object: ApiObject): Warnings =>
    of(part(part(object, 'spec'), 'template'), template);
  return {
    onCreate: (object) => together(nameWarnings(object.metadata.name), inTemplate(object)),
    onUpdate: whenChanged(inTemplate),
  };
}

export function daemonSetWarnings(of: TemplateWarnings): KindWarnings {
  const { onUpdate } = workloadWarnings(of);
  return { onCreate: (set) => of(part(part(set, 'spec'), 'template'), template), onUpdate };
}

export function podTemplateWarnings(of: TemplateWarnings): KindWarnings {
  const inTemplate = (object: ApiObject): Warnings => of(part(object, 'template'), 'template');
  return { onCreate: inTemplate, onUpdate: whenChanged(inTemplate) };
}

export function statefulSetWarnings(of: TemplateWarnings): KindWarnings {
  const found = (set: ApiObject, claims: string): Warnings => {
    const spec = part(set, 'spec');
    const limit = spec['revisionHistoryLimit'];
    return together(
      of(part(spec, 'template'), template),
      each(objects(spec, 'volumeClaimTemplates'), (claim, at) =>
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

const manyCompletions = 100_000;
const muchParallelism = 10_000;

function jobSpecWarnings(spec: JsonObject, path: string, of: TemplateWarnings): Warnings {
  const indexed = text(spec, 'completionMode') === 'Indexed';
  const above = (name: string, limit: number): boolean => Number(spec[name] ?? 0) > limit;
  return together(
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

export function jobWarnings(of: TemplateWarnings): KindWarnings {
  const inSpec = (job: ApiObject): Warnings => jobSpecWarnings(part(job, 'spec'), 'spec', of);
  return {
    onCreate: (job) => together(nameWarnings(job.metadata.name), inSpec(job)),
    onUpdate: whenChanged(inSpec),
  };
}

export function cronJobWarnings(of: TemplateWarnings, { fill }: Identity): KindWarnings {
  const inSpec = (job: ApiObject): Warnings => {
    const spec = part(part(part(job, 'spec'), 'jobTemplate'), 'spec');
    return jobSpecWarnings(spec, 'spec.jobTemplate.spec', of);
  };
  const zone =
    'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://' +
    `${fill('{labelDomain}')}/docs/concepts/workloads/controllers/cron-jobs/ for more details`;
  const changed = whenChanged(inSpec);
  return {
    onCreate: (job) => together(nameWarnings(job.metadata.name), inSpec(job)),
    onUpdate: (next, current) =>
      together(
        changed?.(next, current) ?? noWarnings,
        text(part(next, 'spec'), 'schedule').includes('TZ') ? [zone] : noWarnings,
      ),
  };
}

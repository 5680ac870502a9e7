/**
 * What tells the pods of one job from those of others: labels with its name and identity, which
 * the server writes into the template of a job that does not select its pods itself.
 *
 * Labels of these names that a client wrote are not overwritten: a job whose template says that
 * its pods are another job's is refused (a manifest that was read from a job, under a new name).
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import { invalid, required } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { part, textMap } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { noProblems } from '../validation/checks.ts';
import { selects } from '../validation/labels.ts';

type Labels = Record<string, string>;

interface Marks {
  /** Their names before they had a domain. */
  readonly plain: Labels;
  readonly prefixed: Labels;
}

/** The label that a job selects by. */
export function ownMark(identity: Identity): string {
  return identity.fill('batch.{labelDomain}/controller-uid');
}

function marksOf({ metadata }: ApiObject, identity: Identity): Marks {
  const { name = '', uid = '' } = metadata;
  return {
    plain: { 'controller-uid': uid, 'job-name': name },
    prefixed: {
      [ownMark(identity)]: uid,
      [identity.fill('batch.{labelDomain}/job-name')]: name,
    },
  };
}

export function withMarks(labels: JsonObject, job: ApiObject, identity: Identity): Labels {
  const { plain, prefixed } = marksOf(job, identity);
  return { ...prefixed, ...plain, ...(labels as Labels) };
}

function templateLabels(job: ApiObject): Labels {
  return textMap(part(part(part(job, 'spec'), 'template'), 'metadata'), 'labels');
}

/** `current`: of an update. A job that was stored before the marks had a domain needs no others. */
export function markRules(
  job: ApiObject,
  identity: Identity,
  current?: ApiObject,
): readonly FieldError[] {
  const spec = part(job, 'spec');
  if (spec['manualSelector'] === true || spec['selector'] === undefined) return noProblems;
  const { plain, prefixed } = marksOf(job, identity);
  const had = current === undefined ? prefixed : templateLabels(current);
  const both = Object.keys(prefixed).every((name) => had[name] !== undefined);
  const expected = { ...plain, ...(both ? prefixed : {}) };
  const labels = templateLabels(job);
  const selector = part(spec, 'selector');
  return [
    ...Object.entries(expected).flatMap(([name, value]) => {
      const field = `spec.template.metadata.labels[${name}]`;
      if (labels[name] === undefined) return [required(field, `must be '${value}'`)];
      return labels[name] === value ? [] : [invalid(field, labels, `must be '${value}'`)];
    }),
    ...(selects(selector, expected)
      ? []
      : [invalid('spec.selector', selector, '`selector` not auto-generated')]),
  ];
}

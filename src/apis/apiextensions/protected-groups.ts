/**
 * Who may define resources in a group of the service's own domain: whoever says in an annotation
 * where that was agreed on, or that it was not.
 *
 *     api-approved.<label domain>: https://example.org/review/1
 *     api-approved.<label domain>: unapproved, an experiment
 */
import { invalid, required } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { Problems } from '../validation/checks.ts';
import { noProblems } from '../validation/checks.ts';

export function approvalProblems({
  domain,
  labelDomain,
}: Pick<Identity, 'domain' | 'labelDomain'>): (definition: ApiObject) => Problems {
  const annotation = `api-approved.${labelDomain}`;
  const field = `metadata.annotations[${annotation}]`;
  const detail = `protected groups must have approval annotation "${annotation}"`;
  const wanted = `${detail} with either a URL or a reason starting with "unapproved"`;
  const isOwn = (group: string): boolean =>
    [domain, labelDomain].some((own) => group === own || group.endsWith(`.${own}`));
  return (definition) => {
    if (!isOwn(text(part(definition, 'spec'), 'group'))) return noProblems;
    const said = definition.metadata.annotations?.[annotation] ?? '';
    if (said === '') return [required(field, detail)];
    return said.startsWith('unapproved') || isUrl(said)
      ? noProblems
      : [invalid(field, said, wanted)];
  };
}

function isUrl(value: string): boolean {
  return URL.canParse(value) && new URL(value).host !== '';
}

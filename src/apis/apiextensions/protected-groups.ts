/**
 * Who may define resources in a group of the service's own domain: whoever says in an annotation
 * where that was agreed on, or that it was not.
 *
 *     api-approved.<label domain>: https://example.org/review/1
 *     api-approved.<label domain>: unapproved, an experiment
 *
 * A definition that says the same as before is not asked again.
 */
import { invalid, required } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { part, text } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { ApprovalState } from '../../apiextensions/custom-schema.ts';
import type { Problems } from '../validation/checks.ts';
import { noProblems } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';

type Domains = Pick<Identity, 'domain' | 'labelDomain'>;

type Approval = 'missing' | 'invalid' | 'approved' | 'bypassed';

const explained = ', see https://github.com/kubernetes/enhancements/pull/1111';

export function approvalRules(domains: Domains): KindRules {
  const check = (definition: ApiObject): Problems => approvalProblems(definition, domains);
  return {
    validateCreate: check,
    validateUpdate: (next, current) =>
      approvalOf(next, domains) === approvalOf(current, domains) ? noProblems : check(next),
  };
}

/** What the status of a definition says of it; undefined: its group needs no approval. */
export function approvalState(definition: ApiObject, domains: Domains): ApprovalState | undefined {
  if (!isProtected(definition, domains)) return undefined;
  const said = annotationOf(definition, domains);
  const no = (reason: string, message: string): ApprovalState => ({
    status: 'False',
    reason,
    message,
  });
  switch (approvalOf(definition, domains)) {
    case 'approved':
      return { status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${said}` };
    case 'bypassed':
      return no('UnapprovedAnnotation', `not approved: ${quote(said)}`);
    case 'missing':
      return no('MissingAnnotation', missingText(domains));
    case 'invalid':
      return no('InvalidAnnotation', invalidText(domains));
  }
}

function nameOf({ labelDomain }: Domains): string {
  return `api-approved.${labelDomain}`;
}

function missingText(domains: Domains): string {
  return `protected groups must have approval annotation "${nameOf(domains)}"${explained}`;
}

function invalidText(domains: Domains): string {
  const must = `protected groups must have approval annotation "${nameOf(domains)}"`;
  return `${must} with either a URL or a reason starting with "unapproved"${explained}`;
}

function isProtected(definition: ApiObject, { domain, labelDomain }: Domains): boolean {
  const group = text(part(definition, 'spec'), 'group');
  return [domain, labelDomain].some((own) => group === own || group.endsWith(`.${own}`));
}

function annotationOf({ metadata }: ApiObject, domains: Domains): string {
  const { annotations = {} } = metadata;
  const name = nameOf(domains);
  return Object.hasOwn(annotations, name) ? (annotations[name] ?? '') : '';
}

function approvalOf(definition: ApiObject, domains: Domains): Approval {
  const said = annotationOf(definition, domains);
  if (said === '') return 'missing';
  if (said.startsWith('unapproved')) return 'bypassed';
  return isUrl(said) ? 'approved' : 'invalid';
}

function approvalProblems(definition: ApiObject, domains: Domains): Problems {
  if (!isProtected(definition, domains)) return noProblems;
  const field = `metadata.annotations[${nameOf(domains)}]`;
  const said = annotationOf(definition, domains);
  switch (approvalOf(definition, domains)) {
    case 'missing':
      return [required(field, missingText(domains))];
    case 'invalid':
      return [invalid(field, said, invalidText(domains))];
    default:
      return noProblems;
  }
}

function isUrl(value: string): boolean {
  return URL.canParse(value) && new URL(value).host !== '';
}

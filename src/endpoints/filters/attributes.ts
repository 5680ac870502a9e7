/**
 * What authorization is asked about a request, and how a refusal reads (spec 2, section 5.5).
 *
 * The attributes are made from the same RequestInfo that the handlers use, so the request that is
 * authorized is the one that is served.
 *
 * Invariants: an object of the kind `namespaces` lies in the namespace of its name; a list or a
 * watch that a field selector limits to one name asks for that name.
 */
import type { UserInfo } from '../../apimachinery/user-info.ts';
import type { Attributes } from '../../authorization/authorizer.ts';
import { selectorsOnDemand } from '../../apimachinery/selectors/selector-requirements.ts';
import type { SelectorRequirements } from '../../apimachinery/selectors/selector-requirements.ts';
import { queryValue } from '../../apimachinery/query.ts';
import type { QueryParameters } from '../../apimachinery/query.ts';
import { quote } from '../../apimachinery/quote.ts';
import { parseFieldSelector } from '../../apimachinery/selectors/field-selector.ts';
import { newForbidden, StatusError } from '../../apimachinery/status-error.ts';
import { checkPathSegmentName } from '../../apimachinery/validation/names.ts';
import type { RequestInfo, ResourceInfo } from '../request-info.ts';

/** `query` undefined: it could not be read. */
export function attributesOf(
  user: UserInfo,
  { path, resource, verb }: RequestInfo,
  query: QueryParameters | undefined,
): Attributes {
  if (resource === undefined) return nonResource(user, path, verb);
  const { group, version, subresource } = resource;
  // The older paths of watches are decided on as they stand, without what selects.
  const selects =
    resource.name === '' && resource.prefix === undefined && selectingVerbs.includes(verb);
  const selection = selects && query !== undefined ? selectionIn(query) : undefined;
  return {
    user,
    verb,
    isResourceRequest: true,
    path,
    namespace: namespaceOf(resource),
    apiGroup: group,
    apiVersion: version,
    resource: resource.resource,
    subresource,
    name: resource.name === '' ? selectedName(verb, selection?.fields) : resource.name,
    selectedFields: selection?.fields,
    selectors: selection?.selectors,
  };
}

function nonResource(user: UserInfo, path: string, verb: string): Attributes {
  return {
    user,
    verb,
    isResourceRequest: false,
    path,
    namespace: '',
    apiGroup: '',
    apiVersion: '',
    resource: '',
    subresource: '',
    name: '',
  };
}

function namespaceOf({ namespace, resource, name }: ResourceInfo): string {
  return namespace === '' && resource === 'namespaces' ? name : namespace;
}

interface AskedSelection {
  /** Those that the field selector pins to one value. */
  readonly fields: ReadonlyMap<string, string> | undefined;
  readonly selectors: () => SelectorRequirements;
}

/** What a list, a watch or a deletecollection is limited to; undefined: it is not. */
function selectionIn(query: QueryParameters): AskedSelection | undefined {
  const fields = queryValue(query, 'fieldSelector') ?? '';
  const labels = queryValue(query, 'labelSelector') ?? '';
  if (fields === '' && labels === '') return undefined;
  const parsed = fields === '' ? undefined : parseFieldSelector(fields);
  return {
    fields: parsed instanceof StatusError ? undefined : parsed?.pins,
    selectors: selectorsOnDemand(fields, labels, parsed),
  };
}

const selectingVerbs: readonly string[] = ['list', 'watch', 'deletecollection'];

/** Of `metadata.name=x`; empty for what leaves more than one object, and for deletecollection:
 * a right to one name is no right to delete by selection. */
function selectedName(verb: string, fields: ReadonlyMap<string, string> | undefined): string {
  if (verb === 'deletecollection') return '';
  const name = fields?.get('metadata.name') ?? '';
  return checkPathSegmentName(name).length === 0 ? name : '';
}

/** 403 with the text that clients and people look for. */
export function forbiddenError(attributes: Attributes, reason: string): StatusError {
  const { apiGroup: group, resource, name } = attributes;
  const what = withoutMarkup(forbiddenText(attributes));
  return newForbidden({ group, resource }, name, reason === '' ? what : `${what}: ${reason}`);
}

function forbiddenText(attributes: Attributes): string {
  const { user, verb, isResourceRequest, path, namespace, apiGroup } = attributes;
  const who = `User ${quote(user.name)} cannot ${verb}`;
  if (!isResourceRequest) return `${who} path ${quote(path)}`;
  const { resource, subresource } = attributes;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(namespace)}`;
  return `${who} resource ${quote(what)} in API group ${quote(apiGroup)} ${where}`;
}

/** It quotes what the client sent: a browser must not take it for markup. */
function withoutMarkup(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

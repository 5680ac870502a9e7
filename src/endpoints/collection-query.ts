/**
 * From list options to what is read: selectors as a predicate, the row of the table in spec 1,
 * section 4.10, the decoded continue token.
 *
 * Elsewhere: the syntax of a query (apimachinery/list-options.ts) and the reading of a collection
 * (registry/read.ts).
 */
import { decodeContinueToken } from '../apimachinery/continue-token.ts';
import { parseListOptions } from '../apimachinery/list-options.ts';
import type { ListOptions } from '../apimachinery/list-options.ts';
import { checkFieldSelector } from '../apimachinery/selectors/field-selector.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { Consistency, ListQuery } from '../registry/read.ts';
import type { Result } from '../registry/registry.ts';
import { ok, refused } from '../registry/registry.ts';
import type { Revision } from '../storage/storage.ts';
import type { EndpointDeps, ResourceRequest } from './request.ts';
import { selectionOf, selectShown, responseConverter } from './response-conversion.ts';
import type { ShownSelection } from './response-conversion.ts';

/** What the query of a list or a watch asks for, as far as this server offers it. */
export function listOptionsOf(
  deps: EndpointDeps,
  query: ResourceRequest['query'],
): ListOptions | StatusError {
  return parseListOptions(query, {
    metaGroup: deps.identity.groups.meta,
    watchListEnabled: deps.features.watchList,
  });
}

/** The selectors of a list or a watch, or why the kind cannot be selected by them. */
export function selectedBy(kind: KindInfo, options: ListOptions): Result<ShownSelection> {
  const fields = new Set(kind.selectableFields.map((field) => field.label));
  // Kinds with fields of their own know which they have; users' kinds always do.
  const isLabelled = fields.size > 0 || kind.custom !== undefined;
  const withNamespace = kind.namespaced || !isLabelled;
  const unsupported = checkFieldSelector(options.fieldSelector, fields, withNamespace);
  if (unsupported !== undefined) return refused(unsupported);
  return ok(selectionOf(kind, options.labelSelector, options.fieldSelector));
}

export function listQueryOf(
  deps: EndpointDeps,
  kind: KindInfo,
  options: ListOptions,
): Result<ListQuery> {
  const selected = selectedBy(kind, options);
  if (selected.kind === 'refused') return selected;
  const { ofShown, predicate } = selected.value;
  const convert = ofShown && responseConverter(kind);
  const inVersion = convert && selectShown(convert, ofShown);
  let consistency: Consistency = { kind: 'most-recent' };
  let continueToken: ListQuery['continueToken'];
  if (options.continue === '') consistency = consistencyOf(options);
  else {
    const token = decodeContinueToken(deps.identity.groups.meta, options.continue);
    if (token instanceof StatusError) return refused(token);
    continueToken = token;
  }
  const { limit } = options;
  // Written out: a copy of a literal has a hidden class of its own each time.
  return ok({ predicate, limit, selectShown: inVersion, consistency, continueToken });
}

/** The table of spec 1, section 4.10, for a request without a continue token. */
function consistencyOf(options: ListOptions): Consistency {
  const { resourceVersion, resourceVersionMatch, limit } = options;
  switch (resourceVersion.kind) {
    case 'unset':
      return { kind: 'most-recent' };
    case 'any':
      return { kind: 'any' };
    case 'revision': {
      const revision = resourceVersion.revision as Revision;
      const exact = resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0);
      return { kind: exact ? 'exact' : 'not-older-than', revision };
    }
  }
}

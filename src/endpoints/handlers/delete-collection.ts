/**
 * deletecollection: DELETE of a collection (spec 1, sections 4.1 and 4.11).
 *
 * The answer is a Status; with `limit`, its metadata carries the token of what is left.
 */
import { encodeJson } from '../../apimachinery/codecs/json.ts';
import { parseDeleteOptions } from '../../apimachinery/delete-options.ts';
import { parseListOptions } from '../../apimachinery/list-options.ts';
import { StatusError, successStatus } from '../../apimachinery/status-error.ts';
import { deleteCollection } from '../../registry/delete-collection.ts';
import { listQueryOf } from '../collection-query.ts';
import { warnOfDefaultPropagation } from '../deletion-warning.ts';
import { continueTokenOf } from '../list-answer.ts';
import { inFormat, negotiateRepresentation } from '../representation.ts';
import { statusType } from '../../apimachinery/typed/meta-types.ts';
import { bodyAnswer } from '../answer.ts';
import type { Answer } from '../answer.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';
import { deleteOptionsOnly, readDocument } from '../submitted-object.ts';

export async function handleDeleteCollection(
  deps: EndpointDeps,
  request: ResourceRequest,
): Promise<Answer> {
  const { kind, resource } = request;
  const metaGroup = deps.identity.groups.meta;
  const document = await readDocument(deps, request, deleteOptionsOnly);
  if (document.kind === 'refused') return document.error;
  const representation = negotiateRepresentation(deps, request, { projections: true });
  if (representation.kind === 'refused') return representation.error;
  const options = parseDeleteOptions(request.query, document.value, {
    metaGroup,
    collection: true,
  });
  if (options instanceof StatusError) return options;
  const listOptions = parseListOptions(request.query, { metaGroup });
  if (listOptions instanceof StatusError) return listOptions;
  const query = listQueryOf(deps, kind, listOptions);
  if (query.kind === 'refused') return query.error;
  warnOfDefaultPropagation(deps, request, options);
  const target = { kind, namespace: resource.namespace };
  const { timeoutSeconds } = listOptions;
  const { registry } = deps;
  const deletion = { ...options, whom: { user: request.user, request } };
  const deleted = await deleteCollection(registry, target, query.value, deletion, timeoutSeconds);
  if (deleted.kind === 'refused') {
    return deleted.error;
  }
  const { list } = deleted.value;
  const next = continueTokenOf(deps, request, list);
  const status = {
    ...successStatus({ group: kind.group, kind: kind.resource }),
    metadata: {
      resourceVersion: list.revision.toString(),
      ...(next === undefined ? {} : { continue: next }),
    },
  };
  const { negotiated, pretty } = representation.value;
  const body = inFormat(encodeJson(status), negotiated, pretty, statusType);
  return bodyAnswer(200, negotiated.mediaType, body);
}

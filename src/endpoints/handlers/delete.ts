/** delete: DELETE of one object; the body may carry DeleteOptions (spec 1, sections 2.7, 3.1). */
import { encodeJson } from '../../apimachinery/codecs/json.ts';
import { parseDeleteOptions } from '../../apimachinery/delete-options.ts';
import { StatusError, successStatus } from '../../apimachinery/status-error.ts';
import { deleteObject } from '../../registry/delete.ts';
import { deleteUnreadable } from '../../registry/delete-unreadable.ts';
import { warnOfDefaultPropagation } from '../deletion-warning.ts';
import { inFormat, negotiateRepresentation } from '../representation.ts';
import type { Representation } from '../representation.ts';
import { statusType } from '../../apimachinery/typed/meta-types.ts';
import { bodyAnswer, objectAnswer } from '../answer.ts';
import type { Answer, BodyAnswer } from '../answer.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';
import { deleteOptionsOnly, readDocument } from '../submitted-object.ts';

export async function handleDelete(deps: EndpointDeps, request: ResourceRequest): Promise<Answer> {
  const { kind, resource } = request;
  const document = await readDocument(deps, request, deleteOptionsOnly);
  if (document.kind === 'refused') return document.error;
  const representation = negotiateRepresentation(deps, request, { projections: true });
  if (representation.kind === 'refused') return representation.error;
  const options = parseDeleteOptions(request.query, document.value, {
    metaGroup: deps.identity.groups.meta,
  });
  if (options instanceof StatusError) return options;
  warnOfDefaultPropagation(deps, request, options);
  const target = { kind, namespace: resource.namespace, name: resource.name };
  if (options.ignoreStoreReadErrorWithClusterBreakingPotential === true && deps.unsafeDelete) {
    const forbidden = await deps.unsafeDelete.refusal(request);
    if (forbidden !== undefined) return forbidden;
    const removed = await deleteUnreadable(deps.registry, target);
    if (removed.kind === 'refused') return removed.error;
    return deletedAnswer(request, representation.value, undefined);
  }
  const deleted = await deleteObject(deps.registry, target, options, {
    user: request.user,
    request,
    isWhole: true,
  });
  if (deleted.kind === 'refused') {
    return deleted.error;
  }
  const { object, removed, uid } = deleted.value;
  if (!removed || kind.returnsDeletedObject) {
    const accepted = !removed && options.orphanDependents === false;
    return objectAnswer(accepted ? 202 : 200, representation.value, object);
  }
  return deletedAnswer(request, representation.value, uid);
}

function deletedAnswer(
  request: ResourceRequest,
  { negotiated, pretty }: Representation,
  uid: string | undefined,
): BodyAnswer {
  const { group, resource: kind } = request.kind;
  const status = successStatus({ name: request.resource.name, group, kind, uid });
  const body = inFormat(encodeJson(status), negotiated, pretty, statusType);
  return bodyAnswer(200, negotiated.mediaType, body);
}

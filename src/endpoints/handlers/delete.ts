/** delete: DELETE of one object; the body may carry DeleteOptions (spec 1, sections 2.7, 3.1). */
import { encodeJson } from '../../apimachinery/codecs/json.ts';
import { parseDeleteOptions } from '../../apimachinery/delete-options.ts';
import { StatusError, successStatus } from '../../apimachinery/status-error.ts';
import { deleteObject } from '../../registry/delete.ts';
import { inFormat, negotiateRepresentation } from '../representation.ts';
import { sendBody, sendObject } from '../object-response.ts';
import { statusType } from '../../apimachinery/typed/meta-types.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';
import { sendStatusError } from '../status-response.ts';
import { deleteOptionsOnly, readDocument } from '../submitted-object.ts';

export async function handleDelete(deps: EndpointDeps, request: ResourceRequest): Promise<void> {
  const { exchange, kind, resource } = request;
  const document = await readDocument(deps, request, deleteOptionsOnly);
  if (document.kind === 'refused') return sendStatusError(exchange, document.error);
  const representation = negotiateRepresentation(deps, request, { projections: true });
  if (representation.kind === 'refused') return sendStatusError(exchange, representation.error);
  const options = parseDeleteOptions(request.query, document.value, {
    metaGroup: deps.identity.groups.meta,
  });
  if (options instanceof StatusError) return sendStatusError(exchange, options);
  const target = { kind, namespace: resource.namespace, name: resource.name };
  const deleted = await deleteObject(deps.registry, target, options);
  if (deleted.kind === 'refused') {
    return sendStatusError(exchange, deleted.error, request.warnings);
  }
  const { object, removed, uid } = deleted.value;
  if (!removed || kind.returnsDeletedObject) {
    const accepted = !removed && options.orphanDependents === false;
    return sendObject(deps, request, accepted ? 202 : 200, representation.value, object);
  }
  const { group, resource: plural } = kind;
  const status = successStatus({ name: resource.name, group, kind: plural, uid });
  const { negotiated, pretty } = representation.value;
  const body = inFormat(encodeJson(status), negotiated, pretty, statusType);
  return sendBody(deps, request, 200, negotiated.mediaType, body);
}

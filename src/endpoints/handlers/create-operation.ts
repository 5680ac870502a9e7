/**
 * create, for objects that trigger an operation and are not stored: POST to a subresource, or to
 * the collection of such a kind (spec 1, sections 1.3 and 4.1).
 *
 *     pods/<name>/binding, bindings     Binding: put the pod on a node
 *     pods/<name>/eviction              Eviction: delete the pod, if its budget allows it
 *     everything else                   a question: review.ts
 *
 * What is done stands with the kind (src/apis/core/pods); this is the request and the answer.
 *
 * Invariant: a successful operation is answered with 201 and a Status.
 */
import { encodeJson } from '../../apimachinery/codecs/json.ts';
import { newBadRequest, successStatus } from '../../apimachinery/status-error.ts';
import { statusType } from '../../apimachinery/typed/meta-types.ts';
import { admitPosted } from '../../registry/posted-object.ts';
import { operations } from '../../registry/write-guard.ts';
import { inFormat, negotiateRepresentation } from '../representation.ts';
import { bodyAnswer } from '../answer.ts';
import type { Answer } from '../answer.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';
import { postedInNamespace, readObject, submittedType } from '../submitted-object.ts';
import { readWriteOptions } from '../write-request.ts';
import { handleReview } from './review.ts';

export async function handleCreateOperation(
  deps: EndpointDeps,
  request: ResourceRequest,
): Promise<Answer> {
  const { kind, resource } = request;
  const operation = deps.registry.operationOf?.(kind, resource.subresource);
  if (operation === undefined) return handleReview(deps, request);
  const subresource = kind.subresources.find((s) => s.name === resource.subresource);
  const submitted = await readObject(deps, request, submittedType(kind, subresource));
  if (submitted.kind === 'refused') return submitted.error;
  const representation = negotiateRepresentation(deps, request, { projections: true });
  if (representation.kind === 'refused') return representation.error;
  const options = readWriteOptions(deps, request, 'CreateOptions');
  if (options.kind === 'refused') return options.error;
  const object = postedInNamespace(submitted.value, request);
  if (object.kind === 'refused') return object.error;
  const { kind: what, metadata } = object.value;
  if (resource.name !== '' && metadata.name !== resource.name) {
    const problem = `name in URL does not match name in ${what} object`;
    return newBadRequest(problem);
  }
  const { name, namespace } = resource;
  const target = { kind, namespace, name, subresource: resource.subresource };
  const admitted = await admitPosted(
    deps.registry,
    target,
    operations.create,
    object.value,
    options.value,
  );
  if (admitted.kind === 'refused') return admitted.error;
  const done = await operation(deps.registry, target, admitted.value, options.value);
  if (done.kind === 'refused') return done.error;
  const { negotiated, pretty } = representation.value;
  const status = encodeJson({ ...successStatus(), code: 201 });
  const body = inFormat(status, negotiated, pretty, statusType);
  return bodyAnswer(201, negotiated.mediaType, body);
}

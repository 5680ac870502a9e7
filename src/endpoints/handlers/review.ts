/**
 * Reviews: a POST that asks, of a kind or of an object's subresource, and is answered in the same
 * object; nothing is stored (spec 2, sections 4.2 and 4.3).
 *
 * The answers come from EndpointDeps.reviews, by kind.
 *
 * Invariant: what the client sent is echoed, with the status of the answer and no other.
 */
import { encodeJson } from '../../apimachinery/codecs/json.ts';
import { newGenericNotFound } from '../../apimachinery/status-error.ts';
import { inFormat, negotiateRepresentation } from '../representation.ts';
import { admitPosted } from '../../registry/posted-object.ts';
import { operations } from '../../registry/write-guard.ts';
import { bodyAnswer } from '../answer.ts';
import type { Answer } from '../answer.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';
import { postedInNamespace, readObject, submittedType } from '../submitted-object.ts';
import { readWriteOptions } from '../write-request.ts';

export async function handleReview(deps: EndpointDeps, request: ResourceRequest): Promise<Answer> {
  const { resource } = request;
  const subresource = request.kind.subresources.find((s) => s.name === resource.subresource);
  const kind = submittedType(request.kind, subresource);
  const submitted = await readObject(deps, request, kind);
  if (submitted.kind === 'refused') return submitted.error;
  const representation = negotiateRepresentation(deps, request, { projections: false });
  if (representation.kind === 'refused') return representation.error;
  const options = readWriteOptions(deps, request, 'CreateOptions');
  if (options.kind === 'refused') return options.error;
  const review = postedInNamespace(submitted.value, request);
  if (review.kind === 'refused') return review.error;
  const answerer = deps.reviews.get(kind.kind);
  if (answerer === undefined) return newGenericNotFound();
  const { name, namespace, subresource: part } = resource;
  const target = { kind: request.kind, namespace, name, subresource: part };
  const admitted = await admitPosted(
    deps.registry,
    target,
    operations.create,
    review.value,
    options.value,
    (object) => answerer.whole?.(object, request) ?? object,
  );
  if (admitted.kind === 'refused') return admitted.error;
  const answer = await answerer(admitted.value, request);
  if (answer.kind === 'refused') return answer.error;
  const { negotiated, pretty } = representation.value;
  const body = inFormat(encodeJson(answer.value), negotiated, pretty, kind.schema);
  return bodyAnswer(201, negotiated.mediaType, body);
}

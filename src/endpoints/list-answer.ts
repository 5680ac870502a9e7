/** A list as an answer: its layout, and the token of its next page (spec 1, section 4.9). */
import { encodeContinueToken } from '../apimachinery/continue-token.ts';
import { continueStart } from '../registry/read.ts';
import type { ListAnswer, SentList } from './answer.ts';
import { listLayout } from './list-layout.ts';
import type { Representation } from './representation.ts';
import type { EndpointDeps, ResourceRequest } from './request.ts';

export function listAnswer(
  deps: EndpointDeps,
  request: ResourceRequest,
  representation: Representation,
  list: SentList,
): ListAnswer {
  const layout = listLayout(deps, request.kind, representation, {
    resourceVersion: list.revision?.toString() ?? '',
    continue: continueTokenOf(deps, request, list),
    remainingItemCount: list.remainingItemCount,
  });
  return { kind: 'list', mediaType: representation.negotiated.mediaType, layout, list };
}

/** The token of the next page; undefined on the last one. */
export function continueTokenOf(
  deps: EndpointDeps,
  request: ResourceRequest,
  list: Pick<SentList, 'continueAfter' | 'revision'>,
): string | undefined {
  if (list.continueAfter === undefined || list.revision === undefined) return undefined;
  const target = { kind: request.kind, namespace: request.resource.namespace };
  return encodeContinueToken(deps.identity.groups.meta, {
    revision: list.revision,
    start: continueStart(target, list.continueAfter),
  });
}
